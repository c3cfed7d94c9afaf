/* SPDX-License-Identifier: Apache-2.0 */
#include "preflight/preflight.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/cleanup.h"
#include "base/parse.h"
#include "launch/cluster.h"
#include "launch/gid.h"
#include "local/texts.h"
#include "model/gang_task.h"
#include "preflight/nccl_settings.h"

enum {
    CONF_MS = 2000,
    SPARE_MS = 200, /* of the time, for the helper to say what it knows */
    LATE_MS = 60,
    CONF_MAX = 16384,
    LIST_MAX = 1 << 20,
    TASK_MAX = 1 << 20,
    PIECE = 96 << 10, /* of an argument, which may have 128 KiB */
    PIECES = TASK_MAX / PIECE + 1,
};

/* ---------------------------------------------------------------- what slurm.conf says */

struct conf {
    bool known, alloc, serial;
    char socket[CE_GANG_SOCKET];
};

static int read_conf(const char *text, struct conf *ret, struct ce_error *err)
{
    uint64_t alloc = 0, serial = 0;
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(text, err);
    if (!record || ce_record_number(record, 0, 1, &alloc, err, "prolog.alloc") < 0 ||
        ce_record_number(record, 0, 1, &serial, err, "prolog.serial") < 0)
        return -1;
    const char *socket = ce_record_get(record, "munge.socket");
    if (ce_copy(ret->socket, sizeof ret->socket, socket ? socket : "") < 0)
        return ce_fail(err, "munge.socket: too long");
    ret->alloc = alloc;
    ret->serial = serial;
    ret->known = true;
    return 0;
}

static int check_conf(const struct conf *conf, struct ce_error *err)
{
    if (conf->known && !conf->alloc)
        return ce_fail(err, "slurm.conf has no PrologFlags=Alloc, without which a job's prologs do not begin "
                            "together");
    if (conf->serial)
        return ce_fail(err, "slurm.conf has PrologFlags=Serial, with which the prologs of crossing jobs "
                            "would wait for each other");
    return 0;
}

/* Without an answer it is as in most clusters. */
static void ask_conf(const char *helpers, struct conf *ret, struct ce_notes *notes)
{
    struct ce_error err;
    char path[4096];
    char *const argv[] = {path, "conf", NULL};
    struct ce_child child = {.argv = argv, .deadline_ms = CONF_MS, .output_max = CONF_MAX};
    *ret = (struct conf){.known = false};
    snprintf(path, sizeof path, "%s/slurm-node", helpers);
    ce_children_run(&child, 1, &(struct ce_children_plan){.at_once = 1});
    if (ce_child_check(&child, &err) < 0 || read_conf(ce_text_string(&child.output), ret, &err) < 0)
        ce_note(notes, "preflight: slurm.conf is not known: %.300s", err.text);
    ce_child_free(&child);
}

/* ---------------------------------------------------------------- this node's place */

static int find_self(const struct ce_hostlist *nodes, const char *name, uint32_t *ret,
                     struct ce_error *err)
{
    for (size_t i = 0; name && i < ce_hostlist_count(nodes); i++)
        if (strcmp(ce_hostlist_name(nodes, i), name) == 0) {
            *ret = (uint32_t)i;
            return 0;
        }
    return ce_fail(err, "this node, %.60s, is not in the job's list of nodes", name ? name : "");
}

/* The interface that has this node's address, also one that is down. */
static void find_interface(const struct ce_node *node, const struct ce_address *address,
                           char ret[CE_NETIF_NAME])
{
    for (size_t i = 0; node && i < node->netif_count; i++)
        for (size_t k = 0; k < node->netifs[i].address_count; k++)
            if (ce_address_equal(&node->netifs[i].addresses[k].address, address))
                ce_copy(ret, CE_NETIF_NAME, node->netifs[i].name);
}

static bool is_of_job(const struct ce_gang_task *task, const struct ce_address *address)
{
    for (uint32_t i = 0; i < task->count; i++)
        if (ce_address_equal(&task->addresses[i], address))
            return true;
    return false;
}

static void add_witness(struct ce_gang_task *task, const struct ce_address *address)
{
    if (task->witness_count < CE_GANG_WITNESSES &&
        address->family == task->addresses[task->self].family)
        task->witnesses[task->witness_count++] = *address;
}

/* Other nodes of the job, and of the book, spread evenly: whom this node should reach, too. */
static void choose_witnesses(const struct ce_book *book, const struct ce_network *own,
                             struct ce_gang_task *task)
{
    uint32_t few = CE_GANG_WITNESSES / 2, step = task->count > few ? task->count / few : 1;
    for (uint32_t i = 0; i < task->count && task->witness_count < few; i += step)
        if (i != task->self)
            add_witness(task, &task->addresses[i]);
    size_t entries = ce_book_count(book), stride = entries > 64 ? entries / 64 : 1;
    for (size_t i = 0; i < entries; i += stride) {
        const struct ce_address *address = &ce_book_at(book, i)->address;
        if (ce_network_contains(own, address) && !is_of_job(task, address))
            add_witness(task, address);
    }
}

/* ---------------------------------------------------------------- rails */

static void add_firmware(const struct ce_hca *hca, struct ce_text *out)
{
    char word[2 * CE_HCA_WORD + 2];
    snprintf(word, sizeof word, "%s=%s", hca->type, hca->firmware);
    if (!out->length || !strstr(ce_text_string(out), word))
        ce_text_addf(out, "%s%s", out->length ? "," : "", word);
}

/* Long lists are cut: the beginning tells who differs. */
static void take_words(const struct ce_text *from, char ret[CE_GANG_WORDS])
{
    struct ce_error clean;
    ce_fail(&clean, "%.*s", CE_GANG_WORDS - 1, ce_text_string(from));
    snprintf(ret, CE_GANG_WORDS, "%.*s", CE_GANG_WORDS - 1, clean.text);
}

static void describe_rails(const struct ce_rails *rails, struct ce_gang_facts *facts)
{
    ce_autotext struct ce_text names = CE_TEXT(1 << 16), firmware = CE_TEXT(1 << 16);
    facts->rail_count = (uint32_t)rails->count;
    ce_rails_list(rails, 0, false, &names);
    for (size_t i = 0; i < rails->port_count; i++)
        if (rails->ports[i].chosen)
            add_firmware(rails->ports[i].hca, &firmware);
    take_words(&names, facts->rails);
    take_words(&firmware, facts->firmware);
}

static void list_rails(const struct ce_rails *rails, struct ce_gang_task *task)
{
    for (size_t i = 0; i < rails->port_count && task->facts.measured < CE_GANG_RAILS; i++) {
        const struct ce_rail *rail = &rails->ports[i];
        const struct ce_gid *gid = ce_gid_choose(rail->port);
        struct ce_gang_rail *ret = &task->rails[task->facts.measured];
        if (!rail->chosen)
            continue;
        ce_copy(ret->device, sizeof ret->device, rail->hca->name);
        ret->port = rail->port->number;
        ret->gid = gid ? gid->index : 0;
        task->facts.measured++;
    }
}

/* ---------------------------------------------------------------- the all-reduce */

/* MiB, so that it takes well below a second over rails, and over sockets of 10 Gb/s. */
enum { NCCL_RAILS_MIB = 512, NCCL_SOCKETS_MIB = 64 };

static int plan_nccl(const struct ce_cluster *cluster, const struct ce_allocation *allocation,
                     const struct ce_texts *texts, struct ce_gang_task *task, char ***settings,
                     struct ce_error *err)
{
    task->nccl_mib = cluster->rails.count ? NCCL_RAILS_MIB : NCCL_SOCKETS_MIB;
    *settings = ce_nccl_settings(cluster, allocation, texts, err);
    return *settings ? 0 : -1;
}

/* ---------------------------------------------------------------- the task */

/* Where this node's own interface is down it does not know which addresses are on the cluster network: the
 * book's first one of the name is meant. */
static int find_addresses(const struct ce_cluster *cluster, const struct ce_allocation *allocation,
                          const struct ce_texts *texts, struct ce_error *err)
{
    char name[CE_HOSTNAME_MAX + CE_POLICY_SUFFIX_MAX + 1];
    for (uint32_t i = 0; i < cluster->node_count; i++) {
        const char *node = ce_hostlist_name(allocation->nodes, i);
        const struct ce_book_entry *entry = NULL;
        if (cluster->addresses[i].family)
            continue;
        snprintf(name, sizeof name, "%s%s", node, texts->policy.suffix);
        do
            entry = ce_book_next(texts->book, name, entry);
        while (entry && !ce_address_is_usable(&entry->address));
        if (!entry)
            return ce_fail(err, "%.60s is not in the address book", name);
        cluster->addresses[i] = entry->address;
    }
    return 0;
}

/* The address of a node that has another one by now could be bound to by nobody, which must not look like a
 * link that is gone. */
static int check_own(const struct ce_cluster *cluster, const struct ce_gang_task *task, struct ce_error *err)
{
    char text[CE_ADDRESS_TEXT];
    const struct ce_netif *own = cluster->network.interface;
    if (task->interface[0] || !own || !own->up)
        return 0;
    return ce_fail(err, "the book's address of this node, %s, is none of its own",
                   ce_address_format(&task->addresses[task->self], text));
}

static int fill_task(enum ce_preflight_mode mode, const struct ce_allocation *allocation,
                     const struct ce_texts *texts, struct ce_gang_task *task, char ***settings,
                     struct ce_error *err)
{
    struct ce_cluster cluster;
    struct ce_notes ignored = {.count = 0};
    int failed = ce_cluster_init(&cluster, allocation, texts->node, &texts->policy, texts->rules,
                                 texts->book, &ignored, err);
    if (!failed)
        failed = find_addresses(&cluster, allocation, texts, err);
    if (!failed && mode == CE_PREFLIGHT_NCCL)
        failed = plan_nccl(&cluster, allocation, texts, task, settings, err);
    if (!failed) {
        task->addresses = cluster.addresses;
        cluster.addresses = NULL;
        find_interface(texts->node, &task->addresses[task->self], task->interface);
        failed = check_own(&cluster, task, err);
        choose_witnesses(texts->book, &cluster.network, task);
        describe_rails(&cluster.rails, &task->facts);
        if (mode >= CE_PREFLIGHT_RAILS)
            list_rails(&cluster.rails, task);
        /* What a busy machine's TCP carries says little of its network: it has only the floor. */
        if (!task->facts.measured)
            task->limits.below_percent = 0;
    }
    ce_cluster_free(&cluster);
    return failed;
}

static int make_task(const struct ce_preflight *what, const struct ce_hostlist *nodes,
                     const char *socket, struct ce_gang_task *task, char ***settings,
                     struct ce_notes *notes, struct ce_error *err)
{
    const struct ce_preflight_policy *policy = what->policy;
    const struct ce_allocation allocation = {
        .id = {.kind = CE_STEP_BATCH, .job_id = what->job}, .nodes = (struct ce_hostlist *)nodes};
    struct ce_texts texts;
    *task = (struct ce_gang_task){
        .job = what->job,
        .count = (uint32_t)ce_hostlist_count(nodes),
        .port_first = policy->port_first,
        .port_last = policy->port_last,
        .deadline_ms = policy->deadline_s * 1000 - SPARE_MS,
        .out = what->out,
        .limits = {.floor_mbps = policy->floor_gbps * 1000, .below_percent = policy->below_percent},
        .facts.whole = what->whole,
    };
    ce_copy(task->socket, sizeof task->socket, socket);
    snprintf(task->name, sizeof task->name, "%.*s", CE_GANG_NAME - 1, what->node_name ? what->node_name : "");
    if (task->count > CE_GANG_NODES_MAX)
        return ce_fail(err, "%u nodes, more than %d", task->count, CE_GANG_NODES_MAX);
    if (find_self(nodes, what->node_name, &task->self, err) < 0)
        return -1;
    ce_texts_read(what->run_dir, &texts, notes);
    int failed = texts.book ? fill_task(policy->mode, &allocation, &texts, task, settings, err)
                            : ce_fail(err, "there is no address book");
    ce_texts_free(&texts);
    return failed;
}

/* ---------------------------------------------------------------- the helper */

static int run_helper(const char *helpers, const struct ce_gang_task *task, char *const *settings,
                      struct ce_gang *ret, struct ce_error *err)
{
    char path[4096], *argv[PIECES + 2] = {path};
    size_t count = 1;
    ce_autotext struct ce_text text = CE_TEXT(TASK_MAX);
    struct ce_child child = {.argv = argv,
                             .envp = settings,
                             .deadline_ms = task->deadline_ms + SPARE_MS + LATE_MS,
                             .output_max = CE_GANG_TEXT_MAX};
    snprintf(path, sizeof path, "%s/preflight", helpers);
    ce_gang_task_write(task, &text);
    bool whole = ce_text_ok(&text);
    for (size_t at = 0; whole && at < text.length; at += PIECE)
        whole = asprintf(&argv[count++], "--task=%.*s", PIECE, text.data + at) > 0;
    if (whole)
        ce_children_run(&child, 1, &(struct ce_children_plan){.at_once = 1});
    int failed = !whole ? ce_fail(err, "no memory") : ce_child_check(&child, err);
    if (!failed)
        failed = ce_gang_parse(ce_text_string(&child.output), task->count, ret, err);
    for (size_t i = 1; i < count; i++)
        free(argv[i]);
    ce_child_free(&child);
    return failed;
}

/* ---------------------------------------------------------------- all of it */

/* Slurm's list is bounded by the kernel's limit of one variable. */
static struct ce_hostlist *read_list(const char *list, struct ce_error *err)
{
    if (list && strnlen(list, LIST_MAX) < LIST_MAX)
        return ce_hostlist_parse(list, err);
    ce_fail(err, "Slurm does not tell the job's nodes");
    return NULL;
}

static void note_refused(const struct ce_gang *gang, struct ce_notes *notes)
{
    if (gang->refused)
        ce_note(notes, "preflight: %u connections were refused, the last: %.90s", gang->refused,
                gang->refusal);
}

/* That some jobs share their nodes is as it should be; that one node lacks something else is not. */
static void note_skipped(const struct ce_preflight_found *found, struct ce_notes *notes)
{
    const struct ce_gang_nccl_word *word = &found->gang.verdict.nccl;
    if (found->gang.own.facts.whole && word->plan == CE_GANG_NCCL_SKIP && word->named)
        ce_note(notes, "preflight: no all-reduce, for %.60s: %.90s",
                ce_hostlist_name(found->nodes, word->node), word->why);
}

bool ce_preflight_is_gang(const char *node_list)
{
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *nodes = read_list(node_list, NULL);
    return nodes && ce_hostlist_count(nodes) >= 2;
}

int ce_preflight_run(const struct ce_preflight *what, struct ce_preflight_found *ret,
                     struct ce_notes *notes, struct ce_error *err)
{
    struct conf conf;
    struct ce_gang_task task = {.addresses = NULL};
    char **settings = NULL; /* of NCCL; NULL: it is not used */
    *ret = (struct ce_preflight_found){.nodes = read_list(what->node_list, err)};
    if (!ret->nodes)
        return -1;
    ask_conf(what->helpers, &conf, notes);
    if (check_conf(&conf, err) < 0)
        return -1;
    int failed = make_task(what, ret->nodes, conf.socket, &task, &settings, notes, err);
    if (!failed)
        failed = run_helper(what->helpers, &task, settings, &ret->gang, err);
    ce_nccl_settings_free(settings);
    ce_gang_task_free(&task);
    /* The prologs of the silent ones may only begin with the first step of a script that runs by now. */
    ret->gang.requeue &= conf.known;
    if (!failed) {
        note_refused(&ret->gang, notes);
        note_skipped(ret, notes);
    }
    return failed;
}

void ce_preflight_free(struct ce_preflight_found *found)
{
    ce_hostlist_destroy(found->nodes);
    found->nodes = NULL;
}
