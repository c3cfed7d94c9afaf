/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/launcher.h"

#include "scene.h"

#define BOOK4 "10.1.0.1 n1\n10.1.0.2 n2\n10.1.0.3 n3\n10.1.0.4 n4\n"
#define BOOK6 "fd00::1 n1\nfd00::3 n3\n"

/* srun -N4 --gpus-per-node=8, one task on each node. */
static const struct scene primary = {
    .kind = CE_STEP_TASKS, .nodes = "n[1-4]", .tasks = 4,
    .task = {"n1", 0, 0, 0, 1, 8, 8},
    .address = "10.1.0.1/16", .book = BOOK4, .port = 61012,
};
static const struct scene third = {
    .kind = CE_STEP_TASKS, .nodes = "n[1-4]", .tasks = 4,
    .task = {"n3", 2, 2, 0, 1, 8, 8},
    .address = "10.1.0.3/16", .book = BOOK4, .port = 61012,
};
static const struct scene third_without_gpus = {
    .kind = CE_STEP_TASKS, .nodes = "n[1-4]", .tasks = 4,
    .task = {"n3", 2, 2, 0, 1, 0, UINT32_MAX},
    .address = "10.1.0.3/16", .book = BOOK4, .port = 61012,
};
static const struct scene second_ipv6 = {
    .kind = CE_STEP_TASKS, .nodes = "n[1,3]", .tasks = 2,
    .task = {"n3", 1, 1, 0, 1, 8, 8},
    .address = "fd00::3/64", .book = BOOK6, .port = 61012,
};

static const struct command_row {
    const char *name;
    const struct scene *scene;
    const char *given, *command;
} commands[] = {
    {"torchrun", &third, "torchrun train.py --lr 1",
     "torchrun --nnodes=4 --node_rank=2 --nproc_per_node=8 --master_addr=10.1.0.1 "
     "--master_port=61012 train.py --lr 1"},
    {"torchrun_without_gpus", &third_without_gpus, "torchrun train.py",
     "torchrun --nnodes=4 --node_rank=2 --nproc_per_node=1 --master_addr=10.1.0.1 "
     "--master_port=61012 train.py"},
    {"torchrun_over_ipv6", &second_ipv6, "torchrun train.py",
     "torchrun --nnodes=2 --node_rank=1 --nproc_per_node=8 --master_addr=fd00::1 "
     "--master_port=61012 train.py"},
    {"a_path", &third, "/opt/venv/bin/torchrun train.py",
     "/opt/venv/bin/torchrun --nnodes=4 --node_rank=2 --nproc_per_node=8 --master_addr=10.1.0.1 "
     "--master_port=61012 train.py"},
    {"a_flag_of_the_user_stays_alone", &third, "torchrun --nproc-per-node=4 train.py",
     "torchrun --nnodes=4 --node_rank=2 --master_addr=10.1.0.1 --master_port=61012 "
     "--nproc-per-node=4 train.py"},
    {"so_does_one_whose_value_is_a_word", &third, "torchrun --nproc_per_node 4 train.py",
     "torchrun --nnodes=4 --node_rank=2 --master_addr=10.1.0.1 --master_port=61012 "
     "--nproc_per_node 4 train.py"},
    {"flags_of_the_script_do_not_count", &third, "torchrun train.py --node_rank=7",
     "torchrun --nnodes=4 --node_rank=2 --nproc_per_node=8 --master_addr=10.1.0.1 "
     "--master_port=61012 train.py --node_rank=7"},
    {"nor_do_those_of_a_module", &third, "torchrun -m train --nnodes 9",
     "torchrun --nnodes=4 --node_rank=2 --nproc_per_node=8 --master_addr=10.1.0.1 "
     "--master_port=61012 -m train --nnodes 9"},
    {"nor_do_those_of_a_program", &third, "torchrun --no-python ./train --nnodes 9",
     "torchrun --nnodes=4 --node_rank=2 --nproc_per_node=8 --master_addr=10.1.0.1 "
     "--master_port=61012 --no-python ./train --nnodes 9"},
    {"flags_before_the_program_do", &third, "torchrun --no_python --nnodes=9 ./train --node_rank=7",
     "torchrun --node_rank=2 --nproc_per_node=8 --master_addr=10.1.0.1 "
     "--master_port=61012 --no_python --nnodes=9 ./train --node_rank=7"},
    {"a_longer_flag_is_another_one", &third, "torchrun --nnodesx=1 train.py",
     "torchrun --nnodes=4 --node_rank=2 --nproc_per_node=8 --master_addr=10.1.0.1 "
     "--master_port=61012 --nnodesx=1 train.py"},
    {"a_rendezvous_of_the_users_own", &third, "torchrun --rdzv_endpoint=h:1 --rdzv-backend=c10d t.py",
     "torchrun --nnodes=4 --node_rank=2 --nproc_per_node=8 --rdzv_endpoint=h:1 "
     "--rdzv-backend=c10d t.py"},
    {"standalone", &third, "torchrun --standalone t.py",
     "torchrun --nproc_per_node=8 --standalone t.py"},
    {"a_module_of_python", &third, "python3.11 -m torch.distributed.run t.py",
     "python3.11 -m torch.distributed.run --nnodes=4 --node_rank=2 --nproc_per_node=8 "
     "--master_addr=10.1.0.1 --master_port=61012 t.py"},
    {"accelerate", &third, "accelerate launch --mixed_precision bf16 t.py",
     "accelerate launch --num_machines=4 --machine_rank=2 --num_processes=32 "
     "--main_process_ip=10.1.0.1 --main_process_port=61012 --multi_gpu --mixed_precision bf16 t.py"},
    {"accelerate_with_a_mode_of_its_own", &third, "accelerate launch --use_fsdp t.py",
     "accelerate launch --num_machines=4 --machine_rank=2 --num_processes=32 "
     "--main_process_ip=10.1.0.1 --main_process_port=61012 --use_fsdp t.py"},
    {"accelerate_without_gpus", &third_without_gpus, "accelerate launch t.py",
     "accelerate launch --num_machines=4 --machine_rank=2 --num_processes=4 "
     "--main_process_ip=10.1.0.1 --main_process_port=61012 t.py"},
    {"deepspeed", &third, "deepspeed t.py --deepspeed_config c.json",
     "deepspeed --no_ssh --node_rank=2 --hostfile=HOSTS --master_addr=10.1.0.1 "
     "--master_port=61012 t.py --deepspeed_config c.json"},
    {"deepspeed_with_hosts_of_its_own", &third, "deepspeed -H my.hosts t.py",
     "deepspeed --no_ssh --node_rank=2 --master_addr=10.1.0.1 --master_port=61012 -H my.hosts t.py"},
    {"ray_on_the_primary", &primary, "ray start --num-cpus 4",
     "ray start --head --port=61012 --node-ip-address=10.1.0.1 --block --num-cpus 4"},
    {"ray_elsewhere", &third, "ray start",
     "ray start --address=10.1.0.1:61012 --node-ip-address=10.1.0.3 --block"},
    {"ray_over_ipv6", &second_ipv6, "ray start",
     "ray start --address=[fd00::1]:61012 --node-ip-address=fd00::3 --block"},
    {"ray_with_an_address_of_its_own", &primary, "ray start --address=h:1",
     "ray start --node-ip-address=10.1.0.1 --block --address=h:1"},
    {"fabric", &third, "fabric run t.py",
     "fabric run --num-nodes=4 --node-rank=2 --devices=8 --main-address=10.1.0.1 "
     "--main-port=61012 t.py"},
};

enum { WORDS = 32 };

static void split(char *text, char *words[WORDS])
{
    size_t count = 0;
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        assert_true(count < WORDS - 1);
        words[count++] = word;
    }
    words[count] = NULL;
}

static void becomes(void **state)
{
    const struct command_row *row = *state;
    struct stage stage;
    struct ce_error err = {""};
    char text[512], *words[WORDS];
    ce_autotext struct ce_text joined = CE_TEXT(4096);
    stage_set(&stage, row->scene);
    strcpy(text, row->given);
    split(text, words);
    const struct ce_launcher *launcher = ce_launcher_find(words);
    assert_non_null(launcher);
    char **command = ce_launcher_command(launcher, words, &stage.view, "HOSTS", &err);
    assert_non_null(command);
    for (size_t i = 0; command[i]; i++)
        ce_text_addf(&joined, "%s%s", i ? " " : "", command[i]);
    assert_string_equal(ce_text_string(&joined), row->command);
    assert_int_equal(ce_launcher_wants(launcher, words, &stage.view, "--hostfile"),
                     strstr(row->command, "=HOSTS") != NULL);
    ce_launcher_free(command);
    stage_clear(&stage);
}

static const struct other_row {
    const char *name, *given;
} others[] = {
    {"a_program", "./train --nnodes"},
    {"a_script", "python train.py"},
    {"another_module", "python3 -m train torch.distributed.run"},
    {"a_python_that_is_none", "pythonic -m torch.distributed.run"},
    {"another_command_of_accelerate", "accelerate config"},
    {"accelerate_alone", "accelerate"},
    {"ray_alone", "ray"},
    {"another_command_of_ray", "ray stop"},
    {"a_name_that_begins_alike", "torchrunner train.py"},
};

static void is_no_launcher(void **state)
{
    const struct other_row *row = *state;
    char text[512], *words[WORDS];
    strcpy(text, row->given);
    split(text, words);
    assert_null(ce_launcher_find(words));
}

static void every_value_is_a_variable(void **state)
{
    (void)state;
    for (size_t i = 0; i < ce_launcher_count; i++)
        for (size_t k = 0; k < CE_LAUNCHER_FLAGS && ce_launchers[i].flags[k].name; k++) {
            const char *value = ce_launchers[i].flags[k].value;
            if (value && strcmp(value, "world") != 0 && strcmp(value, "hostfile") != 0)
                assert_non_null(ce_variable_find(value));
        }
}

int main(void)
{
    UNIT_TABLE(commands, becomes);
    UNIT_TABLE(others, is_no_launcher);
    UNIT_RULE(every_value_is_a_variable);
    return UNIT_RUN("launch/launcher");
}
