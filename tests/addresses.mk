# SPDX-License-Identifier: Apache-2.0
# The address book: children with a deadline, the roster, the draft, the command.
if HAVE_CMOCKA
address_tests = \
    tests/unit/base/test_child \
    tests/unit/model/test_roster \
    tests/unit/survey/test_ask \
    tests/unit/survey/test_draft \
    tests/unit/survey/test_own
check_PROGRAMS += $(address_tests)
TESTS += $(address_tests)
endif
address_ldadd = libsurvey.la libprobe.la libcore.la $(CMOCKA_LIBS)
address_cflags = $(AM_CFLAGS) $(CMOCKA_CFLAGS)

tests_unit_base_test_child_CFLAGS = $(address_cflags)
tests_unit_base_test_child_LDADD = $(address_ldadd)
# a child in a driver's hands: kill() has no effect
tests_unit_base_test_child_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=kill
tests_unit_model_test_roster_CFLAGS = $(address_cflags)
tests_unit_model_test_roster_LDADD = $(address_ldadd)
tests_unit_survey_test_ask_CFLAGS = $(address_cflags)
tests_unit_survey_test_ask_LDADD = $(address_ldadd)
tests_unit_survey_test_draft_CFLAGS = $(address_cflags)
tests_unit_survey_test_draft_LDADD = $(address_ldadd)
tests_unit_survey_test_own_CFLAGS = $(address_cflags)
tests_unit_survey_test_own_LDADD = $(address_ldadd)

EXTRA_DIST += \
    tests/cluster/slurm_node.sh \
    tests/cluster/test_addresses.sh \
    tests/unit/unit.h
