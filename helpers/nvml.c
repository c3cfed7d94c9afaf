/* SPDX-License-Identifier: Apache-2.0 */
#include "nvml.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define LIBRARY "libnvidia-ml.so.1"

enum need { OPTIONAL, NEEDED };

static const struct function {
    enum need need;
    size_t member;
    const char *symbol, *older;
} functions[] = {
#define ROW(need, member, symbol, older, parameters)                                               \
    {need, offsetof(struct nvml, member), #symbol, older},
    NV_FUNCTIONS(ROW)
#undef ROW
};

/* It stays loaded until the program ends. */
int nvml_load(struct nvml *ret, struct ce_error *err)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return ce_fail(err, "%s", dlerror());
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(library, functions[i].symbol);
        if (!found && functions[i].older)
            found = dlsym(library, functions[i].older);
        if (!found && functions[i].need == NEEDED)
            return ce_fail(err, LIBRARY " does not have %s", functions[i].symbol);
        memcpy((char *)ret + functions[i].member, &found, sizeof found);
    }
    return 0;
}
