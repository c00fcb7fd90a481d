/* The chain that run, profile and bench drive: inputs from photographs, raw tensors or a
 * random generator; the session; the answer. */
#ifndef HASTEN_CLI_CHAIN_H
#define HASTEN_CLI_CHAIN_H

#include "cli.h"

typedef enum chain_source { SOURCE_IMAGE, SOURCE_RAW, SOURCE_RANDOM } chain_source;

typedef struct chain {
    hst_model *model;
    hst_session *session;
    hst_pipeline *pipeline; /**< NULL where the inputs are not photographs */
    chain_source source;
    size_t n_inputs, n_outputs;
    hst_tensor **raw;           /**< own tensors of raw and random inputs */
    const hst_tensor **inputs;  /**< what the next run reads */
    const hst_tensor **outputs; /**< of the last run */
    hst_input_shape *shapes;
    size_t n_shapes;
    uint64_t load_ns,
        first_ns;          /**< reading the model; the first run, planning included */
    hst_session_info info; /**< after the first run */
} chain;

/** Opens model, manifest and raw inputs; runs nothing yet. Images are the positional
 * arguments behind MODEL. */
hst_status chain_open(chain *c, const cli_args *args, hst_error *err);
void chain_close(chain *c);

/** Reads and prepares one photograph (NULL for raw and random inputs). stages gets the
 * time of each, HST_STAGE_COUNT of them, may be NULL. */
hst_status chain_load(chain *c, const char *image, uint64_t *stages, hst_error *err);
/** Runs the network on what was loaded. */
hst_status chain_infer(chain *c, uint64_t *stages, hst_error *err);
/** Turns outputs into an answer (photographs only). */
hst_status chain_finish(chain *c, uint64_t *stages, hst_error *err);
/** First run with its time, planning included; fills c->info. */
hst_status chain_first(chain *c, const char *image, hst_error *err);

#endif
