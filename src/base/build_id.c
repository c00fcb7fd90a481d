#include "base/build_id.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct search {
    const void *id;
    size_t bytes;
} search;

static size_t padded(size_t n) { return (n + 3) & ~(size_t)3; }

static void read_notes(const char *p, size_t size, search *s) {
    ElfW(Nhdr) note;
    while (size >= sizeof note) {
        memcpy(&note, p, sizeof note);
        size_t name = padded(note.n_namesz), text = padded(note.n_descsz);
        if (name > size - sizeof note || text > size - sizeof note - name)
            return;
        const char *at = p + sizeof note;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            memcmp(at, "GNU", 4) == 0) {
            s->id = at + name;
            s->bytes = note.n_descsz;
        }
        p += sizeof note + name + text;
        size -= sizeof note + name + text;
    }
}

/** Looks at the object that this function lies in. */
static int visit(struct dl_phdr_info *info, size_t size, void *user) {
    uintptr_t here = (uintptr_t)&hst__build_id;
    bool ours = false;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + h->p_vaddr;
        ours |= h->p_type == PT_LOAD && here >= from && here - from < h->p_memsz;
    }
    for (int i = 0; ours && i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_NOTE)
            read_notes((const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
                       info->dlpi_phdr[i].p_memsz, user);
    return ours;
}

const void *hst__build_id(size_t *bytes) {
    search s = {NULL, 0};
    dl_iterate_phdr(visit, &s);
    *bytes = s.bytes;
    return s.id;
}
