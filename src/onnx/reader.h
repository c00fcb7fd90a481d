/* State shared by the parts of the ONNX reader. */
#ifndef HST_ONNX_READER_H
#define HST_ONNX_READER_H

#include "onnx/names.h"
#include "onnx/onnx.h"
#include "onnx/schema.h"

enum { HST__OPSET_FIRST = 7, HST__OPSET_LAST = 28 }; /**< of the ONNX domain */

/** Versions of operator domains that a model or a function imports. */
typedef struct hst__opset {
    hst__span domain; /**< empty for ONNX's own, also where it is written "ai.onnx" */
    int version;
} hst__opset;

typedef struct hst__opsets {
    hst__opset *items; /**< in the graph's arena */
    int count;
} hst__opsets;

/** A function of the model, told by domain, name and overload. */
typedef struct hst__function {
    hst__span domain, name, overload, message;
    hst__opsets opsets;
    size_t fields; /**< of the message: what a call costs to read */
} hst__function;

/** What a node is read in: the graph, or the body of a function at one of its calls. */
typedef struct hst__frame {
    const struct hst__frame *parent;
    const hst__function *function; /**< NULL: the graph */
    hst__span call;                /**< the NodeProto that calls the function */
    const char *prefix;            /**< of the names that its values and nodes get */
    uint32_t scope;
    int depth;
} hst__frame;

typedef struct hst__reader {
    hst__onnx_file *file;
    hst__graph *g;
    hst__names names;
    hst__tensor_source source;
    hst__opsets opsets;
    hst__function *functions; /**< sorted, in the graph's arena */
    size_t n_functions;
    uint32_t scopes;     /**< used so far */
    size_t tensor_bytes; /**< heap taken for tensors */
    size_t budget;       /**< bytes that may be taken in all */
    size_t work;         /**< fields read again and again by calls of functions */
    hst_error *err;
} hst__reader;

/** The parts of a NodeProto that do not repeat. */
typedef struct hst__node_parts {
    hst__span message, name, op_type, domain, overload;
    int n_in, n_out, n_attr;
} hst__node_parts;

/* reader.c */

/** HST_OK while the memory taken is in proportion to the file; else LIMIT. */
hst_status hst__reader_budget(const hst__reader *r, size_t more);
/** HST_OK while calls of functions stay within reason; else LIMIT. */
hst_status hst__reader_work(hst__reader *r, size_t fields);
/** count*size zeroed bytes of the graph's arena within the budget, into *out. */
hst_status hst__reader_take(hst__reader *r, size_t count, size_t size, void *out);
/** An arena copy of prefix and text, cut at a NUL byte, see hst__text_clean. */
hst_status hst__reader_text(hst__reader *r, const char *prefix, hst__span text,
                            const char **out);
/** The value of a name within a frame, made where there is none; NONE for the empty name.
 */
hst_status hst__reader_value(hst__reader *r, const hst__frame *frame, hst__span name,
                             hst__value_id *out);
/** Reads a tensor whose owner the caller will be. */
hst_status hst__reader_tensor(hst__reader *r, hst__span message, hst__span *name,
                              hst_tensor **out);
/** Makes a value constant, which it must not be yet. Takes ownership in any case. */
hst_status hst__reader_constant(hst__reader *r, hst__value_id v, hst_tensor *tensor);

/* opset_read.c */

/** Reads all imports of a ModelProto or FunctionProto (field `tag` of it), and checks the
 * version of the ONNX domain. */
hst_status hst__reader_opsets(hst__reader *r, const hst__wire_message *type, uint32_t tag,
                              hst__span message, hst__opsets *out);
/** Version of a domain within a frame; 0 where it is not imported. */
int hst__reader_opset(const hst__reader *r, const hst__frame *frame, hst__span domain);
/** An empty domain for ONNX's own. */
hst__span hst__reader_domain(hst__span domain);

/* node_read.c */

/** One NodeProto: appended to the graph, turned into a constant, or, where it calls a
 * function, replaced by the function's nodes. */
hst_status hst__reader_node(hst__reader *r, const hst__frame *frame, hst__span message);
/** Calls `read` for each field of this number of a message of this type. */
typedef hst_status hst__reader_visit(hst__reader *r, const hst__frame *frame,
                                     hst__span message);
hst_status hst__reader_each(hst__reader *r, const hst__frame *frame,
                            const hst__wire_message *type, uint32_t tag,
                            hst__span message, hst__reader_visit *visit);

/* attr_read.c */

/** The AttributeProto behind a reference to an attribute of the calling node; itself
 * where it is none. *out is empty where the call leaves the attribute out. */
hst_status hst__reader_attr_follow(hst__reader *r, const hst__frame *frame,
                                   hst__span message, hst__span *out);
hst_status hst__reader_attr_name(hst__reader *r, hst__span message, hst__span *out);
/** The value of an AttributeProto; out->name is the caller's business, as it differs
 * behind a reference. */
hst_status hst__reader_attr(hst__reader *r, hst__span message, hst__attr *out);

/* constant_read.c */

/** The tensor of a Constant node; the caller's. */
hst_status hst__reader_constant_node(hst__reader *r, const hst__frame *frame,
                                     const hst__node_parts *parts, hst_tensor **out);

/* function_read.c */

hst_status hst__reader_functions(hst__reader *r, hst__span model, size_t count);
/** NULL where the node calls no function of the model. */
const hst__function *hst__reader_function(const hst__reader *r,
                                          const hst__node_parts *parts);
/** Puts the function's nodes in the place of its call. */
hst_status hst__reader_call(hst__reader *r, const hst__frame *frame,
                            const hst__function *function, const hst__node_parts *parts,
                            const hst__value_id *in, const hst__value_id *out);

/* value_read.c */

typedef struct hst__value_parts {
    hst__span name;
    bool typed;
    hst__desc desc; /**< rank -1 without a shape */
    hst__dim_names dims;
} hst__value_parts;

/** A ValueInfoProto; what: "input" or "output". Errors: FORMAT, UNSUPPORTED (no tensor,
 * element type, rank). */
hst_status hst__reader_value_info(hst__reader *r, const char *what, hst__span message,
                                  hst__value_parts *out);

/* graph_read.c */

/** A whole GraphProto. */
hst_status hst__reader_graph(hst__reader *r, hst__span message);

/* sniff.c */

/** What a file is that is no ONNX model, as a sentence with advice; NULL if unknown. */
const char *hst__onnx_sniff(hst__span file);

#endif
