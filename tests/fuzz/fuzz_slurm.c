/* SPDX-License-Identifier: Apache-2.0 */
/* What Slurm, and any user who may drain a node, writes: its configuration, the Gres of nodes, the
 * version of its programs, the reasons of drained nodes. */
#include "fuzz.h"

#include "health/guard.h"
#include "model/gres.h"
#include "model/slurm_conf.h"

const char fuzz_name[] = "slurm";
const unsigned fuzz_runs = 40000;

enum { NODES = 4, TEXT_MAX = 1 << 20, GPUS_MOST = 3 * 4096 };

static void check_conf(const char *text)
{
    static struct ce_slurm_conf conf;
    struct ce_error err = {""};
    ce_autotext struct ce_text first = CE_TEXT(TEXT_MAX), second = CE_TEXT(TEXT_MAX);
    if (ce_slurm_conf_parse(text, &conf, &err) < 0) {
        fuzz_check_error(err.text);
        return;
    }
    FUZZ_CHECK(conf.version && conf.prolog.count <= CE_SLURM_PROGRAMS_MAX);
    FUZZ_CHECK(conf.epilog.count <= CE_SLURM_PROGRAMS_MAX && strlen(conf.plugin_dirs) < PATH_MAX);
    ce_slurm_conf_write(&conf, &first);
    FUZZ_CHECK(ce_text_ok(&first) && ce_slurm_conf_parse(ce_text_string(&first), &conf, &err) == 0);
    ce_slurm_conf_write(&conf, &second);
    FUZZ_CHECK(strcmp(ce_text_string(&first), ce_text_string(&second)) == 0);
}

static void check_words(const char *text)
{
    char series[CE_SLURM_VERSION], release[CE_SLURM_VERSION];
    uint32_t version = ce_slurm_version_parse(text), gpus = ce_gres_gpus(text);
    FUZZ_CHECK(gpus <= GPUS_MOST && (gpus == 0 || strstr(text, "gpu")));
    FUZZ_CHECK(!ce_slurm_list_has(text, "nohold") || strcasestr(text, "nohold"));
    ce_slurm_list_has("a,nohold", text);
    FUZZ_CHECK(strlen(ce_slurm_series(version, series)) < CE_SLURM_VERSION);
    FUZZ_CHECK(strncmp(ce_slurm_release(version, release), series, strlen(series)) == 0);
    FUZZ_CHECK(ce_slurm_same_series(version, version));
}

/* The lines are the reasons of the nodes of one partition. */
static void check_reasons(char *text)
{
    static const char *const names[NODES] = {"n1", "n2", "n3", "n4"};
    static const int32_t all[] = {0, NODES - 1, -1}, *const partitions[] = {all};
    struct ce_guard_node nodes[NODES] = {{.name = NULL}};
    char *rest = NULL, *line = strtok_r(text, "\n", &rest);
    for (unsigned i = 0; i < NODES; i++, line = line ? strtok_r(NULL, "\n", &rest) : NULL)
        nodes[i] = (struct ce_guard_node){names[i], line ? line : "", line && i % 3, (int64_t)i};
    const struct ce_guard_scene scene = {nodes, NODES, partitions, 1, NODES};
    for (size_t self = 0; self < NODES; self++) {
        const struct ce_guard_limit limits[] = {{1, 24}, {50, 24}, {100, 24}};
        bool one = ce_guard_admits(&scene, self, &limits[0]), half = ce_guard_admits(&scene, self, &limits[1]);
        FUZZ_CHECK(!one || half);
        FUZZ_CHECK(ce_guard_admits(&scene, self, &limits[2]));
    }
    FUZZ_CHECK(ce_guard_admits(&scene, 0, &(struct ce_guard_limit){1, 24})); /* the first of all */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    check_conf(text);
    check_words(text);
    check_reasons(text);
    free(text);
    return 0;
}
