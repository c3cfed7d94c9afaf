/* SPDX-License-Identifier: Apache-2.0 */
#include "report/doctor.h"

#include "report/findings.h"
#include "report/json.h"

static const char *role_of(const struct ce_install *install)
{
    return install->role == CE_ROLE_COMPUTE ? "compute" : "head";
}

/* NULL: not known. */
static const char *slurm_of(const struct ce_install *install, char text[CE_SLURM_VERSION])
{
    return install->slurm_version ? ce_slurm_release(install->slurm_version, text) : NULL;
}

static const char *mode_of(const struct ce_install *install)
{
    return install->config.valid ? ce_mode_name(install->config.policy.mode) : NULL;
}

void ce_report_doctor_text(const struct ce_install *install, const struct ce_findings *findings,
                           bool colour, unsigned columns, struct ce_text *out)
{
    char version[CE_SLURM_VERSION];
    const char *slurm = slurm_of(install, version), *mode = mode_of(install);
    ce_text_addf(out, "%s: a %s node, Slurm %s, mode %s\n", install->node, role_of(install),
                 slurm ? slurm : "unknown", mode ? mode : "unknown");
    ce_report_findings_text(findings, true, colour, columns, out);
}

int ce_report_doctor_json(const struct ce_install *install, const struct ce_findings *findings,
                          struct ce_text *out)
{
    char version[CE_SLURM_VERSION];
    json_t *list = json_array();
    for (size_t i = 0; i < findings->count; i++)
        json_array_append_new(list, ce_json_finding(&findings->items[i]));
    return ce_json_write(
        json_pack("{si so ss so so so so}", "schema", 1, "node", ce_json_text(install->node), "role",
                  role_of(install), "slurm", ce_json_text(slurm_of(install, version)), "mode",
                  ce_json_text(mode_of(install)), "counts", ce_json_counts(findings), "findings",
                  list),
        out);
}
