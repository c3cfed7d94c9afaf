/* SPDX-License-Identifier: Apache-2.0 */
/* What the configuration means for a node: node.policy. */
#include "fuzz.h"
#include "model/policy.h"

const char fuzz_name[] = "policy";
const unsigned fuzz_runs = 400000;

static char *write_policy(const struct ce_policy *policy)
{
    ce_autotext struct ce_text text = CE_TEXT(1 << 20);
    ce_policy_write(policy, NULL, &text);
    char *written = ce_text_take(&text);
    FUZZ_CHECK(written);
    return written;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ce_policy policy = {.port_first = 4711}, again;
    struct ce_error err = {""};
    char *text = fuzz_text(data, size);
    int rc = ce_policy_parse(text, &policy, &err);
    free(text);
    if (rc < 0) {
        fuzz_check_error(err.text);
        FUZZ_CHECK(policy.port_first == 4711);
        return 0;
    }
    FUZZ_CHECK(policy.port_first >= 1 && policy.port_first <= policy.port_last &&
               policy.port_last <= 65535);
    FUZZ_CHECK(policy.prefix_count <= CE_POLICY_PREFIXES_MAX);
    FUZZ_CHECK(memchr(policy.suffix, '\0', sizeof policy.suffix) &&
               memchr(policy.interface, '\0', sizeof policy.interface));
    char *first = write_policy(&policy);
    FUZZ_CHECK(ce_policy_parse(first, &again, NULL) == 0);
    char *second = write_policy(&again);
    FUZZ_CHECK(strcmp(first, second) == 0);
    first[size * 31 % strlen(first)] = '\0';
    FUZZ_CHECK(ce_policy_parse(first, &again, NULL) == -1);
    free(first);
    free(second);
    return 0;
}
