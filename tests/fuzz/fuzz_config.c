/* SPDX-License-Identifier: Apache-2.0 */
/* cluster-env.conf. */
#include "config/config.h"
#include "fuzz.h"
#include "model/hostlist.h"

const char fuzz_name[] = "config";
const unsigned fuzz_runs = 70000;

/* libconfig itself leaks a text in quotes that a syntax error follows. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libconfig";
}

static char *write_policy(const struct ce_policy *policy)
{
    ce_autotext struct ce_text text = CE_TEXT(1 << 20);
    ce_policy_write(policy, NULL, &text);
    char *written = ce_text_take(&text);
    FUZZ_CHECK(written);
    return written;
}

/* What a configuration means can be handed on: the policy has a text that means the same. */
static void check_policy(const struct ce_policy *policy)
{
    struct ce_policy again;
    FUZZ_CHECK(policy->port_first >= 1024 && policy->port_first <= policy->port_last &&
               policy->port_last <= 65535);
    FUZZ_CHECK(policy->deadline_s >= 5 && policy->deadline_s <= 60);
    FUZZ_CHECK(!policy->log[0] || policy->log[0] == '/');
    FUZZ_CHECK(!policy->metrics[0] || policy->metrics[0] == '/');
    FUZZ_CHECK(policy->checks.count <= CE_CHECK_RULES_MAX);
    for (uint32_t i = 0; i < policy->checks.count; i++) {
        const struct ce_check_rule *rule = &policy->checks.items[i];
        FUZZ_CHECK(ce_check_rule_is_name(rule->name) && (rule->has_fault || rule->has_unknown));
        FUZZ_CHECK(rule->unknown != CE_DRAIN);
    }
    FUZZ_CHECK(policy->interfaces <= 16 && policy->prefix_count <= CE_POLICY_PREFIXES_MAX);
    char *first = write_policy(policy);
    FUZZ_CHECK(ce_policy_parse(first, &again, NULL) == 0);
    char *second = write_policy(&again);
    FUZZ_CHECK(strcmp(first, second) == 0);
    free(first);
    free(second);
}

static bool holds(const char *names, const char *node)
{
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *list = ce_hostlist_parse(names, NULL);
    FUZZ_CHECK(list);
    for (size_t i = 0; i < ce_hostlist_count(list); i++)
        if (strcmp(ce_hostlist_name(list, i), node) == 0)
            return true;
    return false;
}

/* So have the rules; and all nodes expect of this one what it expects of itself. */
static void check_rules(const struct ce_config_file *file, const char *node,
                        const struct ce_policy *policy)
{
    ce_autotext struct ce_text text = CE_TEXT(1 << 20), again = CE_TEXT(1 << 20);
    ce_auto(ce_rules_destroy) struct ce_rules *rules = ce_config_rules(file, node, NULL);
    FUZZ_CHECK(rules);
    ce_policy_write(policy, rules, &text);
    ce_auto(ce_rules_destroy) struct ce_rules *read = ce_rules_parse(ce_text_string(&text), NULL);
    FUZZ_CHECK(ce_text_ok(&text) && read);
    ce_policy_write(policy, read, &again);
    FUZZ_CHECK(strcmp(ce_text_string(&text), ce_text_string(&again)) == 0);
    struct ce_rails_expected rails = read->general;
    for (size_t i = 0; i < read->group_count; i++)
        if (holds(read->groups[i].names, node))
            ce_rails_lay(&read->groups[i], &rails);
    FUZZ_CHECK(memcmp(&rails, &policy->rails, sizeof rails) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const nodes[] = {"gpu3", "other"};
    char *text = fuzz_text(data, size);
    struct ce_config config = {.address_book = "untouched"};
    struct ce_error err = {""};
    ce_auto(ce_config_close) struct ce_config_file *file = ce_config_open(text, "f.conf", &err);
    int result = ce_config_parse(text, "f.conf", nodes[0], &config, NULL);
    free(text);
    FUZZ_CHECK(result == (file ? 0 : -1));
    if (!file) {
        fuzz_check_error(err.text);
        FUZZ_CHECK(strncmp(err.text, "f.conf:", 7) == 0);
        FUZZ_CHECK(strcmp(config.address_book, "untouched") == 0);
        return 0;
    }
    for (int i = 0; i < 2; i++) {
        ce_config_for(file, nodes[i], &config);
        check_policy(&config.policy);
        check_rules(file, nodes[i], &config.policy);
        FUZZ_CHECK(!config.address_book[0] || config.address_book[0] == '/');
    }
    return 0;
}
