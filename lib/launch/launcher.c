/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/launcher.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* A rendezvous of the user's own has its own address. */
#define OWN_RENDEZVOUS "--standalone --rdzv-endpoint --rdzv-backend"
/* accelerate takes one of these at a time, and its configuration file says which. */
#define OWN_MODE                                                                                   \
    "--cpu --use-cpu --tpu --use-deepspeed --use-fsdp --use-megatron-lm --use-parallelism-config " \
    "--config-file"

/* torch before 2.0 knows its flags with underscores only, later ones take both. */
#define TORCHRUN_FLAGS                                                                             \
    {                                                                                              \
        {"--nnodes", "NUM_NODES", "--standalone", CE_ON_ALL},                                      \
        {"--node_rank", "NODE_RANK", "--standalone", CE_ON_ALL},                                   \
        {"--nproc_per_node", "NUM_TRAINERS", NULL, CE_ON_ALL},                                     \
        {"--master_addr", "PRIMARY_ADDR", OWN_RENDEZVOUS, CE_ON_ALL},                              \
        {"--master_port", "PRIMARY_PORT", OWN_RENDEZVOUS, CE_ON_ALL},                              \
    }

const struct ce_launcher ce_launchers[] = {
    {{"torchrun"}, TORCHRUN_FLAGS},
    {{"python", "-m", "torch.distributed.run"}, TORCHRUN_FLAGS},
    {{"python", "-m", "torch.distributed.launch"}, TORCHRUN_FLAGS},
    {{"accelerate", "launch"},
     {
         {"--num_machines", "NUM_NODES", NULL, CE_ON_ALL},
         {"--machine_rank", "NODE_RANK", NULL, CE_ON_ALL},
         {"--num_processes", "world", NULL, CE_ON_ALL},
         {"--main_process_ip", "PRIMARY_ADDR", NULL, CE_ON_ALL},
         {"--main_process_port", "PRIMARY_PORT", NULL, CE_ON_ALL},
         {"--multi_gpu", NULL, OWN_MODE, CE_WITH_GPUS},
     }},
    /* by itself it would go to the other nodes by ssh */
    {{"deepspeed"},
     {
         {"--no_ssh", NULL, "--launcher", CE_ON_ALL},
         {"--node_rank", "NODE_RANK", "--launcher", CE_ON_ALL},
         {"--hostfile", "hostfile", "-H", CE_ON_ALL},
         {"--master_addr", "PRIMARY_ADDR", NULL, CE_ON_ALL},
         {"--master_port", "PRIMARY_PORT", NULL, CE_ON_ALL},
     }},
    {{"ray", "start"},
     {
         {"--head", NULL, "--address", CE_ON_PRIMARY},
         {"--port", "PRIMARY_PORT", "--address", CE_ON_PRIMARY},
         {"--address", "HOST_NODE_ADDR", "--head", CE_ON_OTHERS},
         {"--node-ip-address", "NODE_ADDR", NULL, CE_ON_ALL},
         {"--block", NULL, NULL, CE_ON_ALL},
     }},
    {{"fabric", "run"},
     {
         {"--num-nodes", "NUM_NODES", NULL, CE_ON_ALL},
         {"--node-rank", "NODE_RANK", NULL, CE_ON_ALL},
         {"--devices", "NUM_TRAINERS", NULL, CE_ON_ALL},
         {"--main-address", "PRIMARY_ADDR", NULL, CE_ON_ALL},
         {"--main-port", "PRIMARY_PORT", NULL, CE_ON_ALL},
     }},
};
const size_t ce_launcher_count = sizeof ce_launchers / sizeof *ce_launchers;

/* ---------------------------------------------------------------- the command */

static bool is_command(const char *word, const char *name)
{
    const char *slash = strrchr(word, '/'), *base = slash ? slash + 1 : word;
    if (strcmp(name, "python") == 0)
        return strncmp(base, name, 6) == 0 && base[6 + strspn(base + 6, "0123456789.")] == '\0';
    return strcmp(base, name) == 0;
}

static size_t count_words(const struct ce_launcher *launcher)
{
    size_t count = 0;
    while (count < CE_LAUNCHER_WORDS && launcher->words[count])
        count++;
    return count;
}

static bool matches(const struct ce_launcher *launcher, char *const *argv)
{
    for (size_t i = 0; i < count_words(launcher); i++)
        if (!argv[i] || !(i ? strcmp(argv[i], launcher->words[i]) == 0
                            : is_command(argv[i], launcher->words[i])))
            return false;
    return true;
}

const struct ce_launcher *ce_launcher_find(char *const *argv)
{
    for (size_t i = 0; i < ce_launcher_count; i++)
        if (argv[0] && matches(&ce_launchers[i], argv))
            return &ce_launchers[i];
    return NULL;
}

/* ---------------------------------------------------------------- the user's own flags */

/* "--node-rank", "--node_rank=3" and "--node_rank" are one flag. */
static bool is_flag(const char *word, const char *flag, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char a = word[i] == '_' ? '-' : word[i], b = flag[i] == '_' ? '-' : flag[i];
        if (a != b)
            return false;
    }
    return word[length] == '\0' || word[length] == '=';
}

static bool is_script(const char *word)
{
    size_t length = strlen(word);
    return strcmp(word, "-m") == 0 || strcmp(word, "--module") == 0 ||
           (length > 3 && word[0] != '-' && strcmp(word + length - 3, ".py") == 0);
}

/* Behind --no-python the program need not end in .py.  A flag's value that is taken for it does no
 * harm: of a flag that is there twice the last counts, and the user's come last. */
static bool has_flag(char *const *words, const char *flag, size_t length)
{
    static const char no_python[] = "--no-python";
    bool program = false;
    for (; *words && !is_script(*words) && !(program && **words != '-'); words++) {
        if (is_flag(*words, flag, length))
            return true;
        program |= is_flag(*words, no_python, strlen(no_python));
    }
    return false;
}

static bool has_any(char *const *words, const char *flags)
{
    while (flags && *flags) {
        size_t length = strcspn(flags, " ");
        if (has_flag(words, flags, length))
            return true;
        flags += length + strspn(flags + length, " ");
    }
    return false;
}

static bool is_time(const struct ce_launcher_flag *flag, const struct ce_view *view)
{
    switch (flag->when) {
    case CE_ON_ALL:
        return true;
    case CE_ON_PRIMARY:
        return view->task->node_rank == 0;
    case CE_ON_OTHERS:
        return view->task->node_rank != 0;
    case CE_WITH_GPUS:
        return view->task->gpus_on_node > 0 &&
               (view->task->gpus_on_node > 1 || view->cluster->node_count > 1);
    }
    return false;
}

static bool is_wanted(const struct ce_launcher *launcher, const struct ce_launcher_flag *flag,
                      char *const *argv, const struct ce_view *view)
{
    char *const *own = argv + count_words(launcher);
    return is_time(flag, view) && !has_any(own, flag->name) && !has_any(own, flag->unless);
}

bool ce_launcher_wants(const struct ce_launcher *launcher, char *const *argv,
                       const struct ce_view *view, const char *name)
{
    for (size_t i = 0; i < CE_LAUNCHER_FLAGS && launcher->flags[i].name; i++)
        if (strcmp(launcher->flags[i].name, name) == 0)
            return is_wanted(launcher, &launcher->flags[i], argv, view);
    return false;
}

/* ---------------------------------------------------------------- the new command */

static void add_value(const char *value, const struct ce_view *view, const char *hostfile,
                      struct ce_text *out)
{
    uint32_t gpus = view->task->gpus_on_node;
    if (strcmp(value, "hostfile") == 0)
        ce_text_add(out, hostfile);
    else if (strcmp(value, "world") == 0)
        ce_text_addf(out, "%u",
                     view->cluster->node_count * (gpus ? gpus : view->task->local_tasks));
    else
        ce_variable_find(value)->value(view, out);
}

static char *format_flag(const struct ce_launcher_flag *flag, const struct ce_view *view,
                         const char *hostfile)
{
    ce_autotext struct ce_text text = CE_TEXT(4096);
    ce_text_add(&text, flag->name);
    if (flag->value) {
        ce_text_add(&text, "=");
        add_value(flag->value, view, hostfile, &text);
    }
    return ce_text_take(&text);
}

static size_t copy_words(char **to, char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(to[i] = strdup(words[i])))
            return i;
    return count;
}

char **ce_launcher_command(const struct ce_launcher *launcher, char *const *argv,
                           const struct ce_view *view, const char *hostfile, struct ce_error *err)
{
    size_t given = 0, own = count_words(launcher), count = own;
    while (argv[given])
        given++;
    char **command = calloc(given + CE_LAUNCHER_FLAGS + 1, sizeof *command);
    bool complete = command && copy_words(command, argv, own) == own;
    for (size_t i = 0; complete && i < CE_LAUNCHER_FLAGS && launcher->flags[i].name; i++)
        if (is_wanted(launcher, &launcher->flags[i], argv, view))
            complete = (command[count++] = format_flag(&launcher->flags[i], view, hostfile));
    if (complete && copy_words(command + count, argv + own, given - own) == given - own)
        return command;
    ce_launcher_free(command);
    ce_fail(err, "no memory");
    return NULL;
}

void ce_launcher_free(char **argv)
{
    for (char **word = argv; word && *word; word++)
        free(*word);
    free(argv);
}
