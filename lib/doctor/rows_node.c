/* SPDX-License-Identifier: Apache-2.0 */
/* A compute node: the run directory with its texts, the GPUs' library, limits, ports. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "doctor/doctor.h"

enum { SPACE_LEAST = 32 << 20, FILES_LEAST = 64, KB = 1024, WHAT = 96 };

/* ---------------------------------------------------------------- the run directory */

static void judge_folder(const struct ce_install *install, struct ce_findings *out)
{
    const struct ce_install_run *run = &install->run;
    if (!run->there) {
        ce_findings_add(out, CE_FAIL, "", "it is not there");
        ce_findings_remedy(out, "'cluster-env facts --write' as root, at boot by the unit");
    } else if (!run->folder)
        ce_findings_add(out, CE_FAIL, "", "it is no folder");
    else if (run->owner != 0)
        ce_findings_add(out, CE_FAIL, "", "it belongs to the user of number %u, not to root",
                        (unsigned)run->owner);
    else if (run->mode & 022)
        ce_findings_add(out, CE_FAIL, "", "others than root may write there (mode %04o)",
                        (unsigned)run->mode);
    else if ((run->mode & 055) != 055)
        ce_findings_add(out, CE_FAIL, "", "users may not read it (mode %04o), so jobs get no variables",
                        (unsigned)run->mode);
    else
        ce_findings_add(out, CE_PASS, "", "root's, mode %04o", (unsigned)run->mode);
}

static void judge_space(const struct ce_install *install, struct ce_findings *out)
{
    const struct ce_install_run *run = &install->run;
    if (!run->there)
        ce_findings_add(out, CE_SKIP, "", "the run directory is not there");
    else if (!run->space_known)
        ce_findings_add(out, CE_UNKNOWN, "", "the file system does not tell its space");
    else if (run->free_bytes < SPACE_LEAST || run->free_files < FILES_LEAST)
        ce_findings_add(out, CE_FAIL, "",
                        "%" PRIu64 " kB free and room for %" PRIu64 " files, expected %d kB and %d",
                        run->free_bytes / KB, run->free_files, SPACE_LEAST / KB, FILES_LEAST);
    else
        ce_findings_add(out, CE_PASS, "", "%" PRIu64 " MB free", run->free_bytes >> 20);
}

/* ---------------------------------------------------------------- its texts */

/* Jobs use no other kinds; containers' come and go. */
static bool is_for_jobs(const struct ce_netif *netif)
{
    return netif->kind == CE_NETIF_ETHERNET || netif->kind == CE_NETIF_INFINIBAND;
}

static size_t count_usable(const struct ce_netif *netif)
{
    size_t count = 0;
    for (size_t i = 0; i < netif->address_count; i++)
        count += ce_address_is_usable(&netif->addresses[i].address);
    return count;
}

/* One is enough: of IPv6 there may be such as the kernel renews every day. */
static bool share_address(const struct ce_netif *a, const struct ce_netif *b)
{
    for (size_t i = 0; i < a->address_count; i++)
        for (size_t k = 0; k < b->address_count; k++)
            if (ce_address_is_usable(&a->addresses[i].address) &&
                ce_address_equal(&a->addresses[i].address, &b->addresses[k].address))
                return true;
    return false;
}

/* An interface of `a` that `b` has not, or with no address that is the same. */
static bool find_netif(const struct ce_node *a, const struct ce_node *b, char what[WHAT])
{
    for (size_t i = 0; i < a->netif_count; i++) {
        const struct ce_netif *netif = &a->netifs[i], *other = ce_node_find_netif(b, netif->name);
        if (!is_for_jobs(netif) || !count_usable(netif) || (other && share_address(netif, other)))
            continue;
        snprintf(what, WHAT, "the addresses of %s", netif->name);
        return true;
    }
    return false;
}

static bool find_hca(const struct ce_node *a, const struct ce_node *b, char what[WHAT])
{
    for (size_t i = 0; i < a->hca_count; i++)
        if (!ce_node_find_hca(b, a->hcas[i].name)) {
            snprintf(what, WHAT, "the RDMA device %s", a->hcas[i].name);
            return true;
        }
    return false;
}

/* What the texts have otherwise than the machine; "": nothing. */
static void compare(const struct ce_node *then, const struct ce_node *now, char what[WHAT])
{
    what[0] = '\0';
    if (find_netif(now, then, what) || find_netif(then, now, what) || now->hcas_unread ||
        find_hca(now, then, what) || find_hca(then, now, what))
        return;
    if (then->gpu_count_known && now->gpu_count_known && then->gpu_count != now->gpu_count)
        snprintf(what, WHAT, "the number of GPUs (%u, now %u)", then->gpu_count, now->gpu_count);
}

static bool is_other_boot(const struct ce_node *then, const struct ce_node *now)
{
    return then->boot_id && now->boot_id && strcmp(then->boot_id, now->boot_id) != 0;
}

static void judge_facts(const struct ce_install *install, struct ce_findings *out)
{
    const struct ce_node *then = install->run.node, *now = install->now;
    char what[WHAT];
    if (!then) {
        ce_findings_add(out, CE_FAIL, "", "node.facts cannot be read");
        return;
    }
    if (!now) {
        ce_findings_add(out, CE_UNKNOWN, "", "this machine cannot be read");
        return;
    }
    compare(then, now, what);
    uint64_t minutes = install->run.facts_age_s / 60;
    if (is_other_boot(then, now))
        ce_findings_add(out, CE_FAIL, "", "node.facts are of an earlier boot");
    else if (what[0])
        ce_findings_add(out, CE_FAIL, "", "node.facts are old: %s changed since", what);
    else
        ce_findings_add(out, CE_PASS, "", "of this boot, %" PRIu64 " min old, as the machine is",
                        minutes);
}

static void judge_copy(bool known, bool fresh, const char *name, const char *source,
                       const struct ce_install *install, struct ce_findings *out)
{
    if (!install->config.valid) {
        ce_findings_add(out, CE_UNKNOWN, "", "the configuration is not valid");
        ce_findings_remedy(out, "mend the configuration");
    } else if (!known)
        ce_findings_add(out, CE_FAIL, "", "%s", install->run.why[0] ? install->run.why : "not there");
    else if (!fresh)
        ce_findings_add(out, CE_FAIL, "", "%s does not have what %s says now", name, source);
    else
        ce_findings_add(out, CE_PASS, "", "%s has what %s says", name, source);
}

static void judge_policy(const struct ce_install *install, struct ce_findings *out)
{
    judge_copy(install->run.policy_known, install->run.policy_fresh, "node.policy", "cluster-env.conf",
               install, out);
}

static void judge_hosts(const struct ce_install *install, struct ce_findings *out)
{
    if (install->config.valid && !install->book.known)
        ce_findings_add(out, CE_UNKNOWN, "", "the address book cannot be read");
    else
        judge_copy(install->run.book_known, install->run.book_fresh, "hosts", "the address book",
                   install, out);
}

static void judge_unit(const struct ce_install *install, struct ce_findings *out)
{
    switch (install->unit) {
    case CE_UNIT_NO_SYSTEMD:
        ce_findings_add(out, CE_SKIP, "", "systemd does not run here");
        break;
    case CE_UNIT_OFF:
        ce_findings_add(out, CE_FAIL, "", "cluster-env-facts.service is not started at boot");
        break;
    case CE_UNIT_ON:
        ce_findings_add(out, CE_PASS, "", "cluster-env-facts.service is started at boot");
        break;
    }
}

/* ---------------------------------------------------------------- NVML, limits, ports */

static unsigned nvidia_gpus(const struct ce_node *node)
{
    unsigned count = 0;
    for (unsigned i = 0; i < node->gpu_count; i++)
        count += ce_pci_may_be_nvidia(&node->gpus[i]);
    return count;
}

static void judge_nvml(const struct ce_install *install, struct ce_findings *out)
{
    const struct ce_node *now = install->now;
    if (!now || !now->gpu_count_known)
        ce_findings_add(out, CE_UNKNOWN, "", "the GPUs cannot be counted");
    else if (!nvidia_gpus(now))
        ce_findings_add(out, CE_SKIP, "", "there is no GPU of NVIDIA");
    else if (now->gpu_states.driver[0])
        ce_findings_add(out, CE_PASS, "", "NVML answers for %u GPUs, driver %.60s", nvidia_gpus(now),
                        now->gpu_states.driver);
    else
        ce_findings_add(out, CE_FAIL, "", "%u GPUs, but NVML does not answer: %.100s",
                        nvidia_gpus(now),
                        now->gpu_states.error[0] ? now->gpu_states.error : "nobody asked it");
}

static void judge_memlock(const struct ce_install *install, struct ce_findings *out)
{
    const struct ce_install_slurmd *slurmd = &install->slurmd;
    uint64_t kb = slurmd->memlock / KB;
    if (!slurmd->pid && !slurmd->looked)
        ce_findings_add(out, CE_UNKNOWN, "", "only root can see slurmd's limits");
    else if (!slurmd->pid)
        ce_findings_add(out, CE_UNKNOWN, "", "no slurmd runs here");
    else if (!slurmd->memlock)
        ce_findings_add(out, CE_UNKNOWN, "", "only root can see slurmd's limits");
    else if (slurmd->memlock == CE_HOST_UNLIMITED || (install->memory_kb && kb >= install->memory_kb))
        ce_findings_add(out, CE_PASS, "", "jobs may lock all memory");
    else if (install->now && !install->now->hca_count && !install->now->hcas_unread)
        ce_findings_add(out, CE_SKIP, "", "there is no RDMA device");
    else
        ce_findings_add(out, CE_FAIL, "",
                        "slurmd's limit of locked memory is %" PRIu64 " kB, RDMA needs it unlimited", kb);
}

/* "61000-61999,65000" */
static bool is_reserved(const char *list, uint32_t port)
{
    const char *at = list;
    uint64_t first, last;
    while (ce_parse_digits(at, 65535, &first, &at) == 0) {
        last = first;
        if (*at == '-' && ce_parse_digits(at + 1, 65535, &last, &at) < 0)
            return false;
        if (first <= port && port <= last)
            return true;
        if (*at != ',')
            return false;
        at++;
    }
    return false;
}

static void judge_ports(const struct ce_install *install, struct ce_findings *out)
{
    const struct ce_install_ports *ports = &install->ports;
    uint32_t first = install->config.policy.port_first, last = install->config.policy.port_last;
    uint32_t shared = 0;
    if (!ports->known) {
        ce_findings_add(out, CE_UNKNOWN, "", "the kernel's range of ports cannot be read");
        return;
    }
    for (uint32_t port = first; port <= last; port++)
        shared += ports->first <= port && port <= ports->last && !is_reserved(ports->reserved, port);
    if (shared)
        ce_findings_add(out, CE_FAIL, "",
                        "the kernel gives out %u of ports %u-%u itself (its range is %u-%u)", shared,
                        first, last, ports->first, ports->last);
    else
        ce_findings_add(out, CE_PASS, "", "%u-%u, the kernel gives out none of them", first, last);
}

#define WRITE "'cluster-env facts --write' as root"
const struct ce_doctor_row ce_doctor_node_rows[] = {
    {"run.folder", false, "chown root and chmod 755 /run/cluster-env", judge_folder},
    {"run.space", false, "look at what fills /run", judge_space},
    {"run.facts", false, WRITE, judge_facts},
    {"run.policy", false, WRITE, judge_policy},
    {"run.hosts", false, WRITE, judge_hosts},
    {"node.unit", false, "'systemctl enable cluster-env-facts'", judge_unit},
    {"node.nvml", false, "install NVIDIA's driver with libnvidia-ml.so.1 and load it", judge_nvml},
    {"node.memlock", false, "LimitMEMLOCK=infinity in slurmd's unit, then restart slurmd",
     judge_memlock},
    {"node.ports", false, "set net.ipv4.ip_local_port_range, or reserve them in ip_local_reserved_ports",
     judge_ports},
};
const size_t ce_doctor_node_row_count = sizeof ce_doctor_node_rows / sizeof *ce_doctor_node_rows;
