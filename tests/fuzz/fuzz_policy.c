/* SPDX-License-Identifier: Apache-2.0 */
/* What the configuration means for a node: node.policy. */
#include "fuzz.h"
#include "model/policy.h"
#include "model/rules.h"

const char fuzz_name[] = "policy";
const unsigned fuzz_runs = 400000;

static char *write_policy(const struct ce_policy *policy, const struct ce_rules *rules)
{
    ce_autotext struct ce_text text = CE_TEXT(1 << 20);
    ce_policy_write(policy, rules, &text);
    char *written = ce_text_take(&text);
    FUZZ_CHECK(written);
    return written;
}

static void check_policy(const struct ce_policy *policy)
{
    FUZZ_CHECK(policy->port_first >= 1 && policy->port_first <= policy->port_last &&
               policy->port_last <= 65535);
    FUZZ_CHECK(policy->prefix_count <= CE_POLICY_PREFIXES_MAX);
    FUZZ_CHECK(memchr(policy->suffix, '\0', sizeof policy->suffix) &&
               memchr(policy->interface, '\0', sizeof policy->interface));
    FUZZ_CHECK(policy->rails.count <= CE_HCA_MAX);
}

static void check_rules(const struct ce_rules *rules)
{
    FUZZ_CHECK(rules->variable_count <= CE_RULES_VARIABLES_MAX &&
               rules->group_count <= CE_RULES_GROUPS_MAX);
    for (size_t i = 0; i < rules->variable_count; i++) {
        const struct ce_site_variable *variable = &rules->variables[i];
        FUZZ_CHECK(ce_rules_is_name(variable->name));
        FUZZ_CHECK(ce_rules_get(rules, variable->name) == variable->value);
    }
}

/* Both come back as they were written, and not from a text that was cut. */
static void check_again(const struct ce_policy *policy, const struct ce_rules *rules, size_t cut)
{
    struct ce_policy again;
    char *first = write_policy(policy, rules);
    FUZZ_CHECK(ce_policy_parse(first, &again, NULL) == 0);
    ce_auto(ce_rules_destroy) struct ce_rules *rules_again = ce_rules_parse(first, NULL);
    FUZZ_CHECK(rules_again);
    char *second = write_policy(&again, rules_again);
    FUZZ_CHECK(strcmp(first, second) == 0);
    first[cut % strlen(first)] = '\0';
    FUZZ_CHECK(ce_policy_parse(first, &again, NULL) == -1);
    FUZZ_CHECK(!ce_rules_parse(first, NULL));
    free(first);
    free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ce_policy policy = {.port_first = 4711};
    struct ce_error err = {""}, rules_err = {""};
    char *text = fuzz_text(data, size);
    int rc = ce_policy_parse(text, &policy, &err);
    ce_auto(ce_rules_destroy) struct ce_rules *rules = ce_rules_parse(text, &rules_err);
    free(text);
    if (rc < 0) {
        fuzz_check_error(err.text);
        FUZZ_CHECK(policy.port_first == 4711);
    } else
        check_policy(&policy);
    if (rules)
        check_rules(rules);
    else
        fuzz_check_error(rules_err.text);
    if (rc == 0 && rules)
        check_again(&policy, rules, size * 31);
    return 0;
}
