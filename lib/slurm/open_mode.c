/* SPDX-License-Identifier: Apache-2.0 */
#include "slurm/open_mode.h"

#include <string.h>

static const char name[] = "--open-mode";
enum { LEAST = 4 }; /* "--op": --o would be --output, too */

/* What stands behind a shortened or full --open-mode; NULL: the word is another one. */
static const char *behind_name(const char *word, size_t length)
{
    size_t i = 0;
    while (i < length && i + 1 < sizeof name && word[i] == name[i])
        i++;
    if (i < LEAST || (i < length && !strchr("= \t", word[i])))
        return NULL;
    return word + i;
}

/* The word behind, whatever ends it. */
static const char *next(const char *word, const char *end)
{
    const char *nul = memchr(word, '\0', (size_t)(end - word));
    return nul && nul + 1 < end ? nul + 1 : NULL;
}

bool ce_open_mode_in_words(const char *words, size_t length)
{
    const char *end = words + length;
    if (length == 0 || end[-1] != '\0')
        return false;
    for (const char *word = words; word; word = next(word, end)) {
        const char *rest = behind_name(word, strlen(word));
        const char *value = !rest ? NULL : *rest ? rest + 1 : next(word, end);
        if (value && *value == 'a')
            return true;
    }
    return false;
}

static bool line_appends(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const char *rest = behind_name(line + i, length - i);
        if (!rest)
            continue;
        while (rest < line + length && strchr("= \t", *rest))
            rest++;
        if (rest < line + length && *rest == 'a')
            return true;
    }
    return false;
}

bool ce_open_mode_in_script(const char *script)
{
    while (*script) {
        size_t length = strcspn(script, "\n");
        if (strncmp(script, "#SBATCH", 7) == 0 && line_appends(script, length))
            return true;
        script += length + (script[length] == '\n');
    }
    return false;
}

const char *ce_open_mode_candidate(const char *words, size_t length, unsigned n)
{
    const char *end = words + length;
    if (length == 0 || end[-1] != '\0')
        return NULL;
    for (const char *word = next(words, end); word; word = next(word, end))
        if (*word != '-' && n-- == 0)
            return word;
    return NULL;
}
