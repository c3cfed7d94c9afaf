#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# preflight_peer.sh KIND ADDRESS PORT JOB FROM TO SOCKET: dials a node's preflight and does what it should not. It
# prints what it heard of the other side after that: nothing, and how long the connection stayed.
set -euo pipefail

# the node may not listen yet
for _ in {1..100}; do
    if { exec 3<>"/dev/tcp/$2/$3"; } 2>/dev/null; then break; fi
    sleep 0.05
done
IFS= read -r -N 12 -t 3 header <&3
IFS= read -r -N "$((10#${header:5}))" -t 3 offer <&3
nonce=$(sed -n 's/^nonce=//p' <<<"$offer")
own=00000000000000000000000000000000

frame() { printf 'CEP1%s%07d%s' "$1" "${#2}" "$2" >&3; }
hello() { # hello JOB: sealed by who runs this
    printf 'format=1\nkind=hello\njob=%s\nfrom=%s\nto=%s\nnonce=%s\nown=%s\nring=0\nleft=9000\nwhole=0\nend=1\n' \
        "$1" "$4" "$5" "$nonce" "$own" | munge -S "$6" --restrict-uid=0
}

start=${EPOCHREALTIME/./}
case $1 in
    garbage) head -c 4000 /dev/urandom >&3 || true ;;
    long) printf 'CEP1c9999999' >&3 ;;
    open) frame h "$offer" ;;
    silent) ;;
    user) frame c "$(hello "$4" "$2" "$3" "$5" "$6" "$7")" ;;
    job) frame c "$(hello "$(($4 + 1))" "$2" "$3" "$5" "$6" "$7")" ;;
    twice)
        sealed=$(hello "$4" "$2" "$3" "$5" "$6" "$7")
        unmunge -S "$7" <<<"$sealed" >/dev/null
        frame c "$sealed" ;;
esac
heard=$(timeout 8 cat <&3 2>/dev/null | head -c 4000 | tr -d '\0' || true)
printf '%s after %d ms: %s\n' "$1" $(((${EPOCHREALTIME/./} - start) / 1000)) "$heard"
