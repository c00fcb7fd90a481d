#include "base/text.h"

#include <string.h>

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
    return size;
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
