/* SPDX-License-Identifier: Apache-2.0 */
/* The value of --cluster-env. */
#include "fuzz.h"
#include "model/request.h"

const char fuzz_name[] = "option";
const unsigned fuzz_runs = 1500000;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ce_request request = {.port = 4711}, again;
    struct ce_error err = {""};
    char *text = fuzz_text(data, size), formatted[CE_REQUEST_TEXT];
    int rc = ce_request_parse(text, &request, &err);
    free(text);
    if (rc < 0) {
        fuzz_check_error(err.text);
        FUZZ_CHECK(strstr(err.text, CE_REQUEST_ITEMS) || strstr(err.text, "..."));
        FUZZ_CHECK(request.port == 4711);
        return 0;
    }
    FUZZ_CHECK(request.port <= 65535);
    ce_request_format(&request, formatted);
    FUZZ_CHECK(strlen(formatted) < CE_REQUEST_TEXT);
    FUZZ_CHECK(ce_request_parse(formatted, &again, NULL) == 0);
    FUZZ_CHECK(again.on == request.on && again.torchrun == request.torchrun &&
               again.verbose == request.verbose && again.port == request.port);
    return 0;
}
