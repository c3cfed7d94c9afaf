/* SPDX-License-Identifier: Apache-2.0 */
/* Going through the GPUs: what all checks of NVML's facts do alike.  Who could not be asked is
 * unknown, what a GPU does not have is skipped, and each says why; a check sees known numbers only.
 */
#ifndef CE_CHECKS_GPU_EACH_H
#define CE_CHECKS_GPU_EACH_H

#include "checks/check.h"
#include "model/gpu_state.h"

/* One GPU and the number that was asked for. */
struct ce_gpu_look {
    const struct ce_check_view *view;
    const struct ce_gpu_state *state;
    unsigned index;
    uint64_t number;
    char subject[CE_SUBJECT]; /* "GPU 3 (0000:61:00.0)" */
};

typedef void ce_gpu_judge(const struct ce_gpu_look *look, struct ce_findings *out);

/* Judge a fact of each GPU; `none` is said where a GPU has no such thing: "no ECC". */
void ce_gpu_each(const struct ce_check_view *view, enum ce_gpu_fact fact, const char *none,
                 ce_gpu_judge *judge, struct ce_findings *out);
/* The same without a fact: every GPU that answered. */
void ce_gpu_each_answered(const struct ce_check_view *view, ce_gpu_judge *judge,
                          struct ce_findings *out);

/* Is there anything to look at?  If not, why not is in out: no GPU of NVIDIA's, nobody asked NVML,
 * or the cause why it did not answer. */
bool ce_gpu_any(const struct ce_check_view *view, struct ce_findings *out);
/* NVIDIA's: NVML knows no others. */
bool ce_gpu_is_nvidia(const struct ce_check_view *view, unsigned index);
void ce_gpu_name(const struct ce_check_view *view, unsigned index, char subject[CE_SUBJECT]);

/* A fact of the same GPU: true and *ret where it is known. */
bool ce_gpu_know(const struct ce_gpu_state *state, enum ce_gpu_fact fact, uint64_t *ret);
/* The same GPU before the job; NULL: nothing is known of before, it was not there, another one was, or
 * it did not answer. */
const struct ce_gpu_state *ce_gpu_before(const struct ce_gpu_look *look);
/* Was this fact of it known to be less before the job?  Then gpu.job.* tells of it, once is enough. */
bool ce_gpu_came(const struct ce_gpu_look *look, enum ce_gpu_fact fact);
/* What more than half of the GPUs that know it have: what siblings agree on.  False: nothing. */
bool ce_gpu_usual(const struct ce_check_view *view, enum ce_gpu_fact fact, uint64_t *ret);

#endif
