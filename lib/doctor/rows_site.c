/* SPDX-License-Identifier: Apache-2.0 */
/* What the site's admin has written: cluster-env.conf and the address book. */
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "doctor/doctor.h"

/* FILE:LINE comes first in what is wrong, so a cut loses the least. */
static void judge_config(const struct ce_install *install, struct ce_findings *out)
{
    const struct ce_install_config *config = &install->config;
    if (!config->valid)
        ce_findings_add(out, config->hung ? CE_UNKNOWN : CE_FAIL, "", "%.150s", config->why.text);
    else if (config->there)
        ce_findings_add(out, CE_PASS, "", "%.120s", config->path);
    else
        ce_findings_add(out, CE_PASS, "", "%.80s is not there, the defaults hold", config->path);
}

static void judge_mode(const struct ce_install *install, struct ce_findings *out)
{
    if (!install->config.valid)
        ce_findings_add(out, CE_UNKNOWN, "", "the configuration %s, so nothing is checked",
                        install->config.hung ? "cannot be read" : "is not valid");
    else if (install->config.policy.mode == CE_MODE_DRAIN)
        ce_findings_add(out, CE_PASS, "", "drain: a node with a fault takes no more jobs");
    else
        ce_findings_add(out, CE_PASS, "", "observe: faults are told, no node is drained for them");
}

/* Are there entries of nodes at all?  /etc/hosts of a site without a book has none. */
static bool has_entry(const struct ce_install *install, const char *name)
{
    char full[512];
    const struct ce_book *book = install->book.book;
    return ce_fits(snprintf(full, sizeof full, "%s%s", name, install->config.policy.suffix),
                   sizeof full) &&
           ce_book_next(book, full, NULL);
}

static void judge_book(const struct ce_install *install, struct ce_findings *out)
{
    const struct ce_install_book *book = &install->book;
    size_t count = install->roster ? ce_roster_count(install->roster) : 0, missing = 0;
    const char *first = "";
    if (!book->known)
        ce_findings_add(out, install->config.valid && !book->hung ? CE_FAIL : CE_UNKNOWN, "", "%s",
                        book->why);
    else if (!install->roster)
        ce_findings_add(out, CE_UNKNOWN, "", "Slurm's nodes are not known: %.110s",
                        install->roster_why);
    if (!book->known || !install->roster)
        return;
    for (size_t i = count; i-- > 0;)
        if (!has_entry(install, ce_roster_at(install->roster, i)->name)) {
            first = ce_roster_at(install->roster, i)->name;
            missing++;
        }
    if (missing == count)
        ce_findings_add(out, CE_SKIP, "", "%.80s has none of Slurm's nodes: names are handed on",
                        book->path);
    else if (missing)
        ce_findings_add(out, CE_FAIL, "", "%.60s lacks %zu of %zu nodes: %.40s%s", book->path,
                        missing, count, first, missing > 1 ? ", ..." : "");
    else
        ce_findings_add(out, CE_PASS, "", "%.80s has all of Slurm's %zu nodes", book->path, count);
}

static void judge_own(const struct ce_install *install, struct ce_findings *out)
{
    const struct ce_install_book *book = &install->book;
    if (!book->known || !install->now)
        ce_findings_add(out, CE_UNKNOWN, "", "the address book or this machine could not be read");
    else if (!has_entry(install, install->node))
        ce_findings_add(out, CE_SKIP, "", "it has no entry for %.60s", install->node);
    else if (book->own_stale)
        ce_findings_add(out, CE_FAIL, "", "%s", book->own_why);
    else
        ce_findings_add(out, CE_PASS, "", "its entry for %.60s is an address of this node",
                        install->node);
}

const struct ce_doctor_row ce_doctor_site_rows[] = {
    {"config.valid", true, "mend it, 'cluster-env config --check' reads it again", judge_config},
    {"config.mode", true, "mend the configuration", judge_mode},
    {"book.nodes", true, "'cluster-env addresses --write', then bring the book to every node",
     judge_book},
    {"book.own", false, "'cluster-env addresses --write', then bring the book to every node", judge_own},
};
const size_t ce_doctor_site_row_count = sizeof ce_doctor_site_rows / sizeof *ce_doctor_site_rows;
