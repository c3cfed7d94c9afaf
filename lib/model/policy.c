/* SPDX-License-Identifier: Apache-2.0 */
#include "model/policy.h"

#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "model/hostlist.h"
#include "model/record.h"
#include "model/rules.h"

static const char *const family_names[] = {"auto", "ipv4", "ipv6"};
static const char *const tuning_names[] = {"default", "off", "all"};
static const char *const differ_names[] = {"warn", "common", "refuse"};
static const char *const leftovers_names[] = {"warn", "end", "end-shared"};
static const char *const mode_names[] = {"observe", "drain"};
static const char *const recover_names[] = {"off", "on"};
static const char *const preflight_names[] = {"off", "network", "rails", "nccl"};
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Above Linux' own ephemeral range (32768-60999), so that nothing else is given the port. */
enum { PORT_FIRST = 61000, PORT_LAST = 65535 };
enum { MAX_DRAINED = 10, MAX_DRAINED_HOURS = 24 };
enum { LEFTOVERS_WAIT = 3 };
enum { BELOW_PERCENT = 5 };
/* Below what systems give to connections (32768 and up), and below the window of MASTER_PORT. */
enum { PREFLIGHT_FIRST = 24000, PREFLIGHT_LAST = 24999, PREFLIGHT_BELOW = 50 };
enum { RATE_MAX = 100000 }; /* Gb/s: more than any rail will have */

void ce_policy_default(struct ce_policy *policy)
{
    *policy = (struct ce_policy){.port_first = PORT_FIRST,
                                 .port_last = PORT_LAST,
                                 .max_drained = MAX_DRAINED,
                                 .max_drained_hours = MAX_DRAINED_HOURS,
                                 .deadline_s = CE_POLICY_DEADLINE_S,
                                 .log = CE_POLICY_LOG,
                                 .metrics = CE_POLICY_METRICS,
                                 .leftovers_wait = LEFTOVERS_WAIT,
                                 .bench.below_percent = BELOW_PERCENT,
                                 .preflight = {.deadline_s = CE_PREFLIGHT_DEADLINE_S,
                                               .port_first = PREFLIGHT_FIRST,
                                               .port_last = PREFLIGHT_LAST,
                                               .below_percent = PREFLIGHT_BELOW}};
}

static int name_index(const char *const *names, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], text) == 0)
            return (int)i;
    return -1;
}

int ce_family_parse(const char *text, enum ce_family *ret)
{
    int i = name_index(family_names, COUNT(family_names), text);
    if (i >= 0)
        *ret = (enum ce_family)i;
    return i < 0 ? -1 : 0;
}

int ce_tuning_parse(const char *text, enum ce_tuning *ret)
{
    int i = name_index(tuning_names, COUNT(tuning_names), text);
    if (i >= 0)
        *ret = (enum ce_tuning)i;
    return i < 0 ? -1 : 0;
}

int ce_differ_parse(const char *text, enum ce_differ *ret)
{
    int i = name_index(differ_names, COUNT(differ_names), text);
    if (i >= 0)
        *ret = (enum ce_differ)i;
    return i < 0 ? -1 : 0;
}

int ce_leftovers_parse(const char *text, enum ce_leftovers *ret)
{
    int i = name_index(leftovers_names, COUNT(leftovers_names), text);
    if (i >= 0)
        *ret = (enum ce_leftovers)i;
    return i < 0 ? -1 : 0;
}

int ce_preflight_mode_parse(const char *text, enum ce_preflight_mode *ret)
{
    int i = name_index(preflight_names, COUNT(preflight_names), text);
    if (i >= 0)
        *ret = (enum ce_preflight_mode)i;
    return i < 0 ? -1 : 0;
}

int ce_mode_parse(const char *text, enum ce_mode *ret)
{
    int i = name_index(mode_names, COUNT(mode_names), text);
    if (i >= 0)
        *ret = (enum ce_mode)i;
    return i < 0 ? -1 : 0;
}

int ce_recover_parse(const char *text, enum ce_recover *ret)
{
    int i = name_index(recover_names, COUNT(recover_names), text);
    if (i >= 0)
        *ret = (enum ce_recover)i;
    return i < 0 ? -1 : 0;
}

const char *ce_mode_name(enum ce_mode mode)
{
    return mode_names[mode];
}

int ce_suffix_parse(const char *text, char ret[CE_POLICY_SUFFIX_MAX])
{
    size_t length = ce_hostname_span(text);
    return text[length] ? -1 : ce_copy(ret, CE_POLICY_SUFFIX_MAX, text);
}

unsigned ce_rails_known(const struct ce_rails_expected *rails)
{
    return (rails->count ? CE_RAILS_COUNT : 0u) | (rails->link_layer ? CE_RAILS_LINK_LAYER : 0u) |
           (rails->rate_gbps ? CE_RAILS_RATE : 0u);
}

void ce_rails_expected_write(const struct ce_rails_expected *rails, unsigned keys,
                             const char *prefix, struct ce_text *out)
{
    if (keys & CE_RAILS_COUNT)
        ce_record_add_number(out, rails->count, "%s.count", prefix);
    if (keys & CE_RAILS_LINK_LAYER)
        ce_record_add(out, ce_link_layer_name(rails->link_layer), "%s.link_layer", prefix);
    if (keys & CE_RAILS_RATE)
        ce_record_add_number(out, rails->rate_gbps, "%s.rate_gbps", prefix);
}

static void write_reports(const struct ce_policy *policy, struct ce_text *out)
{
    if (policy->deadline_s != CE_POLICY_DEADLINE_S)
        ce_record_add_number(out, policy->deadline_s, "deadline");
    if (strcmp(policy->log, CE_POLICY_LOG) != 0)
        ce_record_add(out, policy->log, "reports.log");
    if (strcmp(policy->metrics, CE_POLICY_METRICS) != 0)
        ce_record_add(out, policy->metrics, "reports.metrics");
}

void ce_policy_write(const struct ce_policy *policy, const struct ce_rules *rules,
                     struct ce_text *out)
{
    char address[CE_ADDRESS_TEXT], prefix[CE_ADDRESS_TEXT + 8];
    ce_record_begin(out);
    ce_record_add_number(out, policy->port_first, "port.first");
    ce_record_add_number(out, policy->port_last, "port.last");
    ce_record_add(out, policy->suffix, "network.suffix");
    ce_record_add(out, policy->interface, "network.interface");
    ce_record_add_number(out, policy->interfaces, "network.interfaces");
    ce_record_add(out, family_names[policy->family], "network.family");
    for (uint32_t i = 0; i < policy->prefix_count; i++) {
        ce_address_format(&policy->prefixes[i].address, address);
        snprintf(prefix, sizeof prefix, "%s/%u", address, policy->prefixes[i].length);
        ce_record_add(out, prefix, "network.prefix.%u", i);
    }
    ce_record_add(out, tuning_names[policy->tuning], "tuning");
    ce_rails_expected_write(&policy->rails, ce_rails_known(&policy->rails), "rails", out);
    ce_record_add(out, differ_names[policy->differ], "rails.differ");
    ce_record_add(out, mode_names[policy->mode], "mode");
    if (policy->gpus)
        ce_record_add_number(out, policy->gpus, "gpus");
    write_reports(policy, out);
    if (rules)
        ce_rules_write(rules, out);
    ce_record_end(out);
}

static int read_number(const struct ce_record *record, const char *key, uint64_t max,
                       uint32_t *ret, struct ce_error *err)
{
    uint64_t value;
    int found = ce_record_number(record, 0, max, &value, err, "%s", key);
    if (found > 0)
        *ret = (uint32_t)value;
    return found < 0 ? -1 : 0;
}

int ce_rails_expected_read(const struct ce_record *record, const char *prefix,
                           struct ce_rails_expected *ret, unsigned *keys, struct ce_error *err)
{
    const char *link_layer = ce_record_get(record, "%s.link_layer", prefix);
    uint64_t count = 0, rate = 0;
    *ret = (struct ce_rails_expected){.count = 0};
    if (link_layer && strcmp(link_layer, ce_link_layer_name(CE_LINK_UNKNOWN)) != 0 &&
        ce_link_layer_parse(link_layer, &ret->link_layer) < 0)
        return ce_fail(err, "%s.link_layer=%.40s: expected infiniband or ethernet", prefix,
                       link_layer);
    int counted = ce_record_number(record, 0, CE_HCA_MAX, &count, err, "%s.count", prefix);
    if (counted < 0)
        return -1;
    int rated = ce_record_number(record, 0, RATE_MAX, &rate, err, "%s.rate_gbps", prefix);
    if (rated < 0)
        return -1;
    ret->count = (uint32_t)count;
    ret->rate_gbps = (uint32_t)rate;
    if (keys)
        *keys = (counted ? CE_RAILS_COUNT : 0u) | (link_layer ? CE_RAILS_LINK_LAYER : 0u) |
                (rated ? CE_RAILS_RATE : 0u);
    return 0;
}

static int read_ports(const struct ce_record *record, struct ce_policy *policy,
                      struct ce_error *err)
{
    if (read_number(record, "port.first", 65535, &policy->port_first, err) < 0 ||
        read_number(record, "port.last", 65535, &policy->port_last, err) < 0)
        return -1;
    if (policy->port_first == 0 || policy->port_last < policy->port_first)
        return ce_fail(err, "port.first=%u, port.last=%u: expected 1 <= first <= last",
                       policy->port_first, policy->port_last);
    return 0;
}

static int read_prefixes(const struct ce_record *record, struct ce_policy *policy,
                         struct ce_error *err)
{
    for (uint32_t i = 0; i < CE_POLICY_PREFIXES_MAX; i++) {
        const char *text = ce_record_get(record, "network.prefix.%u", i);
        if (!text)
            return 0;
        if (ce_prefix_parse(text, &policy->prefixes[i]) < 0)
            return ce_fail(err, "network.prefix.%u=%.60s: not a prefix", i, text);
        policy->prefix_count = i + 1;
    }
    return 0;
}

static const char *text_or(const struct ce_record *record, const char *key, const char *otherwise)
{
    const char *value = ce_record_get(record, "%s", key);
    return value ? value : otherwise;
}

static int read_names(const struct ce_record *record, struct ce_policy *policy,
                      struct ce_error *err)
{
    const char *suffix = text_or(record, "network.suffix", "");
    const char *interface = text_or(record, "network.interface", "");
    const char *family = text_or(record, "network.family", "auto");
    const char *tuning = text_or(record, "tuning", "default");
    const char *differ = text_or(record, "rails.differ", "warn");
    const char *mode = text_or(record, "mode", "observe");
    if (ce_suffix_parse(suffix, policy->suffix) < 0)
        return ce_fail(err, "network.suffix=%.60s: not part of a host name", suffix);
    if (ce_copy(policy->interface, sizeof policy->interface, interface) < 0)
        return ce_fail(err, "network.interface=%.60s: not an interface name", interface);
    if (ce_family_parse(family, &policy->family) < 0)
        return ce_fail(err, "network.family=%.40s: expected auto, ipv4 or ipv6", family);
    if (ce_tuning_parse(tuning, &policy->tuning) < 0)
        return ce_fail(err, "tuning=%.40s: expected default, off or all", tuning);
    if (ce_differ_parse(differ, &policy->differ) < 0)
        return ce_fail(err, "rails.differ=%.40s: expected warn, common or refuse", differ);
    if (ce_mode_parse(mode, &policy->mode) < 0)
        return ce_fail(err, "mode=%.40s: expected observe or drain", mode);
    return 0;
}

static int read_reports(const struct ce_record *record, struct ce_policy *policy,
                        struct ce_error *err)
{
    const char *log = text_or(record, "reports.log", CE_POLICY_LOG);
    const char *metrics = text_or(record, "reports.metrics", CE_POLICY_METRICS);
    uint64_t seconds = CE_POLICY_DEADLINE_S;
    if (ce_record_number(record, CE_POLICY_DEADLINE_MIN, CE_POLICY_DEADLINE_MAX, &seconds, err,
                         "deadline") < 0)
        return -1;
    policy->deadline_s = (uint32_t)seconds;
    if ((*log && *log != '/') || ce_copy(policy->log, sizeof policy->log, log) < 0)
        return ce_fail(err, "reports.log=%.60s: not an absolute path", log);
    if ((*metrics && *metrics != '/') || ce_copy(policy->metrics, sizeof policy->metrics, metrics) < 0)
        return ce_fail(err, "reports.metrics=%.60s: not an absolute path", metrics);
    return 0;
}

int ce_policy_parse(const char *text, struct ce_policy *ret, struct ce_error *err)
{
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(text, err);
    struct ce_policy policy;
    ce_policy_default(&policy);
    if (!record || read_ports(record, &policy, err) < 0 ||
        read_number(record, "network.interfaces", 1024, &policy.interfaces, err) < 0 ||
        ce_rails_expected_read(record, "rails", &policy.rails, NULL, err) < 0 ||
        read_number(record, "gpus", CE_GPUS_MAX, &policy.gpus, err) < 0 ||
        read_reports(record, &policy, err) < 0 || read_names(record, &policy, err) < 0 ||
        read_prefixes(record, &policy, err) < 0)
        return -1;
    *ret = policy;
    return 0;
}
