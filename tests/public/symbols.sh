#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# libclusterenv exports the functions of tests/public/symbols.txt in their versions, the header
# declares just those, and the library stays a guest in other people's programs. TAP.
set -eu
here=${srcdir:-.}/tests/public
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$here/../tap.sh"
so=.libs/libclusterenv.so
plan 5

exported=$(LC_ALL=C readelf -W --dyn-syms "$so" |
    awk '$7 != "UND" && $4 != "NOTYPE" && $8 ~ /@/ { print $8 }' | LC_ALL=C sort)
is "exported symbols and their versions are those of symbols.txt" "$exported" "$(cat "$here/symbols.txt")"

declared=$(sed -n 's/^[a-z].*\(cluster_env_[a-z_]*\)(.*/\1/p' \
    "$here/../../include/cluster_env/cluster_env.h" | LC_ALL=C sort)
is "the header declares them all and no other" "$declared" "$(sed 's/@.*//' "$here/symbols.txt")"

needed=$(LC_ALL=C readelf -d "$so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
empty "links libc only" "$(printf '%s\n' "$needed" |
    grep -Ev '^(libc\.so\.6|ld-linux.*|libasan.*|libubsan.*)$' || true)"
is "its name carries the version of the interface" \
    "$(LC_ALL=C readelf -d "$so" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')" libclusterenv.so.1

imported=$(nm -D --undefined-only "$so" | awk '{ print $2 }' | sed 's/@.*//')
forbidden='dlopen|v?fork|exec.*|posix_spawn.*|popen|system|getaddrinfo|gethostby.*|pthread_create|v?f?printf|puts|putchar|fputs|fwrite|exit|_exit|abort|syslog|signal|sigaction|setenv|putenv|unsetenv|connect|send.*|setlocale'
empty "prints nothing, ends nothing, starts nothing, changes no environment" \
    "$(printf '%s\n' "$imported" | grep -Ex "$forbidden" || true)"
finish
