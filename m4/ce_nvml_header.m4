# SPDX-License-Identifier: Apache-2.0
# CE_WITH_NVML_HEADER: --with-nvml-header[=DIR], NVIDIA's nvml.h.  Nothing is built with it: a test holds
# our own declarations (helpers/nvml.h) against it.  yes: an error where it is missing; no: never look;
# check (default): compare where it is found, as in /usr/local/cuda/include.
AC_DEFUN([CE_WITH_NVML_HEADER], [
    AC_ARG_WITH([nvml-header],
        [AS_HELP_STRING([--with-nvml-header=DIR], [hold our declarations of NVML against DIR/nvml.h in a test (default: check)])],
        [], [with_nvml_header=check])
    NVML_HEADER=
    AS_CASE([$with_nvml_header],
        [no], [],
        [yes|check], [
            for ce_dir in ${CUDA_HOME:+"$CUDA_HOME/include"} /usr/local/cuda/include /usr/include; do
                AS_IF([test -z "$NVML_HEADER" && test -r "$ce_dir/nvml.h"], [NVML_HEADER=$ce_dir/nvml.h])
            done],
        [NVML_HEADER=$with_nvml_header/nvml.h])
    AS_IF([test "x$with_nvml_header" != xcheck && test "x$with_nvml_header" != xno && test ! -r "$NVML_HEADER"],
        [AC_MSG_ERROR([--with-nvml-header: nvml.h not found; it comes with CUDA])])
    ce_nvml_summary=${NVML_HEADER:-"nothing (no nvml.h found)"}
    AC_SUBST([NVML_HEADER])
])
