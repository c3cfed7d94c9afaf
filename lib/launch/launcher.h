/* SPDX-License-Identifier: Apache-2.0 */
/* Launchers that start the processes of a node themselves, and the flags by which each wants to be told
 * of the step: one table. */
#ifndef CE_LAUNCH_LAUNCHER_H
#define CE_LAUNCH_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "launch/variables.h"

enum { CE_LAUNCHER_WORDS = 3, CE_LAUNCHER_FLAGS = 8 };

struct ce_launcher {
    const char *words[CE_LAUNCHER_WORDS]; /* the command; "python" is every python */
    struct ce_launcher_flag {
        const char *name;   /* as in "--nnodes" */
        const char *value;  /* a variable of ours; "world": all processes; "hostfile"; NULL: none */
        const char *unless; /* other flags of the user's that make it wrong, "--a --b"; NULL: none */
        enum { CE_ON_ALL, CE_ON_PRIMARY, CE_ON_OTHERS, CE_WITH_GPUS } when;
    } flags[CE_LAUNCHER_FLAGS];
};

extern const struct ce_launcher ce_launchers[];
extern const size_t ce_launcher_count;

/* Which one is the command `argv`, up to a NULL?  Paths and versions (python3.11) do not matter.
 * NULL: none, or one without its second word. */
const struct ce_launcher *ce_launcher_find(char *const *argv);

/* Is the flag one that ce_launcher_command() would add to argv here? */
bool ce_launcher_wants(const struct ce_launcher *launcher, char *const *argv,
                       const struct ce_view *view, const char *flag);

/* argv with the flags that the user has not given, behind the launcher's own words.  What stands
 * behind a script (a word that ends in .py) or -m is the script's and is not looked at.  hostfile: what
 * "hostfile" stands for.  NULL with err: no memory.  Free with ce_launcher_free(). */
char **ce_launcher_command(const struct ce_launcher *launcher, char *const *argv,
                           const struct ce_view *view, const char *hostfile, struct ce_error *err);
void ce_launcher_free(char **argv);

#endif
