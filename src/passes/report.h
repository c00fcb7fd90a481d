/* Collects the errors of many nodes into one message. */
#ifndef HST_PASSES_REPORT_H
#define HST_PASSES_REPORT_H

#include "base/status.h"

typedef struct hst__report {
    hst_error error; /**< the joined message */
    int count;
} hst__report;

/** Adds one node's error as a line of its own; the 20th and later are only counted. */
void hst__report_add(hst__report *r, const hst_error *one);
/** HST_OK when nothing was added; else the joined error. */
hst_status hst__report_status(hst__report *r, hst_error *err);

#endif
