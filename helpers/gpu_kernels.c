/* SPDX-License-Identifier: Apache-2.0 */
/* What runs on the GPU, as PTX text that the driver compiles: for sm_50 and all that came after.
 * tests/build/gpu_kernels.sh assembles it where CUDA's ptxas is, and computes it on the host.
 *
 * fill(words, count, start, invert, random)            words[i] = value(start + i)
 * check(words, count, start, invert, random, report)   report those that are not value(start + i)
 * fma(wrong, rounds, expected)                         count threads with another result
 *
 * value(n) is bit n % 64, or of `random` the n-th word of SplitMix64 with seed 0; XOR `invert`.
 * report is the count and the OR of the wrong bits, then address, expected and found of the first
 * CE_WRONG_MAX (8) words.  fma computes 8 chains x = r (x - x^2), r = 3.984375, from 1/8 on in steps
 * of 1/16, and XORs their bits. */
#include "bench.h"

/* %i is the thread's word, %step how many threads there are. */
#define THREAD                                                                                     \
    "    mov.u32 %a, %ctaid.x;\n"                                                                  \
    "    mov.u32 %b, %ntid.x;\n"                                                                   \
    "    mov.u32 %c, %tid.x;\n"                                                                    \
    "    mul.wide.u32 %i, %a, %b;\n"                                                               \
    "    cvt.u64.u32 %n, %c;\n"                                                                    \
    "    add.u64 %i, %i, %n;\n"                                                                    \
    "    mov.u32 %a, %nctaid.x;\n"                                                                 \
    "    mul.wide.u32 %step, %a, %b;\n"

#define PARAMETERS                                                                                 \
    "    .param .u64 words,\n"                                                                     \
    "    .param .u64 count,\n"                                                                     \
    "    .param .u64 start,\n"                                                                     \
    "    .param .u64 invert,\n"                                                                    \
    "    .param .u32 random"

#define REGISTERS                                                                                  \
    "    .reg .pred %done, %israndom;\n"                                                           \
    "    .reg .u32 %a, %b, %c;\n"                                                                  \
    "    .reg .u64 %words, %count, %start, %invert, %i, %n, %step, %at, %value, %shifted;\n"

#define LOAD                                                                                       \
    "    ld.param.u64 %words, [words];\n"                                                          \
    "    ld.param.u64 %count, [count];\n"                                                          \
    "    ld.param.u64 %start, [start];\n"                                                          \
    "    ld.param.u64 %invert, [invert];\n"                                                        \
    "    ld.param.u32 %a, [random];\n"                                                             \
    "    setp.ne.u32 %israndom, %a, 0;\n"                                                          \
    "    cvta.to.global.u64 %words, %words;\n"

/* %value = value(%start + %i), %at = where it stands. */
#define VALUE                                                                                      \
    "    add.u64 %n, %start, %i;\n"                                                                \
    "    cvt.u32.u64 %a, %n;\n"                                                                    \
    "    and.b32 %a, %a, 63;\n"                                                                    \
    "    mov.u64 %value, 1;\n"                                                                     \
    "    shl.b64 %value, %value, %a;\n"                                                            \
    "    add.u64 %n, %n, 1;\n"                                                                     \
    "    mul.lo.u64 %n, %n, 0x9E3779B97F4A7C15;\n"                                                 \
    "    shr.u64 %shifted, %n, 30;\n"                                                              \
    "    xor.b64 %n, %n, %shifted;\n"                                                              \
    "    mul.lo.u64 %n, %n, 0xBF58476D1CE4E5B9;\n"                                                 \
    "    shr.u64 %shifted, %n, 27;\n"                                                              \
    "    xor.b64 %n, %n, %shifted;\n"                                                              \
    "    mul.lo.u64 %n, %n, 0x94D049BB133111EB;\n"                                                 \
    "    shr.u64 %shifted, %n, 31;\n"                                                              \
    "    xor.b64 %n, %n, %shifted;\n"                                                              \
    "    selp.b64 %value, %n, %value, %israndom;\n"                                                \
    "    xor.b64 %value, %value, %invert;\n"                                                       \
    "    shl.b64 %at, %i, 3;\n"                                                                    \
    "    add.u64 %at, %at, %words;\n"

#define CHAIN(x, t)                                                                                \
    "    neg.f32 " t ", " x ";\n"                                                                  \
    "    fma.rn.f32 " t ", " t ", " x ", " x ";\n"                                                 \
    "    fma.rn.f32 " x ", " t ", 0f407F0000, 0f00000000;\n"

const char bench_kernels[] =
    ".version 6.0\n"
    ".target sm_50\n"
    ".address_size 64\n"
    "\n"
    ".visible .entry fill(\n" PARAMETERS "\n)\n"
    "{\n" REGISTERS LOAD THREAD
    "LOOP:\n"
    "    setp.ge.u64 %done, %i, %count;\n"
    "    @%done bra END;\n" VALUE
    "    st.global.u64 [%at], %value;\n"
    "    add.u64 %i, %i, %step;\n"
    "    bra LOOP;\n"
    "END:\n"
    "    ret;\n"
    "}\n"
    "\n"
    ".visible .entry check(\n" PARAMETERS ",\n"
    "    .param .u64 report\n"
    ")\n"
    "{\n" REGISTERS
    "    .reg .pred %right, %many;\n"
    "    .reg .u64 %report, %found, %bits, %place;\n" LOAD
    "    ld.param.u64 %report, [report];\n"
    "    cvta.to.global.u64 %report, %report;\n" THREAD
    "LOOP:\n"
    "    setp.ge.u64 %done, %i, %count;\n"
    "    @%done bra END;\n" VALUE
    "    ld.global.u64 %found, [%at];\n"
    "    add.u64 %i, %i, %step;\n"
    "    setp.eq.u64 %right, %found, %value;\n"
    "    @%right bra LOOP;\n"
    "    xor.b64 %bits, %found, %value;\n"
    "    atom.global.or.b64 %place, [%report+8], %bits;\n"
    "    atom.global.add.u64 %place, [%report], 1;\n"
    "    setp.ge.u64 %many, %place, 8;\n"
    "    @%many bra LOOP;\n"
    "    mul.lo.u64 %place, %place, 24;\n"
    "    add.u64 %place, %place, %report;\n"
    "    st.global.u64 [%place+16], %at;\n"
    "    st.global.u64 [%place+24], %value;\n"
    "    st.global.u64 [%place+32], %found;\n"
    "    bra LOOP;\n"
    "END:\n"
    "    ret;\n"
    "}\n"
    "\n"
    ".visible .entry fma(\n"
    "    .param .u64 wrong,\n"
    "    .param .u32 rounds,\n"
    "    .param .u32 expected\n"
    ")\n"
    "{\n"
    "    .reg .pred %more, %right;\n"
    "    .reg .u32 %rounds, %expected, %all, %bits;\n"
    "    .reg .u64 %wrong, %before;\n"
    "    .reg .f32 %x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7;\n"
    "    .reg .f32 %t0, %t1, %t2, %t3, %t4, %t5, %t6, %t7;\n"
    "    ld.param.u64 %wrong, [wrong];\n"
    "    ld.param.u32 %rounds, [rounds];\n"
    "    ld.param.u32 %expected, [expected];\n"
    "    cvta.to.global.u64 %wrong, %wrong;\n"
    "    mov.f32 %x0, 0f3E000000;\n"
    "    mov.f32 %x1, 0f3E400000;\n"
    "    mov.f32 %x2, 0f3E800000;\n"
    "    mov.f32 %x3, 0f3EA00000;\n"
    "    mov.f32 %x4, 0f3EC00000;\n"
    "    mov.f32 %x5, 0f3EE00000;\n"
    "    mov.f32 %x6, 0f3F000000;\n"
    "    mov.f32 %x7, 0f3F100000;\n"
    "LOOP:\n" CHAIN("%x0", "%t0") CHAIN("%x1", "%t1") CHAIN("%x2", "%t2") CHAIN("%x3", "%t3")
        CHAIN("%x4", "%t4") CHAIN("%x5", "%t5") CHAIN("%x6", "%t6") CHAIN("%x7", "%t7")
    "    sub.u32 %rounds, %rounds, 1;\n"
    "    setp.ne.u32 %more, %rounds, 0;\n"
    "    @%more bra LOOP;\n"
    "    mov.b32 %all, %x0;\n"
    "    mov.b32 %bits, %x1;\n"
    "    xor.b32 %all, %all, %bits;\n"
    "    mov.b32 %bits, %x2;\n"
    "    xor.b32 %all, %all, %bits;\n"
    "    mov.b32 %bits, %x3;\n"
    "    xor.b32 %all, %all, %bits;\n"
    "    mov.b32 %bits, %x4;\n"
    "    xor.b32 %all, %all, %bits;\n"
    "    mov.b32 %bits, %x5;\n"
    "    xor.b32 %all, %all, %bits;\n"
    "    mov.b32 %bits, %x6;\n"
    "    xor.b32 %all, %all, %bits;\n"
    "    mov.b32 %bits, %x7;\n"
    "    xor.b32 %all, %all, %bits;\n"
    "    setp.eq.u32 %right, %all, %expected;\n"
    "    @%right bra END;\n"
    "    atom.global.add.u64 %before, [%wrong], 1;\n"
    "END:\n"
    "    ret;\n"
    "}\n";
