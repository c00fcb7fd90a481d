#include "onnx/schema.h"

#define MESSAGE(name, upper, text)                                                       \
    static const unsigned char name##_kinds[] = {HST__##upper##_FIELDS(HST__WIRE_KIND)}; \
    const hst__wire_message hst__##name##_message = {text, sizeof name##_kinds,          \
                                                     name##_kinds};
HST__MESSAGES(MESSAGE)
