/* SPDX-License-Identifier: Apache-2.0 */
/* What a shared library says in its symbols, without loading it: a plugin built for something else may
 * crash whoever loads it. */
#ifndef CE_PROBE_ELF_H
#define CE_PROBE_ELF_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The first 4 bytes of an object that a 64-bit library of this machine's byte order exports, as a
 * number.  -1 with err: no such library, no such object, or a table that leads out of the file. */
int ce_elf_number(const void *file, size_t size, const char *symbol, uint32_t *ret,
                  struct ce_error *err);

/* The machine it is built for, as elf.h numbers them; 0: no ELF file. */
unsigned ce_elf_machine(const void *file, size_t size);

#endif
