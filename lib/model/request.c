/* SPDX-License-Identifier: Apache-2.0 */
#include "model/request.h"

#include <stdio.h>
#include <string.h>

#include "base/parse.h"

enum { MAX_ITEM = 64 };

static int set_on(struct ce_request *request, const char *value)
{
    (void)value;
    request->on = true;
    return 0;
}

static int set_off(struct ce_request *request, const char *value)
{
    (void)value;
    request->on = false;
    return 0;
}

static int set_port(struct ce_request *request, const char *value)
{
    request->on = true;
    return ce_parse_u32(value, 1, 65535, &request->port);
}

static const char *const rdma_names[] = {
    [CE_RDMA_AUTO] = "auto",
    [CE_RDMA_OFF] = "off",
    [CE_RDMA_REQUIRE] = "require",
};

static int set_rdma(struct ce_request *request, const char *value)
{
    request->on = true;
    for (unsigned i = 0; i < sizeof rdma_names / sizeof *rdma_names; i++)
        if (strcmp(rdma_names[i], value) == 0) {
            request->rdma = (enum ce_rdma)i;
            return 0;
        }
    return -1;
}

static int set_torchrun(struct ce_request *request, const char *value)
{
    request->on = true;
    request->torchrun = strcmp(value, "on") == 0;
    return request->torchrun || strcmp(value, "off") == 0 ? 0 : -1;
}

static int set_output(struct ce_request *request, const char *value)
{
    request->on = true;
    request->primary_output = strcmp(value, "primary") == 0;
    return request->primary_output || strcmp(value, "all") == 0 ? 0 : -1;
}

static int set_gang(struct ce_request *request, const char *value)
{
    (void)value;
    request->on = request->gang = true;
    return 0;
}

static int set_retries(struct ce_request *request, const char *value)
{
    request->on = true;
    return ce_parse_u32(value, 0, CE_RETRIES_MAX, &request->retries);
}

static int set_verbose(struct ce_request *request, const char *value)
{
    (void)value;
    request->on = request->verbose = true;
    return 0;
}

static const struct item {
    const char *name; /* with '=' where it takes a value */
    int (*set)(struct ce_request *request, const char *value);
} items[] = {
    {"on", set_on},
    {"off", set_off},
    {"port=", set_port},
    {"rdma=", set_rdma},
    {"torchrun=", set_torchrun},
    {"output=", set_output},
    {"gang", set_gang},
    {"retries=", set_retries},
    {"verbose", set_verbose},
};

static const struct item *find_item(const char *word)
{
    size_t length = strcspn(word, "=");
    length += word[length] == '=';
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        if (strncmp(items[i].name, word, length) == 0 && !items[i].name[length])
            return &items[i];
    return NULL;
}

static int apply(struct ce_request *request, const char *word)
{
    const struct item *item = find_item(word);
    return item ? item->set(request, word + strlen(item->name)) : -1;
}

static int apply_all(struct ce_request *request, const char *text, struct ce_error *err)
{
    for (;;) {
        char word[MAX_ITEM];
        size_t length = strcspn(text, ",");
        if (length < sizeof word) {
            memcpy(word, text, length);
            word[length] = '\0';
        }
        if (length >= sizeof word || apply(request, word) < 0)
            return ce_fail(err, "'%.*s' is not a valid item; valid are: " CE_REQUEST_ITEMS,
                           (int)(length < MAX_ITEM ? length : MAX_ITEM), text);
        if (!text[length])
            return 0;
        text += length + 1;
    }
}

int ce_request_parse(const char *text, struct ce_request *ret, struct ce_error *err)
{
    struct ce_request request = {.on = true, .torchrun = true};
    bool bare = !text || !*text || strcmp(text, "(null)") == 0;
    if (!bare && apply_all(&request, text, err) < 0)
        return -1;
    *ret = request;
    return 0;
}

struct ce_request ce_request_inherited(const struct ce_request *request)
{
    struct ce_request inherited = *request;
    inherited.retries = 0;
    inherited.primary_output = false;
    return inherited;
}

const char *ce_request_format(const struct ce_request *request, char buf[CE_REQUEST_TEXT])
{
    char port[24] = "", rdma[24] = "", retries[24] = "";
    if (request->port)
        snprintf(port, sizeof port, ",port=%u", request->port);
    if (request->rdma)
        snprintf(rdma, sizeof rdma, ",rdma=%s", rdma_names[request->rdma]);
    if (request->retries)
        snprintf(retries, sizeof retries, ",retries=%u", request->retries);
    snprintf(buf, CE_REQUEST_TEXT, "on%s%s%s%s%s%s%s%s", port, rdma,
             request->torchrun ? "" : ",torchrun=off",
             request->primary_output ? ",output=primary" : "", request->gang ? ",gang" : "", retries,
             request->verbose ? ",verbose" : "", request->on ? "" : ",off");
    return buf;
}
