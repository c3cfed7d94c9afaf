/* SPDX-License-Identifier: Apache-2.0 */
/* Asking: real children, with shell scripts in the places of slurm-node and srun. */
#include "survey/ask.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../unit.h"

/* Where the tests run: /tmp may be mounted noexec. */
static char folder[4096] = "test_ask.XXXXXX";
static char helper[4200];

static void write_script(const char *name, const char *body)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s", body);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

static int make_folder(void **state)
{
    static char path[16384];
    char *absolute = mkdtemp(folder) ? realpath(folder, NULL) : NULL;
    (void)state;
    if (!absolute)
        return -1;
    snprintf(folder, sizeof folder, "%s", absolute);
    free(absolute);
    snprintf(helper, sizeof helper, "%s/slurm-node", folder);
    snprintf(path, sizeof path, "%s:%s", folder, getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
    return setenv("PATH", path, 1);
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"srun", "slurm-node"};
    char path[4200];
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

static struct ce_ask question(void)
{
    return (struct ce_ask){.slurm_node = helper,
                           .command = "/the/cluster-env",
                           .envp = environ,
                           .timeout_ms = 20000,
                           .at_once = 4};
}

/* ---------------------------------------------------------------- the list of nodes */

static const struct list_row {
    const char *name, *script, *message;
} list_rows[] = {
    {"without_a_list_the_reason_is_told_slurmctld_is_down",
     "echo 'slurm-node: slurmctld does not tell its nodes' >&2; exit 1",
     "the list of nodes: exit status 1: slurm-node: slurmctld does not tell its nodes"},
    {"without_a_list_the_reason_is_told_the_list_is_cut_short", "printf 'format=1\\nnodes=1\\n'",
     "the list of nodes: "},
    {"without_a_list_the_reason_is_told_there_is_no_node", "printf 'format=1\\nnodes=0\\nend=1\\n'",
     "the list of nodes: slurmctld has none"},
    {"without_a_list_the_reason_is_told_no_answer", "exec sleep 60",
     "the list of nodes: no answer in 1 s (does 'scontrol ping'"},
};

static void has_no_list(void **state)
{
    const struct list_row *row = *state;
    struct ce_ask ask = question();
    struct ce_error err = {""};
    ask.timeout_ms = strstr(row->script, "sleep") ? 1000 : 20000;
    write_script("slurm-node", row->script);
    assert_null(ce_ask_roster(&ask, &err));
    unit_holds(err.text, row->message);
}

/* ---------------------------------------------------------------- a cluster */

static const struct {
    struct ce_roster_node node;
    const char *from_srun, *from_slurm; /* its address, or why there is none */
} cluster[] = {
    {{"ok", "10.1.0.1", "idle", "all"}, "10.20.0.1", "10.1.0.1"},
    {{"at-work", "127.0.0.2", "mixed", "all"}, "10.20.0.2", "127.0.0.2 is a loopback address"},
    {{"busy", "10.1.0.3", "allocated", "all"}, "allocated", "10.1.0.3"},
    {{"sick", "10.1.0.4", "drained", "all"}, "drained", "10.1.0.4"},
    {{"noisy", "10.1.0.5", "idle", ""}, "10.20.0.5", "10.1.0.5"},
    {{"refused", "10.1.0.6", "idle", "other"},
     "exit status 1: srun: error: nodes are busy",
     "10.1.0.6"},
    {{"strange", "10.1.0.7", "idle", "all"},
     "cluster-env facts was not understood: not a word of it",
     "10.1.0.7"},
    {{"hanging", "no such name.", "idle", "all"},
     "no answer in 4 s",
     "exit status 1: no such name.: "},
};
enum { NODES = sizeof cluster / sizeof *cluster };

/* As srun does, and strict about how it is called. */
static const char srun_script[] =
    "for word; do case $word in\n"
    "    --help) echo '  --cluster-env[=ITEM,...]'; exit 0 ;;\n"
    "    --nodelist=*) node=${word#*=} ;;\n"
    "    --partition=*) partition=${word#*=} ;;\n"
    "    --mem=*) memory=${word#*=} ;;\n"
    "    --cluster-env=off) off=yes ;;\n"
    "esac; last2=$last last=$word; done\n"
    "facts() { printf 'format=1\\nhost.name=x\\nnetif.eth1.index=2\\nnetif.eth1.kind=ethernet\\n"
    "netif.eth1.up=1\\nnetif.eth1.address.0=10.20.0.%s/16\\nend=1\\n' \"$1\"; }\n"
    "[ \"$last2 $last\" = '/the/cluster-env facts' ] || { echo \"called: $*\" >&2; exit 9; }\n"
    "[ \"$off\" = yes ] || { echo 'the plugin is not switched off' >&2; exit 9; }\n"
    "[ -z \"$SLURM_JOB_ID$SLURM_NTASKS\" ] || { echo 'it knows of an outer job' >&2; exit 9; }\n"
    "[ \"$SLURM_ACCOUNT\" = admins ] || { echo 'the account is lost' >&2; exit 9; }\n"
    "case $node,$partition,$memory in\n"
    "    ok,all,) facts 1 ;;\n"
    "    at-work,all,1) facts 2 ;;\n"
    "    noisy,,) echo 'print from a TaskProlog'; facts 5; echo bye ;;\n"
    "    refused,other,) echo 'srun: error: nodes are busy' >&2; exit 1 ;;\n"
    "    strange,all,) echo hello ;;\n"
    "    hanging,all,) exec sleep 60 ;;\n"
    "    *) echo \"unexpected: $*\" >&2; exit 9 ;;\n"
    "esac\n";

static void write_list_script(void)
{
    ce_autotext struct ce_text text = CE_TEXT(1 << 16);
    ce_text_add(&text, "[ \"$*\" = list ] || exit 2\ncat <<'END'\n");
    ce_roster_begin(&text, NODES);
    for (size_t i = 0; i < NODES; i++)
        ce_roster_add(&text, i, &cluster[i].node);
    ce_roster_end(&text);
    ce_text_add(&text, "END\n");
    write_script("slurm-node", ce_text_string(&text));
}

static void name_nodes(const struct ce_roster *roster, struct ce_draft *draft)
{
    for (size_t i = 0; i < draft->count; i++) {
        draft->nodes[i].name = ce_roster_at(roster, i)->name;
        ce_policy_default(&draft->nodes[i].policy);
    }
}

static void check_answers(const struct ce_draft *draft, bool srun)
{
    for (size_t i = 0; i < NODES; i++) {
        const struct ce_draft_node *node = &draft->nodes[i];
        const char *expected = srun ? cluster[i].from_srun : cluster[i].from_slurm;
        char address[CE_ADDRESS_TEXT];
        ce_address_format(&node->address, address);
        const char *got = node->why[0] ? node->why : address;
        if (strncmp(got, expected, strlen(expected)) != 0)
            fail_msg("%s: '%s', expected '%s'", node->name, got, expected);
    }
}

static size_t told;

static void count(void *ctx, size_t done, size_t of)
{
    (void)ctx;
    assert_in_range(done, 1, of);
    told++;
}

static void each_node_gets_its_answer_by_srun(void **state)
{
    struct ce_ask ask = question();
    struct ce_error err;
    ce_autodraft struct ce_draft draft;
    (void)state;
    write_list_script();
    write_script("srun", srun_script);
    setenv("SLURM_JOB_ID", "77", 1);
    setenv("SLURM_NTASKS", "4", 1);
    setenv("SLURM_ACCOUNT", "admins", 1);
    ask.envp = environ;
    ce_auto(ce_roster_destroy) struct ce_roster *roster = ce_ask_roster(&ask, &err);
    assert_non_null(roster);
    assert_int_equal(ce_draft_init(&draft, NODES, &err), 0);
    name_nodes(roster, &draft);
    ask.timeout_ms = 4000;
    ask.progress = count;
    told = 0;
    assert_int_equal(ce_ask_srun(&ask, roster, &draft, &err), 0);
    assert_int_equal(told, 6); /* the busy and the sick one are not asked */
    check_answers(&draft, true);
}

static void each_node_gets_its_answer_by_slurm(void **state)
{
    const struct ce_ask ask = question();
    struct ce_error err;
    ce_autodraft struct ce_draft draft;
    (void)state;
    write_list_script();
    ce_auto(ce_roster_destroy) struct ce_roster *roster = ce_ask_roster(&ask, &err);
    assert_non_null(roster);
    assert_int_equal(ce_draft_init(&draft, NODES, &err), 0);
    name_nodes(roster, &draft);
    assert_int_equal(ce_ask_slurm(&ask, roster, &draft, &err), 0);
    check_answers(&draft, false);
}

static void the_resolver_is_asked_for_name_and_suffix(void **state)
{
    const struct ce_ask ask = question();
    struct ce_error err;
    ce_autodraft struct ce_draft draft;
    (void)state;
    assert_int_equal(ce_draft_init(&draft, 2, &err), 0);
    for (size_t i = 0; i < 2; i++)
        ce_policy_default(&draft.nodes[i].policy);
    draft.nodes[0].name = "10.1.0";
    assert_int_equal(ce_suffix_parse(".11", draft.nodes[0].policy.suffix), 0);
    draft.nodes[1].name = "localhost";
    assert_int_equal(ce_ask_dns(&ask, &draft, &err), 0);
    char address[CE_ADDRESS_TEXT];
    assert_string_equal(ce_address_format(&draft.nodes[0].address, address), "10.1.0.11");
    assert_non_null(strstr(draft.nodes[1].why, "is a loopback address"));
}

static void without_srun_every_node_says_so(void **state)
{
    struct ce_ask ask = question();
    struct ce_error err;
    ce_autodraft struct ce_draft draft;
    char *path = strdup(getenv("PATH"));
    (void)state;
    write_list_script();
    ce_auto(ce_roster_destroy) struct ce_roster *roster = ce_ask_roster(&ask, &err);
    assert_non_null(roster);
    assert_int_equal(ce_draft_init(&draft, NODES, &err), 0);
    name_nodes(roster, &draft);
    setenv("PATH", "/nowhere", 1);
    assert_int_equal(ce_ask_srun(&ask, roster, &draft, &err), 0);
    setenv("PATH", path, 1);
    free(path);
    assert_string_equal(draft.nodes[0].why, "cannot run srun: No such file or directory");
    assert_int_equal(ce_draft_found(&draft), 0);
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    UNIT_TABLE(list_rows, has_no_list);
    UNIT_RULE(each_node_gets_its_answer_by_srun);
    UNIT_RULE(each_node_gets_its_answer_by_slurm);
    UNIT_RULE(the_resolver_is_asked_for_name_and_suffix);
    UNIT_RULE(without_srun_every_node_says_so);
    return cmocka_run_group_tests_name("ask", unit_tests, make_folder, remove_folder);
}
