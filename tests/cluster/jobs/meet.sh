#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# meet.sh OWN OTHER...: makes the file OWN and waits until the others are there: those that make them
# run at the same time as this. Fails when they do not come.
: >"$1"
for ((tries = 0; tries < 400; tries++)); do
    missing=0
    for file in "${@:2}"; do [[ -e $file ]] || missing=1; done
    [[ $missing -eq 1 ]] || exit 0
    sleep 0.05
done
echo "meet.sh: $1 is alone"
exit 1
