/* SPDX-License-Identifier: Apache-2.0 */
/* Node policy: what the configuration means for one node.  cluster-env.conf is read by the programs
 * (lib/config) and written down as node.policy; the plugin reads only that. */
#ifndef CE_MODEL_POLICY_H
#define CE_MODEL_POLICY_H

#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "model/address.h"
#include "model/check_rule.h"
#include "model/node.h"
#include "model/record.h"

enum { CE_POLICY_PREFIXES_MAX = 32, CE_POLICY_SUFFIX_MAX = 64 };

enum ce_family { CE_FAMILY_AUTO, CE_FAMILY_IPV4, CE_FAMILY_IPV6 };
enum ce_tuning {
    CE_TUNING_DEFAULT, /* NCCL, Gloo, TensorPipe */
    CE_TUNING_OFF,
    CE_TUNING_ALL,     /* also UCX, NVSHMEM, Open MPI */
};
/* What becomes of a step whose nodes differ in their rails. */
enum ce_differ {
    CE_DIFFER_WARN,
    CE_DIFFER_COMMON, /* all nodes use the rails that all have */
    CE_DIFFER_REFUSE,
};

/* What is done about the faults that the prolog and the epilog find. */
enum ce_mode {
    CE_MODE_OBSERVE, /* told, nothing more */
    CE_MODE_DRAIN,   /* the node takes no more jobs */
};

/* May a node that we drained come back by itself? */
enum ce_recover { CE_RECOVER_OFF, CE_RECOVER_ON };

/* The rails (launch/rails.h) that nodes are expected to have. */
struct ce_rails_expected {
    uint32_t count;                /* 0: not known */
    enum ce_link_layer link_layer; /* CE_LINK_UNKNOWN: any */
    uint32_t rate_gbps;            /* of each; 0: any */
};

/* A version of firmware that the cards of a rail are expected to have. */
struct ce_firmware_expected {
    char type[CE_HCA_WORD]; /* hca_type, "MT4129"; "": any */
    char version[CE_HCA_WORD];
};
/* What the epilog does about processes that a job left on its GPUs. */
enum ce_leftovers {
    CE_LEFTOVERS_WARN,
    CE_LEFTOVERS_END,        /* it ends them, but on no node that other jobs may be on */
    CE_LEFTOVERS_END_SHARED, /* there, too */
};
enum { CE_LEFTOVERS_WAIT_MAX = 10 };
/* How much longer an epilog may take than a prolog, for them. */
enum { CE_POLICY_LEFTOVERS_S = 20 };

enum { CE_POLICY_FIRMWARE_MAX = 8, CE_POLICY_VBIOS_MAX = 8, CE_POLICY_MOUNTS_MAX = CE_HOST_MOUNTS_MAX };

/* What `cluster-env bench` expects of each rail, and of all-reduces; 0: the tables of
 * lib/checks, or nothing. */
struct ce_bench_policy {
    uint32_t write_gbps;    /* at least */
    uint32_t gpu_gbps;      /* the same, from GPU memory */
    uint32_t latency_us;    /* at most */
    uint32_t below_percent; /* of the siblings' median, also the GPUs': as much less is named */
    uint32_t nccl_node_gbytes; /* bus bandwidth of one node's all-reduces, at least */
    uint32_t nccl_gang_gbytes; /* of several nodes' */
};

/* How the nodes of a job look at each other before it starts (docs/preflight.md). */
enum ce_preflight_mode {
    CE_PREFLIGHT_OFF,
    CE_PREFLIGHT_NETWORK, /* over the cluster network */
    CE_PREFLIGHT_RAILS,   /* and over the rails, where there are any */
    CE_PREFLIGHT_NCCL,    /* and between all GPUs of the job */
};
struct ce_preflight_policy {
    enum ce_preflight_mode mode;
    uint32_t deadline_s;
    uint32_t port_first, port_last;
    uint32_t floor_gbps;    /* 0: none */
    uint32_t below_percent; /* of the median of the job's nodes: as much less is named; 0: nothing is */
};
enum { CE_PREFLIGHT_DEADLINE_S = 10, CE_PREFLIGHT_DEADLINE_MIN = 4, CE_PREFLIGHT_DEADLINE_MAX = 60 };

struct ce_policy {
    uint32_t port_first, port_last;         /* the window of MASTER_PORT, both included */
    char suffix[CE_POLICY_SUFFIX_MAX];      /* node name + suffix is the name in the book; "" */
    char interface[CE_NETIF_NAME];          /* the cluster interface by name; "": chosen */
    uint32_t interfaces;                    /* equal-speed cluster interfaces every node has; 0: not
                                             * known */
    enum ce_family family;                  /* of the cluster network */
    struct ce_prefix prefixes[CE_POLICY_PREFIXES_MAX]; /* of the cluster network; none: this node's */
    uint32_t prefix_count;
    enum ce_tuning tuning;                  /* which libraries' variables are written? */
    struct ce_rails_expected rails;         /* of this node */
    enum ce_differ differ;
    enum ce_mode mode;
    uint32_t gpus;                          /* that this node is expected to have; 0: not known */
    /* Only for the checks, so that node.policy does not have it. */
    struct ce_firmware_expected firmware[CE_POLICY_FIRMWARE_MAX];
    uint32_t firmware_count;
    uint32_t memory_gb;                     /* 0: not known */
    uint32_t hugepages;                     /* of the default size; 0: not known */
    char mounts[CE_POLICY_MOUNTS_MAX][CE_HOST_PATH];
    uint32_t mount_count;
    char driver[CE_GPU_WORD];               /* NVIDIA's, "570.86.15"; "": any */
    char vbios[CE_POLICY_VBIOS_MAX][CE_GPU_WORD];
    uint32_t vbios_count;                   /* 0: any */
    enum ce_answer mig, ecc;                /* on, off; unknown: as the siblings, and on */
    uint32_t power_watts;                   /* each GPU's power limit; 0: as the siblings */
    enum ce_leftovers leftovers;
    uint32_t leftovers_wait;                /* seconds that dying processes are waited for */
    uint32_t max_drained;       /* percent of a partition's nodes, for one check, */
    uint32_t max_drained_hours; /* within so long */
    enum ce_recover recover;
    struct ce_check_rules checks;
    /* What cluster-prolog has to know before it reads the configuration, in node.policy where it is not
     * the default. */
    uint32_t deadline_s;                    /* of the whole prolog or epilog */
    char log[CE_HOST_PATH];                 /* a line for each run is added to it; "": none */
    char metrics[CE_HOST_PATH];             /* the folder of Prometheus' textfiles; "": none */
    struct ce_bench_policy bench;
    struct ce_preflight_policy preflight;
};

#define CE_POLICY_LOG "/var/log/cluster-env/health.jsonl"
#define CE_POLICY_METRICS "/var/lib/prometheus/node-exporter"
enum { CE_POLICY_DEADLINE_S = 10, CE_POLICY_DEADLINE_MIN = 5, CE_POLICY_DEADLINE_MAX = 60 };

/* Fill in what holds without a configuration. */
void ce_policy_default(struct ce_policy *policy);

/* The text form (model/record.h), with that of the rules (model/rules.h; NULL: none); absent keys
 * mean the default. */
struct ce_rules;
void ce_policy_write(const struct ce_policy *policy, const struct ce_rules *rules,
                     struct ce_text *out);
int ce_policy_parse(const char *text, struct ce_policy *ret, struct ce_error *err);

/* The lines PREFIX.count, .link_layer and .rate_gbps, each where keys has its bit; *keys (which may be
 * NULL): those that are there. */
enum { CE_RAILS_COUNT = 1, CE_RAILS_LINK_LAYER = 2, CE_RAILS_RATE = 4 };
void ce_rails_expected_write(const struct ce_rails_expected *rails, unsigned keys,
                             const char *prefix, struct ce_text *out);
int ce_rails_expected_read(const struct ce_record *record, const char *prefix,
                           struct ce_rails_expected *ret, unsigned *keys, struct ce_error *err);
/* The bits of what is known. */
unsigned ce_rails_known(const struct ce_rails_expected *rails);

/* Text names: "auto", "ipv4", "ipv6"; "default", "off", "all"; "warn", "common", "refuse";
 * "observe", "drain"; "off", "on".  -1 for anything else. */
int ce_family_parse(const char *text, enum ce_family *ret);
int ce_tuning_parse(const char *text, enum ce_tuning *ret);
int ce_mode_parse(const char *text, enum ce_mode *ret);
const char *ce_mode_name(enum ce_mode mode);
int ce_recover_parse(const char *text, enum ce_recover *ret);
int ce_differ_parse(const char *text, enum ce_differ *ret);
/* "warn", "end", "end-shared". */
int ce_leftovers_parse(const char *text, enum ce_leftovers *ret);
/* "off", "network", "rails", "nccl". */
int ce_preflight_mode_parse(const char *text, enum ce_preflight_mode *ret);

/* Usable as a name suffix: letters, digits, '-', '_', '.'; and short enough. */
int ce_suffix_parse(const char *text, char ret[CE_POLICY_SUFFIX_MAX]);

#endif
