/* Small things that are printed in more than one command. */
#ifndef HASTEN_CLI_TEXT_H
#define HASTEN_CLI_TEXT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "hasten/tensor.h"

/** Prints the object and a newline, and frees it. */
void text_json_print(cJSON *json);
/** A number, or null where there is none. */
void text_json_optional(cJSON *object, const char *key, bool there, double value);
/** "f32[1,3,224,224]" with names or ? for free dimensions. Returns buffer. */
const char *text_shape(const hst_tensor_info *info, const char *const *dim_names,
                       char *buffer, size_t size);
/** "12.3 MB". Returns buffer. */
const char *text_bytes(double bytes, char *buffer, size_t size);
/** A bar of `width` cells filled to `share` (0..1) with eighths of a block (UTF-8).
 * Returns buffer; needs 3 * width + 1 bytes. */
const char *text_bar(double share, int width, char *buffer);
/** Fills err with a clean message; returns the status. */
__attribute__((format(printf, 3, 4))) hst_status
text_error(hst_error *err, hst_status status, const char *format, ...);
/** True when progress may be shown: stderr is a terminal. */
bool text_progress(void);

#endif
