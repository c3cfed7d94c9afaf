/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libcuda.so.1"

static const struct function {
    size_t member;
    const char *symbol, *older;
    bool optional;
} functions[] = {
#define ROW(member, symbol, older, parameters) {offsetof(struct cuda, member), #symbol, older, false},
    CU_FUNCTIONS(ROW)
#undef ROW
#define ROW(member, symbol, older, parameters) {offsetof(struct cuda, member), #symbol, older, true},
    CU_OPTIONAL(ROW)
#undef ROW
};

/* It stays loaded until the program ends. */
enum cuda_loaded cuda_load(struct cuda *ret, struct ce_error *err)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        ce_fail(err, "%s", dlerror());
        return CUDA_ABSENT;
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(library, functions[i].symbol);
        if (!found && functions[i].older)
            found = dlsym(library, functions[i].older);
        if (!found && !functions[i].optional) {
            ce_fail(err, LIBRARY " does not have %s", functions[i].symbol);
            return CUDA_LACKING;
        }
        memcpy((char *)ret + functions[i].member, &found, sizeof found);
    }
    return CUDA_LOADED;
}

/* MPS's pipes are in /tmp/nvidia-mps by default, which anybody may make. */
cu_result cuda_begin(const struct cuda *cuda)
{
    setenv("CUDA_MPS_PIPE_DIRECTORY", "/dev/null/none", 1);
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    return cuda->init(0);
}

const char *cuda_word(const struct cuda *cuda, cu_result code, char *text, size_t size)
{
    const char *name = NULL;
    if (cuda->error_name(code, &name) != CU_OK || !name)
        name = "an unknown error";
    snprintf(text, size, "%s (%u)", name, (unsigned)code);
    return text;
}
