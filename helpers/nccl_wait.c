/* SPDX-License-Identifier: Apache-2.0 */
/* The word to begin, from who started this program and knows that all nodes can: one line on stdin,
 * "PORT TOKEN MEET-MS LIMIT-MS". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/parse.h"
#include "nccl_bench.h"

enum { LINE = 128, MS_MAX = 24 * 3600 * 1000, WORDS = 4 };

static int say_ready(struct nccl_bench *bench)
{
    ce_autotext struct ce_text said = CE_TEXT(128);
    struct ce_error err;
    uint32_t port = 0;
    if (bench->gang.node == 0 && gang_listen(&bench->gang, &port, &err) < 0)
        return nccl_bench_fail(bench, CE_NCCL_FAILED, err.text);
    ce_nccl_say_ready(port, &said);
    nccl_say(&said);
    return 0;
}

static int take_words(struct gang *gang, char *line)
{
    static char port[8]; /* the gang's from now on */
    char *words[WORDS], *rest = line;
    uint32_t meet_ms, limit_ms;
    for (int i = 0; i < WORDS; i++)
        if (!(words[i] = strtok_r(rest, " \n", &rest)))
            return -1;
    if (ce_copy(port, sizeof port, words[0]) < 0 ||
        ce_copy(gang->token, sizeof gang->token, words[1]) < 0 ||
        ce_parse_u32(words[2], 1, MS_MAX, &meet_ms) < 0 ||
        ce_parse_u32(words[3], 1, MS_MAX, &limit_ms) < 0)
        return -1;
    uint64_t now = ce_clock_ns();
    gang->port = port;
    gang->meet_by = now + (uint64_t)meet_ms * CE_NS_PER_MS;
    gang->deadline = now + (uint64_t)limit_ms * CE_NS_PER_MS;
    return 0;
}

int nccl_await_word(struct nccl_bench *bench)
{
    char line[LINE];
    if (say_ready(bench) < 0)
        return -1;
    if (fgets(line, sizeof line, stdin) && take_words(&bench->gang, line) == 0)
        return 0;
    return nccl_bench_fail(bench, CE_NCCL_OTHERS, "no word to begin came");
}
