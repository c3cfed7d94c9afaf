# SPDX-License-Identifier: Apache-2.0
# CE_ENABLE_WERROR: -Wall -Wextra always, -Werror with --enable-werror (what the checks use).
AC_DEFUN([CE_ENABLE_WERROR], [
    AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [warnings are errors (default: no)])],
        [], [enable_werror=no])
    CE_CFLAGS="-std=c11 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wformat=2 -Wvla -Wno-missing-field-initializers -fvisibility=hidden"
    AS_IF([test $enable_werror = yes], [CE_CFLAGS="$CE_CFLAGS -Werror"])
    AC_SUBST([CE_CFLAGS])
])

# CE_ENABLE_SANITIZERS: AddressSanitizer and UndefinedBehaviorSanitizer in everything built.
AC_DEFUN([CE_ENABLE_SANITIZERS], [
    AC_ARG_ENABLE([sanitizers],
        [AS_HELP_STRING([--enable-sanitizers], [build with ASan and UBSan, for tests (default: no)])],
        [], [enable_sanitizers=no])
    CE_SANITIZE=
    AS_IF([test $enable_sanitizers = yes],
        [CE_SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"])
    AC_SUBST([CE_SANITIZE])
    AM_CONDITIONAL([SANITIZERS], [test $enable_sanitizers = yes])
])
