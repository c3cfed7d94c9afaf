# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# TAP for shell tests: source it, say plan N (or nothing, and finish says how many there were).

tap_count=0 tap_bad=0 tap_plan=

plan() {
    tap_plan=$1
    echo "1..$1"
}

skip_all() {
    echo "1..0 # SKIP $*"
    exit 0
}

pass() {
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1"
}

# fail NAME [DETAIL]
fail() {
    tap_count=$((tap_count + 1))
    tap_bad=1
    echo "not ok $tap_count - $1"
    [ -z "${2:-}" ] || printf '%s\n' "$2" | sed 's/^/# /'
}

skip() { # NAME REASON
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1 # SKIP $2"
}

# empty NAME TEXT: there is nothing to complain about.
empty() {
    if [ -z "$2" ]; then pass "$1"; else fail "$1" "$2"; fi
}

# is NAME GOT WANTED
is() {
    if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "$(printf 'got:\n%s\nexpected:\n%s' "$2" "$3")"; fi
}

# ok NAME COMMAND...: it succeeds; what it prints is shown only where it does not.
ok() {
    tap_name=$1
    shift
    if tap_out=$("$@" 2>&1); then pass "$tap_name"; else fail "$tap_name" "$tap_out"; fi
}

finish() {
    [ -n "$tap_plan" ] || echo "1..$tap_count"
    exit $tap_bad
}

# setting NAME: what configure chose. Tests run in the folder of the build.
setting() {
    sed -n "s/^$1 = //p" Makefile | head -n 1
}
