#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Includes point down only: each folder may include the folders named beside it, and nothing else
# of ours. TAP.
set -eu
cd "${srcdir:-.}"

allowed() {
    case $1 in
    lib/base) echo base ;;
    lib/model) echo base model ;;
    lib/config | lib/slurm | lib/launch | lib/checks | lib/report | lib/probe | lib/local)
        own=${1#lib/}
        # A report prints plans and findings: it reads their types, it decides nothing.
        [ "$own" != report ] || own="report launch"
        echo base model "$own" ;;
    lib/session) echo base model slurm local launch session ;;
    lib/survey) echo base model config launch probe survey ;;
    lib/status) echo base model report status ;;
    lib/public) echo base model slurm launch session ;;
    lib/doctor) echo base model config probe local survey health doctor ;;
    lib/health | lib/preflight) echo base model config slurm launch checks report probe local "${1#lib/}" ;;
    spank) echo base model slurm launch local session ;;
    cli | prolog | epilog) echo base model config slurm launch checks report probe local session survey status health preflight doctor ;;
    helpers) echo base model slurm checks probe health ;;
    *) return 1 ;;
    esac
}

n=0 bad=0
for dir in lib/* spank cli prolog epilog helpers; do
    [ -d "$dir" ] || continue
    n=$((n + 1))
    if ! list=$(allowed "$dir"); then
        echo "not ok $n - $dir has a place among the layers"
        bad=1
        continue
    fi
    wrong=$(grep -rnE '^#include "[a-z]+/' "$dir" --include='*.[ch]' |
        awk -v list=" $list " '{ match($0, /"[a-z]+\//); d = substr($0, RSTART + 1, RLENGTH - 2)
                                 if (index(list, " " d " ") == 0) print "# " $0 }')
    if [ -z "$wrong" ]; then
        echo "ok $n - $dir includes only: $list"
    else
        echo "not ok $n - $dir includes only: $list"
        printf '%s\n' "$wrong"
        bad=1
    fi
done

n=$((n + 1))
noise=$(grep -rnE '(^|[^a-z_])(printf|puts|fputs|fprintf|putchar|perror|syslog|exit|abort) *\(' lib --include='*.[ch]' | grep -v '__attribute__' || true)
if [ -z "$noise" ]; then
    echo "ok $n - lib/ neither prints nor exits"
else
    echo "not ok $n - lib/ neither prints nor exits"
    printf '%s\n' "$noise" | sed 's/^/# /'
    bad=1
fi
echo "1..$n"
exit $bad
