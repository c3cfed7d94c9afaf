# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# Is what a document shows as output what is printed? Numbers, times and lists of nodes differ, words do not.

# Standard input, without what may differ.
shape() {
    sed -E 's/\[[0-9,-]*(\]|\.\.\.)/0/g
        s/[0-9]+([.:][0-9]+)*/0/g
        s/0 (s|min|h|d)( to 0 (s|min|h|d))?( |$)/TIME /g
        s/[[:space:]]+/ /g; s/^ //; s/ $//'
}

# not_printed SHOWN PRINTED: the lines of one that the other does not have. From "..." on a line may be anything.
not_printed() {
    printed=$(printf '%s\n' "$2" | shape)
    printf '%s\n' "$1" | shape | sed 's/\.\.\..*/.../; /^$/d' | LC_ALL=C sort -u | while IFS= read -r line; do
        case $line in
            '...') ;;
            *...) printf '%s\n' "$printed" | awk -v line="${line%...}" 'index($0, line) == 1 { found = 1 } END { exit !found }' ||
                echo "$line" ;;
            *) printf '%s\n' "$printed" | grep -xF -- "$line" >/dev/null || echo "$line" ;;
        esac
    done
}
