#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the unit tests and the plugin host under valgrind: what `make check-valgrind` does.  TAP, one
# line per program.  Usage, in the build folder: LIBTOOL=... valgrind.sh PROGRAM...
set -eu

if ! command -v valgrind >/dev/null; then
    echo "1..0 # SKIP valgrind is not installed"
    exit 0
fi

export CLUSTER_ENV_TEST_TASKS=20 # valgrind takes its time with every fork,
export CLUSTER_ENV_TEST_ONE_SERIES=1 # and the plugin host runs one series' recordings, without the thousands of forks that ASan runs
export CLUSTER_ENV_TEST_CPU_SECONDS=120 # of one hook, or of a row that has a limit
log=$(mktemp)
trap 'rm -f "$log"' EXIT
n=0 bad=0
for program in "$@"; do
    case $program in
    tests/unit/* | tests/program/*) ;;
    *) continue ;;
    esac
    n=$((n + 1))
    # A stepd or task of the plugin host that valgrind complains about exits with 99 too, and the
    # test that started it fails.
    if ${LIBTOOL:?} --silent --mode=execute valgrind -q --error-exitcode=99 --leak-check=full \
        "$program" >"$log" 2>&1; then
        echo "ok $n - $program under valgrind"
        grep '^# task_init' "$log" || true
    else
        echo "not ok $n - $program under valgrind"
        grep -v '^ok ' "$log" | sed 's/^/# /'
        bad=1
    fi
done
echo "1..$n"
exit $bad
