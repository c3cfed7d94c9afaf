#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# evaluate.sh JOBS FILE: a task that gets its variables from the command, as where there is no plugin.
set -e
exports=$(cluster-env show --export)
eval "$exports"
exec "$1/seen.sh" "$2"
