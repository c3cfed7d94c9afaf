# SPDX-License-Identifier: Apache-2.0
# What `make check` runs.  Every test speaks TAP.
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
AM_TESTS_ENVIRONMENT = CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT;
dist_check_SCRIPTS =

# A test program that says nothing else links all of lib/.
LDADD = libhealth.la libadmin.la libprobe.la libcore.la $(CMOCKA_LIBS)

include $(srcdir)/tests/unit/unit.mk
include $(srcdir)/tests/unit/doctor.mk
include $(srcdir)/tests/fuzz/fuzz.mk
include $(srcdir)/tests/build/build.mk
include $(srcdir)/tests/program/program.mk
include $(srcdir)/tests/bench/bench.mk
include $(srcdir)/tests/nccl/nccl.mk

# For ./check, which runs some of them in one build only.
list-tests:
	@printf '%s\n' $(TESTS)
.PHONY: list-tests
