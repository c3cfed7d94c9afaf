# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# bash completion for cluster-env. Commands and options are those that --help prints, so they cannot
# grow old here. Needs bash 4 and nothing else.

_cluster_env_commands() { "$1" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'; }

# Long options of the command; '=' behind those that need a value.
_cluster_env_options() {
    "$1" "$2" --help 2>/dev/null | grep -oE '^  (-.,|   ) --[a-z][a-z-]*=?' | sed 's/.*--/--/'
}

_cluster_env_kinds() { "$1" bench --help 2>/dev/null | sed -n 's/^\([a-z]*\): .*/\1/p' | tr '\n' ' '; }

_cluster_env_checks() { "$1" check --list 2>/dev/null | sed 's/ .*//' | tr '\n' ' '; }

_cluster_env_devices() { (cd /sys/class/infiniband 2>/dev/null && echo *); }

# What may stand behind an option, as words for compgen.
_cluster_env_values() { # OPTION PROGRAM
    case $1 in
        --format | -f) echo -W "names addresses mpi mpich deepspeed horovod" ;;
        --option | -o) echo -W "on off port= rdma=auto rdma=off rdma=require torchrun=on torchrun=off output=all output=primary gang retries= verbose" ;;
        --phase) echo -W "prolog epilog manual" ;;
        --only) echo -W "$(_cluster_env_checks "$2")" ;;
        --tests | -t) echo -W "h2d d2h d2d p2p memory load" ;;
        --floor) echo -W "h2d= d2h= d2d= p2p=" ;;
        --from) echo -W "srun slurm dns" ;;
        --run | --root | --helpers | -r) echo -d ;;
        --memory) echo -W "host gpu" ;;
        --rail) echo -W "$(_cluster_env_devices)" ;;
        --library | --config | --check | --facts | --svg | --html | -c) echo -f ;;
        *) return 1 ;;
    esac
}

# _cluster_env_reply WORD COMPGEN_ARGUMENT...
_cluster_env_reply() {
    # bash breaks words at '=' and completes what is behind the last one
    local behind=${1##*=}
    mapfile -t COMPREPLY < <(compgen "${@:2}" -- "$1")
    COMPREPLY=("${COMPREPLY[@]#"${1%"$behind"}"}")
    case $2 in -d | -f) compopt -o filenames 2>/dev/null ;; esac
    # a word that wants a value is not finished
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}

_cluster_env() {
    local line=${COMP_LINE:0:COMP_POINT} program=$1 word option how what
    word=${line##*[[:space:]]} option=${COMP_WORDS[COMP_CWORD - 1]} COMPREPLY=()
    if [[ $COMP_CWORD -le 1 ]]; then
        _cluster_env_reply "$word" -W "$(_cluster_env_commands "$program") --help --version"
        return
    fi
    if [[ $word == --*=* ]]; then option=${word%%=*} word=${word#*=}; fi
    if [[ ${COMP_WORDS[1]} == status && $option == --from ]]; then option=--root; fi # a folder, too
    if read -r how what < <(_cluster_env_values "$option" "$program"); then
        _cluster_env_reply "$word" "$how" ${what:+"$what"}
    elif [[ $word == -* ]]; then
        _cluster_env_reply "$word" -W "$(_cluster_env_options "$program" "${COMP_WORDS[1]}")"
    elif [[ ${COMP_WORDS[1]} == bench && $COMP_CWORD -eq 2 ]]; then
        _cluster_env_reply "$word" -W "$("$program" bench --help 2>/dev/null | sed -n '/^Kinds:/,/^$/s/^  \([a-z]*\)  .*/\1/p')"
    elif [[ ${COMP_WORDS[1]} == config ]]; then
        _cluster_env_reply "$word" -f
    elif [[ ${COMP_WORDS[1]} == bench ]]; then
        _cluster_env_reply "$word" -W "$(_cluster_env_kinds "$program")"
    fi
}

complete -F _cluster_env cluster-env
