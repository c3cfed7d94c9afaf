# SPDX-License-Identifier: Apache-2.0
# Benchmarks print figures and judge nothing.  `make check` only builds this one, so that it keeps up
# with the library; `make bench-scale` runs it, with "NODES ROUNDS" from BENCH_SCALE.
check_PROGRAMS += tests/bench/scale
tests_bench_scale_SOURCES = tests/bench/scale.c
tests_bench_scale_LDADD = libprobe.la libcore.la

bench-scale: tests/bench/scale$(EXEEXT)
	@tests/bench/scale$(EXEEXT) $(BENCH_SCALE)
.PHONY: bench-scale
