# SPDX-License-Identifier: Apache-2.0
# Tests of what people are given to read and type, and of the public library.
public_tests = \
    tests/public/installed.sh \
    tests/public/symbols.sh
docs_tests = \
    tests/docs/blocks.sh \
    tests/docs/checks.sh \
    tests/docs/completion.sh \
    tests/docs/doctor.sh \
    tests/docs/documents.sh \
    tests/docs/frameworks.sh \
    tests/docs/man.sh \
    tests/docs/messages.sh \
    tests/docs/monitoring.sh \
    tests/docs/srun_help.sh
TESTS += $(docs_tests) $(public_tests) tests/public/test_handle
EXTRA_DIST += $(docs_tests) $(public_tests) \
    tests/tap.sh \
    tests/docs/alerts.test.yml \
    tests/docs/blocks.awk \
    tests/docs/messages.awk \
    tests/docs/shape.sh \
    tests/public/cluster.sh \
    tests/public/symbols.txt

# As a program of other people is built: without what is inside the library.
check_PROGRAMS += tests/public/test_handle
tests_public_test_handle_CPPFLAGS = -D_GNU_SOURCE -I$(srcdir)/include
tests_public_test_handle_CFLAGS = $(AM_CFLAGS) -pthread
tests_public_test_handle_LDADD = libclusterenv.la

check_PROGRAMS += tests/docs/print_variables
tests_docs_print_variables_LDADD = libcore.la
