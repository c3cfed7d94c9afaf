/* SPDX-License-Identifier: Apache-2.0 */
/* cluster-env.conf. */
#include "config/config.h"
#include "fuzz.h"

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
    ce_policy_write(policy, &text);
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
    FUZZ_CHECK(policy->interfaces <= 16 && policy->prefix_count <= CE_POLICY_PREFIXES_MAX);
    char *first = write_policy(policy);
    FUZZ_CHECK(ce_policy_parse(first, &again, NULL) == 0);
    char *second = write_policy(&again);
    FUZZ_CHECK(strcmp(first, second) == 0);
    free(first);
    free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const nodes[] = {"gpu3", "other"};
    char *text = fuzz_text(data, size);
    int results[2];
    for (int i = 0; i < 2; i++) {
        struct ce_config config = {.address_book = "untouched"};
        struct ce_error err = {""};
        results[i] = ce_config_parse(text, "f.conf", nodes[i], &config, &err);
        if (results[i] == 0) {
            check_policy(&config.policy);
            FUZZ_CHECK(!config.address_book[0] || config.address_book[0] == '/');
        } else {
            fuzz_check_error(err.text);
            FUZZ_CHECK(strncmp(err.text, "f.conf:", 7) == 0);
            FUZZ_CHECK(strcmp(config.address_book, "untouched") == 0);
        }
    }
    /* An error in a section must be seen on every node, not only on its own. */
    FUZZ_CHECK(results[0] == results[1]);
    free(text);
    return 0;
}
