/* SPDX-License-Identifier: Apache-2.0 */
/* From the texts of a node to what helpers/preflight is told: real children, with shell scripts in the place of
 * the helpers. */
#include "preflight/preflight.h"

#include <limits.h>

#include "../unit_dir.h"
#include "local/texts.h"
#include "model/gang_task.h"

#define FRAMED(lines) "format=1\n" lines "end=1\n"
#define CONF(lines) "cat <<'END'\n" FRAMED(lines) "END\n"

/* Where the tests run: /tmp may be mounted noexec. */
static char made[] = "test_preflight.XXXXXX", helpers[PATH_MAX];
static struct unit_dir texts;

static int make_folders(void **state)
{
    (void)state;
    texts = unit_dir_make();
    return mkdtemp(made) && realpath(made, helpers) ? 0 : -1;
}

static void name_helper(const char *name, char ret[PATH_MAX + 16])
{
    snprintf(ret, PATH_MAX + 16, "%s/%s", helpers, name);
}

static int remove_folders(void **state)
{
    char path[PATH_MAX + 16];
    (void)state;
    unit_dir_remove(&texts);
    name_helper("slurm-node", path);
    unlink(path);
    name_helper("preflight", path);
    unlink(path);
    return rmdir(helpers);
}

static void write_helper(const char *name, const char *script)
{
    char path[PATH_MAX + 16];
    name_helper(name, path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fprintf(file, "#!/bin/sh\n%s", script) > 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

/* The helper preflight says: the others are silent, requeue the job. */
static void write_preflight(void)
{
    struct ce_gang gang = {.end = CE_GANG_JUDGED, .requeue = true};
    ce_autotext struct ce_text text = CE_TEXT(CE_GANG_TEXT_MAX), script = CE_TEXT(2 * CE_GANG_TEXT_MAX);
    ce_gang_write(&gang, &text);
    ce_text_addf(&script, "PATH=/bin:/usr/bin env >%s/said; cat <<'END'\n%sEND\n", texts.path, ce_text_string(&text));
    assert_true(ce_text_ok(&script));
    write_helper("preflight", ce_text_string(&script));
}

#define NETIF(up, address)                                                                        \
    "host.name=n1\nnetif.eth1.index=2\nnetif.eth1.kind=ethernet\nnetif.eth1.up=" up               \
    "\nnetif.eth1.default_route=0\nnetif.eth1.address.0=" address "/16\n"

static const char facts[] = FRAMED(NETIF("1", "10.1.0.1"));
static const char good_book[] = "10.1.0.1 n1\n10.1.0.2 n2\n" CE_BOOK_END "\n";

static const struct row {
    const char *name, *conf, *error; /* "" : none */
    bool requeue;
} rows[] = {
    {"as_slurm_should_be", CONF("prolog.alloc=1\nprolog.serial=0\n"), "", true},
    {"without_alloc_it_is_refused", CONF("prolog.alloc=0\nprolog.serial=0\n"), "has no PrologFlags=Alloc", false},
    {"with_serial_it_is_refused", CONF("prolog.alloc=1\nprolog.serial=1\n"), "has PrologFlags=Serial", false},
    {"of_a_conf_that_is_not_known_nobody_is_requeued", "exit 1\n", "", false},
};

static enum ce_preflight_mode mode = CE_PREFLIGHT_NETWORK;

static int run(const char *conf, const char *node_facts, const char *book, struct ce_preflight_found *found,
               struct ce_error *err)
{
    struct ce_policy policy;
    struct ce_notes notes = {.count = 0};
    ce_policy_default(&policy);
    policy.preflight.mode = mode;
    write_helper("slurm-node", conf);
    write_preflight();
    unit_dir_write(&texts, CE_FACTS_FILE, node_facts);
    unit_dir_write(&texts, CE_BOOK_FILE, book);
    const struct ce_preflight what = {.helpers = helpers, .run_dir = texts.path, .job = 7, .node_list = "n[1-2]",
                                      .node_name = "n1", .policy = &policy.preflight};
    err->text[0] = '\0';
    return ce_preflight_run(&what, found, &notes, err);
}

static void asks_slurm(void **state)
{
    const struct row *row = *state;
    struct ce_error err;
    ce_autopreflight struct ce_preflight_found found;
    int failed = run(row->conf, facts, good_book, &found, &err);
    unit_holds(err.text, row->error);
    assert_int_equal(failed, *row->error ? -1 : 0);
    assert_int_equal(found.gang.requeue, row->requeue);
}

static const struct own_row {
    const char *name, *facts, *book, *error;
} owns[] = {
    {"a_book_with_an_older_address_of_this_node", facts, "10.1.0.9 n1\n10.1.0.2 n2\n" CE_BOOK_END "\n",
     "the book's address of this node, 10.1.0.9, is none of its own"},
    {"a_link_that_is_down_is_for_the_helper_to_see", FRAMED(NETIF("0", "10.1.0.1")), good_book, ""},
    {"of_another_address_on_a_link_that_is_down_nothing_is_said", FRAMED(NETIF("0", "10.1.0.7")), good_book, ""},
    {"nor_without_facts", "", good_book, ""},
};

static void looks_at_its_own_address(void **state)
{
    const struct own_row *row = *state;
    struct ce_error err;
    ce_autopreflight struct ce_preflight_found found;
    int failed = run(rows[0].conf, row->facts, row->book, &found, &err);
    unit_holds(err.text, row->error);
    assert_int_equal(failed, *row->error ? -1 : 0);
}

/* Slurm's environment was cleared by then; helpers/preflight hands its own on to bench-nccl. */
static void nccl_gets_what_a_job_gets(void **state)
{
    static const char two[] =
        FRAMED(NETIF("1", "10.1.0.1") "netif.eth0.index=1\nnetif.eth0.kind=ethernet\nnetif.eth0.up=1\n"
               "netif.eth0.default_route=1\nnetif.eth0.address.0=10.9.0.1/16\n");
    ce_autopreflight struct ce_preflight_found found;
    struct ce_error err;
    (void)state;
    char **kept = environ;
    mode = CE_PREFLIGHT_NCCL;
    environ = NULL;
    int failed = run(rows[0].conf, two, good_book, &found, &err);
    environ = kept;
    mode = CE_PREFLIGHT_NETWORK;
    assert_string_equal(err.text, "");
    assert_int_equal(failed, 0);
    char *said = unit_dir_read(&texts, "said");
    unit_holds(said, "NCCL_SOCKET_IFNAME==eth1\n");
    free(said);
}

int main(void)
{
    UNIT_TABLE(owns, looks_at_its_own_address);
    UNIT_TABLE(rows, asks_slurm);
    UNIT_RULE(nccl_gets_what_a_job_gets);
    return cmocka_run_group_tests_name("preflight/preflight", unit_tests, make_folders, remove_folders);
}
