/* What stands behind hst_session. */
#ifndef HST_API_SESSION_H
#define HST_API_SESSION_H

#include "api/model.h"
#include "exec/runner.h"
#include "hasten/session.h"

struct hst_session {
    hst_model *model;
    hst__runner runner;
    /* Step times of hst_session_run_timed. */
    hst__probe probe;
    uint64_t *step_ns, begin_ns;
};

#endif
