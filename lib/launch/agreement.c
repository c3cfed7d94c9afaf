/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/agreement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/hostindex.h"

static const char remedy[] = "see 'cluster-env topology' there, and rails in cluster-env.conf";

/* "8 InfiniBand rails of 400 Gb/s" */
static const char *describe(const struct ce_rails_expected *rails, char *text, size_t size)
{
    static const char *const links[] = {
        [CE_LINK_UNKNOWN] = "", [CE_LINK_INFINIBAND] = "InfiniBand ", [CE_LINK_ETHERNET] = "RoCE "};
    char rate[32] = "";
    if (rails->rate_gbps)
        snprintf(rate, sizeof rate, " of %u Gb/s", rails->rate_gbps);
    snprintf(text, size, "%u %srail%s%s", rails->count, links[rails->link_layer],
             rails->count == 1 ? "" : "s", rate);
    return text;
}

/* ---------------------------------------------------------------- this node */

/* What NCCL would be given: the rails chosen, or what it takes itself where all are. */
static struct ce_rails_expected found_rails(const struct ce_rails *rails)
{
    return (struct ce_rails_expected){.count = (uint32_t)rails->count,
                                      .link_layer = rails->link_layer,
                                      .rate_gbps = rails->rate_mbps / 1000};
}

static const char *describe_found(const struct ce_rails *rails, char *text, size_t size)
{
    const struct ce_rails_expected found = found_rails(rails);
    if (found.count)
        return describe(&found, text, size);
    snprintf(text, size, "%s (%s)",
             rails->verdict == CE_RAILS_UNSURE ? "rails that are not known" : "no rails",
             rails->reason);
    return text;
}

/* A rate below what is expected makes a step slow; another number or kind makes it hang.  What is
 * not known is told, and is no fault. */
static void judge_own(const struct ce_rails *rails, const struct ce_policy *policy, bool alone,
                      struct ce_agreement *ret)
{
    const struct ce_rails_expected *expected = &policy->rails;
    const struct ce_rails_expected found = found_rails(rails);
    char have[sizeof rails->reason + 32], want[96];
    bool known = rails->verdict != CE_RAILS_UNSURE;
    bool other = found.count != expected->count ||
                 (expected->link_layer && found.link_layer != expected->link_layer);
    bool slow = expected->rate_gbps && rails->active && found.rate_gbps < expected->rate_gbps;
    if (!expected->count || rails->verdict == CE_RAILS_PROVIDER || (!other && !slow))
        return;
    ret->refused = !alone && known &&
                   ((other && policy->differ != CE_DIFFER_WARN) ||
                    (slow && policy->differ == CE_DIFFER_REFUSE));
    ce_fail(&ret->own, "this node has %s, expected %s; %s",
            describe_found(rails, have, sizeof have), describe(expected, want, sizeof want),
            remedy);
}

/* ---------------------------------------------------------------- all nodes */

/* The groups' names, ready to be asked for. */
struct lookup {
    const struct ce_rules *rules;
    struct ce_hostlist **lists;
    struct ce_hostindex **indexes;
};

static void lookup_free(struct lookup *lookup)
{
    for (size_t i = 0; i < lookup->rules->group_count; i++) {
        if (lookup->indexes)
            ce_hostindex_destroy(lookup->indexes[i]);
        if (lookup->lists)
            ce_hostlist_destroy(lookup->lists[i]);
    }
    free(lookup->indexes);
    free(lookup->lists);
}

static int lookup_fill(struct lookup *lookup, struct ce_error *err)
{
    size_t count = lookup->rules->group_count;
    lookup->lists = calloc(count, sizeof(struct ce_hostlist *));
    lookup->indexes = calloc(count, sizeof(struct ce_hostindex *));
    if (!lookup->lists || !lookup->indexes)
        return ce_fail(err, "no memory");
    for (size_t i = 0; i < count; i++) {
        lookup->lists[i] = ce_hostlist_parse(lookup->rules->groups[i].names, err);
        if (!lookup->lists[i])
            return ce_fail_in(err, "node.policy: rails.group.%zu.names", i);
        lookup->indexes[i] = ce_hostindex_create(lookup->lists[i]);
        if (!lookup->indexes[i])
            return ce_fail(err, "no memory");
    }
    return 0;
}

static struct ce_rails_expected expected_of(const struct lookup *lookup, const char *name)
{
    struct ce_rails_expected rails = lookup->rules->general;
    for (size_t i = 0; i < lookup->rules->group_count; i++)
        if (ce_hostindex_find(lookup->indexes[i], name, NULL))
            ce_rails_lay(&lookup->rules->groups[i], &rails);
    return rails;
}

static bool differ(const struct ce_rails_expected *a, const struct ce_rails_expected *b)
{
    return a->count && b->count &&
           (a->count != b->count ||
            (a->link_layer && b->link_layer && a->link_layer != b->link_layer));
}

struct compared {
    const char *name; /* NULL: no node yet */
    struct ce_rails_expected rails;
};

static void compare(const struct compared *first, const struct compared *other,
                    struct ce_agreement *ret)
{
    char left[96], right[96];
    if (!first->name || !differ(&first->rails, &other->rails))
        return;
    if (!ret->all.text[0])
        ce_fail(&ret->all, "the nodes have different rails: %.64s %s, %.64s %s", first->name,
                describe(&first->rails, left, sizeof left), other->name,
                describe(&other->rails, right, sizeof right));
    ret->no_rdma |= first->rails.link_layer && other->rails.link_layer &&
                    first->rails.link_layer != other->rails.link_layer;
}

/* The first node whose number is known, and the first whose link layer is, are compared with each,
 * so that every node names the same two. */
static void compare_all(const struct lookup *lookup, const struct ce_allocation *allocation,
                        enum ce_differ policy, struct ce_agreement *ret)
{
    struct compared numbered = {.name = NULL}, linked = {.name = NULL};
    uint32_t fewest = UINT32_MAX;
    for (uint32_t i = 0; i < ce_allocation_node_count(allocation); i++) {
        const char *name = ce_hostlist_name(allocation->nodes, i);
        const struct compared node = {name, expected_of(lookup, name)};
        if (!node.rails.count)
            continue;
        compare(&numbered, &node, ret);
        compare(&linked, &node, ret);
        numbered = numbered.name ? numbered : node;
        linked = linked.name || !node.rails.link_layer ? linked : node;
        fewest = node.rails.count < fewest ? node.rails.count : fewest;
    }
    ret->limit = ret->all.text[0] ? fewest : 0;
    ret->refused |= ret->limit && policy == CE_DIFFER_REFUSE;
}

/* What is done about it, in the words of the message. */
static void settle(enum ce_differ policy, struct ce_agreement *ret)
{
    struct ce_error text = ret->all;
    if (policy != CE_DIFFER_COMMON) {
        ret->limit = 0;
        ret->no_rdma = false;
    }
    if (policy == CE_DIFFER_WARN)
        ce_fail(&ret->all, "%s; NCCL may hang: choose equal nodes, or rdma=off", text.text);
    else if (policy == CE_DIFFER_REFUSE)
        ce_fail(&ret->all, "%s; choose equal nodes, or rdma=off", text.text);
    else if (ret->no_rdma)
        ce_fail(&ret->all, "%s; they have none in common, so NCCL uses sockets", text.text);
    else
        ce_fail(&ret->all, "%s; NCCL is given the first %zu of each", text.text, ret->limit);
}

static int judge_all(const struct ce_policy *policy, const struct ce_rules *rules,
                     const struct ce_allocation *allocation, struct ce_agreement *ret,
                     struct ce_error *err)
{
    struct lookup lookup = {.rules = rules};
    int failed = lookup_fill(&lookup, err);
    if (!failed)
        compare_all(&lookup, allocation, policy->differ, ret);
    if (!failed && ret->all.text[0])
        settle(policy->differ, ret);
    lookup_free(&lookup);
    return failed;
}

int ce_agreement_judge(const struct ce_rails *rails, const struct ce_policy *policy,
                       const struct ce_rules *rules, const struct ce_allocation *allocation,
                       struct ce_agreement *ret, struct ce_error *err)
{
    bool alone = ce_allocation_node_count(allocation) == 1;
    *ret = (struct ce_agreement){.limit = 0};
    judge_own(rails, policy, alone, ret);
    if (alone || !rules || rules->group_count == 0)
        return 0;
    return judge_all(policy, rules, allocation, ret, err);
}

