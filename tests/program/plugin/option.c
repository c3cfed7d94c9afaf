/* SPDX-License-Identifier: Apache-2.0 */
/* --cluster-env on its way: callbacks here and in the stepd, its variable, plugstack arguments. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/plugin/cases.h"
#include "program/plugin/expect.h"
#include "program/plugin/world.h"

#define OPTION_VARIABLE "SLURM_SPANK__SLURM_SPANK_OPTION_cluster_env_cluster_env"
#define LENGTH(array) (sizeof(array) / sizeof *(array))

static char *repeat(char c, size_t count)
{
    char *text = must(malloc(count + 1));
    memset(text, c, count);
    text[count] = '\0';
    return text;
}

/* ---------------------------------------------------------------- at submission */

/* Slurm ends srun and sbatch on anything but 0. */
static void submit(struct recording *recording, spank_context_t context, const char *text, int rc)
{
    struct host_setup setup = world_setup(recording);
    setup.context = context;
    recording_set_callbacks(recording, 1, &text);
    recording->nodes[0].callback_count = 1;
    struct host_result *result = host_run(&setup);
    const struct host_calls *callback = &result->nodes[0].calls[HOST_CALLBACK];
    expect(callback->runs == 1 && callback->rc == rc, "'%.40s' gives %d, expected %d",
           text ? text : "NULL", callback->rc, rc);
    expect_lines(result, rc < 0 ? result->node_count : 0);
    for (size_t i = 0; i < result->message_count; i++)
        expect(strstr(result->messages[i].text, "not a valid item; valid are: on, off, port=N"),
               "the line does not say what is valid");
    expect_done(result);
}

static void submit_each(struct recording *recording)
{
    static const struct {
        const char *text;
        int rc;
    } texts[] = {
        {NULL, 0},         {"", 0},           {"(null)", 0},      {"on", 0},
        {"off", 0},        {"verbose,on", 0}, {"port=29500", 0},  {"torchrun=off", 0},
        {"bogus", -1},     {"port=0", -1},    {"port=65536", -1}, {"port=-1", -1},
        {"on,", -1},       {",", -1},         {"port", -1},       {"%n%s", -1},
        {"$(reboot)", -1}, {"on\n", -1},      {"\x1b[2J", -1},    {"port=99999999999999999999", -1},
    };
    char *huge = repeat('x', 1 << 20);
    for (size_t i = 0; i < LENGTH(texts); i++) {
        submit(recording, S_CTX_LOCAL, texts[i].text, texts[i].rc);
        submit(recording, S_CTX_ALLOCATOR, texts[i].text, texts[i].rc);
    }
    submit(recording, S_CTX_LOCAL, huge, -1);
    free(huge);
}

static void a_bad_text_is_refused_at_submission(void **state)
{
    (void)state;
    world_one_series("batch-1", submit_each);
}

/* ---------------------------------------------------------------- in the stepd */

static struct host_result *launch(struct recording *recording, size_t count,
                                  const char *const *texts, const char *argument)
{
    struct host_setup setup = world_setup(recording);
    setup.arguments[0] = argument;
    recording_set_callbacks(recording, count, texts);
    recording_set(recording, OPTION_VARIABLE, NULL);
    struct host_result *result = host_run(&setup);
    expect_launched(result);
    return result;
}

static void bare_forms_set_the_variables_in(struct recording *recording)
{
    static const struct {
        size_t count;
        const char *texts[2];
    } calls[] = {
        {1, {NULL}},       {1, {""}},          {1, {"(null)"}},           {2, {NULL, ""}},
        {2, {"on", "on"}}, {2, {"off", "on"}}, {2, {"(null)", "(null)"}},
    };
    for (size_t i = 0; i < LENGTH(calls); i++) {
        struct host_result *result = launch(recording, calls[i].count, calls[i].texts, NULL);
        expect_recorded(result);
        expect_lines(result, 0);
        expect_done(result);
    }
}

static void each_bare_form_sets_the_variables(void **state)
{
    (void)state;
    world_each_series("srun-1x4", bare_forms_set_the_variables_in);
}

/* A newer plugin submitted it: what this one knows is set. */
static void unknown_text_sets_in(struct recording *recording)
{
    static const char *const texts[] = {"bogus", "bogus"};
    for (size_t count = 1; count <= LENGTH(texts); count++) {
        struct host_result *result = launch(recording, count, texts, NULL);
        expect_recorded(result);
        expect_lines(result, count * result->node_count);
        expect(result->messages[0].hook == HOST_CALLBACK, "not the callback spoke");
        expect_done(result);
    }
}

static void a_text_unknown_in_the_stepd_still_sets_the_variables(void **state)
{
    (void)state;
    world_each_series("srun-1x4", unknown_text_sets_in);
}

static void off_does_nothing_in(struct recording *recording)
{
    static const char *const texts[] = {"port=4711", "off"};
    struct host_result *result = launch(recording, 2, texts, NULL);
    expect_nothing_done(result);
    expect_done(result);
    result = launch(recording, 1, texts + 1, "default=on");
    expect_nothing_done(result);
    expect_done(result);
}

static void the_last_call_counts_so_off_does_nothing(void **state)
{
    (void)state;
    world_each_series("srun-1x4", off_does_nothing_in);
}

static void not_given_does_nothing_in(struct recording *recording)
{
    struct host_setup setup = world_setup(recording);
    recording_set_callbacks(recording, 0, NULL);
    recording_set(recording, OPTION_VARIABLE, NULL);
    setup.run_dir = "/nonexistent"; /* would be a line, if it were looked for */
    struct host_result *result = host_run(&setup);
    expect_nothing_done(result);
    expect_done(result);
    /* The double does count what is opened, and a line does come, where the option is given. */
    result = launch(recording, 1, (const char *const[]){NULL}, NULL);
    expect(expect_count_opens(result) > 0, "no open was counted");
    expect_done(result);
    recording_set_callbacks(recording, 1, (const char *const[]){NULL});
    result = host_run(&setup);
    expect_lines(result, 1);
    expect_done(result);
}

static void without_the_option_nothing_is_done(void **state)
{
    static const char *const names[] = {"srun-1x4", "srun-8x4", "batch-4", "batch-1"};
    (void)state;
    for (size_t i = 0; i < LENGTH(names); i++)
        world_each_series(names[i], not_given_does_nothing_in);
}

static void items_reach_the_tasks_in(struct recording *recording)
{
    static const char *const texts[] = {"port=29500,torchrun=off"};
    struct host_result *result = launch(recording, 1, texts, NULL);
    for (size_t n = 0; n < result->node_count; n++) {
        expect_variable(&result->nodes[n], 0, "MASTER_PORT", "29500");
        expect_variable(&result->nodes[n], 0, "PET_NNODES", NULL);
        expect_variable(&result->nodes[n], 0, "RANK",
                        recorded_env(&recording->nodes[n], 0, "SLURM_PROCID"));
    }
    expect_done(result);
}

static void items_reach_the_tasks(void **state)
{
    (void)state;
    world_each_series("srun-1x4", items_reach_the_tasks_in);
}

static void verbose_speaks_once_per_node_in(struct recording *recording)
{
    static const char *const texts[] = {"verbose"};
    struct host_result *result = launch(recording, 1, texts, NULL);
    expect_recorded(result);
    expect_lines(result, result->node_count);
    for (size_t i = 0; i < result->message_count; i++) {
        const struct host_message *message = &result->messages[i];
        expect(message->kind == HOST_LOG && message->node == i && message->task == 0,
               "line %zu is not of the node's first task", i);
        expect(strstr(message->text, recording->nodes[i].name) && strstr(message->text, "eth1"),
               "no node and interface in the line");
    }
    expect_done(result);
}

static void verbose_speaks_once_per_node(void **state)
{
    (void)state;
    world_each_series("srun-8x4", verbose_speaks_once_per_node_in);
}

/* ---------------------------------------------------------------- the batch script's variable */

static struct host_result *launch_by_variable(struct recording *recording, const char *text)
{
    struct host_setup setup = world_setup(recording);
    recording_set_callbacks(recording, 0, NULL);
    recording_set(recording, OPTION_VARIABLE, text);
    struct host_result *result = host_run(&setup);
    expect_launched(result);
    return result;
}

/* 22.05 and 23.02 do not call back in the batch step of `sbatch --export=NONE`. */
static void variable_counts_in(struct recording *recording)
{
    static const char *const on[] = {"(null)", "", "on", "verbose", "bogus"};
    for (size_t i = 0; i < LENGTH(on); i++) {
        struct host_result *result = launch_by_variable(recording, on[i]);
        expect_recorded(result);
        expect_lines(result, i >= 3); /* verbose, and the text that is not known */
        expect_done(result);
    }
    struct host_result *result = launch_by_variable(recording, "off");
    expect_nothing_done(result);
    expect_done(result);
}

static void a_batch_script_without_callback_goes_by_the_variable(void **state)
{
    (void)state;
    world_each_series("batch-4", variable_counts_in);
}

/* Each srun of such a script gets its own callback; without one it was not asked for. */
static void variable_is_nothing_in(struct recording *recording)
{
    struct host_result *result = launch_by_variable(recording, "on");
    expect_nothing_done(result);
    expect_done(result);
}

static void an_srun_step_does_not_go_by_the_variable(void **state)
{
    (void)state;
    world_each_series("srun-1x4", variable_is_nothing_in);
}

/* ---------------------------------------------------------------- plugstack.conf */

static void default_on_sets_in(struct recording *recording)
{
    struct host_result *result = launch(recording, 0, NULL, "default=on");
    expect_recorded(result);
    expect_done(result);
    result = launch(recording, 0, NULL, "default=off");
    expect_nothing_done(result);
    expect_done(result);
}

static void default_on_sets_without_the_option(void **state)
{
    (void)state;
    world_each_series("srun-1x4", default_on_sets_in);
}

static void bad_arguments_are_passed_over_in(struct recording *recording)
{
    static const char *const arguments[] = {"run=relative", "run=", "default=maybe", "%n",
                                            "verbose"};
    for (size_t i = 0; i < LENGTH(arguments); i++) {
        struct host_result *result =
            launch(recording, 1, (const char *const[]){"on"}, arguments[i]);
        expect_recorded(result);
        expect_lines(result, 1);
        expect(result->messages[0].hook == HOST_TASK_INIT &&
                   strstr(result->messages[0].text, arguments[i]) &&
                   strstr(result->messages[0].text, "plugstack.conf"),
               "the line does not name '%s'", arguments[i]);
        expect_done(result);
    }
}

static void a_bad_argument_is_named_and_passed_over(void **state)
{
    (void)state;
    world_one_series("srun-1x4", bad_arguments_are_passed_over_in);
}

const struct plugin_case option_cases[] = {
    {"a bad text is refused at submission, with the valid items",
     a_bad_text_is_refused_at_submission},
    {"each bare form sets the variables, called once or twice", each_bare_form_sets_the_variables},
    {"a text unknown in the stepd still sets the variables",
     a_text_unknown_in_the_stepd_still_sets_the_variables},
    {"the last call counts, so off after on does nothing",
     the_last_call_counts_so_off_does_nothing},
    {"without the option nothing is set, opened or said", without_the_option_nothing_is_done},
    {"port and torchrun reach the tasks", items_reach_the_tasks},
    {"verbose speaks once per node", verbose_speaks_once_per_node},
    {"a batch script without callback goes by the variable",
     a_batch_script_without_callback_goes_by_the_variable},
    {"an srun step does not go by the variable", an_srun_step_does_not_go_by_the_variable},
    {"default=on sets without the option, default=off does not",
     default_on_sets_without_the_option},
    {"a bad plugstack argument is named once, by rank 0, and passed over",
     a_bad_argument_is_named_and_passed_over},
    {NULL, NULL},
};
