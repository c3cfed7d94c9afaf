/* SPDX-License-Identifier: Apache-2.0 */
#include "health/guard.h"

#include <stdio.h>
#include <string.h>

#include "base/parse.h"

enum { TAG = 96 };

/* The next tag at *at, "[cluster-env NAME]", and *at behind it. */
static bool next_tag(const char **at, char tag[TAG])
{
    const char *start;
    while ((start = strstr(*at, CE_REASON_TAG)) != NULL) {
        size_t length = strcspn(start + 1, "[]") + 1;
        *at = start + length;
        if (start[length] != ']' || length + 1 >= TAG)
            continue;
        snprintf(tag, TAG, "%.*s", (int)length + 1, start);
        return true;
    }
    return false;
}

static bool is_before(const struct ce_guard_node *a, const struct ce_guard_node *b)
{
    return a->since < b->since || (a->since == b->since && strcmp(a->name, b->name) < 0);
}

static bool is_ahead(const struct ce_guard_scene *scene, const struct ce_guard_node *node,
                     const struct ce_guard_node *self, const char *tag, unsigned hours)
{
    return node != self && node->drained && strstr(node->reason, tag) &&
           node->since > scene->now - (int64_t)hours * 3600 && is_before(node, self);
}

static bool has_room(const struct ce_guard_scene *scene, const int32_t *ranges,
                     const struct ce_guard_node *self, const char *tag,
                     const struct ce_guard_limit *limit)
{
    size_t there = 0, ahead = 0;
    for (; ranges[0] >= 0; ranges += 2)
        for (size_t i = (size_t)ranges[0]; i < scene->count && (int32_t)i <= ranges[1]; i++) {
            const struct ce_guard_node *node = &scene->nodes[i];
            there += node->name != NULL;
            ahead += node->name && is_ahead(scene, node, self, tag, limit->hours);
        }
    size_t room = there * limit->percent / 100;
    return ahead < (room > 0 ? room : 1);
}

static bool has_room_everywhere(const struct ce_guard_scene *scene,
                                const struct ce_guard_node *self, const char *tag,
                                const struct ce_guard_limit *limit)
{
    for (size_t i = 0; i < scene->partition_count; i++)
        if (!has_room(scene, scene->partitions[i], self, tag, limit))
            return false;
    return true;
}

bool ce_guard_admits(const struct ce_guard_scene *scene, size_t self,
                     const struct ce_guard_limit *limit)
{
    const struct ce_guard_node *node = &scene->nodes[self];
    const char *at = node->reason;
    char tag[TAG];
    bool tagged = false;
    while (next_tag(&at, tag)) {
        tagged = true;
        if (has_room_everywhere(scene, node, tag, limit))
            return true;
    }
    return !tagged && has_room_everywhere(scene, node, CE_REASON_TAG, limit);
}
