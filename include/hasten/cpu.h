/* CPU levels: what a plan may use, in rising order. */
#ifndef HASTEN_CPU_H
#define HASTEN_CPU_H

#include "hasten/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/** X(enumerator, name). AUTO means the highest that this machine has. */
#define HST_CPU_LIST(X)                                                                    \
    X(HST_CPU_AUTO, "auto")                                                                \
    X(HST_CPU_REF, "ref")                                                                  \
    X(HST_CPU_AVX2, "avx2")                                                                \
    X(HST_CPU_AVX512, "avx512")                                                            \
    X(HST_CPU_AVX512VNNI, "avx512vnni")

typedef enum hst_cpu_level {
#define HST_CPU_ENUM(name, text) name,
    HST_CPU_LIST(HST_CPU_ENUM)
#undef HST_CPU_ENUM
} hst_cpu_level;

/** The highest level of this machine; never AUTO. */
HST_API hst_cpu_level hst_cpu_best(void);
/** "avx2" ...; "?" for unknown values. */
HST_API const char *hst_cpu_name(hst_cpu_level level);
/** Level of a name. Errors: ARG, with the list of names in the message. */
HST_API hst_status hst_cpu_parse(const char *name, hst_cpu_level *out, hst_error *err);

#ifdef __cplusplus
}
#endif
#endif
