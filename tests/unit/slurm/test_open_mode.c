/* SPDX-License-Identifier: Apache-2.0 */
#include "slurm/open_mode.h"

#include "../unit.h"

/* A string's own NUL ends its last word. */
#define WORDS(text) text, sizeof text

static const struct words_row {
    const char *name, *words;
    size_t length;
    bool appends;
} commands[] = {
    {"nothing_said", WORDS("sbatch\0job.sh"), false},
    {"append", WORDS("sbatch\0--open-mode=append\0job.sh"), true},
    {"append_as_a_word_of_its_own", WORDS("sbatch\0--open-mode\0append\0job.sh"), true},
    {"append_shortened", WORDS("sbatch\0--open-mode=a\0job.sh"), true},
    {"a_shortened_name", WORDS("sbatch\0--open=append"), true},
    {"the_shortest_name", WORDS("sbatch\0--op\0a"), true},
    {"truncate", WORDS("sbatch\0--open-mode=truncate"), false},
    {"truncate_as_a_word_of_its_own", WORDS("sbatch\0--open-mode\0truncate\0append"), false},
    {"another_option_with_that_value", WORDS("sbatch\0--output=append"), false},
    {"a_longer_name", WORDS("sbatch\0--open-modes=append"), false},
    {"a_name_without_value", WORDS("sbatch\0--open-mode"), false},
    {"an_empty_value", WORDS("sbatch\0--open-mode="), false},
    {"a_value_that_is_the_option", WORDS("sbatch\0-o\0open-mode=append"), false},
    {"no_words", "", 0, false},
    {"words_that_were_cut", "sbatch\0--open-mode=append", 24, false},
};

static void words_append(void **state)
{
    const struct words_row *row = *state;
    assert_int_equal(ce_open_mode_in_words(row->words, row->length), row->appends);
}

static const struct script_row {
    const char *name, *script;
    bool appends;
} scripts[] = {
    {"an_empty_script", "", false},
    {"a_script_that_says_nothing", "#!/bin/bash\n#SBATCH -N4\nsrun train\n", false},
    {"a_script_that_appends", "#!/bin/bash\n#SBATCH --open-mode=append\nsrun train\n", true},
    {"among_other_options", "#!/bin/bash\n#SBATCH -N4 --open-mode append -t 10\n", true},
    {"a_script_that_truncates", "#!/bin/bash\n#SBATCH --open-mode=truncate\n", false},
    {"a_line_that_is_no_directive", "#!/bin/bash\n# SBATCH --open-mode=append\n", false},
    {"a_command_that_appends", "#!/bin/bash\nsrun --open-mode=append train\n", false},
    {"a_last_line_without_newline", "#!/bin/bash\n#SBATCH --open-mode=append", true},
    {"the_value_is_not_on_the_next_line", "#SBATCH --open-mode=\nappend\n", false},
};

static void script_appends(void **state)
{
    const struct script_row *row = *state;
    assert_int_equal(ce_open_mode_in_script(row->script), row->appends);
}

static void what_is_no_option_may_be_the_script(void **state)
{
    static const char words[] = "sbatch\0-o\0out\0--wait\0job.sh\0-x";
    (void)state;
    assert_string_equal(ce_open_mode_candidate(words, sizeof words, 0), "out");
    assert_string_equal(ce_open_mode_candidate(words, sizeof words, 1), "job.sh");
    assert_null(ce_open_mode_candidate(words, sizeof words, 2));
    assert_null(ce_open_mode_candidate(words, 0, 0));
}

int main(void)
{
    UNIT_TABLE(commands, words_append);
    UNIT_TABLE(scripts, script_appends);
    UNIT_RULE(what_is_no_option_may_be_the_script);
    return UNIT_RUN("slurm/open_mode");
}
