#include <string.h>

#include "pipeline/manifest.h"

#define WORD(name, word) [name] = word,
const char *const hst__fit_words[] = {HST__FIT_LIST(WORD) NULL};
const char *const hst__filter_words[] = {HST__FILTER_LIST(WORD) NULL};
const char *const hst__convention_words[] = {HST__CONVENTION_LIST(WORD) NULL};
const char *const hst__color_words[] = {HST__COLOR_LIST(WORD) NULL};
const char *const hst__layout_words[] = {HST__LAYOUT_LIST(WORD) NULL};
const char *const hst__task_words[] = {HST__TASK_LIST(WORD) NULL};
const char *const hst__detector_words[] = {HST__DETECTOR_LIST(WORD) NULL};
#undef WORD

int hst__word_find(const char *const *words, const char *word) {
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return -1;
}
