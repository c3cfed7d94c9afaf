#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cluster-env facts as people run it: a recorded tree, a recorded text, and what the helpers add. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
machines=$top/tests/fixtures/machines
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/helpers"
sh "$top/tests/fixtures/unpack" "$machines/oneclick.tree" "$work/tree"

facts() { ./cli/cluster-env facts "$@" 2>&1 || echo "exit status $?"; }

# helper NAME TEXT: one that prints TEXT.
helper() {
    printf '#!/bin/sh\ncat <<end\n%s\nend\n' "$2" >"$work/helpers/$1"
    chmod 755 "$work/helpers/$1"
}

check_replay() {
    is "--root: a recorded tree gives the machine's text" \
        "$(facts --root="$work/tree")" "$(cat "$machines/oneclick.facts")"
    is "--facts: a recorded text is printed again" \
        "$(facts --facts="$machines/odd.facts")" "$(cat "$machines/odd.facts")"
    printf 'format=1\nib.mlx5_0.2.state=4\nib.mlx5_0.1.state=1\nib.mlx5_0.color=red\nend=1\n' >"$work/text"
    is "and as we write it: in our order, with the keys that we know" "$(facts --facts="$work/text")" \
        "$(printf 'format=1\nib.mlx5_0.vf=0\nib.mlx5_0.1.state=1\nib.mlx5_0.2.state=4\nend=1\n')"
    echo "format=2" >"$work/text"
    is "a text that is none: one line with its name" "$(facts --facts="$work/text")" \
        "cluster-env facts: $work/text: line 1: expected format=1
exit status 3"
    is "a text that is not there: the same" "$(facts --facts="$work/none")" \
        "cluster-env facts: $work/none: cannot open: No such file or directory
exit status 3"
    for option in --write --root="$work/tree" --helpers; do
        is "--facts goes without $option" "$(facts --facts="$work/text" "$option" | head -n 1)" \
            "cluster-env facts: --facts goes without --write, --helpers and --root"
    done
}

check_helpers() {
    is "helpers that are not there: a line for each, and the facts" \
        "$(facts --root="$work/tree" --helpers="$work/helpers" | grep -v '^nvml')" \
        "cluster-env facts: what probe-verbs knows stays unknown: cannot run $work/helpers/probe-verbs: No such file or directory
cluster-env facts: what probe-topology knows stays unknown: cannot run $work/helpers/probe-topology: No such file or directory
$(cat "$machines/oneclick.facts")"
    is "and why NVML says nothing of the GPUs" \
        "$(facts --root="$work/tree" --helpers="$work/helpers" | grep '^nvml')" \
        "nvml.error=probe-gpu: cannot run $work/helpers/probe-gpu: No such file or directory"
    helper probe-gpu 'format=1
end=1'
    helper probe-verbs 'format=1
ib.mlx5_1.opens=1
end=1'
    helper probe-topology 'format=1
ib.mlx5_1.pci=0000:18:00.0
ib.mlx5_1.gpu.0=PIX
gpu.count=1
gpu.0.pci=0000:1b:00.0
end=1'
    facts --root="$work/tree" --helpers="$work/helpers" >"$work/with"
    is "what helpers say stands among the facts" "$(diff "$machines/oneclick.facts" "$work/with" | grep '^[<>]')" \
        "> ib.mlx5_1.opens=1
> ib.mlx5_1.gpu.0=PIX"
}

# The written facts have distances; a second time hwloc is not asked, and they stay.
check_kept() {
    : >"$work/conf"
    write() { facts --write --root="$work/tree" --helpers="$work/helpers" --run="$work/run" --config="$work/conf"; }
    is "--write with helpers is silent" "$(write)" ""
    is "and writes what they say" "$(diff "$work/with" "$work/run/node.facts")" ""
    rm "$work/helpers/probe-topology"
    is "distances of the same boot are kept, and hwloc not asked" \
        "$(write; diff "$work/with" "$work/run/node.facts")" ""
    echo 11111111-2222-3333-4444-555555555555 >"$work/tree/proc/sys/kernel/random/boot_id"
    is "of another boot they are not" "$(write | sed 's/: cannot.*//'; grep -c gpu.0= "$work/run/node.facts")" \
        "cluster-env facts: what probe-topology knows stays unknown
0"
    is "--write of a recorded tree asks no helper" \
        "$(facts --write --root="$work/tree" --run="$work/run" --config="$work/conf"; grep -c opens "$work/run/node.facts")" 0
}

# The boot says what every prolog would stumble over; jobs are not kept from their facts.
check_misnamed() {
    echo 'checks = ( { name = "ib.port.stat"; fault = "warn"; } );' >"$work/conf"
    rm "$work/run/node.policy"
    is "--write tells of a check that is none, and writes" \
        "$(facts --write --root="$work/tree" --run="$work/run" --config="$work/conf"; echo "$? $(tail -n 1 "$work/run/node.policy")")" \
        "cluster-env facts: $work/conf:1: checks: no check is called 'ib.port.stat'; did you mean 'ib.port.state'?; until that is mended no prolog checks this node
0 end=1"
}

check_replay
check_helpers
check_kept
check_misnamed
finish
