#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run.sh SECONDS [NAME...]: builds the fuzz targets with libFuzzer and sanitizers, and lets each (or
# those of that name) run for SECONDS.  An input that breaks one is kept in this folder as
# fuzz-NAME-*; tests/fuzz/fuzz_NAME FILE looks at it again.  TAP.
set -eu

seconds=${1:-}
case $seconds in
'' | *[!0-9]*) echo "usage: run.sh SECONDS [NAME...]" >&2; exit 2 ;;
esac
shift
top=$(cd "$(dirname "$0")/../.." && pwd -P)
if [ $# -eq 0 ]; then
    for source in "$top"/tests/fuzz/fuzz_*.c; do
        name=${source##*/fuzz_}
        set -- "$@" "${name%.c}"
    done
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: "${CLANG:=clang}"

skip() { echo "1..0 # SKIP $*"; exit 0; }

command -v "$CLANG" >/dev/null || skip "clang is not installed"
echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return n && !d; }' >"$work/try.c"
"$CLANG" -fsanitize=fuzzer,address,undefined "$work/try.c" -o "$work/try" 2>"$work/log" ||
    skip "clang has no fuzzer runtime (Debian: libclang-rt-14-dev)"
libs=$(pkg-config --cflags --libs libconfig jansson) || skip "libconfig or jansson is not installed"

sanitize=address,undefined
echo '#define PACKAGE_VERSION "fuzz"' >"$work/config.h"
flags="-std=c11 -D_GNU_SOURCE -I$top/lib -I$work -g -O1 -fno-omit-frame-pointer -fno-sanitize-recover=undefined"
(cd "$top" && sh build-aux/embed ce_ lib/status/page.html lib/status/page.css lib/status/page_data.js lib/status/page.js) \
    >"$work/page_files.c"
for source in "$top"/lib/*/*.c "$work/page_files.c"; do
    case $source in */public/*) continue ;; esac # of the installed library, which no target needs
    name=$(echo "${source#"$top"/}" | tr / -)
    # shellcheck disable=SC2086 # lists of words
    "$CLANG" $flags -fsanitize=fuzzer-no-link,$sanitize -c "$source" -o "$work/$name.o"
done

# The sources that a target links in addition to lib/: those of the programs, as fuzz.mk lists them.
more() { sed -n "s/^tests_fuzz_fuzz_$1_SOURCES = //p" "$top"/tests/fuzz/fuzz.mk | tr ' ' '\n' |
    sed -n "s|^\(helpers/.*\.c\)\$|$top/\1|p"; }

n=0 bad=0
echo "1..$#"
for target in "$@"; do
    n=$((n + 1))
    if grep -q '<munge.h>' "$top/tests/fuzz/fuzz_$target.c" &&
        ! echo '#include <munge.h>' | "$CLANG" -E - >/dev/null 2>&1; then
        echo "ok $n - $target # SKIP munge.h is not installed (Debian: libmunge-dev)"
        continue
    fi
    seeds=$top/tests/fuzz/corpus/$target
    mkdir -p "$work/$target"
    # shellcheck disable=SC2046,SC2086
    "$CLANG" $flags -fsanitize=fuzzer,$sanitize "$top/tests/fuzz/fuzz_$target.c" $(more "$target") \
        "$work"/*.o $libs -o "$work/fuzz_$target"
    if "$work/fuzz_$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=8192 \
        -print_final_stats=1 -artifact_prefix="./fuzz-$target-" "$work/$target" "$seeds" \
        >"$work/log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log")
        echo "ok $n - $target: ${runs:-?} runs in $seconds s"
    else
        echo "not ok $n - $target"
        tail -n 60 "$work/log" | sed 's/^/# /'
        bad=1
    fi
done
exit $bad
