# SPDX-License-Identifier: Apache-2.0
# Unit tests: one program for each module of lib/, and of helpers/ where one has rules of its own, in a folder of the same name.
unit_programs = \
    tests/unit/base/test_append \
    tests/unit/base/test_error \
    tests/unit/base/test_file \
    tests/unit/base/test_parse \
    tests/unit/base/test_replace \
    tests/unit/base/test_root \
    tests/unit/base/test_tail \
    tests/unit/base/test_text \
    tests/unit/model/test_address \
    tests/unit/model/test_allocation \
    tests/unit/model/test_book \
    tests/unit/model/test_check_rule \
    tests/unit/model/test_finding \
    tests/unit/model/test_gang \
    tests/unit/model/test_gpu_bench \
    tests/unit/model/test_nccl_bench \
    tests/unit/model/test_gpu_state \
    tests/unit/model/test_counters \
    tests/unit/model/test_gres \
    tests/unit/model/test_host \
    tests/unit/model/test_hostfold \
    tests/unit/model/test_hostindex \
    tests/unit/model/test_hca \
    tests/unit/model/test_hostlist \
    tests/unit/model/test_kernel_event \
    tests/unit/model/test_node \
    tests/unit/model/test_notes \
    tests/unit/model/test_pci \
    tests/unit/model/test_pkeys \
    tests/unit/model/test_policy \
    tests/unit/model/test_rdma_end \
    tests/unit/model/test_rdma_span \
    tests/unit/model/test_rdma_result \
    tests/unit/model/test_record \
    tests/unit/model/test_request \
    tests/unit/model/test_rules \
    tests/unit/checks/test_kernel \
    tests/unit/checks/test_gang \
    tests/unit/checks/test_gang_judge \
    tests/unit/checks/test_gang_nccl \
    tests/unit/checks/test_gang_nccl_plan \
    tests/unit/checks/test_gpu_delta \
    tests/unit/helpers/test_gang_board \
    tests/unit/helpers/test_gang_isolated \
    tests/unit/helpers/test_gang_nccl \
    tests/unit/helpers/test_gang_ring \
    tests/unit/helpers/test_gang_stranger \
    tests/unit/helpers/test_gang_talk \
    tests/unit/helpers/test_nccl_word \
    tests/unit/checks/test_gpu_expected \
    tests/unit/checks/test_bench_gpu \
    tests/unit/checks/test_bench_nccl \
    tests/unit/checks/test_bench_measured \
    tests/unit/checks/test_gpu_nvml \
    tests/unit/config/test_checks \
    tests/unit/config/test_config \
    tests/unit/config/test_expected \
    tests/unit/config/test_options \
    tests/unit/launch/test_agreement \
    tests/unit/checks/test_gpu \
    tests/unit/checks/test_ib \
    tests/unit/health/test_drain \
    tests/unit/health/test_bench_run \
    tests/unit/health/test_equipment \
    tests/unit/health/test_check_names \
    tests/unit/health/test_guard \
    tests/unit/health/test_recover \
    tests/unit/health/test_recovery \
    tests/unit/health/test_refused_jobs \
    tests/unit/health/test_health \
    tests/unit/health/test_journal \
    tests/unit/health/test_patience \
    tests/unit/health/test_phase \
    tests/unit/health/test_questions \
    tests/unit/health/test_told \
    tests/unit/checks/test_host \
    tests/unit/checks/test_ib_card \
    tests/unit/checks/test_ib_counters \
    tests/unit/checks/test_ib_pkey \
    tests/unit/checks/test_ib_roce \
    tests/unit/checks/test_rdma_bench \
    tests/unit/health/test_baseline \
    tests/unit/health/test_before_after \
    tests/unit/health/test_job_xid \
    tests/unit/health/test_leftover \
    tests/unit/health/test_leftover_end \
    tests/unit/health/test_share \
    tests/unit/slurm/test_job \
    tests/unit/launch/test_cluster \
    tests/unit/launch/test_family \
    tests/unit/launch/test_gid \
    tests/unit/launch/test_interface \
    tests/unit/launch/test_launcher \
    tests/unit/launch/test_locality \
    tests/unit/launch/test_machines \
    tests/unit/launch/test_marker \
    tests/unit/launch/test_nccl_list \
    tests/unit/launch/test_network \
    tests/unit/launch/test_plan \
    tests/unit/launch/test_port \
    tests/unit/launch/test_rails \
    tests/unit/launch/test_variables \
    tests/unit/local/test_nccl_conf \
    tests/unit/local/test_primary \
    tests/unit/local/test_refused_job \
    tests/unit/local/test_texts \
    tests/unit/local/test_texts_write \
    tests/unit/preflight/test_preflight \
    tests/unit/probe/test_gpu_helper \
    tests/unit/probe/test_helpers \
    tests/unit/probe/test_host \
    tests/unit/probe/test_host_details \
    tests/unit/probe/test_ib \
    tests/unit/probe/test_kernel_line \
    tests/unit/probe/test_kernel_log \
    tests/unit/probe/test_machines \
    tests/unit/probe/test_nccl_step \
    tests/unit/probe/test_netif \
    tests/unit/probe/test_pci \
    tests/unit/probe/test_rail \
    tests/unit/probe/test_rdma_helper \
    tests/unit/report/test_cluster \
    tests/unit/report/test_findings \
    tests/unit/report/test_formats \
    tests/unit/report/test_node_config \
    tests/unit/report/test_plan \
    tests/unit/report/test_run \
    tests/unit/report/test_topology \
    tests/unit/session/test_session \
    tests/unit/slurm/test_counts \
    tests/unit/slurm/test_environment \
    tests/unit/slurm/test_layout \
    tests/unit/slurm/test_nodes \
    tests/unit/slurm/test_open_mode \
    tests/unit/slurm/test_place \
    tests/unit/status/test_board \
    tests/unit/status/test_health_line \
    tests/unit/status/test_rows
# Kernel logs.
EXTRA_DIST += \
    tests/fixtures/kernel/benign.kmsg \
    tests/fixtures/kernel/came-back.kmsg \
    tests/fixtures/kernel/clean.kmsg \
    tests/fixtures/kernel/fell-off.dmesg \
    tests/fixtures/kernel/fell-off.kmsg \
    tests/fixtures/kernel/garbage.kmsg \
    tests/fixtures/kernel/memory.kmsg \
    tests/fixtures/kernel/mlx5-boot.dmesg \
    tests/fixtures/kernel/mlx5-flaps.dmesg \
    tests/fixtures/kernel/mlx5.dmesg \
    tests/fixtures/kernel/nvlink5.kmsg \
    tests/fixtures/kernel/old-driver.kmsg \
    tests/fixtures/kernel/recovered.kmsg \
    tests/fixtures/kernel/sxid-nonfatal.kmsg \
    tests/fixtures/kernel/sxid-unknown.kmsg \
    tests/fixtures/kernel/sxid-wordless.kmsg \
    tests/fixtures/kernel/sxid.kmsg \
    tests/fixtures/kernel/unknown-numbers.kmsg \
    tests/fixtures/kernel/xid-13-on-bus-48.kmsg \
    tests/fixtures/kernel/yesterday.kmsg
# Machines: node.facts and expected in each folder.
EXTRA_DIST += \
    tests/fixtures/machines/aws-p5/expected \
    tests/fixtures/machines/aws-p5/node.facts \
    tests/fixtures/machines/aws-p6-b200/expected \
    tests/fixtures/machines/aws-p6-b200/node.facts \
    tests/fixtures/machines/azure-nd-a100/expected \
    tests/fixtures/machines/azure-nd-a100/node.facts \
    tests/fixtures/machines/azure-nd-a100-accelnet/expected \
    tests/fixtures/machines/azure-nd-a100-accelnet/node.facts \
    tests/fixtures/machines/azure-nd-h100/expected \
    tests/fixtures/machines/azure-nd-h100/node.facts \
    tests/fixtures/machines/azure-nd-h200/expected \
    tests/fixtures/machines/azure-nd-h200/node.facts \
    tests/fixtures/machines/coreweave-gb300-roce/expected \
    tests/fixtures/machines/coreweave-gb300-roce/node.facts \
    tests/fixtures/machines/coreweave-h100/expected \
    tests/fixtures/machines/coreweave-h100/node.facts \
    tests/fixtures/machines/crusoe-b300/expected \
    tests/fixtures/machines/crusoe-b300/node.facts \
    tests/fixtures/machines/crusoe-h100/expected \
    tests/fixtures/machines/crusoe-h100/node.facts \
    tests/fixtures/machines/dgx-b200/expected \
    tests/fixtures/machines/dgx-b200/node.facts \
    tests/fixtures/machines/dgx-h100/expected \
    tests/fixtures/machines/dgx-h100/node.facts \
    tests/fixtures/machines/gcp-a3-high/expected \
    tests/fixtures/machines/gcp-a3-high/node.facts \
    tests/fixtures/machines/gcp-a3-mega/expected \
    tests/fixtures/machines/gcp-a3-mega/node.facts \
    tests/fixtures/machines/gcp-a3-ultra/expected \
    tests/fixtures/machines/gcp-a3-ultra/node.facts \
    tests/fixtures/machines/hgx-bnxt/expected \
    tests/fixtures/machines/hgx-bnxt/node.facts \
    tests/fixtures/machines/hgx-h100-bonded-bluefield/expected \
    tests/fixtures/machines/hgx-h100-bonded-bluefield/node.facts \
    tests/fixtures/machines/hgx-ibp-names/expected \
    tests/fixtures/machines/hgx-ibp-names/node.facts \
    tests/fixtures/machines/hgx-prefix/expected \
    tests/fixtures/machines/hgx-prefix/node.facts \
    tests/fixtures/machines/hgx-roce-other-namespace/expected \
    tests/fixtures/machines/hgx-roce-other-namespace/node.facts \
    tests/fixtures/machines/hgx-without-ib/expected \
    tests/fixtures/machines/hgx-without-ib/node.facts \
    tests/fixtures/machines/ibm-h100-vf/expected \
    tests/fixtures/machines/ibm-h100-vf/node.facts \
    tests/fixtures/machines/lambda-b200/expected \
    tests/fixtures/machines/lambda-b200/node.facts \
    tests/fixtures/machines/lambda-h100/expected \
    tests/fixtures/machines/lambda-h100/node.facts \
    tests/fixtures/machines/mi355x-ionic/expected \
    tests/fixtures/machines/mi355x-ionic/node.facts \
    tests/fixtures/machines/modal/expected \
    tests/fixtures/machines/modal/node.facts \
    tests/fixtures/machines/oci-a100-v2/expected \
    tests/fixtures/machines/oci-a100-v2/node.facts \
    tests/fixtures/machines/oci-b200/expected \
    tests/fixtures/machines/oci-b200/node.facts \
    tests/fixtures/machines/oci-b300/expected \
    tests/fixtures/machines/oci-b300/node.facts \
    tests/fixtures/machines/oci-gb200/expected \
    tests/fixtures/machines/oci-gb200/node.facts \
    tests/fixtures/machines/oci-gb300/expected \
    tests/fixtures/machines/oci-gb300/node.facts \
    tests/fixtures/machines/oci-gpu4/expected \
    tests/fixtures/machines/oci-gpu4/node.facts \
    tests/fixtures/machines/oci-h100/expected \
    tests/fixtures/machines/oci-h100/node.facts \
    tests/fixtures/machines/oci-h200/expected \
    tests/fixtures/machines/oci-h200/node.facts \
    tests/fixtures/machines/oci-h200-two-down/expected \
    tests/fixtures/machines/oci-h200-two-down/node.facts \
    tests/fixtures/machines/runpod-ens/expected \
    tests/fixtures/machines/runpod-ens/node.facts \
    tests/fixtures/machines/runpod-eth/expected \
    tests/fixtures/machines/runpod-eth/node.facts \
    tests/fixtures/machines/single-roce-card/expected \
    tests/fixtures/machines/single-roce-card/node.facts \
    tests/fixtures/machines/vm-flat-tie/expected \
    tests/fixtures/machines/vm-flat-tie/node.facts \
    tests/fixtures/machines/vm-rails-down-at-boot/expected \
    tests/fixtures/machines/vm-rails-down-at-boot/node.facts \
    tests/fixtures/machines/workstation/expected \
    tests/fixtures/machines/workstation/node.facts
EXTRA_DIST += \
    tests/fixtures/machines/bits.facts \
    tests/fixtures/machines/bits.tree \
    tests/fixtures/machines/container.facts \
    tests/fixtures/machines/container.tree \
    tests/fixtures/machines/lambda.facts \
    tests/fixtures/machines/lambda.tree \
    tests/fixtures/machines/odd.facts \
    tests/fixtures/machines/odd.tree \
    tests/fixtures/machines/oneclick.facts \
    tests/fixtures/machines/oneclick.tree \
    tests/fixtures/machines/roce.facts \
    tests/fixtures/machines/roce.tree \
    tests/fixtures/machines/runpod.facts \
    tests/fixtures/machines/runpod.tree \
    tests/fixtures/unpack \
    tests/unit/checks/answers.sh \
    tests/unit/checks/answers.txt \
    tests/unit/checks/judged.h \
    tests/unit/checks/seen.h \
    tests/unit/kernel.h \
    tests/unit/checks/view.h \
    tests/unit/launch/scene.h \
    tests/unit/probe/machine.h \
    tests/unit/probe/asked.h \
    tests/unit/probe/tree.h \
    tests/unit/status/lines.h \
    tests/unit/unit.h \
    tests/unit/unit_dir.h \
    tests/unit/unit_env.h \
    tests/unit/unit_work.h

tests_unit_helpers_test_gang_board_SOURCES = tests/unit/helpers/test_gang_board.c helpers/gang_board.c
tests_unit_helpers_test_gang_isolated_SOURCES = tests/unit/helpers/test_gang_isolated.c helpers/gang_isolated.c helpers/gang_stranger.c
tests_unit_helpers_test_gang_nccl_SOURCES = tests/unit/helpers/test_gang_nccl.c helpers/gang_nccl.c
tests_unit_helpers_test_gang_ring_SOURCES = tests/unit/helpers/test_gang_ring.c helpers/gang_ring.c helpers/gang_talk.c
tests_unit_helpers_test_gang_stranger_SOURCES = tests/unit/helpers/test_gang_stranger.c helpers/gang_stranger.c
tests_unit_helpers_test_gang_talk_SOURCES = tests/unit/helpers/test_gang_talk.c helpers/gang_talk.c
tests_unit_helpers_test_nccl_word_SOURCES = tests/unit/helpers/test_nccl_word.c helpers/nccl_word.c
tests_unit_preflight_test_preflight_LDADD = libpreflight.la $(LDADD)
tests_unit_report_test_cluster_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_unit_report_test_cluster_LDADD = $(LDADD) $(JANSSON_LIBS)
tests_unit_report_test_formats_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_unit_report_test_formats_LDADD = $(LDADD) $(JANSSON_LIBS)
tests_unit_report_test_plan_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_unit_report_test_plan_LDADD = $(LDADD) $(JANSSON_LIBS)
tests_unit_report_test_run_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_unit_report_test_run_LDADD = $(LDADD) $(JANSSON_LIBS)
tests_unit_status_test_board_LDADD = libstatus.la $(LDADD)
tests_unit_status_test_health_line_LDADD = libstatus.la $(LDADD)
tests_unit_status_test_rows_LDADD = libstatus.la $(LDADD)
tests_unit_report_test_topology_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_unit_report_test_topology_LDADD = $(LDADD) $(JANSSON_LIBS)

if HAVE_CMOCKA
AM_CPPFLAGS += $(CMOCKA_CFLAGS)
check_PROGRAMS += $(unit_programs)
TESTS += $(unit_programs) tests/unit/checks/answers.sh
endif

# For tests/cross: built for another machine, run by hand.
unit-programs: $(unit_programs)
list-unit-programs:
	@printf '%s\n' $(unit_programs)
.PHONY: unit-programs list-unit-programs
