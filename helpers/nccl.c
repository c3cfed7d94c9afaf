/* SPDX-License-Identifier: Apache-2.0 */
#include "nccl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "model/nccl_bench.h"

#define LIBRARY "libnccl.so.2"

static const struct function {
    enum nc_need need;
    size_t member;
    const char *symbol;
} functions[] = {
#define ROW(need, type, member, symbol, parameters) {need, offsetof(struct nccl, member), #symbol},
    NC_FUNCTIONS(ROW)
#undef ROW
};

static int read_version(const struct nccl *nccl, int *version, struct ce_error *err)
{
    char text[CE_NCCL_VERSION_TEXT];
    nc_result code = nccl->version(version);
    if (code != NC_OK)
        return ce_fail(err, "ncclGetVersion: %s", nccl->error_string(code));
    ce_nccl_version_text((uint32_t)*version, text);
    if (*version < NC_MAJOR * 1000 || text[0] != '0' + NC_MAJOR || text[1] != '.')
        return ce_fail(err, "NCCL %s (%d): expected version %d", text, *version, NC_MAJOR);
    return 0;
}

/* It stays loaded until the program ends. */
enum nccl_loaded nccl_load(const char *path, struct nccl *ret, int *version, struct ce_error *err)
{
    void *library = dlopen(path ? path : LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        ce_fail(err, "%s", dlerror());
        return NCCL_ABSENT;
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(library, functions[i].symbol);
        if (!found && functions[i].need == NC_NEEDED) {
            ce_fail(err, LIBRARY " does not have %s", functions[i].symbol);
            return NCCL_LACKING;
        }
        memcpy((char *)ret + functions[i].member, &found, sizeof found);
    }
    return read_version(ret, version, err) < 0 ? NCCL_LACKING : NCCL_LOADED;
}

const char *nccl_word(const struct nccl *nccl, nc_result code, char *text, size_t size)
{
    const char *last = nccl->last_error ? nccl->last_error(NULL) : NULL;
    const char *word = nccl->error_string(code), *advice;
    word = word ? word : "an unknown error";
    advice = strstr(word, " (run with NCCL_DEBUG");
    snprintf(text, size, "%.*s (%u)%s%s", (int)(advice ? (size_t)(advice - word) : strlen(word)),
             word, (unsigned)code, last && *last ? ": " : "", last ? last : "");
    return text;
}
