/* SPDX-License-Identifier: Apache-2.0 */
/* The rows about the configuration, the address book and the node itself. */
#include "right.h"

#define RUN in->run
#define POLICY in->config.policy

static void spoil_config(struct ce_install *in)
{
    in->config.valid = false;
    ce_fail(&in->config.why, "/etc/slurm/cluster-env.conf:3: no such key");
    in->book.known = false;
    ce_install_why(in->book.why, "the configuration, which may name it, cannot be read");
    RUN.policy_known = RUN.book_known = false;
}

static void forget_roster(struct ce_install *in)
{
    ce_roster_destroy(in->roster);
    in->roster = NULL;
    ce_install_why(in->roster_why, "no answer in 5 s");
}

static void close_book(struct ce_install *in)
{
    in->book.known = RUN.book_known = false;
    ce_install_why(in->book.why, "/etc/slurm/cluster-env.hosts: line 1: no address");
}

static void set_node(struct ce_node **node, const char *text)
{
    ce_node_destroy(*node);
    *node = text ? parse_facts(text) : NULL;
}

static void fail_nvml(struct ce_install *in, const char *error)
{
    in->now->gpu_states.driver[0] = '\0';
    snprintf(in->now->gpu_states.error, sizeof in->now->gpu_states.error, "%s", error);
}

static void set_range(struct ce_install *in, unsigned first, unsigned last, const char *reserved)
{
    in->ports.first = first;
    in->ports.last = last;
    snprintf(in->ports.reserved, sizeof in->ports.reserved, "%s", reserved);
}

#define THEN(text) set_node(&in->run.node, text)
#define NOW(text) set_node(&in->now, text)
#define FRAMED(keys) "format=1\nhost.name=n1\n" keys "end=1\n"
#define ETH1 "netif.eth1.kind=ethernet\nnetif.eth1.up=1\nnetif.eth1.address.0=10.20.0.11/16\n"

#define CASES(X)                                                                                       \
    X(config, "config.valid", "pass /etc/slurm/cluster-env.conf", )                                    \
    X(config_none, "config.valid",                                                                     \
      "pass /etc/slurm/cluster-env.conf is not there, the defaults hold", in->config.there = false)    \
    X(config_wrong, "config.valid", "fail /etc/slurm/cluster-env.conf:3: no such key",                 \
      spoil_config(in))                                                                                \
    X(config_of_a_hung_file_system, "config.valid", "unknown /etc/slurm/cluster-env.conf:3: no such key", \
      spoil_config(in); in->config.hung = true)                                                        \
    X(mode_of_a_hung_configuration, "config.mode",                                                     \
      "unknown the configuration cannot be read, so nothing is checked",                               \
      spoil_config(in); in->config.hung = true)                                                        \
    X(book_of_a_hung_file_system, "book.nodes",                                                        \
      "unknown /etc/slurm/cluster-env.hosts: line 1: no address", close_book(in); in->book.hung = true) \
    X(mode_observe, "config.mode", "pass observe: faults are told, no node is drained for them", )     \
    X(mode_drain, "config.mode", "pass drain: a node with a fault takes no more jobs",                 \
      POLICY.mode = CE_MODE_DRAIN)                                                                     \
    X(mode_unknown, "config.mode",                                                                     \
      "unknown the configuration is not valid, so nothing is checked", spoil_config(in))               \
    X(book, "book.nodes", "pass /etc/slurm/cluster-env.hosts has all of Slurm's 2 nodes", )            \
    X(book_without_a_node, "book.nodes", "fail /etc/slurm/cluster-env.hosts lacks 1 of 2 nodes: n3",   \
      set_roster(in, "n3"))                                                                            \
    X(book_of_another_suffix, "book.nodes", "pass /etc/slurm/cluster-env.hosts has all of Slurm's 2 nodes", \
      set_book(in, "10.20.0.11 n1-ib\n10.20.0.12 n2-ib\n");                                            \
      snprintf(POLICY.suffix, sizeof POLICY.suffix, "-ib"))                                            \
    X(book_of_no_node, "book.nodes",                                                                   \
      "skip /etc/slurm/cluster-env.hosts has none of Slurm's nodes: names are handed on",              \
      set_book(in, "127.0.0.1 localhost\n"))                                                           \
    X(book_wrong, "book.nodes", "fail /etc/slurm/cluster-env.hosts: line 1: no address",               \
      close_book(in))                                                                                  \
    X(book_of_a_wrong_configuration, "book.nodes",                                                     \
      "unknown the configuration, which may name it, cannot be read", spoil_config(in))                  \
    X(book_without_slurm, "book.nodes", "unknown Slurm's nodes are not known: no answer in 5 s",       \
      forget_roster(in))                                                                               \
    X(own, "book.own", "pass its entry for n1 is an address of this node", )                           \
    X(own_stale, "book.own", "fail it gives 10.9.9.9 for n1",                                          \
      in->book.own_stale = true; ce_install_why(in->book.own_why, "it gives 10.9.9.9 for n1"))         \
    X(own_none, "book.own", "skip it has no entry for n1", set_book(in, "10.20.0.12 n2\n"))            \
    X(own_unknown, "book.own", "unknown the address book or this machine could not be read",           \
      NOW(NULL))                                                                                       \
    X(own_of_a_head_node, "book.own", "skip no jobs run on this machine", in->role = CE_ROLE_HEAD)     \
    X(folder, "run.folder", "pass root's, mode 0755", )                                                \
    X(folder_gone, "run.folder", "fail it is not there", RUN.there = false)                            \
    X(folder_a_link, "run.folder", "fail it is no folder", RUN.folder = false)                         \
    X(folder_of_a_user, "run.folder", "fail it belongs to the user of number 1000, not to root",       \
      RUN.owner = 1000)                                                                                \
    X(folder_of_all, "run.folder", "fail others than root may write there (mode 0777)",                \
      RUN.mode = 0777)                                                                                 \
    X(folder_closed, "run.folder",                                                                     \
      "fail users may not read it (mode 0700), so jobs get no variables", RUN.mode = 0700)             \
    X(space, "run.space", "pass 64 MB free", )                                                         \
    X(space_full, "run.space", "fail 4 kB free and room for 1000 files, expected 32768 kB and 64",     \
      RUN.free_bytes = 4096)                                                                           \
    X(space_without_inodes, "run.space",                                                               \
      "fail 65536 kB free and room for 0 files, expected 32768 kB and 64", RUN.free_files = 0)         \
    X(space_unknown, "run.space", "unknown the file system does not tell its space",                   \
      RUN.space_known = false)                                                                         \
    X(space_of_nothing, "run.space", "skip the run directory is not there", RUN.there = false)         \
    X(facts, "run.facts", "pass of this boot, 2 min old, as the machine is", )                         \
    X(facts_none, "run.facts", "fail node.facts cannot be read", THEN(NULL))                           \
    X(facts_of_an_unknown_machine, "run.facts", "unknown this machine cannot be read", NOW(NULL))      \
    X(facts_of_another_boot, "run.facts", "fail node.facts are of an earlier boot",                    \
      free(RUN.node->boot_id); RUN.node->boot_id = strdup("b0"))                                       \
    X(facts_with_other_addresses, "run.facts",                                                         \
      "fail node.facts are old: the addresses of eth1 changed since",                                  \
      THEN(FRAMED("netif.eth1.kind=ethernet\nnetif.eth1.address.0=10.20.0.12/16\n"));                  \
      NOW(FRAMED(ETH1)))                                                                               \
    X(facts_without_an_interface, "run.facts",                                                         \
      "fail node.facts are old: the addresses of eth1 changed since", THEN(FRAMED(""));                \
      NOW(FRAMED(ETH1)))                                                                               \
    X(facts_with_one_more, "run.facts",                                                                \
      "fail node.facts are old: the addresses of eth1 changed since", THEN(FRAMED(ETH1));              \
      NOW(FRAMED("")))                                                                                 \
    X(facts_with_a_link_local_address_less, "run.facts",                                               \
      "pass of this boot, 2 min old, as the machine is", THEN(FRAMED(ETH1));                           \
      NOW(FRAMED(ETH1 "netif.eth1.address.1=fe80::1/64\n")))                                           \
    X(facts_with_an_address_less, "run.facts", "pass of this boot, 2 min old, as the machine is",      \
      THEN(FRAMED(ETH1)); NOW(FRAMED(ETH1 "netif.eth1.address.1=fd00::1/64\n")))                       \
    X(facts_without_a_containers_interface, "run.facts",                                               \
      "pass of this boot, 2 min old, as the machine is", THEN(FRAMED(ETH1));                           \
      NOW(FRAMED(ETH1 "netif.docker0.kind=bridge\nnetif.docker0.address.0=172.17.0.1/16\n"            \
                 "netif.veth1.kind=ethernet\nnetif.veth1.address.0=fe80::2/64\n")))                   \
    X(facts_without_an_hca, "run.facts",                                                               \
      "fail node.facts are old: the RDMA device mlx5_0 changed since", THEN(FRAMED(ETH1));             \
      NOW(FRAMED(ETH1 "ib.mlx5_0.type=MT4129\n")))                                                     \
    X(facts_with_a_gpu_less, "run.facts",                                                              \
      "fail node.facts are old: the number of GPUs (0, now 1) changed since",                          \
      THEN(FRAMED(ETH1 "gpu.count=0\n"));                                                              \
      NOW(FRAMED(ETH1 "gpu.count=1\ngpu.0.pci=0000:18:00.0\n")))                                       \
    X(policy, "run.policy", "pass node.policy has what cluster-env.conf says", )                       \
    X(policy_old, "run.policy", "fail node.policy does not have what cluster-env.conf says now",       \
      RUN.policy_fresh = false)                                                                        \
    X(policy_gone, "run.policy", "fail node.policy: cannot open",                                      \
      RUN.policy_known = false; ce_install_why(RUN.why, "node.policy: cannot open"))                   \
    X(policy_unknown, "run.policy", "unknown the configuration is not valid", spoil_config(in))        \
    X(hosts, "run.hosts", "pass hosts has what the address book says", )                               \
    X(hosts_old, "run.hosts", "fail hosts does not have what the address book says now",               \
      RUN.book_fresh = false)                                                                          \
    X(hosts_unknown, "run.hosts", "unknown the address book cannot be read", close_book(in))           \
    X(unit, "node.unit", "pass cluster-env-facts.service is started at boot", )                        \
    X(unit_off, "node.unit", "fail cluster-env-facts.service is not started at boot",                  \
      in->unit = CE_UNIT_OFF)                                                                          \
    X(unit_elsewhere, "node.unit", "skip systemd does not run here", in->unit = CE_UNIT_NO_SYSTEMD)    \
    X(nvml, "node.nvml", "pass NVML answers for 1 GPUs, driver 570.86.15", )                           \
    X(nvml_missing, "node.nvml",                                                                       \
      "fail 1 GPUs, but NVML does not answer: libnvidia-ml.so.1: cannot open shared object file",      \
      fail_nvml(in, "libnvidia-ml.so.1: cannot open shared object file"))                              \
    X(nvml_not_asked, "node.nvml", "fail 1 GPUs, but NVML does not answer: nobody asked it",           \
      fail_nvml(in, ""))                                                                               \
    X(nvml_without_gpus, "node.nvml", "skip there is no GPU of NVIDIA",                                \
      in->now->gpus[0].vendor = 0x1002)                                                                \
    X(nvml_unknown, "node.nvml", "unknown the GPUs cannot be counted",                                 \
      in->now->gpu_count_known = false)                                                                \
    X(memlock, "node.memlock", "pass jobs may lock all memory", )                                      \
    X(memlock_all_there_is, "node.memlock", "pass jobs may lock all memory",                           \
      in->slurmd.memlock = 1ull << 40)                                                                 \
    X(memlock_small, "node.memlock",                                                                   \
      "fail slurmd's limit of locked memory is 8192 kB, RDMA needs it unlimited",                      \
      in->slurmd.memlock = 8 << 20)                                                                    \
    X(memlock_without_hcas, "node.memlock", "skip there is no RDMA device",                            \
      in->slurmd.memlock = 8 << 20; NOW(FRAMED(ETH1)))                                                 \
    X(memlock_unseen, "node.memlock", "unknown only root can see slurmd's limits",                     \
      in->slurmd.memlock = 0)                                                                          \
    X(memlock_of_nobody, "node.memlock", "unknown no slurmd runs here", in->slurmd.pid = 0)            \
    X(memlock_of_somebody, "node.memlock", "unknown only root can see slurmd's limits",                \
      in->slurmd = (struct ce_install_slurmd){false, 0, 0})                                            \
    X(ports, "node.ports", "pass 61000-65535, the kernel gives out none of them", )                    \
    X(ports_shared, "node.ports",                                                                      \
      "fail the kernel gives out 1001 of ports 61000-65535 itself (its range is 32768-62000)",         \
      set_range(in, 32768, 62000, ""))                                                                 \
    X(ports_reserved, "node.ports", "pass 61000-65535, the kernel gives out none of them",             \
      set_range(in, 1024, 65535, "22,61000-62000,62001-65535"))                                        \
    X(ports_reserved_in_part, "node.ports",                                                            \
      "fail the kernel gives out 4534 of ports 61000-65535 itself (its range is 1024-65535)",          \
      set_range(in, 1024, 65535, "61000,65535"))                                                       \
    X(ports_unknown, "node.ports", "unknown the kernel's range of ports cannot be read",               \
      in->ports.known = false)                                                                         \
    X(ports_of_a_head_node, "node.ports", "skip no jobs run on this machine", in->role = CE_ROLE_HEAD)

CASES(CASE_CHANGE)
static const struct case_row rows[] = {CASES(CASE_ROW)};

/* Whatever is right is called so, and nothing in it has no remedy. */
static void a_right_installation_has_nothing_but_passes(void **state)
{
    ce_autofindings struct ce_findings findings = {.items = NULL};
    ce_auto(ce_install_destroy) struct ce_install *in = right();
    (void)state;
    ce_doctor_judge(in, &findings);
    for (size_t i = 0; i < findings.count; i++)
        if (findings.items[i].verdict > CE_SKIP)
            fail_msg("%s: %s", findings.items[i].check, findings.items[i].text);
}

static void every_row_says_something_and_has_a_remedy_without_brackets(void **state)
{
    const struct ce_doctor_row *row;
    ce_autofindings struct ce_findings findings = {.items = NULL};
    ce_auto(ce_install_destroy) struct ce_install *in = right();
    char text[2048];
    (void)state;
    ce_doctor_judge(in, &findings);
    for (size_t i = 0; (row = ce_doctor_row_at(i)) != NULL; i++) {
        tell_row(&findings, row->name, text, sizeof text);
        if (!text[0] || !row->remedy[0] || strpbrk(row->remedy, ";[]"))
            fail_msg("%s: '%s', '%s'", row->name, text, row->remedy);
    }
}

/* Nothing is known: no fault is invented, and nothing crashes. */
static void an_installation_of_which_nothing_is_known_is_no_fault(void **state)
{
    ce_autofindings struct ce_findings findings = {.items = NULL};
    ce_auto(ce_install_destroy) struct ce_install *in = ce_install_create();
    (void)state;
    in->role = CE_ROLE_HEAD;
    ce_install_why(in->book.why, "?");
    ce_doctor_judge(in, &findings);
    for (size_t i = 0; i < findings.count; i++)
        if (findings.items[i].verdict > CE_UNKNOWN &&
            strcmp(findings.items[i].check, "slurm.helper") != 0 &&
            strcmp(findings.items[i].check, "config.valid") != 0)
            fail_msg("%s: %s", findings.items[i].check, findings.items[i].text);
}

int main(void)
{
    UNIT_TABLE(rows, judge_case);
    UNIT_RULE(a_right_installation_has_nothing_but_passes);
    UNIT_RULE(every_row_says_something_and_has_a_remedy_without_brackets);
    UNIT_RULE(an_installation_of_which_nothing_is_known_is_no_fault);
    return UNIT_RUN("node rows");
}
