#ifndef HST_PIPELINE_GUESS_H
#define HST_PIPELINE_GUESS_H

#include <stdbool.h>

#include "hasten/model.h"

/** Name of the preset whose outputs look like these; "raw" where none does. */
const char *hst__guess_preset(const hst_tensor_info *image, const hst_value_info *outputs,
                              size_t n);

#endif
