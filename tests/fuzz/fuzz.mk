# SPDX-License-Identifier: Apache-2.0
# Fuzz targets, one for each parser of what a user, the kernel or another node writes; here each with
# driver.c, in run.sh with libFuzzer.
fuzz_programs = \
    tests/fuzz/fuzz_bench_talk \
    tests/fuzz/fuzz_book \
    tests/fuzz/fuzz_config \
    tests/fuzz/fuzz_environment \
    tests/fuzz/fuzz_facts \
    tests/fuzz/fuzz_gang \
    tests/fuzz/fuzz_gpu_bench \
    tests/fuzz/fuzz_health_line \
    tests/fuzz/fuzz_hostlist \
    tests/fuzz/fuzz_job \
    tests/fuzz/fuzz_kernel \
    tests/fuzz/fuzz_nccl_bench \
    tests/fuzz/fuzz_nccl_conf \
    tests/fuzz/fuzz_nccl_list \
    tests/fuzz/fuzz_nccl_word \
    tests/fuzz/fuzz_open_mode \
    tests/fuzz/fuzz_option \
    tests/fuzz/fuzz_policy \
    tests/fuzz/fuzz_proc \
    tests/fuzz/fuzz_rdma \
    tests/fuzz/fuzz_refused_job \
    tests/fuzz/fuzz_roster \
    tests/fuzz/fuzz_slurm \
    tests/fuzz/fuzz_state \
    tests/fuzz/fuzz_sysfs \
    tests/fuzz/fuzz_tail
tests_fuzz_fuzz_bench_talk_SOURCES = tests/fuzz/fuzz_bench_talk.c helpers/bench_talk.c tests/fuzz/wire.h tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_book_SOURCES = tests/fuzz/fuzz_book.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_config_SOURCES = tests/fuzz/fuzz_config.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_environment_SOURCES = tests/fuzz/fuzz_environment.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_facts_SOURCES = tests/fuzz/fuzz_facts.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_gang_SOURCES = tests/fuzz/fuzz_gang.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_gpu_bench_SOURCES = tests/fuzz/fuzz_gpu_bench.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_health_line_SOURCES = tests/fuzz/fuzz_health_line.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_health_line_LDADD = libstatus.la libadmin.la libprobe.la libcore.la
tests_fuzz_fuzz_hostlist_SOURCES = tests/fuzz/fuzz_hostlist.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_job_SOURCES = tests/fuzz/fuzz_job.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_kernel_SOURCES = tests/fuzz/fuzz_kernel.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_nccl_bench_SOURCES = tests/fuzz/fuzz_nccl_bench.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_nccl_conf_SOURCES = tests/fuzz/fuzz_nccl_conf.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_nccl_list_SOURCES = tests/fuzz/fuzz_nccl_list.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_nccl_word_SOURCES = tests/fuzz/fuzz_nccl_word.c helpers/nccl_gang.c helpers/nccl_word.c helpers/bench_talk.c tests/fuzz/wire.h tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_open_mode_SOURCES = tests/fuzz/fuzz_open_mode.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_option_SOURCES = tests/fuzz/fuzz_option.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_policy_SOURCES = tests/fuzz/fuzz_policy.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_proc_SOURCES = tests/fuzz/fuzz_proc.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_rdma_SOURCES = tests/fuzz/fuzz_rdma.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_refused_job_SOURCES = tests/fuzz/fuzz_refused_job.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_roster_SOURCES = tests/fuzz/fuzz_roster.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_slurm_SOURCES = tests/fuzz/fuzz_slurm.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_state_SOURCES = tests/fuzz/fuzz_state.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_sysfs_SOURCES = tests/fuzz/fuzz_sysfs.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_tail_SOURCES = tests/fuzz/fuzz_tail.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_tail_LDADD = libstatus.la libadmin.la libprobe.la libcore.la
# The helper that uses munge; the double of munge is in the target.
if HAVE_MUNGE
fuzz_programs += tests/fuzz/fuzz_preflight
endif
tests_fuzz_fuzz_preflight_SOURCES = tests/fuzz/fuzz_preflight.c helpers/gang_peer.c helpers/gang_rails.c helpers/gang_seal.c helpers/gang_stranger.c helpers/gang_talk.c tests/fuzz/driver.c tests/fuzz/fuzz.h tests/fuzz/wire.h
tests_fuzz_fuzz_preflight_CFLAGS = $(AM_CFLAGS) $(MUNGE_CFLAGS)
EXTRA_DIST += \
    tests/fuzz/run.sh \
    tests/fuzz/corpus/bench_talk/another \
    tests/fuzz/corpus/bench_talk/cut \
    tests/fuzz/corpus/bench_talk/newer \
    tests/fuzz/corpus/bench_talk/two \
    tests/fuzz/corpus/bench_talk/usual \
    tests/fuzz/corpus/nccl_word/cut \
    tests/fuzz/corpus/nccl_word/fails \
    tests/fuzz/corpus/nccl_word/part \
    tests/fuzz/corpus/nccl_word/place \
    tests/fuzz/corpus/nccl_word/stranger \
    tests/fuzz/corpus/preflight/another_program \
    tests/fuzz/corpus/preflight/another_user \
    tests/fuzz/corpus/preflight/data_first \
    tests/fuzz/corpus/preflight/dialed_judge \
    tests/fuzz/corpus/preflight/dialed_next \
    tests/fuzz/corpus/preflight/neighbour \
    tests/fuzz/corpus/preflight/no_credential \
    tests/fuzz/corpus/preflight/rails_ends \
    tests/fuzz/corpus/preflight/rails_figures \
    tests/fuzz/corpus/preflight/to_judge \
    tests/fuzz/corpus/preflight/too_long \
    tests/fuzz/corpus/proc/link \
    tests/fuzz/corpus/proc/meminfo \
    tests/fuzz/corpus/proc/mounts \
    tests/fuzz/corpus/proc/odd_name \
    tests/fuzz/corpus/proc/stat \
    tests/fuzz/corpus/slurm/conf \
    tests/fuzz/corpus/slurm/gres \
    tests/fuzz/corpus/slurm/list \
    tests/fuzz/corpus/slurm/reasons \
    tests/fuzz/corpus/slurm/version \
    tests/fuzz/corpus/state/nothing \
    tests/fuzz/corpus/state/parts \
    tests/fuzz/corpus/state/recovery \
    tests/fuzz/corpus/state/told \
    tests/fuzz/corpus/tail/empty_lines \
    tests/fuzz/corpus/tail/jsonl \
    tests/fuzz/corpus/tail/jsonl_cut \
    tests/fuzz/corpus/tail/log \
    tests/fuzz/corpus/tail/short \
    tests/fuzz/corpus/book/cluster \
    tests/fuzz/corpus/book/copy \
    tests/fuzz/corpus/book/empty \
    tests/fuzz/corpus/book/hosts \
    tests/fuzz/corpus/config/bad \
    tests/fuzz/corpus/config/checks \
    tests/fuzz/corpus/config/empty \
    tests/fuzz/corpus/config/example \
    tests/fuzz/corpus/config/rails \
    tests/fuzz/corpus/config/sections \
    tests/fuzz/corpus/config/small \
    tests/fuzz/corpus/environment/arbitrary \
    tests/fuzz/corpus/environment/batch \
    tests/fuzz/corpus/environment/het \
    tests/fuzz/corpus/environment/shell \
    tests/fuzz/corpus/environment/step \
    tests/fuzz/corpus/facts/addresses \
    tests/fuzz/corpus/facts/bits \
    tests/fuzz/corpus/facts/details \
    tests/fuzz/corpus/facts/newer \
    tests/fuzz/corpus/facts/nothing \
    tests/fuzz/corpus/facts/rdma \
    tests/fuzz/corpus/facts/runpod \
    tests/fuzz/corpus/gang/ends \
    tests/fuzz/corpus/gang/header \
    tests/fuzz/corpus/gang/hello \
    tests/fuzz/corpus/gang/offer \
    tests/fuzz/corpus/gang/report \
    tests/fuzz/corpus/gang/report_nccl \
    tests/fuzz/corpus/gang/task \
    tests/fuzz/corpus/gang/verdict \
    tests/fuzz/corpus/gang/verdict_nccl \
    tests/fuzz/corpus/gang/view \
    tests/fuzz/corpus/gang/view_nccl \
    tests/fuzz/corpus/gpu_bench/ended \
    tests/fuzz/corpus/gpu_bench/usual \
    tests/fuzz/corpus/nccl_bench/labels \
    tests/fuzz/corpus/nccl_bench/ready \
    tests/fuzz/corpus/nccl_bench/usual \
    tests/fuzz/corpus/hostlist/eight-groups \
    tests/fuzz/corpus/hostlist/groups \
    tests/fuzz/corpus/hostlist/most \
    tests/fuzz/corpus/hostlist/one \
    tests/fuzz/corpus/hostlist/range \
    tests/fuzz/corpus/hostlist/several \
    tests/fuzz/corpus/hostlist/unclosed \
    tests/fuzz/corpus/health_line/bench \
    tests/fuzz/corpus/health_line/drained \
    tests/fuzz/corpus/health_line/hostile \
    tests/fuzz/corpus/health_line/several \
    tests/fuzz/corpus/kernel/benign \
    tests/fuzz/corpus/kernel/garbage \
    tests/fuzz/corpus/kernel/memory \
    tests/fuzz/corpus/kernel/mlx5 \
    tests/fuzz/corpus/kernel/nvlink5 \
    tests/fuzz/corpus/kernel/recovered \
    tests/fuzz/corpus/kernel/sxid \
    tests/fuzz/corpus/nccl_conf/comment \
    tests/fuzz/corpus/nccl_conf/dos \
    tests/fuzz/corpus/nccl_conf/empty_line \
    tests/fuzz/corpus/job/cgroup \
    tests/fuzz/corpus/job/gpus \
    tests/fuzz/corpus/job/status \
    tests/fuzz/corpus/nccl_conf/usual \
    tests/fuzz/corpus/nccl_list/empty \
    tests/fuzz/corpus/nccl_list/exact \
    tests/fuzz/corpus/nccl_list/except \
    tests/fuzz/corpus/nccl_list/many \
    tests/fuzz/corpus/nccl_list/odd \
    tests/fuzz/corpus/nccl_list/rails \
    tests/fuzz/corpus/nccl_list/usual \
    tests/fuzz/corpus/open_mode/script \
    tests/fuzz/corpus/open_mode/words \
    tests/fuzz/corpus/option/all \
    tests/fuzz/corpus/option/bad \
    tests/fuzz/corpus/option/empty \
    tests/fuzz/corpus/option/null \
    tests/fuzz/corpus/option/off \
    tests/fuzz/corpus/policy/nothing \
    tests/fuzz/corpus/policy/rules \
    tests/fuzz/corpus/policy/usual \
    tests/fuzz/corpus/policy/whole \
    tests/fuzz/corpus/rdma/end \
    tests/fuzz/corpus/rdma/failed \
    tests/fuzz/corpus/rdma/port \
    tests/fuzz/corpus/rdma/result \
    tests/fuzz/corpus/rdma/step \
    tests/fuzz/corpus/refused_job/newer \
    tests/fuzz/corpus/refused_job/odd \
    tests/fuzz/corpus/refused_job/usual \
    tests/fuzz/corpus/roster/list \
    tests/fuzz/corpus/roster/newer \
    tests/fuzz/corpus/roster/nothing \
    tests/fuzz/corpus/roster/usual \
    tests/fuzz/corpus/sysfs/counters \
    tests/fuzz/corpus/sysfs/gpus \
    tests/fuzz/corpus/sysfs/host \
    tests/fuzz/corpus/sysfs/loops \
    tests/fuzz/corpus/sysfs/nothing \
    tests/fuzz/corpus/sysfs/rail \
    tests/fuzz/corpus/sysfs/roce
check_PROGRAMS += $(fuzz_programs)
TESTS += $(fuzz_programs)
CLEANFILES += fuzz-book.input fuzz-config.input fuzz-environment.input fuzz-facts.input fuzz-gang.input fuzz-gpu_bench.input fuzz-health_line.input fuzz-hostlist.input fuzz-job.input fuzz-kernel.input fuzz-nccl_bench.input fuzz-nccl_conf.input fuzz-nccl_list.input fuzz-option.input fuzz-policy.input fuzz-rdma.input fuzz-refused_job.input fuzz-roster.input fuzz-sysfs.input
CLEANFILES += fuzz-*.input
