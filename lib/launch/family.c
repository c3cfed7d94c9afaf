/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/family.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "launch/marker.h"

enum { MEMBERS_MAX = 8 };

/* A family: our variables, and those of the same library that ours could contradict. */
static const struct family {
    const char *ours[MEMBERS_MAX];
    const char *theirs[MEMBERS_MAX];
} families[] = {
    {{"NCCL_SOCKET_IFNAME", "NCCL_SOCKET_FAMILY"}, {"NCCL_COMM_ID"}},
    {{"GLOO_SOCKET_IFNAME"}, {NULL}},
    {{"TP_SOCKET_IFNAME"}, {NULL}},
    /* NCCL fails where a merge names a device that the list keeps out. */
    {{"NCCL_IB_HCA"}, {"NCCL_NET_FORCE_MERGE"}},
    {{"NCCL_IB_ADDR_FAMILY"},
     {"NCCL_IB_GID_INDEX", "NCCL_IB_ADDR_RANGE", "NCCL_IB_ROCE_VERSION_NUM"}},
    /* UCX fails where no device of the list carries one of the transports. */
    {{"UCX_NET_DEVICES"}, {"UCX_TLS"}},
    {{"NVSHMEM_HCA_LIST"}, {"NVSHMEM_HCA_PE_MAPPING", "NVSHMEM_HCA_PREFIX"}},
    /* To Open MPI an include beside an exclude is an error. */
    {{"OMPI_MCA_btl_tcp_if_include"}, {"OMPI_MCA_btl_tcp_if_exclude"}},
    {{"OMPI_MCA_oob_tcp_if_include"}, {"OMPI_MCA_oob_tcp_if_exclude"}},
};

static bool is_member(const char *const *members, const char *name)
{
    for (size_t i = 0; i < MEMBERS_MAX && members[i]; i++)
        if (strcmp(members[i], name) == 0)
            return true;
    return false;
}

static const struct family *find_family(const char *variable)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (is_member(families[i].ours, variable))
            return &families[i];
    return NULL;
}

static struct ce_family_block find_among(const char *const *members, const struct ce_environ *env,
                                         const char *marker, const struct ce_conf_lookup *conf)
{
    for (size_t i = 0; i < MEMBERS_MAX && members[i]; i++) {
        const char *value = ce_environ_get(env, members[i]);
        const char *path = conf->sets(conf->ctx, members[i]);
        if (value && !ce_marker_holds(marker, members[i], value))
            return (struct ce_family_block){members[i], NULL};
        if (path)
            return (struct ce_family_block){members[i], path};
    }
    return (struct ce_family_block){NULL, NULL};
}

struct ce_family_block ce_family_find_block(const char *variable, const struct ce_environ *env,
                                            const char *marker, const struct ce_conf_lookup *conf)
{
    const struct family *family = find_family(variable);
    struct ce_family_block block = {NULL, NULL};
    if (family)
        block = find_among(family->ours, env, marker, conf);
    if (family && !block.name)
        block = find_among(family->theirs, env, marker, conf);
    return block;
}

struct ce_family_block ce_family_find_setting(const char *variable, const struct ce_environ *env,
                                              const char *marker,
                                              const struct ce_conf_lookup *conf)
{
    const char *const members[MEMBERS_MAX] = {variable};
    return find_among(members, env, marker, conf);
}
