#include "base/text.h"

#include <stdbool.h>
#include <string.h>

#include "hasten/error.h"

/** Marks and overrides of the direction of writing, U+061C, U+200E, U+200F, U+202A to
 * U+202E, U+2066 to U+2069, and the line and paragraph separators U+2028, U+2029. */
static bool turns(const unsigned char *p) {
    return (p[0] == 0xd8 && p[1] == 0x9c) ||
           (p[0] == 0xe2 && p[1] == 0x80 &&
            (p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xa8 && p[2] <= 0xae))) ||
           (p[0] == 0xe2 && p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9);
}

/** Bytes of the well-formed, printable sequence at p; 0 where there is none. */
static int sequence(const unsigned char *p) {
    if (p[0] < 0x80)
        return p[0] >= ' ' && p[0] != 0x7f;
    int size = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4)
        return 0;
    for (int i = 1; i < size; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xc2 && p[1] < 0xa0) || /* controls U+0080 to U+009F */
        (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
        (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
        return 0;
    return turns(p) ? 0 : size;
}

char *hst__text_clean(char *text, const char *keep) {
    for (unsigned char *p = (unsigned char *)text; *p;) {
        int size = sequence(p);
        if (!size && !strchr(keep, *p))
            *p = '?';
        p += size ? size : 1;
    }
    return text;
}

char *hst_text_clean(char *text) { return hst__text_clean(text, ""); }
