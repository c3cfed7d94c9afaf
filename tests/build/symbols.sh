#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The plugin exports what Slurm looks for and nothing else, links libc only, and cannot even name
# what a guest in slurmstepd must not do. TAP.
set -eu
so=spank/.libs/cluster_env.so
if [ ! -e "$so" ]; then
    echo "1..0 # SKIP the plugin is not built (no Slurm headers)"
    exit 0
fi
bad=0
verdict() { # NUMBER TEXT OFFENDERS
    if [ -z "$3" ]; then
        echo "ok $1 - $2"
    else
        echo "not ok $1 - $2"
        printf '%s\n' "$3" | sed 's/^/# /'
        bad=1
    fi
}
echo "1..5"

exported=$(nm -D --defined-only "$so" | awk '{ print $3 }')
verdict 1 "exports only slurm_spank_* and the plugin's description" \
    "$(printf '%s\n' "$exported" | grep -Ev '^(slurm_spank_(init|local_user_init|user_init|task_init|task_exit|exit)|plugin_(name|type|version)|spank_plugin_version)$' || true)"

missing=
for name in plugin_name plugin_type plugin_version slurm_spank_init slurm_spank_user_init slurm_spank_task_init; do
    printf '%s\n' "$exported" | grep -qx "$name" || missing="$missing $name"
done
verdict 2 "exports what Slurm looks for" "$missing"

needed=$(LC_ALL=C readelf -d "$so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
verdict 3 "links libc only" "$(printf '%s\n' "$needed" | grep -Ev '^(libc\.so\.6|ld-linux.*|libasan.*|libubsan.*)$' || true)"

imported=$(nm -D --undefined-only "$so" | awk '{ print $2 }' | sed 's/@.*//')
forbidden='dlopen|dlsym|opendir|fdopendir|readdir|scandir.*|vfork|clone|execv.*|execle|fexecve|posix_spawn.*|popen|system|getaddrinfo|gethostby.*|getnameinfo|getpw.*|getgr.*|pthread_.*|v?f?printf|puts|putchar|fputs|fwrite|exit|abort|syslog|connect|send(to|mmsg)?|recv(from|mmsg)?|listen|accept.*|mkdir|mkdtemp|rename.*|unlink.*|putenv'
# fork, execl and execlp are those of a gang's task, never of the stepd: spank/stepd_watch.c.
# mkdirat, sendmsg and recvmsg are those of output=primary: spank/task_log.c
verdict 4 "no directory scan, thread, process, resolver, connection, output or write" \
    "$(printf '%s\n' "$imported" | grep -Ex "$forbidden" || true)"

verdict 5 "of Slurm only spank_*, the log, the calls of a failure, and those for the order of nodes" \
    "$(printf '%s\n' "$imported" | grep -E '^(slurm|spank)_' |
        grep -Evx 'spank_(context|remote|get_item|setenv|unsetenv|option_register)|slurm_(conf|error|spank_log|kill_job_step|job_step_layout_(get|free)|strerror|get_job_steps|load_job|(init_)?update_step(_msg)?|requeue2|free_job_(step_info_response_msg|info_msg|array_resp))' || true)"
exit $bad
