#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# etc/cluster-env.conf is what `config --example` prints, and is a configuration; so is what
# `config --from-node` prints of every machine. TAP.
set -eu
echo "1..4"
bad=0
if ./cli/cluster-env config --example | cmp -s - "${srcdir:-.}/etc/cluster-env.conf"; then
    echo "ok 1 - etc/cluster-env.conf is what cluster-env config --example prints"
else
    echo "not ok 1 - etc/cluster-env.conf is what cluster-env config --example prints"
    echo "# mend it: cluster-env config --example > etc/cluster-env.conf"
    bad=1
fi
copy=$(mktemp)
trap 'rm -f "$copy"' EXIT
cp "${srcdir:-.}/etc/cluster-env.conf" "$copy"
if ./cli/cluster-env config --check "$copy" >&2; then
    echo "ok 2 - the example passes config --check"
else
    echo "not ok 2 - the example passes config --check"
    bad=1
fi

# What is wrong with the sections that --from-node prints, and what it says.
complaints=$copy.complaints
trap 'rm -f "$copy" "$complaints"' EXIT
for facts in "${srcdir:-.}"/tests/fixtures/machines/*/node.facts; do
    { ./cli/cluster-env config --from-node --facts "$facts" --node=n1 >"$copy"; } 2>&1 |
        sed "s|.*config: |$(basename "$(dirname "$facts")"): |"
    { ./cli/cluster-env config --check "$copy" >/dev/null; } 2>&1
    grep -q -e '^# It has no rails: ' -e ' rails = { count = [1-9]' "$copy" || echo "$facts: no rails"
done >"$complaints"
if [ "$(grep -vc 'rails are down' "$complaints")" = 0 ]; then
    echo "ok 3 - what config --from-node prints passes config --check"
else
    echo "not ok 3 - what config --from-node prints passes config --check"
    sed 's/^/# /' "$complaints"
    bad=1
fi
expected="oci-h200-two-down: 2 of 8 rails are down
vm-rails-down-at-boot: 8 of 8 rails are down"
if [ "$(sed 's/;.*//' "$complaints")" = "$expected" ]; then
    echo "ok 4 - a node whose rails are down is called no model"
else
    echo "not ok 4 - a node whose rails are down is called no model"
    sed 's/^/# /' "$complaints"
    bad=1
fi
exit $bad
