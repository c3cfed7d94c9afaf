/* SPDX-License-Identifier: Apache-2.0 */
/* bootstrap LIBNCCL: lets the real NCCL choose the interface of its bootstrap, which needs no GPU, and
 * says what our reading of NCCL_SOCKET_IFNAME makes of the same interfaces:
 *
 *     ours eth1        the first interface, in the kernel's order, that the list takes; "-": none
 *     status 0         what ncclGetUniqueId() returned
 *
 * NCCL's own word is in its log (NCCL_DEBUG=INFO). */
#include <dlfcn.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/nccl_list.h"

enum { UNIQUE_ID = 128 };

/* As NCCL looks at them: running, with an address that is not ::1 (nor 127/8 of another name). */
static const char *find_ours(const struct ifaddrs *list, const char *value)
{
    struct ce_nccl_list wanted;
    ce_nccl_list_parse(value, &wanted);
    for (const struct ifaddrs *ifa = list; ifa; ifa = ifa->ifa_next)
        if (ifa->ifa_addr && ifa->ifa_addr->sa_family == AF_INET &&
            (ifa->ifa_flags & IFF_RUNNING) && ce_nccl_list_takes(&wanted, ifa->ifa_name, -1))
            return ifa->ifa_name;
    return "-";
}

static int ask_nccl(const char *path)
{
    char id[UNIQUE_ID];
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "bootstrap: %s\n", dlerror());
        return -1;
    }
    int (*get_unique_id)(void *) = (int (*)(void *))dlsym(library, "ncclGetUniqueId");
    return get_unique_id ? get_unique_id(id) : -1;
}

int main(int argc, char **argv)
{
    const char *value = getenv("NCCL_SOCKET_IFNAME");
    struct ifaddrs *list = NULL;
    if (argc != 2 || !value || getifaddrs(&list) < 0)
        return 2;
    printf("ours %s\n", find_ours(list, value));
    freeifaddrs(list);
    fflush(stdout);
    printf("status %d\n", ask_nccl(argv[1]));
    return 0;
}
