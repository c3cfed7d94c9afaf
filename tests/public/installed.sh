#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What `make install` gives to people who write C: header, library, pkg-config, example, manual. TAP.
set -eu
here=$(cd "${srcdir:-.}/tests/public" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$here/../tap.sh"
# shellcheck source-path=SCRIPTDIR source=cluster.sh
. "$here/cluster.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
stage=$work/stage run_dir=$work/run
cc=$(setting CC)
cxx=${CXX:-c++}
pkg_config=$(setting PKG_CONFIG)
sanitize=$(setting CE_SANITIZE)
header=$here/../../include/cluster_env/cluster_env.h
plan 24

# The words of the staged installation's cluster_env.pc.
pc() {
    PKG_CONFIG_LIBDIR=$stage$libdir/pkgconfig PKG_CONFIG_SYSROOT_DIR=$stage \
        PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 "$pkg_config" "$@" cluster_env
}

# ---------------------------------------------------------------- the header alone

alone() { # NAME COMPILER LANGUAGE STANDARD
    printf '#include "%s"\nint nothing(void);\n' "$header" >"$work/alone.c"
    # shellcheck disable=SC2086 # a compiler may be several words
    ok "$1" $2 -x "$3" -std="$4" -pedantic -Wall -Wextra -Wstrict-prototypes -Werror -fsyntax-only "$work/alone.c"
}
alone "the header compiles alone as C99" "$cc" c c99
alone "and as C11" "$cc" c c11
if command -v "${cxx%% *}" >/dev/null; then
    printf '#include "%s"\nint main() { struct cluster_env *i; int r = cluster_env_open(0, &i); cluster_env_close(i); return r; }\n' \
        "$header" >"$work/alone.cc"
    # shellcheck disable=SC2086
    ok "and as C++, where it links" $cxx -std=c++11 -pedantic -Wall -Wextra -Werror ${sanitize} -o "$work/alone" \
        "$work/alone.cc" -L.libs -lclusterenv
else
    skip "and as C++, where it links" "there is no C++ compiler"
fi

# ---------------------------------------------------------------- what is installed

# Without the outer make's flags: its jobs are not ours to take.
ok "make install" env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL "${MAKE:-make}" -s install DESTDIR="$stage"
libdir=$("$pkg_config" --variable=libdir lib/public/cluster_env.pc)

has() { # NAME PATTERN...
    tap_name=$1 missing=
    shift
    for pattern in "$@"; do
        [ -n "$(find "$stage" -path "*$pattern" -print)" ] || missing="$missing $pattern"
    done
    empty "$tap_name" "$missing"
}
has "installs the library, its header and cluster_env.pc" \
    "$libdir/libclusterenv.so" "$libdir/libclusterenv.so.1" /include/cluster_env/cluster_env.h /pkgconfig/cluster_env.pc
has "installs the manual" /man1/cluster-env.1 /man3/libclusterenv.3 /man5/cluster-env.conf.5 \
    /man5/cluster-env.hosts.5 /man5/node.facts.5 /man5/node.policy.5 /man7/slurm-cluster-env.7
has "installs documents, the example and the completion" /slurm-cluster-env/user.md \
    /slurm-cluster-env/variables.md /slurm-cluster-env/stable.md /slurm-cluster-env/troubleshooting.md /examples/cluster_info.c /completions/cluster-env
is "installs no other header and no .la file for the public library's insides" \
    "$(cd "$stage" && find . -name '*.h' | sed 's|.*/include/||')" cluster_env/cluster_env.h
is "cluster_env.pc has the version of this project" "$(pc --modversion)" "$(setting PACKAGE_VERSION)"

# ---------------------------------------------------------------- the example

# shellcheck disable=SC2046,SC2086
ok "the example compiles by pkg-config against what is installed" $cc -std=c99 -pedantic -Wall -Wextra -Werror \
    $sanitize "$here/../../docs/examples/cluster_info.c" -o "$work/cluster_info" $(pc --cflags --libs)
LD_LIBRARY_PATH=$stage$libdir
export LD_LIBRARY_PATH
write_texts "$run_dir"

nodes_of() { # THIS_NODE_RANK: the lines of four nodes whose addresses are known
    for i in 0 1 2 3; do
        printf '  node %d n%d 10.20.0.%d%s\n' $i $((i + 1)) $((i + 11)) "$([ "$i" != "$1" ] || echo ' (this one)')"
    done
}
port=$((5000 + (7 + 619) % 1000)) # job 7, step 1, window 5000-5999

is "in a task: rank, size, primary, port of the configured window, all nodes in rank order" \
    "$(as_task 3 "$work/cluster_info" "$run_dir" 2>&1)" \
    "rank 3 of 8, local rank 1 of 2, primary 10.20.0.11 port $port
$(nodes_of 1)"
is "the task of another node says the same of the others" \
    "$(as_task 0 "$work/cluster_info" "$run_dir" | sed 's/ (this one)//; 1d')" \
    "$(nodes_of none)"

batch_port=$((5000 + (7 + 619 * 999) % 1000))
is "in a batch script of four nodes: no rank, no place, the nodes of the job" \
    "$(as_batch 'n[1-4]' "$work/cluster_info" "$run_dir" 2>&1)" \
    "rank -1 of -1, local rank -1 of -1, primary 10.20.0.11 port $batch_port
$(nodes_of none)"
is "in a batch script of one node: no rank, node rank 0" \
    "$(as_batch n2 "$work/cluster_info" "$run_dir" 2>&1)" \
    "rank -1 of -1, local rank -1 of -1, primary 10.20.0.12 port $batch_port
  node 0 n2 10.20.0.12 (this one)"

book=short write_texts "$work/short"
out=$(as_task 3 "$work/cluster_info" "$work/short" 2>&1)
is "a node missing from the book: its address is not known, and one note says so" \
    "$(printf '%s\n' "$out" | grep -c -e '^  node 3 n4 (address not known)$' -e '^cluster_info: 1 of 4 nodes, the first of them n4, ')" 2

out=$(as_task 3 "$work/cluster_info" "$work/nothing" 2>"$work/notes")
is "without the node's texts: names instead of addresses, and one note" \
    "$out
$(sed 's/^\(cluster_info:\).*cannot open.*/\1 note/' "$work/notes")" \
    "rank 3 of 8, local rank 1 of 2, primary n1 port $((61000 + (7 + 619) % 4536))
  node 0 n1 (address not known)
  node 1 n2 (address not known) (this one)
  node 2 n3 (address not known)
  node 3 n4 (address not known)
cluster_info: note"

write_texts "$work/six"
sed -i 's|^netif.eth1.address.0=.*|netif.eth1.address.0=fd00:20::c/64|' "$work/six/node.facts"
printf 'fd00:20::%x n%d\n' 11 1 12 2 13 3 14 4 >"$work/six/hosts"
echo '# end of the address book' >>"$work/six/hosts"
is "IPv6: addresses without brackets" \
    "$(as_task 3 "$work/cluster_info" "$work/six" 2>&1 | sed -n '1s/.*, //p; 5p')" \
    "primary fd00:20::b port $port
  node 3 n4 fd00:20::e"

write_texts "$work/many"
{
    awk 'BEGIN { for (i = 1; i <= 16384; i++) printf "10.20.%d.%d n%d\n", i / 256, i % 256, i }'
    echo '# end of the address book'
} >"$work/many/hosts"
is "16,384 nodes, more than a variable can hold: the last one's address" \
    "$(as_task 3 env SLURM_STEP_NODELIST='n[1-16384]' SLURM_STEP_NUM_TASKS=32768 \
        "$work/cluster_info" "$work/many" 2>&1 | sed -n '1s/,.*//p; $p')" \
    "rank 3 of 32768
  node 16383 n16384 10.20.64.0"

# As in a container that does not have the node's /run/cluster-env.
# shellcheck disable=SC2016
inside='eval "$("$1" show --export --run "$2" --option port=4242)"; exec "$3" "$4"'
is "where --cluster-env has set the step up, its variables answer, without the node's texts" \
    "$(as_task 3 sh -c "$inside" sh "$PWD/cli/cluster-env" "$run_dir" "$work/cluster_info" "$work/nothing" 2>&1)" \
    "rank 3 of 8, local rank 1 of 2, primary 10.20.0.11 port 4242
$(nodes_of 1)"
# shellcheck disable=SC2016
changed='eval "$("$1" show --export --run "$2")"; export CLUSTER_IPS=1.1.1.1,2.2.2.2,3.3.3.3,4.4.4.4; exec "$3" "$2"'
is "a CLUSTER_IPS that somebody else wrote does not count" \
    "$(as_task 3 sh -c "$changed" sh "$PWD/cli/cluster-env" "$run_dir" "$work/cluster_info" 2>&1 | sed 1d)" "$(nodes_of 1)"
# shellcheck disable=SC2016
nested='eval "$("$1" show --export --run "$2" --option port=4242)"; SLURM_STEP_ID=2 exec "$3" "$2"'
is "an outer step's variables do not count" \
    "$(as_task 3 sh -c "$nested" sh "$PWD/cli/cluster-env" "$run_dir" "$work/cluster_info" 2>&1 | head -n 1)" \
    "rank 3 of 8, local rank 1 of 2, primary 10.20.0.11 port $((5000 + (7 + 2 * 619) % 1000))"

# ---------------------------------------------------------------- failures

status=0
out=$(env -i LD_LIBRARY_PATH="$LD_LIBRARY_PATH" "$work/cluster_info" 2>&1) || status=$?
is "outside a job: an answer of its own, no failure" "$status $out" "0 not in a Slurm job: running alone"
status=0
out=$(as_task 3 env SLURM_STEP_NODELIST='n[1-' "$work/cluster_info" "$run_dir" 2>&1) || status=$?
is "a node list that is none: the error says so" "$status ${out%% at *}" "1 cluster_info: host list: '[' without ']'"
status=0
out=$(as_task 3 env SLURMD_NODENAME=n9 "$work/cluster_info" "$run_dir" 2>&1) || status=$?
is "a place that does not check: the error says so" "$status ${out%%, but*}" \
    "1 cluster_info: node order does not check: node 1 of the step is n2 by its node list"
finish
