/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/sibling.h"

#include <string.h>

const char *ce_sibling_word(const struct ce_check_view *view, ce_word_of word_of)
{
    for (size_t i = 0; i < view->rail_count; i++) {
        size_t equal = 0;
        for (size_t k = 0; k < view->rail_count; k++)
            equal += strcmp(word_of(&view->rails[k]), word_of(&view->rails[i])) == 0;
        if (2 * equal > view->rail_count && word_of(&view->rails[i])[0])
            return word_of(&view->rails[i]);
    }
    return NULL;
}

unsigned ce_sibling_number(const struct ce_check_view *view, ce_number_of number_of)
{
    for (size_t i = 0; i < view->rail_count; i++) {
        size_t equal = 0;
        for (size_t k = 0; k < view->rail_count; k++)
            equal += number_of(&view->rails[k]) == number_of(&view->rails[i]);
        if (2 * equal > view->rail_count)
            return number_of(&view->rails[i]);
    }
    return 0;
}
