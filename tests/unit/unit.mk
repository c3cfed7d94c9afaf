# SPDX-License-Identifier: Apache-2.0
# Unit tests: one program for each module of lib/, in a folder of the same name.
unit_programs = \
    tests/unit/base/test_error \
    tests/unit/base/test_file \
    tests/unit/base/test_parse \
    tests/unit/base/test_replace \
    tests/unit/base/test_root \
    tests/unit/base/test_text \
    tests/unit/model/test_address \
    tests/unit/model/test_allocation \
    tests/unit/model/test_book \
    tests/unit/model/test_hca \
    tests/unit/model/test_hostlist \
    tests/unit/model/test_node \
    tests/unit/model/test_notes \
    tests/unit/model/test_pci \
    tests/unit/model/test_policy \
    tests/unit/model/test_record \
    tests/unit/model/test_request \
    tests/unit/config/test_config \
    tests/unit/config/test_options \
    tests/unit/launch/test_cluster \
    tests/unit/launch/test_family \
    tests/unit/launch/test_marker \
    tests/unit/launch/test_network \
    tests/unit/launch/test_plan \
    tests/unit/launch/test_port \
    tests/unit/launch/test_variables \
    tests/unit/local/test_nccl_conf \
    tests/unit/local/test_primary \
    tests/unit/local/test_texts \
    tests/unit/local/test_texts_write \
    tests/unit/probe/test_helpers \
    tests/unit/probe/test_host \
    tests/unit/probe/test_ib \
    tests/unit/probe/test_machines \
    tests/unit/probe/test_netif \
    tests/unit/probe/test_pci \
    tests/unit/report/test_cluster \
    tests/unit/report/test_plan \
    tests/unit/session/test_session \
    tests/unit/slurm/test_environment \
    tests/unit/slurm/test_nodes
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
    tests/unit/launch/scene.h \
    tests/unit/probe/machine.h \
    tests/unit/probe/tree.h \
    tests/unit/unit.h \
    tests/unit/unit_dir.h \
    tests/unit/unit_env.h

tests_unit_report_test_cluster_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_unit_report_test_cluster_LDADD = $(LDADD) $(JANSSON_LIBS)
tests_unit_report_test_plan_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_unit_report_test_plan_LDADD = $(LDADD) $(JANSSON_LIBS)

if HAVE_CMOCKA
AM_CPPFLAGS += $(CMOCKA_CFLAGS)
check_PROGRAMS += $(unit_programs)
TESTS += $(unit_programs)
endif

# For tests/cross: built for another machine, run by hand.
unit-programs: $(unit_programs)
list-unit-programs:
	@printf '%s\n' $(unit_programs)
.PHONY: unit-programs list-unit-programs
