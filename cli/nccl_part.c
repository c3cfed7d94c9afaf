/* SPDX-License-Identifier: Apache-2.0 */
#include "nccl_part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/parse.h"
#include "command.h"
#include "launch/rails.h"
#include "local/texts.h"

/* What must be right before NCCL is to use rails: what jobs use here, as the plugin sees it. */
static void read_rails(struct ce_nccl_node *part)
{
    struct ce_notes notes = {.count = 0};
    struct ce_rails rails = {.ports = NULL};
    struct ce_texts texts;
    struct ce_error err;
    ce_texts_read(CE_RUN_DIR, &texts, &notes);
    if (texts.node && ce_rails_choose(texts.node, &rails, &err) == 0 &&
        (rails.verdict == CE_RAILS_ALL || rails.verdict == CE_RAILS_CHOSEN))
        part->rails = (uint32_t)rails.count;
    ce_rails_free(&rails);
    ce_texts_free(&texts);
}

/* Somebody wants it so: then it is not silent. */
static void read_settings(struct ce_nccl_node *part)
{
    const char *disable = getenv("NCCL_IB_DISABLE"), *net = getenv("NCCL_NET");
    if (disable && *disable && strcmp(disable, "0") != 0)
        snprintf(part->asked, sizeof part->asked, "NCCL_IB_DISABLE=%.40s", disable);
    else if (net && strcasecmp(net, "Socket") == 0)
        snprintf(part->asked, sizeof part->asked, "NCCL_NET=%s", net);
}

const char *ce_nccl_own_name(char *name, size_t size)
{
    const char *slurm = getenv("SLURMD_NODENAME");
    if (slurm && *slurm) {
        snprintf(name, size, "%s", slurm);
    } else {
        if (gethostname(name, size) < 0)
            snprintf(name, size, "this node");
        name[size - 1] = '\0';
        name[strcspn(name, ".")] = '\0';
    }
    return name;
}

/* -1: it cannot be told. */
static int find_place(struct ce_nccl_place *place, struct ce_nccl_node *part)
{
    const char *rank = getenv("SLURM_PROCID"), *tasks = getenv("SLURM_STEP_NUM_TASKS");
    const char *ip = getenv("PRIMARY_IP"), *name = getenv("PRIMARY_ADDR");
    if (!rank || !tasks || ce_parse_u32(tasks, 1, CE_NCCL_NODES_MAX, &place->nodes) < 0 ||
        ce_parse_u32(rank, 0, place->nodes - 1, &place->node) < 0) {
        ce_nccl_node_end(part, CE_NCCL_FAILED,
                         "Slurm does not tell which node of the step this is");
        return -1;
    }
    place->address = ip && *ip ? ip : name;
    place->port = getenv("PRIMARY_PORT");
    if (place->address && *place->address && place->port)
        return 0;
    ce_nccl_node_end(part, CE_NCCL_FAILED,
                     "PRIMARY_ADDR and PRIMARY_PORT are not set: --cluster-env did nothing");
    return -1;
}

void ce_nccl_part_run(const struct ce_nccl_test *test, bool alone, struct ce_nccl_node *ret)
{
    char name[CE_HOSTNAME_MAX + 1];
    struct ce_nccl_place place = {.name = ce_nccl_own_name(name, sizeof name), .nodes = 1};
    *ret = (struct ce_nccl_node){.outcome = CE_NCCL_SILENT};
    if (alone || find_place(&place, ret) == 0)
        ce_nccl_test_run(test, &place, ret);
    snprintf(ret->name, sizeof ret->name, "%s", name);
    read_rails(ret);
    read_settings(ret);
}

int ce_nccl_part_print(const struct ce_nccl_test *test, bool alone)
{
    ce_autotext struct ce_text out = CE_TEXT(1 << 20);
    struct ce_nccl_node part;
    ce_nccl_part_run(test, alone, &part);
    ce_nccl_node_write(&part, &out);
    return ce_print("bench nccl", &out);
}
