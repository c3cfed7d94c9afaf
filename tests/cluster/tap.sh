# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# TAP for the cluster tests: source it, say plan N, then one line per behaviour; end with finish.

tap_planned=0 tap_done=0 tap_failed=0
wrong=() # complaints without a verdict yet: tasks.sh

plan() { tap_planned=$1; printf '1..%d\n' "$1"; }

# The whole file is skipped: one line, exit 0.
skip_all() { printf '1..0 # SKIP %s\n' "$*"; exit 0; }

diag() { printf '%s\n' "$@" | sed 's/^/# /'; }

pass() { tap_done=$((tap_done + 1)); printf 'ok %d - %s\n' "$tap_done" "$*"; }

# fail NAME [DETAIL...]
fail() {
    tap_done=$((tap_done + 1)) tap_failed=$((tap_failed + 1))
    printf 'not ok %d - %s\n' "$tap_done" "$1"
    shift
    [[ $# -eq 0 ]] || diag "$@"
}

skip() { tap_done=$((tap_done + 1)); printf 'ok %d - %s # SKIP %s\n' "$tap_done" "$1" "$2"; }

# ok NAME COMMAND...: the command succeeds; what it prints is shown only where it does not.
ok() {
    local name=$1 out
    shift
    if out=$("$@" 2>&1); then pass "$name"; else fail "$name" "failed: $*" "$out"; fi
}

# is GOT WANT NAME
is() {
    if [[ $1 == "$2" ]]; then pass "$3"; else fail "$3" "     got: $1" "expected: $2"; fi
}

# like GOT REGEX NAME
like() {
    if [[ $1 =~ $2 ]]; then pass "$3"; else fail "$3" "     got: $1" "expected to match: $2"; fi
}

# unlike GOT REGEX NAME
unlike() {
    if [[ $1 =~ $2 ]]; then fail "$3" "     got: $1" "expected not to match: $2"; else pass "$3"; fi
}

# wait_until SECONDS COMMAND...: 0 as soon as the command succeeds, 1 when the time is over: that of an idle machine,
# and this one may be four times as slow.
wait_until() {
    local end=$((SECONDS + $1 * 4 + 1))
    shift
    until "$@" >/dev/null 2>&1; do
        [[ $SECONDS -lt $end ]] || return 1
        sleep 0.05
    done
}

# within SECONDS COMMAND...: no command of a test may hang; 124 when the time is over.
within() { timeout --kill-after=5 "$@"; }

# at_end COMMAND...: run it however the test ends, interruption included.
at_end() {
    # shellcheck disable=SC2064 # the words of now are meant
    trap "$(printf '%q ' "$@")" EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
}

# The last line of a test: its exit status.
finish() {
    [[ $tap_done -eq $tap_planned ]] || diag "planned $tap_planned tests but ran $tap_done"
    [[ ${#wrong[@]} -eq 0 ]] || diag "after the last verdict: ${wrong[*]}"
    [[ $tap_failed -eq 0 && $tap_done -eq $tap_planned && ${#wrong[@]} -eq 0 ]]
}
