#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# etc/cluster-env.conf is what `config --example` prints, and is a configuration. TAP.
set -eu
echo "1..2"
bad=0
if ./cli/cluster-env config --example | cmp -s - "${srcdir:-.}/etc/cluster-env.conf"; then
    echo "ok 1 - etc/cluster-env.conf is what cluster-env config --example prints"
else
    echo "not ok 1 - etc/cluster-env.conf is what cluster-env config --example prints"
    echo "# mend it: cluster-env config --example > etc/cluster-env.conf"
    bad=1
fi
copy=$(mktemp)
trap 'rm -f "$copy"' EXIT
cp "${srcdir:-.}/etc/cluster-env.conf" "$copy"
if ./cli/cluster-env config --check "$copy" >&2; then
    echo "ok 2 - the example passes config --check"
else
    echo "not ok 2 - the example passes config --check"
    bad=1
fi
exit $bad
