#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# openmpi.sh ARGUMENT...: mpirun of Open MPI, again where it hangs: that of Open MPI 5 sometimes waits for its
# daemons for ever on a busy machine, before the ranks or after them, with all of them connected (open-mpi/ompi
# issues 10586 and 12939). What the last one printed is printed.
for try in 1 2 3; do
    printed=$(timeout -k 2 30 mpirun.openmpi "$@")
    status=$?
    [[ $status -eq 124 || $status -eq 137 ]] || break
    sleep "$try"
done
printf '%s' "${printed:+$printed$'\n'}"
exit "$status"
