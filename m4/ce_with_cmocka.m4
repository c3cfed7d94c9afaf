# SPDX-License-Identifier: Apache-2.0
# CE_WITH_CMOCKA: --with-cmocka, the unit tests.
AC_DEFUN([CE_WITH_CMOCKA], [
    AC_ARG_WITH([cmocka], [AS_HELP_STRING([--with-cmocka], [unit tests (default: check)])],
        [], [with_cmocka=check])
    ce_cmocka_summary="no (--without-cmocka)"
    have_cmocka=no
    AS_IF([test "x$with_cmocka" != xno], [
        PKG_CHECK_MODULES([CMOCKA], [cmocka >= 1.1], [have_cmocka=yes], [have_cmocka=no])
        AS_IF([test $have_cmocka = yes], [ce_cmocka_summary=yes], [ce_cmocka_summary="no (not found)"])
        AS_IF([test $have_cmocka = no && test "x$with_cmocka" = xyes],
            [AC_MSG_ERROR([--with-cmocka: cmocka not found; install libcmocka-dev])])
    ])
    AM_CONDITIONAL([HAVE_CMOCKA], [test $have_cmocka = yes])
])
