# SPDX-License-Identifier: Apache-2.0
# Benchmarks print figures and judge nothing.  `make check` only builds these, so that they keep up
# with the library; `make bench-scale` runs this one, with "NODES ROUNDS" from BENCH_SCALE.
check_PROGRAMS += tests/bench/scale
tests_bench_scale_SOURCES = tests/bench/scale.c
tests_bench_scale_LDADD = libprobe.la libcore.la

bench-scale: tests/bench/scale$(EXEEXT)
	@tests/bench/scale$(EXEEXT) $(BENCH_SCALE)
.PHONY: bench-scale

# The rails of a node of 18 HCAs; rounds from BENCH_RAILS.
check_PROGRAMS += tests/bench/rails
tests_bench_rails_SOURCES = tests/bench/rails.c
tests_bench_rails_LDADD = libcore.la
bench-rails: tests/bench/rails$(EXEEXT)
	@tests/bench/rails$(EXEEXT) $(BENCH_RAILS)
.PHONY: bench-rails

# Facts of a recorded machine of 17 HCAs.
check_PROGRAMS += tests/bench/facts
tests_bench_facts_SOURCES = tests/bench/facts.c
tests_bench_facts_LDADD = libprobe.la libcore.la
bench-facts: tests/bench/facts$(EXEEXT)
	@rm -rf bench-facts.tree
	@$(SHELL) $(srcdir)/tests/fixtures/unpack $(srcdir)/tests/fixtures/machines/roce.tree bench-facts.tree
	@tests/bench/facts$(EXEEXT) bench-facts.tree $(BENCH_FACTS); rm -rf bench-facts.tree
.PHONY: bench-facts

# srun over 64 real slurmds with and without the option, as root; "SERIES NODES ROUNDS TOPOLOGY" from BENCH_LAUNCH.
BENCH_LAUNCH = bookworm
bench-launch:
	@$(srcdir)/tests/bench/launch $(BENCH_LAUNCH)
.PHONY: bench-launch

# cluster-prolog as a whole; "ROUNDS ROUNDS_HUNG" from BENCH_PROLOG.  Needs root.
check_PROGRAMS += tests/bench/clock_runs
tests_bench_clock_runs_SOURCES = tests/bench/clock_runs.c
EXTRA_DIST += tests/bench/prolog
bench-prolog: tests/bench/clock_runs$(EXEEXT) prolog/cluster-prolog$(EXEEXT)
	@$(SHELL) $(srcdir)/tests/bench/prolog $(BENCH_PROLOG)
.PHONY: bench-prolog

# bench rdma beside perftest's ib_write_bw, in a VM, as root; BENCH_RDMA: how many pairs.
EXTRA_DIST += tests/bench/rdma
bench-rdma: all
	@$(srcdir)/tests/bench/rdma . $(BENCH_RDMA)
.PHONY: bench-rdma
