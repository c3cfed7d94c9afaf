#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# hold.sh FILE: a task that runs until it is ended; FILE.<rank> says that it runs.
: >"$1.$SLURM_PROCID"
exec sleep 40
