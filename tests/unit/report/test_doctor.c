/* SPDX-License-Identifier: Apache-2.0 */
#include "report/doctor.h"

#include <jansson.h>

#include "../unit.h"

static struct ce_install *make_install(void)
{
    struct ce_install *install = ce_install_create();
    assert_non_null(install);
    snprintf(install->node, sizeof install->node, "n1");
    install->role = CE_ROLE_COMPUTE;
    install->slurm_version = 0x180b05;
    install->config.valid = true;
    return install;
}

static void add_findings(struct ce_findings *findings)
{
    static const char *const names[] = {"slurm.prolog", "node.unit"};
    ce_findings_add(findings, CE_FAIL, "", "Prolog is not set");
    ce_findings_add(findings, CE_SKIP, "", "systemd does not run here");
    for (size_t i = 0; i < 2; i++) {
        findings->items[i].check = names[i];
        findings->items[i].remedy = "Prolog=/x";
        findings->items[i].response = CE_TELL;
    }
}

static void a_person_reads_rows(void **state)
{
    ce_auto(ce_install_destroy) struct ce_install *install = make_install();
    ce_autofindings struct ce_findings findings = {.items = NULL};
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    (void)state;
    add_findings(&findings);
    ce_report_doctor_text(install, &findings, false, 0, &out);
    assert_string_equal(ce_text_string(&out),
                        "n1: a compute node, Slurm 24.11.5, mode observe\n"
                        "fail     slurm.prolog  Prolog is not set; Prolog=/x\n"
                        "skip     node.unit     systemd does not run here\n"
                        "1 failed, 0 warned, 0 unknown, 0 passed, 1 skipped\n");
}

static void what_is_not_known_is_said(void **state)
{
    ce_auto(ce_install_destroy) struct ce_install *install = make_install();
    const struct ce_findings findings = {.items = NULL};
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    (void)state;
    install->role = CE_ROLE_HEAD;
    install->slurm_version = 0;
    install->config.valid = false;
    ce_report_doctor_text(install, &findings, false, 0, &out);
    unit_holds(ce_text_string(&out), "n1: a head node, Slurm unknown, mode unknown\n");
}

static void a_program_reads_json(void **state)
{
    ce_auto(ce_install_destroy) struct ce_install *install = make_install();
    ce_autofindings struct ce_findings findings = {.items = NULL};
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    int schema, failed;
    const char *node, *role, *slurm, *mode, *check;
    (void)state;
    add_findings(&findings);
    assert_int_equal(ce_report_doctor_json(install, &findings, &out), 0);
    json_t *root = json_loads(ce_text_string(&out), 0, NULL);
    assert_int_equal(json_unpack(root, "{si ss ss ss ss s{si} s[{ss}]}", "schema", &schema, "node",
                                 &node, "role", &role, "slurm", &slurm, "mode", &mode, "counts",
                                 "fail", &failed, "findings", "check", &check),
                     0);
    assert_int_equal(schema, 1);
    assert_int_equal(failed, 1);
    assert_string_equal(node, "n1");
    assert_string_equal(role, "compute");
    assert_string_equal(slurm, "24.11.5");
    assert_string_equal(mode, "observe");
    assert_string_equal(check, "slurm.prolog");
    json_decref(root);
}

int main(void)
{
    UNIT_RULE(a_person_reads_rows);
    UNIT_RULE(what_is_not_known_is_said);
    UNIT_RULE(a_program_reads_json);
    return UNIT_RUN("doctor report");
}
