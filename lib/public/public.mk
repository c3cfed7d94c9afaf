# SPDX-License-Identifier: Apache-2.0
# libclusterenv: libcore behind the one installed header.
lib_LTLIBRARIES += libclusterenv.la
libclusterenv_la_SOURCES = lib/public/cluster_env.c
libclusterenv_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/include
libclusterenv_la_LDFLAGS = $(AM_LDFLAGS) -no-undefined -version-info 1:0:0 -Wl,-z,relro \
    -Wl,--version-script=$(srcdir)/lib/public/cluster_env.map
libclusterenv_la_LIBADD = libcore.la
libclusterenv_la_DEPENDENCIES = libcore.la lib/public/cluster_env.map
EXTRA_DIST += lib/public/cluster_env.map

clusterenvincludedir = $(includedir)/cluster_env
clusterenvinclude_HEADERS = include/cluster_env/cluster_env.h
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = lib/public/cluster_env.pc
