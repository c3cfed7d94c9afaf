/* SPDX-License-Identifier: Apache-2.0 */
#include "survey/ask.h"

#include <stdio.h>
#include <string.h>

#include "base/child.h"

enum { ROSTER_MAX = 64 << 20 };

struct ce_roster *ce_ask_roster(const struct ce_ask *ask, struct ce_error *err)
{
    char *argv[] = {(char *)ask->slurm_node, (char *)"list", NULL};
    struct ce_child child = {
        .argv = argv, .deadline_ms = ask->timeout_ms, .output_max = ROSTER_MAX};
    struct ce_roster *roster = NULL;
    ce_children_run(&child, 1, &(struct ce_children_plan){.at_once = 1});
    if (child.end == CE_CHILD_LATE)
        ce_fail(err, "the list of nodes: no answer in %u s (does 'scontrol ping' have one?)%s%s",
                ask->timeout_ms / 1000, child.last_words[0] ? ": " : "", child.last_words);
    else if (ce_child_check(&child, err) < 0)
        ce_fail_in(err, "the list of nodes");
    else if (!(roster = ce_roster_parse(ce_text_string(&child.output), err)))
        ce_fail_in(err, "the list of nodes: %s", ask->slurm_node);
    ce_child_free(&child);
    if (roster && ce_roster_count(roster) == 0) {
        ce_fail(err, "the list of nodes: slurmctld has none");
        ce_roster_destroy(roster);
        roster = NULL;
    }
    return roster;
}
