#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What srun --help and a slip in the option show, with the built plugin in this machine's srun; no
# daemon is needed. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
so=$PWD/spank/.libs/cluster_env.so
[ -e "$so" ] || skip_all "the plugin is not built (no Slurm headers)"
[ -z "$(setting CE_SANITIZE)" ] || skip_all "srun cannot load a plugin with sanitizers"
command -v srun >/dev/null || skip_all "srun is not installed"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/slurm.conf" <<END
ClusterName=none
SlurmctldHost=localhost
AuthType=auth/munge
PlugStackConfig=$work/plugstack.conf
NodeName=n1
PartitionName=all Nodes=ALL
END
echo "required $so" >"$work/plugstack.conf"
SLURM_CONF=$work/slurm.conf
export SLURM_CONF
help=$(srun --help 2>"$work/err") || skip_all "this srun does not take the plugin: $(head -n 1 "$work/err")"
plan 3

# The lines of one option.
help=$(printf '%s\n' "$help" | sed -n '/ --cluster-env=/,/^ *$/p' | tr -s ' \n' '  ')
is "srun --help shows how the option is written" "${help%% set *}" " --cluster-env=[ITEM,...]"
missing=
for item in on off port=N torchrun=on verbose; do
    case $help in *"$item"*) ;; *) missing="$missing $item" ;; esac
done
empty "and every item" "$missing"
status=0
out=$(srun --cluster-env=nonsense true 2>&1) || status=$?
case $status,$out in
    0,*) fail "an item that is none: srun does not start" "$out" ;;
    *"'nonsense' is not a valid item; valid are: on, off"*) pass "an item that is none: srun does not start" ;;
    *) fail "an item that is none: srun does not start" "$status $out" ;;
esac
finish
