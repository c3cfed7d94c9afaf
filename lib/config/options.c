/* SPDX-License-Identifier: Apache-2.0 */
#include "config/options.h"

#include <string.h>

#include "base/parse.h"

typedef const struct ce_option_value *value_t;

static int read_number(value_t value, long long min, long long max, uint32_t *ret,
                       struct ce_error *err)
{
    if (value->number < min || value->number > max)
        return ce_fail(err, "%lld: expected a number from %lld to %lld", value->number, min, max);
    *ret = (uint32_t)value->number;
    return 0;
}

static int apply_interface(value_t value, struct ce_config *config, struct ce_error *err)
{
    if (strpbrk(value->text, "/ \t\n") ||
        ce_copy(config->policy.interface, sizeof config->policy.interface, value->text) < 0)
        return ce_fail(err, "'%.60s' is not an interface name", value->text);
    return 0;
}

static int apply_interfaces(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_number(value, 0, 16, &config->policy.interfaces, err);
}

static int apply_prefix(value_t value, struct ce_config *config, struct ce_error *err)
{
    struct ce_policy *policy = &config->policy;
    if (policy->prefix_count == CE_POLICY_PREFIXES_MAX)
        return ce_fail(err, "more than %d prefixes", CE_POLICY_PREFIXES_MAX);
    if (ce_prefix_parse(value->text, &policy->prefixes[policy->prefix_count]) < 0)
        return ce_fail(err, "'%.60s' is not a prefix; expected one like \"10.1.0.0/16\"",
                       value->text);
    policy->prefix_count++;
    return 0;
}

static void clear_prefixes(struct ce_config *config)
{
    config->policy.prefix_count = 0;
}

static int apply_family(value_t value, struct ce_config *config, struct ce_error *err)
{
    if (ce_family_parse(value->text, &config->policy.family) < 0)
        return ce_fail(err, "'%.40s': expected \"auto\", \"ipv4\" or \"ipv6\"", value->text);
    return 0;
}

static int apply_suffix(value_t value, struct ce_config *config, struct ce_error *err)
{
    if (ce_suffix_parse(value->text, config->policy.suffix) < 0)
        return ce_fail(err, "'%.60s' cannot end a host name", value->text);
    return 0;
}

static int apply_book(value_t value, struct ce_config *config, struct ce_error *err)
{
    if (*value->text && *value->text != '/')
        return ce_fail(err, "'%.60s': expected an absolute path", value->text);
    if (ce_copy(config->address_book, sizeof config->address_book, value->text) < 0)
        return ce_fail(err, "the path is too long");
    return 0;
}

static int apply_port_first(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_number(value, 1024, 65535, &config->policy.port_first, err);
}

static int apply_port_last(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_number(value, 1024, 65535, &config->policy.port_last, err);
}

static int apply_tuning(value_t value, struct ce_config *config, struct ce_error *err)
{
    if (ce_tuning_parse(value->text, &config->policy.tuning) < 0)
        return ce_fail(err, "'%.40s': expected \"default\", \"off\" or \"all\"", value->text);
    return 0;
}

static int apply_rails_count(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_number(value, 0, CE_HCA_MAX, &config->policy.rails.count, err);
}

static int apply_rails_link_layer(value_t value, struct ce_config *config, struct ce_error *err)
{
    config->policy.rails.link_layer = CE_LINK_UNKNOWN;
    if (*value->text && ce_link_layer_parse(value->text, &config->policy.rails.link_layer) < 0)
        return ce_fail(err, "'%.40s': expected \"infiniband\" or \"ethernet\"", value->text);
    return 0;
}

static int apply_rails_rate(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_number(value, 0, 100000, &config->policy.rails.rate_gbps, err);
}

static int apply_rails_differ(value_t value, struct ce_config *config, struct ce_error *err)
{
    if (ce_differ_parse(value->text, &config->policy.differ) < 0)
        return ce_fail(err, "'%.40s': expected \"warn\", \"common\" or \"refuse\"", value->text);
    return 0;
}

static int apply_mode(value_t value, struct ce_config *config, struct ce_error *err)
{
    if (ce_mode_parse(value->text, &config->policy.mode) < 0)
        return ce_fail(err, "'%.40s': expected \"observe\" or \"drain\"", value->text);
    return 0;
}

static int apply_max_drained(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_number(value, 1, 100, &config->policy.max_drained, err);
}

static int apply_max_drained_hours(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_number(value, 1, 24 * 365, &config->policy.max_drained_hours, err);
}

static int apply_recover(value_t value, struct ce_config *config, struct ce_error *err)
{
    if (ce_recover_parse(value->text, &config->policy.recover) < 0)
        return ce_fail(err, "'%.40s': expected \"off\" or \"on\"", value->text);
    return 0;
}

static int apply_gpus(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_number(value, 0, CE_GPUS_MAX, &config->policy.gpus, err);
}

/* "MT4129=28.39.1002", or "28.39.1002" for all types. */
static int apply_firmware(value_t value, struct ce_config *config, struct ce_error *err)
{
    struct ce_policy *policy = &config->policy;
    struct ce_firmware_expected *expected = &policy->firmware[policy->firmware_count];
    const char *equals = strchr(value->text, '='), *version = equals ? equals + 1 : value->text;
    size_t length = equals ? (size_t)(equals - value->text) : 0;
    if (policy->firmware_count == CE_POLICY_FIRMWARE_MAX)
        return ce_fail(err, "more than %d versions", CE_POLICY_FIRMWARE_MAX);
    if (!*version || length >= sizeof expected->type || (equals && length == 0) ||
        ce_copy(expected->version, sizeof expected->version, version) < 0)
        return ce_fail(err, "'%.60s': expected one like \"MT4129=28.39.1002\"", value->text);
    memcpy(expected->type, value->text, length);
    expected->type[length] = '\0';
    policy->firmware_count++;
    return 0;
}

static void clear_firmware(struct ce_config *config)
{
    config->policy.firmware_count = 0;
}

static int apply_memory(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_number(value, 0, 1 << 20, &config->policy.memory_gb, err);
}

static int apply_hugepages(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_number(value, 0, INT32_MAX, &config->policy.hugepages, err);
}

static bool has_dots(const char *path)
{
    for (const char *at = path; (at = strstr(at, "/.")) != NULL; at++) {
        size_t dots = strspn(at + 1, ".");
        if (dots <= 2 && (at[1 + dots] == '/' || !at[1 + dots]))
            return true;
    }
    return false;
}

/* As the kernel has it, which is what it is held against. */
static int apply_mount(value_t value, struct ce_config *config, struct ce_error *err)
{
    struct ce_policy *policy = &config->policy;
    if (policy->mount_count == CE_POLICY_MOUNTS_MAX)
        return ce_fail(err, "more than %d paths", CE_POLICY_MOUNTS_MAX);
    char *path = policy->mounts[policy->mount_count];
    if (*value->text != '/' || !ce_is_printable(value->text) ||
        ce_copy(path, CE_HOST_PATH, value->text) < 0)
        return ce_fail(err, "'%.60s': expected an absolute path", value->text);
    for (size_t length = strlen(path); length > 1 && path[length - 1] == '/'; length--)
        path[length - 1] = '\0';
    if (strstr(path, "//") || has_dots(path))
        return ce_fail(err, "'%.60s': expected a path without //, /. and /..", value->text);
    policy->mount_count++;
    return 0;
}

static int apply_bench_write(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_number(value, 0, 100000, &config->policy.bench.write_gbps, err);
}

static int apply_bench_gpu_write(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_number(value, 0, 100000, &config->policy.bench.gpu_gbps, err);
}

static int apply_bench_latency(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_number(value, 0, 1000000, &config->policy.bench.latency_us, err);
}

static int apply_bench_below(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_number(value, 0, 99, &config->policy.bench.below_percent, err);
}

static int apply_nccl_node(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_number(value, 0, 100000, &config->policy.bench.nccl_node_gbytes, err);
}

static int apply_nccl_gang(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_number(value, 0, 100000, &config->policy.bench.nccl_gang_gbytes, err);
}

static void clear_mounts(struct ce_config *config)
{
    config->policy.mount_count = 0;
}

static int apply_deadline(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_number(value, CE_POLICY_DEADLINE_MIN, CE_POLICY_DEADLINE_MAX,
                       &config->policy.deadline_s, err);
}

static int apply_path(value_t value, char path[CE_HOST_PATH], struct ce_error *err)
{
    if ((*value->text && *value->text != '/') || !ce_is_printable(value->text) ||
        ce_copy(path, CE_HOST_PATH, value->text) < 0)
        return ce_fail(err, "'%.60s': expected an absolute path of at most %d bytes, or \"\"",
                       value->text, CE_HOST_PATH - 1);
    return 0;
}

static int apply_log(value_t value, struct ce_config *config, struct ce_error *err)
{
    size_t length = strlen(value->text);
    if (length > 0 && value->text[length - 1] == '/')
        return ce_fail(err, "'%.60s': expected a file, not a folder", value->text);
    return apply_path(value, config->policy.log, err);
}

static int apply_metrics(value_t value, struct ce_config *config, struct ce_error *err)
{
    return apply_path(value, config->policy.metrics, err);
}

static int apply_driver(value_t value, struct ce_config *config, struct ce_error *err)
{
    if (!ce_is_printable(value->text) ||
        ce_copy(config->policy.driver, sizeof config->policy.driver, value->text) < 0)
        return ce_fail(err, "'%.60s': expected a version", value->text);
    return 0;
}

static int apply_vbios(value_t value, struct ce_config *config, struct ce_error *err)
{
    struct ce_policy *policy = &config->policy;
    if (policy->vbios_count == CE_POLICY_VBIOS_MAX)
        return ce_fail(err, "more than %d versions", CE_POLICY_VBIOS_MAX);
    if (!*value->text || !ce_is_printable(value->text) ||
        ce_copy(policy->vbios[policy->vbios_count], CE_GPU_WORD, value->text) < 0)
        return ce_fail(err, "'%.60s': expected a version", value->text);
    policy->vbios_count++;
    return 0;
}

static void clear_vbios(struct ce_config *config)
{
    config->policy.vbios_count = 0;
}

static int read_switch(value_t value, enum ce_answer *ret, struct ce_error *err)
{
    if (strcmp(value->text, "on") == 0)
        *ret = CE_ANSWER_YES;
    else if (strcmp(value->text, "off") == 0)
        *ret = CE_ANSWER_NO;
    else if (!*value->text)
        *ret = CE_ANSWER_UNKNOWN;
    else
        return ce_fail(err, "'%.40s': expected \"on\" or \"off\"", value->text);
    return 0;
}

static int apply_mig(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_switch(value, &config->policy.mig, err);
}

static int apply_ecc(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_switch(value, &config->policy.ecc, err);
}

static int apply_power(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_number(value, 0, 10000, &config->policy.power_watts, err);
}

static int apply_leftovers_action(value_t value, struct ce_config *config, struct ce_error *err)
{
    if (ce_leftovers_parse(value->text, &config->policy.leftovers) < 0)
        return ce_fail(err, "'%.40s': expected \"warn\", \"end\" or \"end-shared\"", value->text);
    return 0;
}

static int apply_leftovers_wait(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_number(value, 0, CE_LEFTOVERS_WAIT_MAX, &config->policy.leftovers_wait, err);
}

static int apply_preflight_mode(value_t value, struct ce_config *config, struct ce_error *err)
{
    if (ce_preflight_mode_parse(value->text, &config->policy.preflight.mode) < 0)
        return ce_fail(err, "'%.40s': expected \"off\", \"network\", \"rails\" or \"nccl\"", value->text);
    return 0;
}

static int apply_preflight_deadline(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_number(value, CE_PREFLIGHT_DEADLINE_MIN, CE_PREFLIGHT_DEADLINE_MAX,
                       &config->policy.preflight.deadline_s, err);
}

static int apply_preflight_first(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_number(value, 1, 65535, &config->policy.preflight.port_first, err);
}

static int apply_preflight_last(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_number(value, 1, 65535, &config->policy.preflight.port_last, err);
}

static int apply_preflight_floor(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_number(value, 0, 100000, &config->policy.preflight.floor_gbps, err);
}

static int apply_preflight_below(value_t value, struct ce_config *config, struct ce_error *err)
{
    return read_number(value, 0, 99, &config->policy.preflight.below_percent, err);
}

const struct ce_option ce_options[] = {
    {"mode", CE_OPTION_TEXT, false, apply_mode, NULL, "\"observe\"",
     "What cluster-prolog and cluster-epilog do about a fault. \"observe\": they tell what\n"
     "they would drain, and drain nothing. \"drain\": they drain the node, so that no job\n"
     "starts on it."},
    {"max_drained", CE_OPTION_NUMBER, false, apply_max_drained, NULL, "10",
     "How many percent of a partition's nodes (one node at least) are drained for one\n"
     "check within max_drained_hours. Past that a node with such a fault stays in service,\n"
     "with a loud line in syslog: what so many nodes have is rarely theirs."},
    {"max_drained_hours", CE_OPTION_NUMBER, false, apply_max_drained_hours, NULL, "24",
     "Within how many hours the nodes that were drained for one check are counted."},
    {"recover", CE_OPTION_TEXT, false, apply_recover, NULL, "\"off\"",
     "\"on\": cluster-healthcheck lets a node come back that we drained, where what it was\n"
     "drained for is well again for 15 minutes (a port that is up; never an Xid or ECC),\n"
     "nobody changed its reason, and not more than twice a day."},
    {"deadline", CE_OPTION_NUMBER, true, apply_deadline, NULL, "10",
     "In how many seconds cluster-prolog and cluster-epilog end, whatever hangs: 5 to 60.\n"
     "More than 10 only where slurm.conf has longer MessageTimeout and BatchStartTimeout."},
    {"gpus", CE_OPTION_NUMBER, true, apply_gpus, NULL, "0",
     "How many GPUs every node has; 0: not known."},
    {"firmware", CE_OPTION_TEXTS, true, apply_firmware, clear_firmware, "[ ]",
     "The firmware that the rails' cards are expected to have: [ \"MT4129=28.39.1002\" ],\n"
     "for cards of that type, or [ \"28.39.1002\" ]. Empty: any."},
    {"memory", CE_OPTION_NUMBER, true, apply_memory, NULL, "0",
     "How much memory every node has at least, in GiB as 'free -g' counts; 0: not known."},
    {"hugepages", CE_OPTION_NUMBER, true, apply_hugepages, NULL, "0",
     "How many huge pages of the default size every node has at least; 0: not known."},
    {"mounts", CE_OPTION_TEXTS, true, apply_mount, clear_mounts, "[ ]",
     "Where a file system is mounted on every node, such as [ \"/home\", \"/scratch\" ]."},
    {"driver", CE_OPTION_TEXT, true, apply_driver, NULL, "\"\"",
     "The version of NVIDIA's driver, such as \"570.86.15\"; \"\": any."},
    {"vbios", CE_OPTION_TEXTS, true, apply_vbios, clear_vbios, "[ ]",
     "The VBIOS that GPUs are expected to have, one of these: [ \"96.00.89.00.01\" ].\n"
     "Empty: any, but GPUs of one kind the same."},
    {"mig", CE_OPTION_TEXT, true, apply_mig, NULL, "\"\"",
     "Whether MIG is \"on\" or \"off\" on GPUs; \"\": on all of a node alike."},
    {"ecc", CE_OPTION_TEXT, true, apply_ecc, NULL, "\"\"",
     "Whether ECC is \"on\" or \"off\" on GPUs that have it; \"\": on."},
    {"power", CE_OPTION_NUMBER, true, apply_power, NULL, "0",
     "The power limit of every GPU, in watts; 0: on all of a node alike."},
    {"leftovers.action", CE_OPTION_TEXT, true, apply_leftovers_action, NULL, "\"warn\"",
     "What cluster-epilog does about processes that a job left on its GPUs. \"warn\": it\n"
     "tells. \"end\": it ends those of the job's user (SIGTERM, then SIGKILL), but none on a\n"
     "node that other jobs may be on. \"end-shared\": there too, those of the job's cgroup."},
    {"leftovers.wait", CE_OPTION_NUMBER, true, apply_leftovers_wait, NULL, "3",
     "Before that it waits so many seconds, at most 10, for processes that are ending."},
    {"address_book", CE_OPTION_TEXT, false, apply_book, NULL, "\"\"",
     "The address book: a hosts(5) file with the address of every node on the cluster\n"
     "network. \"\": " CE_SITE_BOOK " where it exists, else /etc/hosts."},
    {"network.interface", CE_OPTION_TEXT, true, apply_interface, NULL, "\"\"",
     "The interface of the cluster network, by name. \"\": the one that owns an address\n"
     "of the book; else the fastest that does not carry the default route."},
    {"network.interfaces", CE_OPTION_NUMBER, true, apply_interfaces, NULL, "0",
     "How many cluster interfaces of equal speed every node has. A node that has just\n"
     "as many gives them all to NCCL's sockets; otherwise, and with 0, it gives one."},
    {"network.prefixes", CE_OPTION_TEXTS, true, apply_prefix, clear_prefixes, "[ ]",
     "What addresses are on the cluster network, such as [ \"10.1.0.0/16\" ]: entries of\n"
     "the book outside are passed over. Empty: the networks of this node's interfaces\n"
     "that do not carry the default route. Set it where the network is routed."},
    {"network.family", CE_OPTION_TEXT, true, apply_family, NULL, "\"auto\"",
     "\"ipv4\" or \"ipv6\": the family of the cluster network. \"auto\": as the node's own\n"
     "entry in the book."},
    {"network.suffix", CE_OPTION_TEXT, true, apply_suffix, NULL, "\"\"",
     "Node name + suffix is the name to look for in the book, as in \"-hsn\" for\n"
     "node1-hsn."},
    {"port.first", CE_OPTION_NUMBER, false, apply_port_first, NULL, "61000",
     "The window of MASTER_PORT, both ends included. Keep it outside the nodes'\n"
     "net.ipv4.ip_local_port_range."},
    {"port.last", CE_OPTION_NUMBER, false, apply_port_last, NULL, "65535", ""},
    {"tuning", CE_OPTION_TEXT, true, apply_tuning, NULL, "\"default\"",
     "\"default\": write the variables of NCCL, Gloo and TensorPipe. \"all\": also those of\n"
     "UCX, NVSHMEM and Open MPI. \"off\": write none of them."},
    {"rails.count", CE_OPTION_NUMBER, true, apply_rails_count, NULL, "0",
     "How many rails (HCAs for NCCL, see 'cluster-env topology') every node has; 0: not\n"
     "known. 'cluster-env config --from-node' writes these three for the node it runs on."},
    {"rails.link_layer", CE_OPTION_TEXT, true, apply_rails_link_layer, NULL, "\"\"",
     "\"infiniband\" or \"ethernet\"; \"\": not known."},
    {"rails.rate", CE_OPTION_NUMBER, true, apply_rails_rate, NULL, "0",
     "Of each, in Gb/s; 0: not known."},
    {"rails.differ", CE_OPTION_TEXT, false, apply_rails_differ, NULL, "\"warn\"",
     "What becomes of a step whose nodes differ in their rails, on which NCCL hangs.\n"
     "\"warn\": it runs, with a line. \"common\": it uses the rails that all have; a node\n"
     "that has other ones than it should ends it. \"refuse\": it ends."},
    {"reports.log", CE_OPTION_TEXT, true, apply_log, NULL, "\"" CE_POLICY_LOG "\"",
     "Each run of cluster-prolog and cluster-epilog adds a line of JSON to this file.\n"
     "\"\": none. /etc/logrotate.d/cluster-env rotates the one that stands here."},
    {"reports.metrics", CE_OPTION_TEXT, true, apply_metrics, NULL, "\"" CE_POLICY_METRICS "\"",
     "The folder of node_exporter's textfiles: each run writes cluster_env_PHASE.prom\n"
     "there, where the folder exists. \"\": none."},
    {"bench.rdma_write", CE_OPTION_NUMBER, true, apply_bench_write, NULL, "0",
     "What each rail carries at least in 'cluster-env bench rdma', in Gb/s; 0: what such\n"
     "rails usually do, see docs/bench.md."},
    {"bench.rdma_gpu", CE_OPTION_NUMBER, true, apply_bench_gpu_write, NULL, "0",
     "The same from GPU memory, with --memory=gpu."},
    {"bench.rdma_latency", CE_OPTION_NUMBER, true, apply_bench_latency, NULL, "0",
     "How long a write of it takes at most, in microseconds; 0: 5 where the rail's\n"
     "bandwidth is known."},
    {"bench.below_median", CE_OPTION_NUMBER, true, apply_bench_below, NULL, "5",
     "A rail, or a GPU, that delivers so many percent less than the median of its siblings\n"
     "is named; 0: none is."},
    {"bench.nccl_node", CE_OPTION_NUMBER, true, apply_nccl_node, NULL, "0",
     "The bus bandwidth of all-reduces over the GPUs of one node in 'cluster-env bench nccl',\n"
     "at least, in GB/s; 0: what such GPUs usually have, see docs/bench.md."},
    {"bench.nccl_gang", CE_OPTION_NUMBER, true, apply_nccl_gang, NULL, "0",
     "The same over the GPUs of several nodes."},
    {"preflight.mode", CE_OPTION_TEXT, false, apply_preflight_mode, NULL, "\"off\"",
     "What the nodes of a job prove to each other in their prologs, before it starts.\n"
     "\"network\": that each reaches its neighbours and the first node on the cluster\n"
     "network, with what bandwidth, and that rails and firmware agree. \"rails\": also what\n"
     "each rail carries, where there are rails. \"nccl\": and that all GPUs of the job add up\n"
     "right with each other, for which the deadline should be 40. See docs/preflight.md."},
    {"preflight.deadline", CE_OPTION_NUMBER, false, apply_preflight_deadline, NULL, "10",
     "In how many seconds it ends, whoever does not come: 4 to 60. cluster-prolog takes so\n"
     "much longer at most."},
    {"preflight.port_first", CE_OPTION_NUMBER, false, apply_preflight_first, NULL, "24000",
     "The window of the ports where the nodes meet, both ends included; every node has to\n"
     "reach every other one there."},
    {"preflight.port_last", CE_OPTION_NUMBER, false, apply_preflight_last, NULL, "24999", ""},
    {"preflight.floor", CE_OPTION_NUMBER, false, apply_preflight_floor, NULL, "0",
     "What each rail (the cluster network, where none is measured) carries at least, in\n"
     "Gb/s; 0: no such limit."},
    {"preflight.below_median", CE_OPTION_NUMBER, false, apply_preflight_below, NULL, "50",
     "What carries so many percent less than the median of the job's nodes is named; 0:\n"
     "nothing is."},
};
const size_t ce_option_count = sizeof ce_options / sizeof *ce_options;

const struct ce_option *ce_option_find(const char *key)
{
    for (size_t i = 0; i < ce_option_count; i++)
        if (strcmp(ce_options[i].key, key) == 0)
            return &ce_options[i];
    return NULL;
}

bool ce_option_is_group(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < ce_option_count; i++)
        if (strncmp(ce_options[i].key, name, length) == 0 && ce_options[i].key[length] == '.')
            return true;
    return false;
}

static void add_doc(struct ce_text *out, const char *doc, const char *indent)
{
    while (*doc) {
        size_t length = strcspn(doc, "\n");
        ce_text_addf(out, "%s# %.*s\n", indent, (int)length, doc);
        doc += length + (doc[length] == '\n');
    }
}

/* Keys of one group stand together in the table, so a group opens and closes once. */
void ce_config_example(struct ce_text *out)
{
    char group[64] = "";
    ce_text_add(out, "# cluster-env.conf: what cluster-env does on this cluster. Every key with its "
                     "default.\n# The same file serves all nodes; 'cluster-env config --check FILE' "
                     "reads it,\n# 'cluster-env facts --write' (at boot) makes it hold.\n");
    for (size_t i = 0; i < ce_option_count; i++) {
        const struct ce_option *option = &ce_options[i];
        const char *dot = strchr(option->key, '.');
        size_t length = dot ? (size_t)(dot - option->key) : 0;
        if (strncmp(group, option->key, length) != 0 || group[length]) {
            ce_text_add(out, group[0] ? "};\n" : "");
            snprintf(group, sizeof group, "%.*s", (int)length, option->key);
            if (length)
                ce_text_addf(out, "\n%s = {\n", group);
        }
        if (!length || *option->doc)
            ce_text_add(out, "\n");
        add_doc(out, option->doc, length ? "    " : "");
        ce_text_addf(out, "%s%s = %s;\n", length ? "    " : "", dot ? dot + 1 : option->key,
                     option->dflt);
    }
    ce_text_add(out, group[0] ? "};\n" : "");
    ce_text_add(out, "\n# What is done about the faults of single checks (\"drain\", \"warn\", \"ignore\"), and about\n"
                     "# what they could not find out (\"warn\", \"ignore\"); also in a nodes section.\n"
                     "# 'cluster-env check --list' has the names, and what holds for a node.\n"
                     "# checks = (\n"
                     "#     { name = \"ib.port.rate\"; fault = \"warn\"; },\n"
                     "#     { name = \"ib.counter.*\"; fault = \"warn\"; unknown = \"ignore\"; },\n"
                     "#     { name = \"gpu.memory.leftover\"; limit = 512; },\n"
                     "#     { name = \"gpu.*\"; deadline = 1.5; } # seconds, for the driver's answer\n"
                     "# );\n");
    ce_text_add(out, "\n# Nodes that differ: the same keys again (not address_book, port, rails.differ).\n"
                     "# nodes = (\n"
                     "#     { names = \"gpu[1-8]\"; network = { interface = \"eth1\"; };\n"
                     "#       rails = { count = 8; link_layer = \"infiniband\"; rate = 400; }; }\n"
                     "# );\n"
                     "\n# Variables for every job, where the user, /etc/nccl.conf and ~/.nccl.conf do not\n"
                     "# set them; also in a nodes section.\n"
                     "# variables = { NCCL_IB_TC = \"41\"; NCCL_TOPO_FILE = \"/etc/topo.xml\"; };\n");
}
