/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the table of variables as docs/variables.md has it. */
#include <stdio.h>

#include "launch/variables.h"

int main(void)
{
    puts("| name | value | where | class | from |\n|---|---|---|---|---|");
    for (size_t i = 0; i < ce_variable_count; i++) {
        const struct ce_variable *v = &ce_variables[i];
        printf("| `%s` | %s | %s | %s | %s |\n", v->name, v->doc, ce_where_name(v->where),
               ce_class_name(v->class), v->source ? v->source : "the port, see below");
    }
    return 0;
}
