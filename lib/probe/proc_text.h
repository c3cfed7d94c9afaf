/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of /proc, parts of which any user can choose: the names of processes, mounts.  PURE. */
#ifndef CE_PROBE_PROC_TEXT_H
#define CE_PROBE_PROC_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* The rest of the line that begins with these bytes; NULL: there is none. */
const char *ce_proc_line(const char *text, const char *start);

/* "MemTotal:       65837124 kB".  0; -1: there is no such number. */
int ce_proc_number(const char *text, const char *key, uint64_t *ret);

/* /proc/self/mounts: "server:/home /home nfs4 rw,... 0 0". */
bool ce_proc_is_mounted(const char *mounts, const char *path);

/* /proc/PID/stat: "4711 (python) D 1 ...".  A name may hold anything, blanks, brackets and newlines too;
 * control characters are '?' in `name`.  0; -1: not such a text. */
enum { CE_PROC_NAME = 32 };
struct ce_proc_stat {
    char state;
    char name[CE_PROC_NAME + 1];
};
int ce_proc_stat_parse(const char *text, struct ce_proc_stat *ret);

/* The target of /proc/PID/fd/N: is it NVIDIA's driver? */
bool ce_proc_is_gpu(const char *target);

#endif
