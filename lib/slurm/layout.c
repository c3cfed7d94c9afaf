/* SPDX-License-Identifier: Apache-2.0 */
#include "slurm/layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/hostfold.h"
#include "slurm/counts.h"

/* What follows "JOB.STEP:"; NULL: the variable is another step's, or not set. */
static const char *find_own(const struct ce_environ *env, const struct ce_step_id *id)
{
    char own[CE_STEP_ID_TEXT];
    const char *layout = ce_environ_get(env, CE_LAYOUT_VARIABLE);
    size_t length = strlen(ce_step_id_format(id, own));
    if (!layout || strncmp(layout, own, length) != 0 || layout[length] != ':')
        return NULL;
    return layout + length + 1;
}

bool ce_slurm_layout_is_of(const struct ce_environ *env, const struct ce_step_id *id)
{
    return find_own(env, id) != NULL;
}

static struct ce_hostlist *parse_nodes(const char *text, size_t length)
{
    ce_autofree char *list = strndup(text, length);
    return list ? ce_hostlist_parse(list, NULL) : NULL;
}

static bool read_ranks(const char *text, size_t count, uint32_t *ret)
{
    struct ce_counts steps = ce_counts_begin(text);
    uint64_t rank = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t step;
        if (!ce_counts_next(&steps, &step) || (step == 0) != (i == 0))
            return false;
        rank += step;
        if (rank > UINT32_MAX)
            return false;
        ret[i] = (uint32_t)rank;
    }
    return ce_counts_is_over(&steps);
}

struct ce_hostlist *ce_slurm_layout_read(const struct ce_environ *env, const struct ce_step_id *id,
                                         uint32_t **first)
{
    const char *list = find_own(env, id);
    const char *ranks = list ? strchr(list, ':') : NULL;
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *nodes =
        ranks ? parse_nodes(list, (size_t)(ranks - list)) : NULL;
    if (!nodes)
        return NULL;
    ce_autofree uint32_t *found = calloc(ce_hostlist_count(nodes), sizeof *found);
    if (!found || !read_ranks(ranks + 1, ce_hostlist_count(nodes), found))
        return NULL;
    *first = ce_steal(found);
    return ce_steal(nodes);
}

struct ce_hostlist *ce_slurm_layout_read_job(const struct ce_environ *env,
                                             const struct ce_step_id *id)
{
    const char *list = find_own(env, id);
    return list ? ce_hostlist_parse(list, NULL) : NULL;
}

struct place {
    const char *name;
    uint32_t first;
};

static int by_rank(const void *a, const void *b)
{
    const struct place *left = a, *right = b;
    return (left->first > right->first) - (left->first < right->first);
}

/* Sorted by rank; NULL: no memory. */
static struct place *sort(const struct ce_hostlist *nodes, const uint32_t *first)
{
    size_t count = ce_hostlist_count(nodes);
    struct place *places = calloc(count, sizeof *places);
    for (size_t i = 0; places && i < count; i++)
        places[i] = (struct place){ce_hostlist_name(nodes, i), first[i]};
    if (places)
        qsort(places, count, sizeof *places, by_rank);
    return places;
}

static void add_names(const struct ce_step_id *id, const char *const *names, size_t count,
                      struct ce_text *out)
{
    char own[CE_STEP_ID_TEXT];
    ce_text_addf(out, "%s:", ce_step_id_format(id, own));
    ce_hostfold_in_order(names, count, out);
}

void ce_slurm_layout_write(const struct ce_step_id *id, const struct ce_hostlist *nodes,
                           const uint32_t *first, struct ce_text *out)
{
    size_t count = ce_hostlist_count(nodes);
    ce_autofree struct place *places = sort(nodes, first);
    ce_autofree const char **names = calloc(count, sizeof *names);
    ce_autofree uint32_t *steps = calloc(count, sizeof *steps);
    if (!places || !names || !steps) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        names[i] = places[i].name;
        steps[i] = i ? places[i].first - places[i - 1].first : places[i].first;
    }
    add_names(id, names, count, out);
    ce_text_add(out, ":");
    ce_counts_write(steps, count, out);
}

void ce_slurm_layout_write_job(const struct ce_step_id *id, const struct ce_hostlist *nodes,
                               struct ce_text *out)
{
    size_t count = ce_hostlist_count(nodes);
    ce_autofree const char **names = calloc(count, sizeof *names);
    for (size_t i = 0; names && i < count; i++)
        names[i] = ce_hostlist_name(nodes, i);
    if (names)
        add_names(id, names, count, out);
    else
        out->failed = true;
}
