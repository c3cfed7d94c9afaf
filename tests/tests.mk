# SPDX-License-Identifier: Apache-2.0
# What `make check` runs.  Every test speaks TAP.
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
