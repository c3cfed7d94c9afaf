#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/frameworks.md has the batch scripts of docs/examples/frameworks, word by word, and no other. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
document=$top/docs/frameworks.md

# The blocks of the document, each in one line.
blocks() { awk '/^    / { line = line substr($0, 5) "\\n"; next } line { print line; line = "" } END { if (line) print line }' "$document"; }
scripts() { for file in "$top"/docs/examples/frameworks/*.sbatch; do awk '{ line = line $0 "\\n" } END { print line }' "$file"; done; }

is "there are scripts" "$([ "$(scripts | wc -l)" -ge 10 ] && echo yes)" yes
is "the document has each, and no other" "$(blocks | LC_ALL=C sort -u)" "$(scripts | LC_ALL=C sort -u)"
not_bash() { for file in "$top"/docs/examples/frameworks/*.sbatch; do bash -n "$file" 2>&1 || echo "$file"; done; }
empty "each is a script of bash" "$(not_bash)"
finish
