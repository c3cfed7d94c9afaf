# SPDX-License-Identifier: Apache-2.0
# Manual pages (made by configure, which puts the version in), docs, completion.
man_MANS = \
    docs/man/cluster-env.1 \
    docs/man/cluster-epilog.8 \
    docs/man/cluster-healthcheck.8 \
    docs/man/cluster-prolog.8 \
    docs/man/libclusterenv.3 \
    docs/man/cluster-env.conf.5 \
    docs/man/cluster-env.hosts.5 \
    docs/man/node.facts.5 \
    docs/man/slurm-cluster-env.7
dist_man_MANS = docs/man/node.policy.5

dist_doc_DATA += \
    docs/addresses.md \
    docs/admin.md \
    docs/bench.md \
    docs/checks.md \
    docs/frameworks.md \
    docs/doctor.md \
    docs/hardware-seen.md \
    docs/hooks.md \
    docs/machines.md \
    docs/monitoring.md \
    docs/preflight.md \
    docs/performance.md \
    docs/prolog.md \
    docs/stable.md \
    docs/status.md \
    docs/topology.md \
    docs/topology.svg \
    docs/troubleshooting.md \
    docs/user.md \
    docs/variables.md
examplesdir = $(docdir)/examples
frameworksdir = $(examplesdir)/frameworks
dist_frameworks_DATA = \
    docs/examples/frameworks/accelerate.sbatch \
    docs/examples/frameworks/deepspeed.sbatch \
    docs/examples/frameworks/ds_config.json \
    docs/examples/frameworks/horovod.sbatch \
    docs/examples/frameworks/jax.sbatch \
    docs/examples/frameworks/lightning.sbatch \
    docs/examples/frameworks/megatron.sbatch \
    docs/examples/frameworks/mpich.sbatch \
    docs/examples/frameworks/nvshmem.sbatch \
    docs/examples/frameworks/openmpi.sbatch \
    docs/examples/frameworks/ray.sbatch \
    docs/examples/frameworks/ray_start.sbatch \
    docs/examples/frameworks/tensorflow.sbatch \
    docs/examples/frameworks/torch.sbatch \
    docs/examples/frameworks/torchrun.sbatch \
    docs/examples/frameworks/train.py \
    docs/examples/frameworks/train_accelerate.py \
    docs/examples/frameworks/train_deepspeed.py \
    docs/examples/frameworks/train_jax.py \
    docs/examples/frameworks/train_lightning.py \
    docs/examples/frameworks/train_ray.py \
    docs/examples/frameworks/train_tensorflow.py
dist_examples_DATA = \
    docs/examples/cluster-env.rules.yml \
    docs/examples/cluster_info.c \
    docs/examples/grafana-dashboard.json

bashcompletion_DATA = completions/cluster-env
CLEANFILES += completions/cluster-env
EXTRA_DIST += completions/cluster-env.bash

completions/cluster-env: $(srcdir)/completions/cluster-env.bash
	$(AM_V_GEN)$(MKDIR_P) completions && cp $(srcdir)/completions/cluster-env.bash $@
