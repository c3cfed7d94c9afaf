/* SPDX-License-Identifier: Apache-2.0 */
/* What measurements of GPUs mean: texts of bench-gpu, and what is found. */
#include "checks/bench_gpu.h"

#include "../unit.h"
#include "seen.h"

enum { GPUS = 4 };

#define H100 "name=NVIDIA H100 80GB HBM3\nstart=done\n"
#define T4 "name=Tesla T4\nstart=done\n"
#define H2D(mbytes) "h2d=done\nh2d.mbytes=" mbytes "\n"
#define D2H(mbytes) "d2h=done\nd2h.mbytes=" mbytes "\n"
#define D2D(mbytes) "d2d=done\nd2d.mbytes=" mbytes "\n"
#define MEMORY(passes, wrong)                                                                      \
    "memory=done\nmemory.free=85899345920\nmemory.tested=77309411328\nmemory.passes=" passes       \
    "\nmemory.wrong=" wrong "\n"
#define LOAD(gflops, wrong) "load=done\nload.gflops=" gflops "\nload.miscounted=" wrong "\n"

static const struct row {
    const char *name;
    const char *gpus[GPUS]; /* NULL: no more */
    const char *found;      /* "VERDICT CHECK SUBJECT TEXT" lines */
    struct ce_bench_limits limits;
} rows[] = {
    {"no_gpu_is_skipped", {NULL}, "skip bench.gpu.start no NVIDIA GPU\n", {.below = 5}},
    {"pass_at_the_floor", {H100 H2D("48000")}, "pass bench.gpu.h2d GPU 0 (a) 48.0 GB/s, at least 48\n", {.below = 5}},
    {"fail_below_the_floor_of_the_model", {H100 H2D("47999")},
     "fail bench.gpu.h2d GPU 0 (a) 48.0 GB/s, expected at least 48\n", {.below = 5}},
    {"a_pcie_card_has_not_the_floor_of_nvlink",
     {"name=NVIDIA H100 PCIe\nstart=done\np2p=done\npeers=1\npeer.0.pci=b\npeer.0.mbytes=40000\n"},
     "pass bench.gpu.p2p GPU 0 (a) to 1 peer: 40.0 to 40.0 GB/s\n", {.below = 5}},
    {"gb200_has_a_floor", {"name=NVIDIA GB200\nstart=done\n" H2D("47000")},
     "fail bench.gpu.h2d GPU 0 (a) 47.0 GB/s, expected at least 48\n", {.below = 5}},
    {"a_card_that_may_lack_the_bridge_has_only_the_host_s",
     {"name=NVIDIA H100 NVL\nstart=done\n" H2D("53000") "p2p=done\npeers=1\npeer.0.pci=b\npeer.0.mbytes=40000\n"},
     "pass bench.gpu.h2d GPU 0 (a) 53.0 GB/s, at least 52\n"
     "pass bench.gpu.p2p GPU 0 (a) to 1 peer: 40.0 to 40.0 GB/s\n", {.below = 5}},
    {"no_floor_known_passes", {T4 H2D("6000")}, "pass bench.gpu.h2d GPU 0 (a) 6.0 GB/s\n", {.below = 5}},
    {"a_given_floor_wins", {H100 H2D("40000")}, "pass bench.gpu.h2d GPU 0 (a) 40.0 GB/s, at least 30\n",
     {.below = 5, .floors = {[CE_TEST_H2D] = 30}}},
    {"a_given_floor_also_for_other_models", {T4 D2D("200000")},
     "fail bench.gpu.d2d GPU 0 (a) 200.0 GB/s, expected at least 250\n",
     {.below = 5, .floors = {[CE_TEST_D2D] = 250}}},
    {"warn_below_the_median", {T4 H2D("10000"), T4 H2D("9400"), T4 H2D("10100")},
     "pass bench.gpu.h2d GPU 0 (a) 10.0 GB/s\n"
     "warn bench.gpu.h2d GPU 1 (a) 9.4 GB/s, 6 % below the median of 10.0\n"
     "pass bench.gpu.h2d GPU 2 (a) 10.1 GB/s\n", {.below = 5}},
    {"five_per_cent_is_still_well", {T4 H2D("10000"), T4 H2D("9500"), T4 H2D("10100")},
     "pass bench.gpu.h2d GPU 0 (a) 10.0 GB/s\npass bench.gpu.h2d GPU 1 (a) 9.5 GB/s\n"
     "pass bench.gpu.h2d GPU 2 (a) 10.1 GB/s\n", {.below = 5}},
    {"two_have_no_median", {T4 H2D("10000"), T4 H2D("5000")},
     "pass bench.gpu.h2d GPU 0 (a) 10.0 GB/s\npass bench.gpu.h2d GPU 1 (a) 5.0 GB/s\n", {.below = 5}},
    {"nor_do_other_models", {T4 H2D("10000"), T4 H2D("10000"), "name=A2\nstart=done\n" H2D("5000")},
     "pass bench.gpu.h2d GPU 0 (a) 10.0 GB/s\npass bench.gpu.h2d GPU 1 (a) 10.0 GB/s\n"
     "pass bench.gpu.h2d GPU 2 (a) 5.0 GB/s\n", {.below = 5}},
    {"zero_switches_the_median_off", {T4 H2D("10000"), T4 H2D("5000"), T4 H2D("10000")},
     "pass bench.gpu.h2d GPU 0 (a) 10.0 GB/s\npass bench.gpu.h2d GPU 1 (a) 5.0 GB/s\n"
     "pass bench.gpu.h2d GPU 2 (a) 10.0 GB/s\n", {.below = 0}},
    {"back_from_the_gpu_at_the_floor", {H100 D2H("48000")}, "pass bench.gpu.d2h GPU 0 (a) 48.0 GB/s, at least 48\n",
     {.below = 5}},
    {"back_from_the_gpu_below_it", {H100 D2H("20000")},
     "fail bench.gpu.d2h GPU 0 (a) 20.0 GB/s, expected at least 48\n", {.below = 5}},
    {"back_from_the_gpu_below_the_median", {T4 D2H("10000"), T4 D2H("9400"), T4 D2H("10100")},
     "pass bench.gpu.d2h GPU 0 (a) 10.0 GB/s\n"
     "warn bench.gpu.d2h GPU 1 (a) 9.4 GB/s, 6 % below the median of 10.0\n"
     "pass bench.gpu.d2h GPU 2 (a) 10.1 GB/s\n", {.below = 5}},
    {"back_from_a_gpu_that_hangs", {H100 "d2h=late\nd2h.reason=no answer in 32 s\nd2d=skipped\nd2d.reason=no time\n"},
     "unknown bench.gpu.d2h GPU 0 (a) the driver hangs: no answer in 32 s\n"
     "skip bench.gpu.d2d GPU 0 (a) no time\n", {.below = 5}},
    {"its_own_memory_has_no_floor_of_the_model", {H100 D2D("100")}, "pass bench.gpu.d2d GPU 0 (a) 0.1 GB/s\n",
     {.below = 5}},
    {"its_own_memory_below_the_median", {H100 D2D("2500000"), H100 D2D("2000000"), H100 D2D("2500000")},
     "pass bench.gpu.d2d GPU 0 (a) 2500.0 GB/s\n"
     "warn bench.gpu.d2d GPU 1 (a) 2000.0 GB/s, 20 % below the median of 2500.0\n"
     "pass bench.gpu.d2d GPU 2 (a) 2500.0 GB/s\n", {.below = 5}},
    {"its_own_memory_without_a_number", {H100 "d2d=done\n"}, "unknown bench.gpu.d2d GPU 0 (a) no answer\n",
     {.below = 5}},
    {"a_way_below_the_median_of_all", {T4 "p2p=done\npeers=3\npeer.0.pci=b\npeer.0.mbytes=10000\npeer.1.pci=c\n"
                                          "peer.1.mbytes=9000\npeer.2.pci=d\npeer.2.mbytes=10000\n"},
     "warn bench.gpu.p2p GPU 0 (a) to c 9.0 GB/s, 10 % below the median of 10.0\n"
     "pass bench.gpu.p2p GPU 0 (a) to 2 peers: 10.0 to 10.0 GB/s\n", {.below = 5}},
    {"peers_that_hang", {H100 "p2p=late\np2p.reason=no answer in 32 s\nmemory=skipped\nmemory.reason=no time\n"
                              "load=skipped\nload.reason=no time\n"},
     "unknown bench.gpu.p2p GPU 0 (a) the driver hangs: no answer in 32 s\n"
     "skip bench.gpu.memory GPU 0 (a) no time\nskip bench.gpu.load GPU 0 (a) no time\n", {.below = 5}},
    {"ways_to_peers", {H100 "p2p=done\npeers=3\npeer.0.pci=b\npeer.0.mbytes=380000\npeer.1.pci=c\n"
                            "peer.1.mbytes=20000\npeer.2.pci=d\npeer.2.reason=no access to it\n"},
     "fail bench.gpu.p2p GPU 0 (a) to c 20.0 GB/s, expected at least 335\n"
     "skip bench.gpu.p2p GPU 0 (a) to d no access to it\n"
     "pass bench.gpu.p2p GPU 0 (a) to 1 peer: 380.0 to 380.0 GB/s\n", {.below = 5}},
    {"memory_pass", {H100 MEMORY("40", "0")}, "pass bench.gpu.memory GPU 0 (a) 72.0 GiB, 40 passes\n", {.below = 5}},
    {"memory_pass_of_a_little", {H100 "memory=done\nmemory.tested=73400320\nmemory.passes=4\nmemory.wrong=0\n"},
     "pass bench.gpu.memory GPU 0 (a) 70 MiB, 4 passes\n", {.below = 5}},
    {"memory_unknown_too_few_patterns", {H100 MEMORY("3", "0")},
     "unknown bench.gpu.memory GPU 0 (a) time for 3 of 4 patterns only, in them nothing was wrong\n", {.below = 5}},
    {"memory_fail", {H100 MEMORY("1", "2") "wrong.0.address=4096\nwrong.0.expected=1\nwrong.0.found=3\n"},
     "fail bench.gpu.memory GPU 0 (a) 2 wrong words, first at 0x1000: 0x0000000000000003, expected "
     "0x0000000000000001\n", {.below = 5}},
    {"memory_fail_without_a_word_kept", {H100 MEMORY("1", "2")},
     "fail bench.gpu.memory GPU 0 (a) 2 wrong words\n", {.below = 5}},
    {"load_pass", {H100 LOAD("51234", "0") "load.clock_mhz=1980\nload.power_mw=690500\n"},
     "pass bench.gpu.load GPU 0 (a) 51.2 TFLOPS at 1980 MHz and 690 W\n", {.below = 5}},
    {"load_without_clock_and_power", {T4 LOAD("7000", "0")}, "pass bench.gpu.load GPU 0 (a) 7.0 TFLOPS\n", {.below = 5}},
    {"load_fail_wrong_results", {H100 LOAD("51234", "7") "load.power_mw=690000\n"},
     "fail bench.gpu.load GPU 0 (a) 7 threads computed a wrong result at 690 W\n", {.below = 5}},
    {"load_warn_below_the_median", {T4 LOAD("7000", "0"), T4 LOAD("5000", "0"), T4 LOAD("7000", "0")},
     "pass bench.gpu.load GPU 0 (a) 7.0 TFLOPS\n"
     "warn bench.gpu.load GPU 1 (a) 5.0 TFLOPS, 29 % below the median of 7.0\n"
     "pass bench.gpu.load GPU 2 (a) 7.0 TFLOPS\n", {.below = 5}},
    {"skip_no_library", {"start=skipped\nstart.reason=libcuda.so.1: not there\n"},
     "skip bench.gpu.start GPU 0 (a) libcuda.so.1: not there\n", {.below = 5}},
    {"unknown_a_driver_that_does_not_start", {"start=failed\nstart.code=802\nstart.reason=finding it\n"},
     "unknown bench.gpu.start GPU 0 (a) finding it\n", {.below = 5}},
    {"fail_an_ecc_error_at_the_start", {"start=failed\nstart.code=214\nstart.reason=ECC\n"},
     "fail bench.gpu.start GPU 0 (a) ECC\n", {.below = 5}},
    {"unknown_hang", {H100 "h2d=late\nh2d.reason=no answer in 32 s\nd2h=skipped\nd2h.reason=not run: h2d failed\n"},
     "unknown bench.gpu.h2d GPU 0 (a) the driver hangs: no answer in 32 s\n"
     "skip bench.gpu.d2h GPU 0 (a) not run: h2d failed\n", {.below = 5}},
    {"fail_an_ecc_error_of_cuda", {H100 "memory=failed\nmemory.code=214\nmemory.reason=ECC\n"},
     "fail bench.gpu.memory GPU 0 (a) ECC\n", {.below = 5}},
    {"unknown_another_error_of_cuda", {H100 "memory=failed\nmemory.code=2\nmemory.reason=none\n"},
     "unknown bench.gpu.memory GPU 0 (a) none\n", {.below = 5}},
    {"fail_an_nvlink_error", {H100 "p2p=failed\np2p.code=220\np2p.reason=NVLink\n"},
     "fail bench.gpu.p2p GPU 0 (a) NVLink\n", {.below = 5}},
    {"unknown_a_launch_that_fails", {H100 "load=failed\nload.code=719\nload.reason=launch\n"},
     "unknown bench.gpu.load GPU 0 (a) launch\n", {.below = 5}},
    {"unknown_a_hardware_stack_error", {H100 "load=failed\nload.code=714\nload.reason=stack\n"},
     "unknown bench.gpu.load GPU 0 (a) stack\n", {.below = 5}},
    {"unknown_done_without_a_number", {H100 "h2d=done\nmemory=done\nload=done\n"},
     "unknown bench.gpu.h2d GPU 0 (a) no answer\nunknown bench.gpu.memory GPU 0 (a) no answer\n"
     "unknown bench.gpu.load GPU 0 (a) no answer\n", {.below = 5}},
    {"ecc_fail", {H100 H2D("50000") "ecc.corrected=3\necc.uncorrected=1\n"},
     "pass bench.gpu.h2d GPU 0 (a) 50.0 GB/s, at least 48\n"
     "fail bench.gpu.ecc GPU 0 (a) 1 uncorrected memory errors during the tests\n", {.below = 5}},
    {"ecc_pass", {H100 H2D("50000") "ecc.corrected=0\necc.uncorrected=0\n"},
     "pass bench.gpu.h2d GPU 0 (a) 50.0 GB/s, at least 48\n"
     "pass bench.gpu.ecc GPU 0 (a) no memory error during the tests\n", {.below = 5}},
    {"ecc_warn", {H100 H2D("50000") "ecc.corrected=3\necc.uncorrected=0\n"},
     "pass bench.gpu.h2d GPU 0 (a) 50.0 GB/s, at least 48\n"
     "warn bench.gpu.ecc GPU 0 (a) 3 corrected memory errors during the tests\n", {.below = 5}},
    {"ecc_skipped_on_a_gpu_that_was_not_used", {H100 "h2d=skipped\nh2d.reason=in use\necc.uncorrected=0\n"},
     "skip bench.gpu.h2d GPU 0 (a) in use\n", {.below = 5}},
};

static size_t read_gpus(const struct row *row, struct ce_gpu_bench *gpus)
{
    size_t count = 0;
    for (; count < GPUS && row->gpus[count]; count++) {
        char text[1024];
        struct ce_error err = {""};
        snprintf(text, sizeof text, "format=1\ngpu=a\n%send=1\n", row->gpus[count]);
        if (ce_gpu_bench_read(text, &gpus[count], &err) < 0)
            fail_msg("%s", err.text);
    }
    return count;
}

static void is_found(void **state)
{
    const struct row *row = *state;
    static struct ce_gpu_bench gpus[GPUS];
    ce_autofindings struct ce_findings findings = {.count = 0};
    ce_autotext struct ce_text text = CE_TEXT(1 << 16);
    ce_bench_gpus_judge(gpus, read_gpus(row, gpus), &row->limits, &findings);
    for (size_t i = 0; i < findings.count; i++) {
        const struct ce_finding *finding = &findings.items[i];
        ce_text_addf(&text, "%s %s %s%s%s\n", ce_verdict_name(finding->verdict), finding->check,
                     finding->subject, finding->subject[0] ? " " : "", finding->text);
        assert_true(finding->remedy[0]);
        assert_null(strpbrk(finding->remedy, ";[]"));
        assert_int_not_equal(finding->response, CE_DRAIN);
    }
    assert_string_equal(ce_text_string(&text), row->found);
    seen_all(NULL, &findings);
}

int main(void)
{
    UNIT_TABLE(rows, is_found);
    return UNIT_RUN("bench_gpu");
}
