# SPDX-License-Identifier: Apache-2.0
# How this product is installed: cluster-env doctor.
if HAVE_CMOCKA
doctor_tests = \
    tests/unit/doctor/test_node \
    tests/unit/doctor/test_plugin \
    tests/unit/doctor/test_slurm \
    tests/unit/model/test_plugstack \
    tests/unit/model/test_slurm_conf \
    tests/unit/probe/test_elf \
    tests/unit/probe/test_install \
    tests/unit/probe/test_plugstack \
    tests/unit/report/test_doctor
check_PROGRAMS += $(doctor_tests)
TESTS += $(doctor_tests)
endif
doctor_ldadd = libdoctor.la libsurvey.la libhealth.la libadmin.la libprobe.la libcore.la
doctor_unit_ldadd = $(doctor_ldadd) $(CMOCKA_LIBS)
doctor_cflags = $(AM_CFLAGS) $(CMOCKA_CFLAGS)

tests_unit_doctor_test_node_CFLAGS = $(doctor_cflags)
tests_unit_doctor_test_node_LDADD = $(doctor_unit_ldadd)
tests_unit_doctor_test_plugin_CFLAGS = $(doctor_cflags)
tests_unit_doctor_test_plugin_LDADD = $(doctor_unit_ldadd)
tests_unit_doctor_test_slurm_CFLAGS = $(doctor_cflags)
tests_unit_doctor_test_slurm_LDADD = $(doctor_unit_ldadd)
tests_unit_model_test_plugstack_CFLAGS = $(doctor_cflags)
tests_unit_model_test_plugstack_LDADD = $(doctor_unit_ldadd)
tests_unit_model_test_slurm_conf_CFLAGS = $(doctor_cflags)
tests_unit_model_test_slurm_conf_LDADD = $(doctor_unit_ldadd)
tests_unit_probe_test_elf_CFLAGS = $(doctor_cflags)
tests_unit_probe_test_elf_LDADD = $(doctor_unit_ldadd)
tests_unit_probe_test_install_CFLAGS = $(doctor_cflags)
tests_unit_probe_test_install_LDADD = $(doctor_unit_ldadd)
tests_unit_probe_test_plugstack_CFLAGS = $(doctor_cflags)
tests_unit_probe_test_plugstack_LDADD = $(doctor_unit_ldadd)
tests_unit_report_test_doctor_CFLAGS = $(doctor_cflags) $(JANSSON_CFLAGS)
tests_unit_report_test_doctor_LDADD = $(doctor_unit_ldadd) $(JANSSON_LIBS)

doctor_fuzz = tests/fuzz/fuzz_elf tests/fuzz/fuzz_plugstack
tests_fuzz_fuzz_elf_SOURCES = tests/fuzz/fuzz_elf.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_elf_LDADD = $(doctor_ldadd)
tests_fuzz_fuzz_plugstack_SOURCES = tests/fuzz/fuzz_plugstack.c tests/fuzz/driver.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_plugstack_LDADD = $(doctor_ldadd)
check_PROGRAMS += $(doctor_fuzz)
TESTS += $(doctor_fuzz)

EXTRA_DIST += \
    tests/cluster/test_doctor.sh \
    tests/doubles/memlock.c \
    tests/fuzz/corpus/elf/plugin \
    tests/fuzz/corpus/elf/header \
    tests/fuzz/corpus/plugstack/odd \
    tests/fuzz/corpus/plugstack/usual \
    tests/unit/doctor/right.h
