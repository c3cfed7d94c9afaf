#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each header of lib/ compiles alone. TAP.
set -eu
cd "${srcdir:-.}"
n=0 bad=0
for header in lib/*/*.h; do
    n=$((n + 1))
    if message=$(printf '#include "%s"\nint nothing;\n' "${header#lib/}" |
        ${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only -Ilib -x c - 2>&1); then
        echo "ok $n - $header compiles alone"
    else
        echo "not ok $n - $header compiles alone"
        printf '%s\n' "$message" | sed 's/^/# /'
        bad=1
    fi
done
echo "1..$n"
exit $bad
