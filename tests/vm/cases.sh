# shellcheck shell=bash disable=SC2154 # build is set where it is sourced
# SPDX-License-Identifier: Apache-2.0
#
# What the tests in VMs share, before and in the VM; needs tests/cluster/tap.sh.

# run_cases CASE...: test_CASE of each, or of those in CASES; then the test is over.
run_cases() {
    local case start
    for case in ${CASES:-"$@"}; do
        start=$SECONDS
        "test_$case"
        diag "$case: $((SECONDS - start)) s"
    done
    finish
}

# need_programs NAME...: the test is skipped where one of them is missing.
need_programs() {
    local program
    for program in "$@"; do
        command -v "$program" >/dev/null || skip_all "vm: $program is missing (build-aux/needs vm installs it)"
    done
}

# need_built PROGRAM: of the build, which is not made yet where it has none.
need_built() {
    [[ -x $build/$1 ]] || { echo "${0##*/}: $build has no ${1##*/}; make it first" >&2; exit 2; }
}
