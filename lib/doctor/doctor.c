/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/doctor.h"

#include <stdio.h>

const struct ce_doctor_row *ce_doctor_row_at(size_t index)
{
    const struct {
        const struct ce_doctor_row *rows;
        size_t count;
    } tables[] = {
        {ce_doctor_slurm_rows, ce_doctor_slurm_row_count},
        {ce_doctor_plugin_rows, ce_doctor_plugin_row_count},
        {ce_doctor_site_rows, ce_doctor_site_row_count},
        {ce_doctor_node_rows, ce_doctor_node_row_count},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (index < tables[i].count)
            return &tables[i].rows[index];
        index -= tables[i].count;
    }
    return NULL;
}

/* Those that the row has added. */
static void sign(const struct ce_doctor_row *row, struct ce_findings *out, size_t from)
{
    for (size_t i = from; i < out->count; i++) {
        struct ce_finding *finding = &out->items[i];
        finding->check = row->name;
        finding->what = "thing";
        finding->response = CE_TELL;
        if (!finding->remedy || !*finding->remedy)
            finding->remedy = row->remedy;
    }
}

void ce_doctor_judge(const struct ce_install *install, struct ce_findings *out)
{
    const struct ce_doctor_row *row;
    for (size_t i = 0; (row = ce_doctor_row_at(i)) != NULL; i++) {
        size_t from = out->count;
        if (install->role == CE_ROLE_HEAD && !row->on_head)
            ce_findings_add(out, CE_SKIP, "", "no jobs run on this machine");
        else
            row->judge(install, out);
        sign(row, out, from);
    }
}
