# SPDX-License-Identifier: Apache-2.0
# The real NCCL; ./check runs tests/nccl/test_nccl.sh, which fetches it where it is not installed.
check_PROGRAMS += tests/nccl/bootstrap
tests_nccl_bootstrap_SOURCES = tests/nccl/bootstrap.c
tests_nccl_bootstrap_LDADD = libcore.la -ldl
EXTRA_DIST += tests/nccl/test_nccl.sh
