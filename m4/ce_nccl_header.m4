# SPDX-License-Identifier: Apache-2.0
# CE_WITH_NCCL_HEADER: --with-nccl-header[=DIR], NVIDIA's nccl.h.  Nothing is built with it: a test holds
# our own declarations (helpers/nccl.h) against it.  yes: an error where it is missing; no: never look;
# check (default): compare where it is found, as in /usr/local/cuda/include.
AC_DEFUN([CE_WITH_NCCL_HEADER], [
    AC_ARG_WITH([nccl-header],
        [AS_HELP_STRING([--with-nccl-header=DIR], [hold our declarations of NCCL against DIR/nccl.h in a test (default: check)])],
        [], [with_nccl_header=check])
    NCCL_HEADER=
    AS_CASE([$with_nccl_header],
        [no], [],
        [yes|check], [
            for ce_dir in ${NCCL_HOME:+"$NCCL_HOME/include"} ${CUDA_HOME:+"$CUDA_HOME/include"} /usr/local/cuda/include /usr/local/include /usr/include; do
                AS_IF([test -z "$NCCL_HEADER" && test -r "$ce_dir/nccl.h"], [NCCL_HEADER=$ce_dir/nccl.h])
            done],
        [NCCL_HEADER=$with_nccl_header/nccl.h])
    AS_IF([test "x$with_nccl_header" != xcheck && test "x$with_nccl_header" != xno && test ! -r "$NCCL_HEADER"],
        [AC_MSG_ERROR([--with-nccl-header: nccl.h not found; it comes with NCCL])])
    ce_nccl_summary=${NCCL_HEADER:-"nothing (no nccl.h found)"}
    AC_SUBST([NCCL_HEADER])
])
