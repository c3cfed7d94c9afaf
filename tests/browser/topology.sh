#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `cluster-env topology --svg`, measured in a real browser: no text lies on another or leaves its
# card, nothing is outside the picture, no letter is too small; with the fonts that the picture asks
# for, and with a wide one. KEEP=DIR keeps the pictures there, as SVG and PNG. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

browser=
for name in chromium chromium-browser google-chrome; do
    [ -n "$browser" ] || browser=$(command -v "$name" || true)
done
[ -n "$browser" ] || skip_all "chromium is not installed"

# Files only: every name of a host resolves to nothing, whatever the browser wants on its own.
browse() { # ARGUMENT...
    timeout -k 5 90 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --no-first-run --disable-extensions --disable-sync --disable-background-networking \
        --disable-component-update --disable-breakpad --host-resolver-rules='MAP * ~NOTFOUND' \
        --user-data-dir="$work/profile" --hide-scrollbars "$@" 2>"$work/err"
}

page() { # STYLE NAME...: the pictures, one below the other, and what measures them
    echo '<!DOCTYPE html><meta charset="utf-8"><style>body { margin: 0 } svg { display: block }'
    echo "$1</style>"
    shift
    for name; do
        echo "<section id=\"$name\">"
        sed 1d "$work/$name.svg"
        echo '</section>'
    done
    echo '<script>'
    cat "$top/tests/browser/measure.js"
    echo '</script>'
}

measured() { # PAGE
    browse --dump-dom "file://$1" >"$work/dom"
    sed -n '/<pre id="result">/,$p' "$work/dom" |
        sed 's/.*<pre id="result">//; /<\/pre>/{ s/<\/pre>.*//; q; }'
}

# As many texts and cards as there must be: an empty picture has no fault.
counts_of() { # NAME TEXTS CARDS
    sed -n "s/^$1: \([0-9]*\) texts, \([0-9]*\) cards\$/\1 \2/p" "$work/result" |
        { read -r texts cards && [ "$texts" -ge "$2" ] && [ "$cards" -ge "$3" ]; } ||
        echo "expected at least $2 texts and $3 cards: $(grep "^$1: " "$work/result")"
}

echo '<!DOCTYPE html><pre id="result">works</pre>' >"$work/try.html"
[ "$(measured "$work/try.html")" = works ] ||
    skip_all "$browser cannot run here: $(grep -v 'unexpected operator' "$work/err" | tail -n 1)"

# ---------------------------------------------------------------- pictures

# A machine with everything that is long, down, or in the way.
hard() {
    cat <<END
format=1
host.name=a-host-name-of-sixty-three-letters-which-is-as-long-as-it-may-b.example.com
netif.eth0.kind=ethernet
netif.eth0.up=1
netif.eth0.default_route=1
netif.eth0.address.0=fd00:1234:5678:9abc:def0:1234:5678:9abc/64
gpu.count=5
END
    for i in 0 1 2 3 4; do
        echo "gpu.$i.pci=0101:0$i:00.0"
        echo "gpu.$i.path=pci0101:00/0101:00:01.0/0101:01:00.0/0101:02:0$((i % 2)).0/0101:03:00.0/0101:0$i:00.0"
    done
    for i in $(seq 0 63); do
        echo "ib.mWWWWWWWW_WWWWWWWWWW_WWWWWWWWWWWWW_$i.node_type=1"
        echo "ib.mWWWWWWWW_WWWWWWWWWW_WWWWWWWWWWWWW_$i.netdev.0=enp194s0f1np1_$((i % 10))"
        echo "ib.mWWWWWWWW_WWWWWWWWWW_WWWWWWWWWWWWW_$i.pci=0101:$(printf %x $((i + 16))):00.0"
        echo "ib.mWWWWWWWW_WWWWWWWWWW_WWWWWWWWWWWWW_$i.path=pci0101:00/0101:00:01.0/0101:01:00.0/0101:02:0$((i % 2)).0/0101:03:0$((i % 3)).0/0101:04:00.0/0101:$(printf %x $((i + 16))):00.0"
        echo "ib.mWWWWWWWW_WWWWWWWWWW_WWWWWWWWWWWWW_$i.hca_type=MT$((4123 + i % 4))"
        echo "ib.mWWWWWWWW_WWWWWWWWWW_WWWWWWWWWWWWW_$i.1.state=$((i % 5))"
        echo "ib.mWWWWWWWW_WWWWWWWWWW_WWWWWWWWWWWWW_$i.1.phys_state=3"
        echo "ib.mWWWWWWWW_WWWWWWWWWW_WWWWWWWWWWWWW_$i.1.rate_mbps=400000"
        echo "ib.mWWWWWWWW_WWWWWWWWWW_WWWWWWWWWWWWW_$i.1.link_layer=$([ $((i % 7)) -eq 0 ] && echo ethernet || echo infiniband)"
    done
    echo end=1
}

hard >"$work/hard.facts"
: >"$work/config"
names=
draw() { # NAME FACTS
    ./cli/cluster-env topology --config="$work/config" --facts="$2" --svg="$work/$1.svg" 2>"$work/err" &&
        names="$names $1"
}
missing=
draw hard "$work/hard.facts" || missing=" hard"
for machine in dgx-h100 oci-h100 lambda-h100; do
    draw "$machine" "$top/tests/fixtures/machines/$machine/node.facts" || missing="$missing $machine"
done
empty "the pictures are drawn" "${missing:+$missing: $(cat "$work/err")}"

# shellcheck disable=SC2086 # names are words
{
    page '' $names >"$work/page.html"
    page "text { font-family: 'DejaVu Sans' !important }" $names >"$work/wide.html"
}
measured "$work/page.html" >"$work/result"
empty "every text has its place" "$(grep '^FAULT' "$work/result" | head -n 40)"
empty "the DGX H100 shows 8 GPUs and 12 HCAs" "$(counts_of dgx-h100 70 21)"
empty "the OCI H100 shows 8 GPUs and 18 HCAs" "$(counts_of oci-h100 90 27)"
empty "the virtual machine shows 8 GPUs and 9 HCAs" "$(counts_of lambda-h100 50 18)"
empty "64 HCAs are shown" "$(counts_of hard 200 70)"
measured "$work/wide.html" >"$work/result"
empty "in a wide font, too" "$(grep '^FAULT' "$work/result" | head -n 40)"
empty "of which all pictures are there" "$(counts_of dgx-h100 70 21)"

if [ -n "${KEEP:-}" ]; then
    for name in $names; do
        height=$(sed -n 's/.*viewBox="0 0 1280 \([0-9]*\)".*/\1/p' "$work/$name.svg")
        browse --window-size="1280,$height" --screenshot="$work/$name.png" "file://$work/$name.svg"
        cp "$work/$name.svg" "$work/$name.png" "$KEEP"
    done
fi
finish
