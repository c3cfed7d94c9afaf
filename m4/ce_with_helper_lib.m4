# SPDX-License-Identifier: Apache-2.0
# CE_WITH_HELPER_LIB(NAME, VARIABLE, MODULE, HELPER, PACKAGE): --with-NAME, a library that HELPER alone
# links.  yes: an error where pkg-config does not find MODULE; no: never look; check (default): build
# HELPER where it is.  Sets VARIABLE_CFLAGS, VARIABLE_LIBS, ce_NAME_summary and HAVE_VARIABLE.
AC_DEFUN([CE_WITH_HELPER_LIB], [
    AC_ARG_WITH([$1], [AS_HELP_STRING([--with-$1], [build the helper $4 (default: check)])],
        [], [with_$1=check])
    ce_$1_summary="no (--without-$1)"
    ce_have_$1=no
    AS_IF([test "x$with_$1" != xno], [
        PKG_CHECK_MODULES([$2], [$3], [ce_have_$1=yes], [ce_have_$1=no])
        AS_IF([test $ce_have_$1 = yes], [ce_$1_summary=yes],
            [ce_$1_summary="no (not found; Debian: $5)"])
        AS_IF([test $ce_have_$1 = no && test "x$with_$1" = xyes],
            [AC_MSG_ERROR([--with-$1: $3 not found; install $5])])
    ])
    AM_CONDITIONAL([HAVE_$2], [test $ce_have_$1 = yes])
])
