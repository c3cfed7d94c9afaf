/* SPDX-License-Identifier: Apache-2.0 */
/* The rows about plugstack.conf and the plugin. */
#include "right.h"

#define LINE in->plugstack.items[0]
#define NO_LINE "skip there is no line in plugstack.conf"
#define UNREAD "unknown plugstack.conf could not be read"
#define UNKNOWN_PLACE "unknown where plugstack.conf is, is not known: mend slurm.helper first"

static void set_arguments(struct ce_install *in, const char *arguments)
{
    snprintf(LINE.arguments, sizeof LINE.arguments, "%s", arguments);
}

static void stop_reading(struct ce_install *in)
{
    in->plugstack.read = false;
    in->plugstack.count = 0;
    snprintf(in->plugstack.why, sizeof in->plugstack.why, "/x: cannot open");
}

/* pyxis first. */
static void put_pyxis(struct ce_install *in)
{
    in->plugstack.count = 0;
    add_plugin(in, CE_PLUGSTACK_REQUIRED, "/usr/local/lib/slurm/spank_pyxis.so");
    add_plugin(in, CE_PLUGSTACK_OPTIONAL, "cluster_env.so");
}

static void spoil_library(struct ce_install *in, const char *why)
{
    in->library.version = 0;
    snprintf(in->library.why, sizeof in->library.why, "%s", why);
}

#define HUNG "unknown /nfs/cluster_env.so: not read within 5 s"

static void hang(struct ce_install *in)
{
    in->library.hung = true;
    in->library.there = in->library.safe = false;
    spoil_library(in, "/nfs/cluster_env.so: not read within 5 s");
}

#define CASES(X)                                                                                       \
    X(line, "plugin.line", "pass /etc/slurm/plugstack.conf:1", )                                       \
    X(no_line, "plugin.line", "fail /etc/slurm/plugstack.conf does not load cluster_env.so",           \
      in->plugstack.count = 0)                                                                         \
    X(no_file, "plugin.line", "fail /etc/slurm/plugstack.conf is not there",                           \
      in->plugstack.count = 0; in->plugstack.there = false)                                            \
    X(line_unread, "plugin.line", "unknown /x: cannot open", stop_reading(in))                         \
    X(file_unknown, "plugin.line", UNKNOWN_PLACE,                                                      \
      in->plugstack.count = 0; in->plugstack.path[0] = '\0')                                           \
    X(line_twice, "plugin.line", "fail /etc/slurm/plugstack.conf:2 loads the plugin a second time",    \
      add_plugin(in, CE_PLUGSTACK_OPTIONAL, "/opt/cluster_env.so"))                                    \
    X(line_of_nothing, "plugin.line",                                                                  \
      "fail /etc/slurm/plugstack.conf:2 is no line of it: Slurm's commands refuse to start",           \
      add_plugin(in, CE_PLUGSTACK_WRONG, ""))                                                          \
    X(optional, "plugin.optional", "pass optional", )                                                  \
    X(required, "plugin.optional",                                                                     \
      "fail required: where the library is missing, srun and slurmd refuse to start",              \
      LINE.kind = CE_PLUGSTACK_REQUIRED)                                                               \
    X(optional_without_a_line, "plugin.optional", NO_LINE, in->plugstack.count = 0)                    \
    X(optional_unread, "plugin.optional", UNREAD, stop_reading(in))                                    \
    X(order_without_pyxis, "plugin.order", "skip pyxis is not there", )                                \
    X(order_after_pyxis, "plugin.order", "pass after pyxis", put_pyxis(in))                            \
    X(order_before_pyxis, "plugin.order",                                                              \
      "fail it stands before pyxis, which gives all tasks of a node the first one's RANK",             \
      add_plugin(in, CE_PLUGSTACK_REQUIRED, "spank_pyxis.so"))                                         \
    X(order_unread, "plugin.order", UNREAD, stop_reading(in))                                          \
    X(arguments_none, "plugin.arguments", "pass none", )                                               \
    X(arguments_known, "plugin.arguments", "pass default=on run=/run/cluster-env",                     \
      set_arguments(in, "default=on run=/run/cluster-env"))                                            \
    X(arguments_elsewhere, "plugin.arguments",                                                         \
      "fail run=/run/other: cluster-prolog and the boot unit write /run/cluster-env",                  \
      set_arguments(in, "default=on run=/run/other"))                                                  \
    X(arguments_unknown, "plugin.arguments", "fail default=maybe is none that the plugin knows",       \
      set_arguments(in, "default=maybe run=/run/cluster-env"))                                         \
    X(arguments_without_a_line, "plugin.arguments", NO_LINE, in->plugstack.count = 0)                  \
    X(library, "plugin.library", "pass /usr/lib/slurm/cluster_env.so", )                               \
    X(library_gone, "plugin.library", "fail /usr/lib/slurm/cluster_env.so is not there",               \
      in->library.there = false)                                                                       \
    X(library_of_others_hands, "plugin.library",                                                       \
      "fail /usr/lib/slurm/cluster_env.so is loaded by root, and others may write it",                 \
      in->library.safe = false)                                                                        \
    X(library_of_a_hung_file_system, "plugin.library", HUNG, hang(in))                                 \
    X(version_of_a_hung_file_system, "plugin.version", HUNG, hang(in))                                 \
    X(kind_where_the_file_is_unknown, "plugin.optional", UNKNOWN_PLACE,                                \
      in->plugstack.count = 0; in->plugstack.path[0] = '\0')                                           \
    X(library_closed, "plugin.library", "fail /usr/lib/slurm/cluster_env.so: cannot open it",          \
      in->library.safe = false; spoil_library(in, "cannot open it"))                                   \
    X(library_without_a_line, "plugin.library", NO_LINE, in->plugstack.count = 0)                      \
    X(library_unread, "plugin.library", UNREAD, stop_reading(in))                                      \
    X(version, "plugin.version", "pass built for 24.11, Slurm is 24.11.5", )                           \
    X(version_of_another_series, "plugin.version",                                                     \
      "fail built for 25.05, but Slurm is 24.11.5, which does not load it",                            \
      in->library.version = 0x190500)                                                                  \
    X(version_without_sinfo, "plugin.version", "pass built for 24.11, Slurm is 24.11.5",               \
      in->slurm_version = 0)                                                                           \
    X(version_of_slurm_unknown, "plugin.version",                                                      \
      "unknown built for 24.11, and Slurm's version is not known",                                     \
      in->slurm_version = 0; in->file.known = in->controller.known = false)                            \
    X(version_unreadable, "plugin.version",                                                            \
      "fail no Slurm loads it: it exports no plugin_version",                                          \
      spoil_library(in, "it exports no plugin_version"))                                               \
    X(version_without_a_library, "plugin.version", "skip the library is not there",                    \
      in->library.there = false)                                                                       \
    X(version_without_a_line, "plugin.version", NO_LINE, in->plugstack.count = 0)

CASES(CASE_CHANGE)
static const struct case_row rows[] = {CASES(CASE_ROW)};

int main(void)
{
    UNIT_TABLE(rows, judge_case);
    return UNIT_RUN("plugin rows");
}
