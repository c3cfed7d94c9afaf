/* SPDX-License-Identifier: Apache-2.0 */
/* A recorded kernel log of tests/fixtures/kernel. */
#ifndef CE_TESTS_UNIT_KERNEL_H
#define CE_TESTS_UNIT_KERNEL_H

#include "probe/machine.h"
#include "probe/kernel_log.h"

/* The text of a fixture, to be freed. */
static inline char *kernel_fixture(const char *name)
{
    char path[PATH_MAX];
    machine_path(path, sizeof path, name);
    struct unit_dir here = {.fd = AT_FDCWD};
    char *text = unit_dir_read(&here, path);
    assert_non_null(text);
    return text;
}

static inline struct ce_kernel_log kernel_recorded(const char *name, uint64_t since)
{
    char path[128];
    struct ce_kernel_log log = {.read = false};
    snprintf(path, sizeof path, "kernel/%s", name);
    char *text = kernel_fixture(path);
    ce_kernel_log_take_text(text, since, &log);
    free(text);
    return log;
}

#endif
