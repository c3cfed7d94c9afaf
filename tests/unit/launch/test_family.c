/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/family.h"

#include "base/text.h"
#include "launch/marker.h"
#include "../unit_env.h"

enum { ENTRIES = 4 };

/* Which file sets what: pairs of path and name, as the caller's lookup tells. */
static const char *lookup(const void *ctx, const char *name)
{
    const char *const *pair = ctx;
    for (; pair[0]; pair += 2)
        if (strcmp(pair[1], name) == 0)
            return pair[0];
    return NULL;
}

#define SITE "/etc/nccl.conf"
#define USER "/home/u/.nccl.conf"

static const struct family_row {
    const char *name, *variable, *env[ENTRIES];
    const char *ours;              /* this one of the environment an outer step of ours wrote */
    const char *conf[2 * ENTRIES]; /* path, name, ... */
    const char *block, *path;
} rows[] = {
    {"nothing_stands_against_it", "NCCL_SOCKET_IFNAME", {NULL}, NULL, {NULL}, NULL, NULL},
    {"the_users_own_setting_stands_against_it", "NCCL_SOCKET_IFNAME", {"NCCL_SOCKET_IFNAME=eth0"},
     NULL, {NULL}, "NCCL_SOCKET_IFNAME", NULL},
    {"an_empty_setting_of_the_user_stands_against_it", "NCCL_SOCKET_IFNAME",
     {"NCCL_SOCKET_IFNAME="}, NULL, {NULL}, "NCCL_SOCKET_IFNAME", NULL},
    {"what_an_outer_step_of_ours_wrote_does_not", "NCCL_SOCKET_IFNAME",
     {"NCCL_SOCKET_IFNAME==eth1"}, "NCCL_SOCKET_IFNAME", {NULL}, NULL, NULL},
    {"another_variable_of_the_family_does", "NCCL_SOCKET_IFNAME", {"NCCL_SOCKET_FAMILY=AF_INET"},
     NULL, {NULL}, "NCCL_SOCKET_FAMILY", NULL},
    {"the_whole_family_is_left_alone", "NCCL_SOCKET_FAMILY", {"NCCL_SOCKET_IFNAME=eth0"}, NULL,
     {NULL}, "NCCL_SOCKET_IFNAME", NULL},
    {"the_users_change_beside_ours_does", "NCCL_SOCKET_IFNAME",
     {"NCCL_SOCKET_IFNAME==eth1", "NCCL_SOCKET_FAMILY=AF_INET6"}, "NCCL_SOCKET_IFNAME", {NULL},
     "NCCL_SOCKET_FAMILY", NULL},
    {"what_ours_could_contradict_does", "NCCL_SOCKET_IFNAME", {"NCCL_COMM_ID=10.9.0.1:4000"}, NULL,
     {NULL}, "NCCL_COMM_ID", NULL},
    {"another_setting_of_the_library_does_not", "NCCL_SOCKET_IFNAME", {"NCCL_DEBUG=INFO"}, NULL,
     {NULL}, NULL, NULL},
    {"the_sites_file_stands_against_it", "NCCL_SOCKET_IFNAME", {NULL}, NULL,
     {SITE, "NCCL_SOCKET_IFNAME"}, "NCCL_SOCKET_IFNAME", SITE},
    {"the_users_file_stands_against_it", "NCCL_SOCKET_IFNAME", {NULL}, NULL,
     {USER, "NCCL_SOCKET_FAMILY"}, "NCCL_SOCKET_FAMILY", USER},
    {"a_file_that_sets_what_ours_could_contradict_does", "NCCL_SOCKET_FAMILY", {NULL}, NULL,
     {SITE, "NCCL_COMM_ID"}, "NCCL_COMM_ID", SITE},
    {"a_file_that_sets_something_else_does_not", "NCCL_SOCKET_IFNAME", {NULL}, NULL,
     {SITE, "NCCL_IB_TIMEOUT", USER, "NCCL_DEBUG"}, NULL, NULL},
    {"a_file_stands_against_it_also_where_ours_is_inherited", "NCCL_SOCKET_IFNAME",
     {"NCCL_SOCKET_IFNAME==eth1"}, "NCCL_SOCKET_IFNAME", {SITE, "NCCL_SOCKET_IFNAME"},
     "NCCL_SOCKET_IFNAME", SITE},
    {"the_environment_is_named_before_a_file", "NCCL_SOCKET_IFNAME", {"NCCL_SOCKET_IFNAME=eth0"},
     NULL, {SITE, "NCCL_SOCKET_IFNAME"}, "NCCL_SOCKET_IFNAME", NULL},
    {"families_do_not_mix_gloo", "GLOO_SOCKET_IFNAME", {"NCCL_SOCKET_IFNAME=eth0"}, NULL, {NULL},
     NULL, NULL},
    {"families_do_not_mix_nccl", "NCCL_SOCKET_IFNAME",
     {"GLOO_SOCKET_IFNAME=eth0", "TP_SOCKET_IFNAME=eth0"}, NULL, {NULL}, NULL, NULL},
    {"gloo_of_the_user", "GLOO_SOCKET_IFNAME", {"GLOO_SOCKET_IFNAME=eth0"}, NULL, {NULL},
     "GLOO_SOCKET_IFNAME", NULL},
    {"tensorpipe_of_the_user", "TP_SOCKET_IFNAME", {"TP_SOCKET_IFNAME=eth0"}, NULL, {NULL},
     "TP_SOCKET_IFNAME", NULL},
    {"a_list_of_hcas_of_the_user", "NCCL_IB_HCA", {"NCCL_IB_HCA=mlx5"}, NULL, {NULL}, "NCCL_IB_HCA",
     NULL},
    {"a_merge_of_hcas_could_name_one_that_is_kept_out", "NCCL_IB_HCA",
     {"NCCL_NET_FORCE_MERGE=mlx5_0,mlx5_1"}, NULL, {NULL}, "NCCL_NET_FORCE_MERGE", NULL},
    {"sockets_do_not_mix_with_hcas", "NCCL_IB_HCA", {"NCCL_SOCKET_IFNAME=eth0"}, NULL, {NULL}, NULL,
     NULL},
    {"hcas_do_not_mix_with_sockets", "NCCL_SOCKET_IFNAME", {"NCCL_IB_HCA=mlx5"}, NULL, {NULL}, NULL,
     NULL},
    {"an_index_of_gids_has_its_family", "NCCL_IB_ADDR_FAMILY", {NULL}, NULL,
     {SITE, "NCCL_IB_GID_INDEX"}, "NCCL_IB_GID_INDEX", SITE},
    {"a_range_of_addresses_has_its_family", "NCCL_IB_ADDR_FAMILY", {"NCCL_IB_ADDR_RANGE=fd02::/16"},
     NULL, {NULL}, "NCCL_IB_ADDR_RANGE", NULL},
    {"a_gid_does_not_choose_hcas", "NCCL_IB_HCA", {"NCCL_IB_GID_INDEX=3"}, NULL, {NULL}, NULL, NULL},
    {"ucx_has_no_device_for_another_transport", "UCX_NET_DEVICES", {"UCX_TLS=tcp"}, NULL, {NULL},
     "UCX_TLS", NULL},
    {"nvshmem_has_a_map_of_its_own", "NVSHMEM_HCA_LIST", {"NVSHMEM_HCA_PE_MAPPING=mlx5_0:1:1"}, NULL,
     {NULL}, "NVSHMEM_HCA_PE_MAPPING", NULL},
    {"open_mpi_takes_no_include_beside_an_exclude", "OMPI_MCA_btl_tcp_if_include",
     {"OMPI_MCA_btl_tcp_if_exclude=lo"}, NULL, {NULL}, "OMPI_MCA_btl_tcp_if_exclude", NULL},
    {"an_exclude_of_messages_is_none_of_daemons", "OMPI_MCA_oob_tcp_if_include",
     {"OMPI_MCA_btl_tcp_if_exclude=lo"}, NULL, {NULL}, NULL, NULL},
    {"disabling_infiniband_chooses_no_hcas", "NCCL_IB_HCA", {"NCCL_IB_DISABLE=1"}, NULL, {NULL},
     NULL, NULL},
    {"a_variable_of_no_family_is_never_blocked", "PRIMARY_ADDR", {"PRIMARY_ADDR=x"}, NULL,
     {SITE, "PRIMARY_ADDR"}, NULL, NULL},
};

static void block(void **state)
{
    const struct family_row *row = *state;
    struct unit_env array = {.count = 0};
    ce_autotext struct ce_text marker = CE_TEXT(1000);
    unit_env_fill(&array, row->env);
    const struct ce_environ env = unit_environ(&array);
    const struct ce_conf_lookup conf = {lookup, row->conf};
    if (row->ours)
        ce_marker_add(&marker, row->ours, ce_environ_get(&env, row->ours));
    struct ce_family_block found =
        ce_family_find_block(row->variable, &env, ce_text_string(&marker), &conf);
    unit_env_free(&array);
    assert_int_equal(found.name != NULL, row->block != NULL);
    if (row->block)
        assert_string_equal(found.name, row->block);
    assert_int_equal(found.path != NULL, row->path != NULL);
    if (row->path)
        assert_string_equal(found.path, row->path);
}

int main(void)
{
    UNIT_TABLE(rows, block);
    return UNIT_RUN("launch/family");
}
