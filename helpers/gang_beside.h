/* SPDX-License-Identifier: Apache-2.0 */
/* The program of that name in the folder of this one.  0; -1: it cannot be told, or does not fit. */
#ifndef CE_HELPERS_GANG_BESIDE_H
#define CE_HELPERS_GANG_BESIDE_H

#include <string.h>
#include <unistd.h>

enum { GANG_PATH = 4096 };

static inline int gang_beside(const char *name, char path[GANG_PATH])
{
    size_t room = strlen(name) + 1;
    ssize_t length = readlink("/proc/self/exe", path, GANG_PATH - room);
    char *slash = length > 0 ? memrchr(path, '/', (size_t)length) : NULL;
    if (!slash)
        return -1;
    memcpy(slash + 1, name, room);
    return 0;
}

#endif
