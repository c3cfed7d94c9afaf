# SPDX-License-Identifier: Apache-2.0
# CE_WITH_SLURM: --with-slurm[=DIR].  yes: an error where slurm/spank.h is missing; no: never look;
# check (default): build the plugin where the header is.  DIR holds slurm/spank.h, or is a prefix
# whose include/ does.  Slurm has no .pc file in Debian.
AC_DEFUN([CE_WITH_SLURM], [
    AC_ARG_WITH([slurm],
        [AS_HELP_STRING([--with-slurm=DIR], [build the SPANK plugin, with the headers DIR/slurm/*.h (default: check)])],
        [], [with_slurm=check])
    dnl -isystem: slurm.h is not without warnings, and they are not ours
    SLURM_CPPFLAGS=
    AS_CASE([$with_slurm], [yes|no|check|/usr|/usr/include], [],
        [AS_IF([test -e "$with_slurm/slurm/spank.h"], [SLURM_CPPFLAGS="-isystem $with_slurm"],
               [SLURM_CPPFLAGS="-isystem $with_slurm/include"])])
    ce_have_slurm=no
    ce_slurm_summary="no (--without-slurm)"
    AS_IF([test "x$with_slurm" != xno], [
        ce_saved_cppflags=$CPPFLAGS
        CPPFLAGS="$CPPFLAGS $SLURM_CPPFLAGS"
        AC_CHECK_HEADER([slurm/spank.h], [ce_have_slurm=yes])
        AS_IF([test $ce_have_slurm = yes], [
            CE_SLURM_VERSION
            CE_KILL_JOB_STEP_ARGS
            CE_SLURM_QUESTIONS
            ce_slurm_summary="yes, for Slurm $ce_slurm_version"
        ], [
            ce_slurm_summary="no (slurm/spank.h not found)"
            AS_IF([test "x$with_slurm" != xcheck],
                [AC_MSG_ERROR([--with-slurm=$with_slurm: slurm/spank.h not found; install libslurm-dev or name its folder])])
        ])
        CPPFLAGS=$ce_saved_cppflags
    ])
    AC_SUBST([SLURM_CPPFLAGS])
    AC_ARG_WITH([slurm-plugindir],
        [AS_HELP_STRING([--with-slurm-plugindir=DIR], [where Slurm looks for plugins (default: LIBDIR/slurm-wlm where this machine has such a folder, as on Debian; else LIBDIR/slurm)])],
        [], [with_slurm_plugindir='${libdir}/slurm'
             for ce_dir in /usr/lib/*/slurm-wlm; do
                 AS_IF([test -d "$ce_dir"], [with_slurm_plugindir='${libdir}/slurm-wlm'])
             done])
    AC_SUBST([plugindir], [$with_slurm_plugindir])
    AM_CONDITIONAL([HAVE_SLURM], [test $ce_have_slurm = yes])
])

# The series the headers are of: Slurm loads a plugin only into the same one.
AC_DEFUN([CE_SLURM_VERSION], [
    AC_MSG_CHECKING([version of the Slurm headers])
    AC_COMPUTE_INT([ce_slurm_major], [SLURM_VERSION_MAJOR(SLURM_VERSION_NUMBER)], [#include <slurm/slurm_version.h>], [ce_slurm_major=0])
    AC_COMPUTE_INT([ce_slurm_minor], [SLURM_VERSION_MINOR(SLURM_VERSION_NUMBER)], [#include <slurm/slurm_version.h>], [ce_slurm_minor=0])
    AC_COMPUTE_INT([ce_slurm_micro], [SLURM_VERSION_MICRO(SLURM_VERSION_NUMBER)], [#include <slurm/slurm_version.h>], [ce_slurm_micro=0])
    ce_slurm_version=`printf '%d.%02d.%d' $ce_slurm_major $ce_slurm_minor $ce_slurm_micro`
    AC_MSG_RESULT([$ce_slurm_version])
    AS_IF([test $ce_slurm_major -lt 22],
        [AC_MSG_ERROR([Slurm $ce_slurm_version is too old; expected 22.05 or newer])])
])

# slurm_kill_job_step() has had three lists of arguments: (job, step, signal), then flags, then a
# struct in place of the two numbers.
AC_DEFUN([CE_KILL_JOB_STEP_ARGS], [
    AC_MSG_CHECKING([arguments of slurm_kill_job_step])
    ce_kill_args=unknown
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([#include <slurm/slurm.h>], [slurm_kill_job_step(1, 2, 9);])],
        [ce_kill_args=3])
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([#include <slurm/slurm.h>], [slurm_kill_job_step(1, 2, 9, 0);])],
        [ce_kill_args=4])
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([#include <slurm/slurm.h>],
        [slurm_step_id_t id = SLURM_STEP_ID_INITIALIZER; slurm_kill_job_step(&id, 9, 0);])],
        [ce_kill_args=5])
    AC_MSG_RESULT([$ce_kill_args])
    AS_IF([test $ce_kill_args = unknown],
        [AC_MSG_ERROR([slurm_kill_job_step of Slurm $ce_slurm_version is not known here; see spank/step_end.c])])
    AC_DEFINE_UNQUOTED([KILL_JOB_STEP_ARGS], [$ce_kill_args],
        [3: (job, step, signal); 4: and flags; 5: (step_id *, signal, flags)])
])

# The two questions of a failure: about a step (job and step as numbers, or a struct) and about a job
# (a number, or a struct).
AC_DEFUN([CE_SLURM_QUESTIONS], [
    AC_MSG_CHECKING([arguments of slurm_get_job_steps and slurm_load_job])
    ce_steps_struct=unknown ce_job_struct=unknown
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([#include <slurm/slurm.h>],
        [job_step_info_response_msg_t *steps; slurm_get_job_steps(0, 1, 2, &steps, 0);])], [ce_steps_struct=0])
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([#include <slurm/slurm.h>],
        [slurm_step_id_t id = {0}; job_step_info_response_msg_t *steps; slurm_get_job_steps(&id, &steps, 0);])], [ce_steps_struct=1])
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([#include <slurm/slurm.h>],
        [job_info_msg_t *jobs; slurm_load_job(&jobs, 1, 0);])], [ce_job_struct=0])
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([#include <slurm/slurm.h>],
        [slurm_step_id_t id = {0}; job_info_msg_t *jobs; slurm_load_job(&jobs, id, 0);])], [ce_job_struct=1])
    AC_MSG_RESULT([$ce_steps_struct, $ce_job_struct])
    AS_IF([test $ce_steps_struct = unknown || test $ce_job_struct = unknown],
        [AC_MSG_ERROR([slurm_get_job_steps or slurm_load_job of Slurm $ce_slurm_version is not known here; see spank/controller.c])])
    AC_DEFINE_UNQUOTED([GET_JOB_STEPS_STRUCT], [$ce_steps_struct], [1: (step_id *, answer, flags); 0: with two numbers])
    AC_CHECK_MEMBERS([step_update_request_msg_t.job_id], [], [], [[#include <slurm/slurm.h>]])
    AC_DEFINE_UNQUOTED([LOAD_JOB_STRUCT], [$ce_job_struct], [1: (answer, step_id, flags); 0: (answer, job, flags)])
])
