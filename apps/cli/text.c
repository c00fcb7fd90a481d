#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void text_json_print(cJSON *json) {
    char *text = cJSON_Print(json);
    if (!text) {
        fprintf(stderr, "hasten: out of memory for the JSON text\n");
        exit(EXIT_FAILURE);
    }
    puts(text);
    free(text);
    cJSON_Delete(json);
}

void text_json_optional(cJSON *object, const char *key, bool there, double value) {
    if (there)
        cJSON_AddNumberToObject(object, key, value);
    else
        cJSON_AddNullToObject(object, key);
}

const char *text_shape(const hst_tensor_info *info, const char *const *dim_names,
                       char *buffer, size_t size) {
    size_t at = (size_t)snprintf(buffer, size, "%s", hst_dtype_name(info->dtype));
    if (info->rank < 0) {
        snprintf(buffer + at, size - at, "[...]");
        return buffer;
    }
    for (int i = 0; i < info->rank && at < size; i++) {
        const char *lead = i ? "," : "[";
        if (info->dims[i] >= 0)
            at += (size_t)snprintf(buffer + at, size - at, "%s%lld", lead,
                                   (long long)info->dims[i]);
        else
            at += (size_t)snprintf(buffer + at, size - at, "%s%.24s", lead,
                                   dim_names && dim_names[i] ? dim_names[i] : "?");
    }
    if (at < size)
        snprintf(buffer + at, size - at, info->rank ? "]" : "[]");
    return buffer;
}

const char *text_bytes(double bytes, char *buffer, size_t size) {
    static const char *const units[] = {"B", "kB", "MB", "GB"};
    int u = 0;
    while (bytes >= 1000 && u < 3) {
        bytes /= 1000;
        u++;
    }
    snprintf(buffer, size, u ? "%.1f %s" : "%.0f %s", bytes, units[u]);
    return buffer;
}

const char *text_bar(double share, int width, char *buffer) {
    static const char *const parts[] = {"",       "\u258f", "\u258e", "\u258d",
                                        "\u258c", "\u258b", "\u258a", "\u2589"};
    int eighths = (int)(share * width * 8 + 0.5);
    char *p = buffer;
    *p = 0;
    for (; eighths >= 8; eighths -= 8)
        p = stpcpy(p, "\u2588");
    if (eighths > 0)
        strcpy(p, parts[eighths]);
    return buffer;
}

hst_status text_error(hst_error *err, hst_status status, const char *format, ...) {
    va_list list;
    err->status = status;
    va_start(list, format);
    vsnprintf(err->message, sizeof err->message, format, list);
    va_end(list);
    hst_text_clean(err->message);
    return status;
}

bool text_progress(void) { return isatty(STDERR_FILENO); }
