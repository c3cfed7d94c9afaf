# SPDX-License-Identifier: Apache-2.0
# CE_WITH_CUDA_HEADER: --with-cuda-header[=DIR], NVIDIA's cuda.h.  Nothing is built with it: a test holds
# our own declarations (helpers/cuda.h) against it.  yes: an error where it is missing; no: never look;
# check (default): compare where it is found, as in /usr/local/cuda/include.
AC_DEFUN([CE_WITH_CUDA_HEADER], [
    AC_ARG_WITH([cuda-header],
        [AS_HELP_STRING([--with-cuda-header=DIR], [hold our declarations of CUDA against DIR/cuda.h in a test (default: check)])],
        [], [with_cuda_header=check])
    CUDA_HEADER=
    AS_CASE([$with_cuda_header],
        [no], [],
        [yes|check], [
            for ce_dir in ${CUDA_HOME:+"$CUDA_HOME/include"} /usr/local/cuda/include /usr/include; do
                AS_IF([test -z "$CUDA_HEADER" && test -r "$ce_dir/cuda.h"], [CUDA_HEADER=$ce_dir/cuda.h])
            done],
        [CUDA_HEADER=$with_cuda_header/cuda.h])
    AS_IF([test "x$with_cuda_header" != xcheck && test "x$with_cuda_header" != xno && test ! -r "$CUDA_HEADER"],
        [AC_MSG_ERROR([--with-cuda-header: cuda.h not found; it comes with CUDA])])
    ce_cuda_summary=${CUDA_HEADER:-"nothing (no cuda.h found)"}
    AC_SUBST([CUDA_HEADER])
])
