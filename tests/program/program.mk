# SPDX-License-Identifier: Apache-2.0
# Tests of whole programs and of the plugin inside a host: included by tests/tests.mk.

# What real stepds said, by Slurm series: all of tests/fixtures/spank/*/*.txt.
spank_fixtures = \
    tests/fixtures/spank/README.md \
    tests/fixtures/spank/22.05/arbitrary.txt \
    tests/fixtures/spank/22.05/batch-1.txt \
    tests/fixtures/spank/22.05/batch-4.txt \
    tests/fixtures/spank/22.05/export-none-batch.txt \
    tests/fixtures/spank/22.05/export-none-srun.txt \
    tests/fixtures/spank/22.05/het-in-batch.txt \
    tests/fixtures/spank/22.05/het.txt \
    tests/fixtures/spank/22.05/interactive.txt \
    tests/fixtures/spank/22.05/nested-batch.txt \
    tests/fixtures/spank/22.05/off-in-batch.txt \
    tests/fixtures/spank/22.05/option-in-srun.txt \
    tests/fixtures/spank/22.05/salloc-srun.txt \
    tests/fixtures/spank/22.05/srun-1x4.txt \
    tests/fixtures/spank/22.05/srun-8x4.txt \
    tests/fixtures/spank/22.05/srun-export-none.txt \
    tests/fixtures/spank/22.05/substep-2of4.txt \
    tests/fixtures/spank/24.11/arbitrary.txt \
    tests/fixtures/spank/24.11/batch-1.txt \
    tests/fixtures/spank/24.11/batch-4.txt \
    tests/fixtures/spank/24.11/export-none-batch.txt \
    tests/fixtures/spank/24.11/export-none-srun.txt \
    tests/fixtures/spank/24.11/het-in-batch.txt \
    tests/fixtures/spank/24.11/het.txt \
    tests/fixtures/spank/24.11/interactive.txt \
    tests/fixtures/spank/24.11/nested-batch.txt \
    tests/fixtures/spank/24.11/off-in-batch.txt \
    tests/fixtures/spank/24.11/option-in-srun.txt \
    tests/fixtures/spank/24.11/salloc-srun.txt \
    tests/fixtures/spank/24.11/srun-1x4.txt \
    tests/fixtures/spank/24.11/srun-8x4.txt \
    tests/fixtures/spank/24.11/srun-export-none.txt \
    tests/fixtures/spank/24.11/substep-2of4.txt \
    tests/fixtures/spank/26.05/arbitrary.txt \
    tests/fixtures/spank/26.05/batch-1.txt \
    tests/fixtures/spank/26.05/batch-4.txt \
    tests/fixtures/spank/26.05/export-none-batch.txt \
    tests/fixtures/spank/26.05/export-none-srun.txt \
    tests/fixtures/spank/26.05/het-in-batch.txt \
    tests/fixtures/spank/26.05/het.txt \
    tests/fixtures/spank/26.05/interactive.txt \
    tests/fixtures/spank/26.05/nested-batch.txt \
    tests/fixtures/spank/26.05/off-in-batch.txt \
    tests/fixtures/spank/26.05/option-in-srun.txt \
    tests/fixtures/spank/26.05/salloc-srun.txt \
    tests/fixtures/spank/26.05/srun-1x4.txt \
    tests/fixtures/spank/26.05/srun-8x4.txt \
    tests/fixtures/spank/26.05/srun-export-none.txt \
    tests/fixtures/spank/26.05/substep-2of4.txt
EXTRA_DIST += $(spank_fixtures) tests/program/valgrind.sh tests/program/skip_plugin.sh

# cluster-env status.
dist_check_SCRIPTS += tests/program/status.sh tests/browser/status.sh
TESTS += tests/program/status.sh tests/browser/status.sh
EXTRA_DIST += \
    tests/browser/chromium.py \
    tests/browser/status.py \
    tests/program/status_cluster.sh \
    tests/program/status_data
TESTS += tests/program/test_topology.sh tests/browser/topology.sh
EXTRA_DIST += tests/program/test_topology.sh tests/browser/topology.sh tests/browser/measure.js
# cluster-env facts, and the helpers that it asks.
dist_check_SCRIPTS += tests/program/nvml_clients.sh
TESTS += tests/program/nvml_clients.sh
EXTRA_DIST += tests/program/nvml_client.py
dist_check_SCRIPTS += tests/program/bench.sh tests/program/bench_gpu.sh
TESTS += tests/program/bench.sh tests/program/bench_gpu.sh
EXTRA_DIST += \
    tests/doubles/cuda/README.md \
    tests/doubles/cuda/build \
    tests/doubles/cuda/cuda.c \
    tests/doubles/cuda/cuda.h \
    tests/doubles/cuda/hgx-h100.scenario \
    tests/doubles/cuda/kernels.c
dist_check_SCRIPTS += tests/program/bench_nccl.sh
TESTS += tests/program/bench_nccl.sh
EXTRA_DIST += \
    tests/doubles/nccl/README.md \
    tests/doubles/nccl/build \
    tests/doubles/nccl/nccl.c \
    tests/doubles/nccl/two-gpus.scenario
dist_check_SCRIPTS += tests/program/hung_mount.py tests/program/before_after.sh tests/program/check.sh tests/program/facts.sh tests/program/gpus.sh tests/program/hung_disk.sh tests/program/job_gpus.sh tests/program/kernel_log.sh tests/program/probes.sh tests/program/prolog.sh tests/program/reports.sh
TESTS += tests/program/before_after.sh tests/program/check.sh tests/program/facts.sh tests/program/gpus.sh tests/program/hung_disk.sh tests/program/job_gpus.sh tests/program/kernel_log.sh tests/program/probes.sh tests/program/prolog.sh tests/program/reports.sh
EXTRA_DIST += \
    tests/program/namespace.sh \
    tests/program/node.sh \
    tests/doubles/kmsg.c \
    tests/doubles/nvml/README.md \
    tests/doubles/nvml/a100.scenario \
    tests/doubles/nvml/b200.scenario \
    tests/doubles/nvml/build \
    tests/doubles/nvml/hgx-h100.scenario \
    tests/doubles/nvml/no-gpu.scenario \
    tests/doubles/nvml/nvml.c \
    tests/doubles/nvml/t4.scenario \
    tests/doubles/scenario.c \
    tests/doubles/scenario.h
EXTRA_DIST += \
    tests/fixtures/topology/three-bridges.txt \
    tests/fixtures/topology/three-bridges.xml

if HAVE_SLURM
if HAVE_CMOCKA
check_PROGRAMS += tests/program/test_plugin
TESTS += tests/program/test_plugin
else
TESTS += tests/program/skip_plugin.sh
endif
else
TESTS += tests/program/skip_plugin.sh
endif

tests_program_test_plugin_SOURCES = \
    tests/doubles/libc_calls.c \
    tests/doubles/spank_calls.c tests/doubles/spank_calls.h \
    tests/doubles/spank_controller.c \
    tests/doubles/spank_host.c tests/doubles/spank_host.h \
    tests/doubles/spank_recording.c tests/doubles/spank_recording.h \
    tests/doubles/task_env.c tests/doubles/task_env.h \
    tests/program/plugin/cases.h \
    tests/program/plugin/expect.c tests/program/plugin/expect.h \
    tests/program/plugin/expect_refusal.c \
    tests/program/plugin/failure.c tests/program/plugin/failure.h \
    tests/program/plugin/gang.c \
    tests/program/plugin/hostile.c \
    tests/program/plugin/lifetime.c \
    tests/program/plugin/logs.c \
    tests/program/plugin/option.c \
    tests/program/plugin/order.c \
    tests/program/plugin/rails.c \
    tests/program/plugin/refusal.c \
    tests/program/plugin/retries.c \
    tests/program/plugin/texts.c \
    tests/program/plugin/world.c tests/program/plugin/world.h \
    tests/program/test_plugin.c
tests_program_test_plugin_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS) -I$(srcdir)/tests
# The plugin finds the functions of Slurm in the executable that loads it.
tests_program_test_plugin_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) -fvisibility=default
tests_program_test_plugin_LDFLAGS = $(AM_LDFLAGS) -export-dynamic
tests_program_test_plugin_LDADD = $(CMOCKA_LIBS) -ldl
EXTRA_tests_program_test_plugin_DEPENDENCIES = $(the_plugin)

# Not part of `make check`: takes minutes.
check-valgrind: $(check_PROGRAMS) $(the_plugin)
	$(AM_V_at)srcdir='$(srcdir)' LIBTOOL='$(SHELL) ./libtool' \
	    $(SHELL) $(srcdir)/tests/program/valgrind.sh $(check_PROGRAMS)
.PHONY: check-valgrind
