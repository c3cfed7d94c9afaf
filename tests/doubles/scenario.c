/* SPDX-License-Identifier: Apache-2.0 */
#include "scenario.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINES = 4096, TEXT = 256 };

static struct line {
    char key[128], value[TEXT];
    size_t length, head, tail; /* of the key: all, before the first wildcard, behind the last */
} lines[LINES];
static int line_count;

/* ---------------------------------------------------------------- the file */

static void add(const char *key, const char *value)
{
    struct line *line = &lines[line_count++];
    snprintf(line->key, sizeof line->key, "%s", key);
    snprintf(line->value, sizeof line->value, "%s", value);
    line->length = strlen(line->key);
    line->head = strcspn(line->key, "*?[\\");
    while (line->tail < line->length - line->head &&
           !strchr("*?]", line->key[line->length - line->tail - 1]))
        line->tail++;
}

void scenario_load(const char *path)
{
    FILE *file = path ? fopen(path, "re") : NULL;
    char line[512];
    memset(lines, 0, (size_t)line_count * sizeof *lines);
    line_count = 0;
    while (file && fgets(line, sizeof line, file) && line_count < LINES) {
        char *equals = strchr(line, '=');
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#' || !equals)
            continue;
        *equals = '\0';
        add(line, equals + 1);
    }
    if (file)
        fclose(file);
}

/* ---------------------------------------------------------------- a question */

/* "then:A:B": A when it is asked for the first time, B from then on; A has no ':'. */
static const char *take_turn(char *value)
{
    char *second = strncmp(value, "then:", 5) == 0 ? strchr(value + 5, ':') : NULL;
    static char first[TEXT];
    if (!second)
        return value;
    snprintf(first, sizeof first, "%.*s", (int)(second - value - 5), value + 5);
    memmove(value, second + 1, strlen(second + 1) + 1);
    return first;
}

/* Does what stands before and behind its wildcards fit?  fnmatch() is slow, and a GPU is asked
 * hundreds of questions. */
static int may_fit(const struct line *line, const char *key, size_t length)
{
    return line->tail <= length && strncmp(line->key, key, line->head) == 0 &&
           memcmp(line->key + line->length - line->tail, key + length - line->tail, line->tail) == 0;
}

const char *scenario_find(const char *key)
{
    size_t length = strlen(key);
    for (int i = line_count - 1; i >= 0; i--)
        if (may_fit(&lines[i], key, length) && fnmatch(lines[i].key, key, 0) == 0)
            return take_turn(lines[i].value);
    return NULL;
}

int scenario_act(const char *value, const char **rest)
{
    if (strncmp(value, "slow:", 5) == 0) {
        char *end;
        long ms = strtol(value + 5, &end, 10);
        nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
        return scenario_act(*end ? end + 1 : end, rest);
    }
    if (strcmp(value, "hang") == 0)
        for (;;)
            pause();
    if (strcmp(value, "crash") == 0)
        abort();
    if (strncmp(value, "error:", 6) == 0)
        return atoi(value + 6);
    if (rest)
        *rest = value;
    return 0;
}
