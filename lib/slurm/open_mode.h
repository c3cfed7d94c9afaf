/* SPDX-License-Identifier: Apache-2.0 */
/* sbatch --open-mode=append: SPANK does not tell a plugin what else was asked for, so it is looked for
 * where it was written. */
#ifndef CE_SLURM_OPEN_MODE_H
#define CE_SLURM_OPEN_MODE_H

#include <stdbool.h>
#include <stddef.h>

/* Among the words of a command line, as /proc/PID/cmdline has them: each ends with a NUL.  Names may
 * be shortened, as getopt_long() allows. */
bool ce_open_mode_in_words(const char *words, size_t length);

/* In a batch script's lines of #SBATCH. */
bool ce_open_mode_in_script(const char *script);

/* The word of the command line that is the n-th that is no option, from 0: the script is one of them.
 * NULL: there are no more. */
const char *ce_open_mode_candidate(const char *words, size_t length, unsigned n);

#endif
