# SPDX-License-Identifier: Apache-2.0
# CE_WITH_LIBSLURM: --with-libslurm[=DIR], after CE_WITH_SLURM.  yes: an error where the library is
# missing; no: never look; check (default): build slurm-node where plugin headers and library are
# there.  DIR holds libslurm.so.
AC_DEFUN([CE_WITH_LIBSLURM], [
    AC_ARG_WITH([libslurm],
        [AS_HELP_STRING([--with-libslurm=DIR], [build the helper slurm-node, with the libslurm.so in DIR (default: check)])],
        [], [with_libslurm=check])
    AC_ARG_VAR([LIBSLURM], [linker flags of libslurm, in place of what --with-libslurm finds])
    ce_have_libslurm=no
    ce_libslurm_summary="no (--without-libslurm)"
    AS_IF([test "x$with_libslurm" != xno], [
        ce_libslurm_dir=
        AS_CASE([$with_libslurm], [yes|check], [], [ce_libslurm_dir="-L$with_libslurm"])
        AS_IF([test -z "$LIBSLURM"], [LIBSLURM="$ce_libslurm_dir -lslurm"])
        CE_TRY_LIBSLURM
        AS_IF([test $ce_have_libslurm = no && test "x$with_libslurm" != xcheck],
            [AC_MSG_ERROR([--with-libslurm=$with_libslurm: $ce_libslurm_summary])])
    ])
    AM_CONDITIONAL([HAVE_LIBSLURM], [test $ce_have_libslurm = yes])
])

AC_DEFUN([CE_TRY_LIBSLURM], [
    ce_saved_libs=$LIBS
    ce_saved_ldflags=$LDFLAGS
    LDFLAGS="$LDFLAGS $ce_libslurm_dir"
    AC_CHECK_LIB([slurm], [slurm_load_node], [ce_have_libslurm=yes])
    dnl the linker would look on in the system's folders
    AS_IF([test -n "$ce_libslurm_dir" && test ! -e "$with_libslurm/libslurm.so"], [ce_have_libslurm=no])
    LIBS=$ce_saved_libs
    LDFLAGS=$ce_saved_ldflags
    AS_IF([test $ce_have_slurm = no], [
        ce_have_libslurm=no
        ce_libslurm_summary="no (no Slurm headers)"
    ], [test $ce_have_libslurm = no], [
        ce_libslurm_summary="no (libslurm not found)"
    ], [
        ce_libslurm_summary="yes, for Slurm $ce_slurm_version"
        CE_LIBSLURM_SERIES
        CE_SLURM_CONF_MEMBERS
    ])
])

# Headers of one series with the library of another would build, and misread every answer.  The
# library holds its version as a text.
AC_DEFUN([CE_LIBSLURM_SERIES], [
    AC_MSG_CHECKING([whether libslurm is of the same Slurm series as its headers])
    ce_libslurm_file=$with_libslurm/libslurm.so
    AS_IF([test -z "$ce_libslurm_dir"], [ce_libslurm_file=`$CC -print-file-name=libslurm.so`])
    ce_slurm_series=`echo $ce_slurm_version | cut -d. -f1,2`
    AS_IF([test ! -r "$ce_libslurm_file"], [ce_same_series="cannot tell"],
          [grep -a -q "$ce_slurm_series\.[[0-9]]" "$ce_libslurm_file"], [ce_same_series=yes],
          [ce_same_series=no
           ce_have_libslurm=no
           ce_libslurm_summary="no ($ce_libslurm_file is not of Slurm $ce_slurm_series, as the headers are)"])
    AC_MSG_RESULT([$ce_same_series])
])

# How prologs and their timeouts are told changed with the series.
AC_DEFUN([CE_SLURM_CONF_MEMBERS], [
    ce_saved_cppflags=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $SLURM_CPPFLAGS"
    AC_CHECK_MEMBERS([slurm_conf_t.prolog_cnt, slurm_conf_t.prolog_epilog_timeout], [], [],
        [[#include <slurm/slurm.h>]])
    CPPFLAGS=$ce_saved_cppflags
])
