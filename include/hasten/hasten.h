/* Hasten: measures, optimises and runs neural networks. This header includes the others.
 *
 *   hst_model    a network read from an ONNX file          model.h
 *   hst_session  runs it                                   session.h
 *   hst_tensor   what goes in and comes out                tensor.h
 *   hst_pipeline photograph in, answer out                 pipeline.h
 *   hst_error    why something failed                      error.h
 */
#ifndef HASTEN_H
#define HASTEN_H

#include "hasten/cpu.h"
#include "hasten/error.h"
#include "hasten/model.h"
#include "hasten/pipeline.h"
#include "hasten/session.h"
#include "hasten/tensor.h"

#define HST_VERSION_MAJOR 0
#define HST_VERSION_MINOR 1
#define HST_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the library at run time, e.g. "0.1.0". */
HST_API const char *hst_version(void);

#ifdef __cplusplus
}
#endif
#endif
