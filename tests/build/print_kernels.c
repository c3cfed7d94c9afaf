/* SPDX-License-Identifier: Apache-2.0 */
/* The PTX text that bench-gpu carries, to stdout. */
#include <stdio.h>

extern const char bench_kernels[];

int main(void)
{
    return fputs(bench_kernels, stdout) == EOF;
}
