/* State shared by the parts of the ONNX reader. */
#ifndef HST_ONNX_READER_H
#define HST_ONNX_READER_H

#include "onnx/names.h"
#include "onnx/onnx.h"
#include "onnx/tensor_read.h"

enum { HST__OPSETS_MAX = 64 };

typedef struct hst__opset {
    hst__span domain;
    int version;
} hst__opset;

typedef struct hst__reader {
    hst__onnx_file *file;
    hst__graph *g;
    hst__names names;
    hst__tensor_source source;
    hst__opset opsets[HST__OPSETS_MAX];
    int n_opsets;
    hst_error *err;
} hst__reader;

/** An arena copy of a text, cut at a NUL byte; NULL when out of memory. */
const char *hst__reader_text(hst__reader *r, hst__span text);
/** Version of a domain in this model; 0 where it is not imported. */
int hst__reader_opset(const hst__reader *r, hst__span domain);
/** One NodeProto: appended to the graph, or turned into a constant. */
hst_status hst__reader_node(hst__reader *r, hst__span message);
/** A whole GraphProto. */
hst_status hst__reader_graph(hst__reader *r, hst__span message);

#endif
