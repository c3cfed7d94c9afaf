# SPDX-License-Identifier: Apache-2.0
# The cluster at a glance: cluster-env status.
noinst_LTLIBRARIES += libstatus.la
libstatus_la_SOURCES = \
    lib/status/bench.c \
    lib/status/board.c lib/status/board.h \
    lib/status/health_line.c lib/status/health_line.h \
    lib/status/health_log.c lib/status/health_log.h \
    lib/status/json.c \
    lib/status/page.c \
    lib/status/page_files.h \
    lib/status/report.h \
    lib/status/rows.c lib/status/rows.h \
    lib/status/text.c
nodist_libstatus_la_SOURCES = lib/status/page_files.c
libstatus_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
libstatus_la_LIBADD = $(JANSSON_LIBS)

# The page as C: what it is made of is edited as HTML, CSS and JavaScript.
page_files = lib/status/page.html lib/status/page.css lib/status/page_data.js lib/status/page.js
EXTRA_DIST += $(page_files) build-aux/embed
CLEANFILES += lib/status/page_files.c
lib/status/page_files.c: $(page_files) build-aux/embed
	$(AM_V_GEN)$(MKDIR_P) lib/status && cd $(srcdir) && $(SHELL) build-aux/embed ce_ $(page_files) > $(abs_builddir)/$@.new && \
	    mv $(abs_builddir)/$@.new $(abs_builddir)/$@
