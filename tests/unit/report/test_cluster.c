/* SPDX-License-Identifier: Apache-2.0 */
#include "report/cluster.h"

#include <jansson.h>

#include "../launch/scene.h"

#define BOOK "10.1.0.1 n1\n10.1.0.2 n2\n"

static const struct scene step = {
    .kind = CE_STEP_TASKS, .nodes = "n[1-2]", .tasks = 16,
    .task = {"n2", 1, 9, 1, 8, 8, 8},
    .address = "10.1.0.2/16", .book = BOOK, .port = 61012,
};
static const struct scene batch = {
    .kind = CE_STEP_BATCH, .nodes = "n[1-2]", .tasks = 16,
    .task = {"n1", 0, 0, 0, 8, 8, 8},
    .address = "10.1.0.1/16", .book = BOOK, .port = 61012,
};
static const struct scene batch_one_node = {
    .kind = CE_STEP_BATCH, .nodes = "n1", .tasks = 8,
    .task = {"n1", 0, 0, 0, 8, 8, 8},
    .address = "10.1.0.1/16", .book = BOOK, .port = 61012,
};
static const struct scene no_book = {
    .kind = CE_STEP_TASKS, .nodes = "n[1-2]", .tasks = 16,
    .task = {"n2", 1, 9, 1, 8, 8, 8}, .port = 61012,
};
static const struct scene ipv6 = {
    .kind = CE_STEP_TASKS, .nodes = "n[1-2]", .tasks = 2,
    .task = {"n1", 0, 0, 0, 1, 8, 8},
    .address = "fd00::1/64", .book = "fd00::1 n1\nfd00::2 n2\n", .port = 61012,
};

static const struct scene unordered = {
    .kind = CE_STEP_BATCH, .nodes = "n[1-2]", .tasks = 16,
    .task = {"n1", 0, 0, 0, 8, 8, 8},
    .address = "10.1.0.1/16", .book = BOOK, .port = 61012, .order = CE_ORDER_JOB,
};

static const struct text_row {
    const char *name;
    const struct scene *scene;
    const char *text;
} texts[] = {
    {"a_task_is_told_its_rank", &step,
     "step       12.0\nrank       9 of 16\nnode rank  1 of 2\nprimary    10.1.0.1 port 61012\n\n"
     "NODE RANK  NAME                      ADDRESS\n"
     "0          n1                        10.1.0.1\n1          n2                        10.1.0.2\n"},
    {"a_batch_script_has_no_rank", &batch,
     "step       12.batch\nprimary    10.1.0.1 port 61012\n\n"
     "NODE RANK  NAME                      ADDRESS\n"
     "0          n1                        10.1.0.1\n1          n2                        10.1.0.2\n"},
    {"a_script_whose_steps_have_their_own_order_has_no_primary", &unordered,
     "step       12.batch\nprimary    each step has its own: Slurm places tasks by its topology\n\n"
     "NODE RANK  NAME                      ADDRESS\n"
     "-          n1                        10.1.0.1\n-          n2                        10.1.0.2\n"},
    {"without_a_book_names_are_told", &no_book,
     "step       12.0\nrank       9 of 16\nnode rank  1 of 2\nprimary    n1 port 61012\n\n"
     "NODE RANK  NAME                      ADDRESS\n"
     "0          n1                        -\n1          n2                        -\n"},
};

static void text(void **state)
{
    const struct text_row *row = *state;
    ce_autotext struct ce_text out = CE_TEXT(10000);
    struct stage stage;
    stage_set(&stage, row->scene);
    ce_report_info_text(&stage.view, &out);
    assert_string_equal(ce_text_string(&out), row->text);
    stage_clear(&stage);
}

static const struct json_row {
    const char *name;
    const struct scene *scene;
    const char *json;
} jsons[] = {
    {"json_of_a_task", &step,
     "{\"schema\":1,\"step\":\"12.0\",\"rank\":9,\"world_size\":16,\"node_rank\":1,\"num_nodes\":2,"
     "\"primary\":{\"name\":\"n1\",\"address\":\"10.1.0.1\",\"port\":61012},\"nodes\":["
     "{\"node_rank\":0,\"name\":\"n1\",\"address\":\"10.1.0.1\"},"
     "{\"node_rank\":1,\"name\":\"n2\",\"address\":\"10.1.0.2\"}]}"},
    {"json_of_a_script_has_no_rank", &batch,
     "{\"schema\":1,\"step\":\"12.batch\",\"rank\":null,\"world_size\":null,\"node_rank\":null,"
     "\"num_nodes\":2,\"primary\":{\"name\":\"n1\",\"address\":\"10.1.0.1\",\"port\":61012},"
     "\"nodes\":[{\"node_rank\":0,\"name\":\"n1\",\"address\":\"10.1.0.1\"},"
     "{\"node_rank\":1,\"name\":\"n2\",\"address\":\"10.1.0.2\"}]}"},
    {"json_of_a_script_of_one_node_has_a_node_rank", &batch_one_node,
     "{\"schema\":1,\"step\":\"12.batch\",\"rank\":null,\"world_size\":null,\"node_rank\":0,"
     "\"num_nodes\":1,\"primary\":{\"name\":\"n1\",\"address\":\"10.1.0.1\",\"port\":61012},"
     "\"nodes\":[{\"node_rank\":0,\"name\":\"n1\",\"address\":\"10.1.0.1\"}]}"},
    {"json_of_a_script_whose_steps_have_their_own_order_has_no_node_ranks", &unordered,
     "{\"schema\":1,\"step\":\"12.batch\",\"rank\":null,\"world_size\":null,\"node_rank\":null,"
     "\"num_nodes\":2,\"primary\":{\"name\":null,\"address\":null,\"port\":61012},"
     "\"nodes\":[{\"node_rank\":null,\"name\":\"n1\",\"address\":\"10.1.0.1\"},"
     "{\"node_rank\":null,\"name\":\"n2\",\"address\":\"10.1.0.2\"}]}"},
    {"json_without_a_book_has_no_addresses", &no_book,
     "{\"schema\":1,\"step\":\"12.0\",\"rank\":9,\"world_size\":16,\"node_rank\":1,\"num_nodes\":2,"
     "\"primary\":{\"name\":\"n1\",\"address\":null,\"port\":61012},\"nodes\":["
     "{\"node_rank\":0,\"name\":\"n1\",\"address\":null},"
     "{\"node_rank\":1,\"name\":\"n2\",\"address\":null}]}"},
};

static void json(void **state)
{
    const struct json_row *row = *state;
    ce_autotext struct ce_text out = CE_TEXT(10000);
    struct stage stage;
    stage_set(&stage, row->scene);
    assert_int_equal(ce_report_info_json(&stage.view, &out), 0);
    stage_clear(&stage);
    json_t *found = json_loads(ce_text_string(&out), JSON_REJECT_DUPLICATES, NULL);
    json_t *expected = json_loads(row->json, 0, NULL);
    assert_non_null(found);
    assert_non_null(expected);
    if (!json_equal(found, expected))
        fail_msg("%s", ce_text_string(&out));
    json_decref(found);
    json_decref(expected);
}

static const struct hostfile_row {
    const char *name, *format;
    const struct scene *scene;
    const char *text; /* NULL: an error */
} hostfiles[] = {
    {"names", "names", &step, "n1\nn2\n"},
    {"names_need_no_book", "names", &no_book, "n1\nn2\n"},
    {"addresses", "addresses", &step, "10.1.0.1\n10.1.0.2\n"},
    {"ipv6_addresses_have_no_brackets", "addresses", &ipv6, "fd00::1\nfd00::2\n"},
    {"addresses_without_a_book_are_an_error", "addresses", &no_book, NULL},
    {"open_mpi", "mpi", &step, "n1 slots=8\nn2 slots=7\n"},
    {"a_job_without_order_has_its_list", "mpi", &unordered, "n1 slots=8\nn2 slots=7\n"},
    {"mpich", "mpich", &step, "n1:8\nn2:7\n"},
    {"deepspeed", "deepspeed", &step, "n1 slots=8\nn2 slots=7\n"},
    {"horovod", "horovod", &step, "n1:8,n2:7\n"},
    {"one_node_is_one_line", "horovod", &batch_one_node, "n1:8\n"},
};

static void hostfile(void **state)
{
    static const uint32_t slots[] = {8, 7};
    const struct hostfile_row *row = *state;
    ce_autotext struct ce_text out = CE_TEXT(10000);
    struct ce_error err = {""};
    enum ce_hostfile format;
    struct stage stage;
    assert_int_equal(ce_hostfile_parse(row->format, &format), 0);
    stage_set(&stage, row->scene);
    int rc = ce_report_hostfile(&stage.view, format, slots, &out, &err);
    stage_clear(&stage);
    assert_int_equal(rc, row->text ? 0 : -1);
    if (row->text)
        assert_string_equal(ce_text_string(&out), row->text);
    else
        unit_holds(err.text, "no address of n1");
}

static void a_format_that_is_none_is_an_error(void **state)
{
    enum ce_hostfile format = CE_HOSTFILE_HOROVOD;
    (void)state;
    assert_int_equal(ce_hostfile_parse("name", &format), -1);
    assert_int_equal(ce_hostfile_parse("", &format), -1);
    assert_int_equal(ce_hostfile_parse("MPI", &format), -1);
    assert_int_equal(format, CE_HOSTFILE_HOROVOD);
}

int main(void)
{
    UNIT_TABLE(texts, text);
    UNIT_TABLE(jsons, json);
    UNIT_TABLE(hostfiles, hostfile);
    UNIT_RULE(a_format_that_is_none_is_an_error);
    return UNIT_RUN("report/cluster");
}
