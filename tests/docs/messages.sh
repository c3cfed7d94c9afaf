#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every message of the plugin, the libraries, the commands and the prolog has a heading in
# docs/troubleshooting.md, and no heading there is of a message that is gone. TAP.
set -eu
here=$(cd "${srcdir:-.}/tests/docs" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$here/../tap.sh"
cd "$here/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck disable=SC2016 # the quotes are those of markdown
sed -n 's/^### `\(.*\)`$/\1/p' docs/troubleshooting.md | LC_ALL=C sort >"$work/headings"
for dir in spank cli prolog lib/*; do
    find "$dir" -name '*.c' -exec awk -f "$here/messages.awk" {} +
done | LC_ALL=C sort -u >"$work/messages"

[ "$(wc -l <"$work/messages")" -gt 60 ] || echo "Bail out! messages.awk finds no messages"
for dir in spank cli prolog lib/*; do
    find "$dir" -name '*.c' -exec awk -f "$here/messages.awk" {} + | LC_ALL=C sort -u >"$work/here"
    [ -s "$work/here" ] || continue
    empty "$dir: every message has a heading in docs/troubleshooting.md" \
        "$(LC_ALL=C comm -23 "$work/here" "$work/headings")"
done
empty "docs/troubleshooting.md explains no message that is gone" \
    "$(LC_ALL=C comm -13 "$work/messages" "$work/headings")"
empty "and none twice" "$(uniq -d "$work/headings")"
finish
