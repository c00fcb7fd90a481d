#include "passes/report.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 20 };

void hst__report_add(hst__report *r, const hst_error *one) {
    size_t used = strlen(r->error.message), room = sizeof r->error.message - used;
    if (r->count == 0)
        r->error.status = one->status;
    if (r->count++ < SHOWN && room > 1)
        snprintf(r->error.message + used, room, "%s%s", used ? "\n" : "", one->message);
}

hst_status hst__report_status(hst__report *r, hst_error *err) {
    if (r->count == 0)
        return HST_OK;
    if (r->count == 1)
        return hst__fail(err, r->error.status, "%s", r->error.message);
    return hst__fail(err, r->error.status, "%d nodes cannot be run:\n%.2900s%s", r->count,
                     r->error.message, r->count > SHOWN ? "\n..." : "");
}
