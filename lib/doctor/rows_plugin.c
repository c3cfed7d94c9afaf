/* SPDX-License-Identifier: Apache-2.0 */
/* The plugin: its line in plugstack.conf, and the library that it leads to. */
#include <string.h>

#include "doctor/doctor.h"
#include "local/texts.h"

#define UNKNOWN_PATH "where plugstack.conf is, is not known: mend slurm.helper first"

static const struct ce_install_plugin *ours(const struct ce_install *install)
{
    return ce_install_own_plugin(&install->plugstack, NULL);
}

/* Is there a line to judge? Else a finding says why not. */
static bool has_line(const struct ce_install *install, struct ce_findings *out)
{
    if (ours(install))
        return true;
    if (!install->plugstack.path[0])
        ce_findings_add(out, CE_UNKNOWN, "", UNKNOWN_PATH);
    else if (!install->plugstack.read)
        ce_findings_add(out, CE_UNKNOWN, "", "plugstack.conf could not be read");
    else
        ce_findings_add(out, CE_SKIP, "", "there is no line in plugstack.conf");
    return false;
}

static const struct ce_install_plugin *wrong_line(const struct ce_install_plugstack *stack)
{
    for (size_t i = 0; i < stack->count; i++)
        if (stack->items[i].kind == CE_PLUGSTACK_WRONG)
            return &stack->items[i];
    return NULL;
}

static void judge_line(const struct ce_install *install, struct ce_findings *out)
{
    const struct ce_install_plugstack *stack = &install->plugstack;
    const struct ce_install_plugin *plugin = ours(install), *wrong = wrong_line(stack);
    if (!stack->path[0])
        ce_findings_add(out, CE_UNKNOWN, "", UNKNOWN_PATH);
    else if (wrong) {
        ce_findings_add(out, CE_FAIL, "", "%.90s:%u is no line of it: Slurm's commands refuse to start",
                        wrong->file, wrong->line);
        ce_findings_remedy(out, "begin it with optional, required or include, or with #");
    } else if (plugin && ce_install_own_plugin(stack, plugin)) {
        ce_findings_add(out, CE_FAIL, "", "%.90s:%u loads the plugin a second time",
                        ce_install_own_plugin(stack, plugin)->file,
                        ce_install_own_plugin(stack, plugin)->line);
        ce_findings_remedy(out, "take that line out");
    } else if (plugin)
        ce_findings_add(out, CE_PASS, "", "%.120s:%u", plugin->file, plugin->line);
    else if (!stack->there)
        ce_findings_add(out, CE_FAIL, "", "%.120s is not there", stack->path);
    else if (!stack->read)
        ce_findings_add(out, CE_UNKNOWN, "", "%s", stack->why);
    else
        ce_findings_add(out, CE_FAIL, "", "%.90s does not load cluster_env.so", stack->path);
}

static void judge_kind(const struct ce_install *install, struct ce_findings *out)
{
    if (!has_line(install, out))
        return;
    if (ours(install)->kind == CE_PLUGSTACK_OPTIONAL)
        ce_findings_add(out, CE_PASS, "", "optional");
    else
        ce_findings_add(out, CE_FAIL, "",
                        "required: where the library is missing, srun and slurmd refuse to start");
}

static void judge_order(const struct ce_install *install, struct ce_findings *out)
{
    if (!has_line(install, out))
        return;
    const struct ce_install_plugin *pyxis = ce_install_pyxis(&install->plugstack);
    if (!pyxis)
        ce_findings_add(out, CE_SKIP, "", "pyxis is not there");
    else if (pyxis < ours(install))
        ce_findings_add(out, CE_PASS, "", "after pyxis");
    else
        ce_findings_add(out, CE_FAIL, "",
                        "it stands before pyxis, which gives all tasks of a node the first one's RANK");
}

/* "run=/DIR", "default=on", "default=off"; what is none of them, or another folder; NULL: all is well. */
static const char *odd_argument(const char *arguments, size_t *length)
{
    static const char *const known[] = {"default=on", "default=off", ("run=" CE_RUN_DIR)};
    for (; *arguments; arguments += *length + (arguments[*length] == ' ')) {
        bool fits = false;
        *length = strcspn(arguments, " ");
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            fits |= strlen(known[i]) == *length && memcmp(known[i], arguments, *length) == 0;
        if (!fits)
            return arguments;
    }
    return NULL;
}

static void judge_arguments(const struct ce_install *install, struct ce_findings *out)
{
    size_t length;
    if (!has_line(install, out))
        return;
    const char *arguments = ours(install)->arguments, *odd = odd_argument(arguments, &length);
    if (!odd)
        ce_findings_add(out, CE_PASS, "", "%.120s", *arguments ? arguments : "none");
    else if (strncmp(odd, "run=/", 5) == 0)
        ce_findings_add(out, CE_FAIL, "", "%.*s: cluster-prolog and the boot unit write " CE_RUN_DIR,
                        length < 60 ? (int)length : 60, odd);
    else
        ce_findings_add(out, CE_FAIL, "", "%.*s is none that the plugin knows",
                        length < 60 ? (int)length : 60, odd);
}

static void judge_library(const struct ce_install *install, struct ce_findings *out)
{
    const struct ce_install_library *library = &install->library;
    if (!has_line(install, out))
        return;
    if (library->hung)
        ce_findings_add(out, CE_UNKNOWN, "", "%s", library->why);
    else if (!library->there)
        ce_findings_add(out, CE_FAIL, "", "%.100s is not there", library->path);
    else if (!library->safe && !library->version)
        ce_findings_add(out, CE_FAIL, "", "%.60s: %.90s", library->path, library->why);
    else if (!library->safe) {
        ce_findings_add(out, CE_FAIL, "", "%.80s is loaded by root, and others may write it",
                        library->path);
        ce_findings_remedy(out, "chown root and chmod 755 it");
    } else
        ce_findings_add(out, CE_PASS, "", "%.120s", library->path);
}

/* sinfo is of the package that srun is of; slurm-node cannot run with another series' libslurm. */
static uint32_t slurm_of(const struct ce_install *install)
{
    return install->slurm_version     ? install->slurm_version
           : install->file.known      ? install->file.conf.version
                                      : 0;
}

static void judge_version(const struct ce_install *install, struct ce_findings *out)
{
    char built[CE_SLURM_VERSION], here[CE_SLURM_VERSION];
    const struct ce_install_library *library = &install->library;
    uint32_t slurm = slurm_of(install);
    if (!has_line(install, out))
        return;
    ce_slurm_series(library->version, built);
    ce_slurm_release(slurm, here);
    if (library->hung)
        ce_findings_add(out, CE_UNKNOWN, "", "%s", library->why);
    else if (!library->there)
        ce_findings_add(out, CE_SKIP, "", "the library is not there");
    else if (!library->version)
        ce_findings_add(out, CE_FAIL, "", "no Slurm loads it: %s", library->why);
    else if (!slurm)
        ce_findings_add(out, CE_UNKNOWN, "", "built for %s, and Slurm's version is not known", built);
    else if (ce_slurm_same_series(slurm, library->version))
        ce_findings_add(out, CE_PASS, "", "built for %s, Slurm is %s", built, here);
    else
        ce_findings_add(out, CE_FAIL, "", "built for %s, but Slurm is %s, which does not load it",
                        built, here);
}

const struct ce_doctor_row ce_doctor_plugin_rows[] = {
    {"plugin.line", true, "add the line 'optional cluster_env.so' to it",
     judge_line},
    {"plugin.optional", true, "begin the line with optional", judge_kind},
    {"plugin.order", true, "put our line behind that of pyxis", judge_order},
    {"plugin.arguments", true, "leave run=, default=on and default=off", judge_arguments},
    {"plugin.library", true, "install the plugin's package for this Slurm", judge_library},
    {"plugin.version", true, "install the plugin's package for this Slurm", judge_version},
};
const size_t ce_doctor_plugin_row_count =
    sizeof ce_doctor_plugin_rows / sizeof *ce_doctor_plugin_rows;
