#!/usr/bin/env python3
"""Writes tests/golden/onnx: small models and what a reader must make of them.

NAME.onnx is a model; NAME.txt says what is in it, as seen by the onnx package (or, for
functions, as written down here), or `error STATUS` and pieces of the message.
usage: onnx_corpus.py OUTPUT_DIR   (needs onnx and numpy)
"""
import struct
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh

OUT = Path(sys.argv[1])
NAMES = {T.FLOAT: "f32", T.UINT8: "u8", T.INT8: "s8", T.UINT16: "u16", T.INT16: "s16",
         T.INT32: "s32", T.INT64: "s64", T.BOOL: "bool", T.FLOAT16: "f16",
         T.DOUBLE: "f64", T.UINT32: "u32", T.UINT64: "u64", T.BFLOAT16: "bf16"}


# What a model holds, as text --------------------------------------------------------------

def crc32(data):
    import zlib
    return zlib.crc32(data)


def elements(tensor, base):
    """The elements as they are in memory, little-endian."""
    if tensor.data_type == T.BFLOAT16 and not tensor.HasField("raw_data"):
        return struct.pack(f"<{len(tensor.int32_data)}H", *tensor.int32_data)
    if tensor.data_type == T.BFLOAT16:
        return tensor.raw_data
    return np.ascontiguousarray(nh.to_array(tensor, base_dir=str(base))).tobytes()


def tensor_text(tensor, base=OUT):
    data = elements(tensor, base)
    shape = ",".join(str(d) for d in tensor.dims)
    body = data.hex() if len(data) <= 64 else f"crc {crc32(data):08x}"
    return f"{NAMES[tensor.data_type]}[{shape}] {body}"


def float_text(value):
    return "0x%08x" % struct.unpack("<I", struct.pack("<f", value))


def attr_text(a):
    A = onnx.AttributeProto
    values = {A.INT: lambda: str(a.i), A.FLOAT: lambda: float_text(a.f),
              A.STRING: lambda: f"'{a.s.decode()}'",
              A.INTS: lambda: "[" + ",".join(map(str, a.ints)) + "]",
              A.FLOATS: lambda: "[" + ",".join(map(float_text, a.floats)) + "]",
              A.STRINGS: lambda: f"strings '{a.strings[0].decode()}'",
              A.TENSOR: lambda: tensor_text(a.t)}
    return f"{a.name}={values[a.type]() if a.type in values else 'other'}"


def value_text(kind, value):
    t = value.type.tensor_type
    dims = "no shape"
    if t.HasField("shape"):
        dims = "[" + ",".join(str(d.dim_value) if d.HasField("dim_value") and d.dim_value >= 0
                              else d.dim_param or "?" for d in t.shape.dim) + "]"
    return f"{kind} {value.name} {NAMES[t.elem_type]} {dims}"


def node_text(op, name, opset, inputs, outputs, attrs=(), domain=""):
    ends = lambda names: ",".join(n or "-" for n in names)
    text = f"node {op} '{name}' domain '{domain}' opset {opset} ({ends(inputs)}) -> ({ends(outputs)})"
    return " ".join([text, *sorted(attrs)])


def model_text(m, nodes=None, constants=()):
    """nodes, constants: given where they differ from what stands in the file."""
    opsets = {("" if o.domain == "ai.onnx" else o.domain): o.version for o in m.opset_import}
    weights = {t.name: tensor_text(t) for t in m.graph.initializer}
    lines = []
    for n in m.graph.node:
        if n.op_type == "Constant" and nodes is None:
            weights[n.output[0]] = constant_text(n.attribute[0])
        elif nodes is None:
            domain = "" if n.domain == "ai.onnx" else n.domain
            lines.append(node_text(n.op_type, n.name, opsets[domain], n.input, n.output,
                                   map(attr_text, n.attribute), domain))
    weights.update(constants)
    producer = " ".join(p for p in (m.producer_name, m.producer_version) if p)
    head = [f"model '{m.graph.name}' by '{producer}' ir {m.ir_version} opset {opsets.get('', 0)}"]
    head += [value_text("input", v) for v in m.graph.input if v.name not in weights]
    head += [value_text("output", v) for v in m.graph.output]
    head += [f"constant {name} {weights[name]}" for name in sorted(weights, key=str.encode)]
    return "\n".join(head + (lines if nodes is None else nodes)) + "\n"


def constant_text(a):
    if a.name == "value":
        return tensor_text(a.t)
    values = {"value_float": lambda: nh.from_array(np.float32(a.f)),
              "value_int": lambda: nh.from_array(np.int64(a.i)),
              "value_floats": lambda: nh.from_array(np.array(a.floats, np.float32)),
              "value_ints": lambda: nh.from_array(np.array(a.ints, np.int64))}
    return tensor_text(values[a.name]())


def save(name, model, expected):
    data = model if isinstance(model, bytes) else model.SerializeToString()
    (OUT / f"{name}.onnx").write_bytes(data)
    (OUT / f"{name}.txt").write_text(expected)


def good(name, model, **given):
    save(name, model, model_text(model, **given))


def bad(name, status, model, *pieces):
    save("bad_" + name, model, "\n".join([f"error {status}", *pieces]) + "\n")


# Building ---------------------------------------------------------------------------------

def info(name, dims=(2, 3), dtype=T.FLOAT):
    return h.make_tensor_value_info(name, dtype, dims)


def model(nodes, inputs=None, outputs=None, weights=(), opset=13, ir=8, name="g",
          domains=(), functions=()):
    g = h.make_graph(nodes, name, inputs if inputs is not None else [info("x")],
                     outputs if outputs is not None else [info("y")], list(weights))
    imports = [h.make_opsetid(d, v) for d, v in (("", opset), *domains)]
    return h.make_model(g, opset_imports=imports, ir_version=ir, producer_name="corpus",
                        producer_version="1.0", functions=list(functions))


def relu(source="x", to="y", **more):
    return h.make_node("Relu", [source], [to], **more)


def wire(field, kind, data):
    """One protobuf field: kind 0 varint, 2 bytes, 5 fixed 32."""
    def varint(n):
        n &= (1 << 64) - 1
        out = b""
        while n > 127:
            out += bytes([n & 127 | 128])
            n >>= 7
        return out + bytes([n])
    head = varint(field << 3 | kind)
    return head + (varint(data) if kind == 0 else data if kind == 5 else varint(len(data)) + data)


ARRAYS = {T.FLOAT: np.array([[1.5, -0.0, np.inf], [1e-40, 3.25, -7]], np.float32),
          T.UINT8: np.array([0, 1, 255], np.uint8), T.INT8: np.array([-128, -1, 127], np.int8),
          T.UINT16: np.array([0, 65535], np.uint16), T.INT16: np.array([-32768, 9], np.int16),
          T.INT32: np.array([-2**31, 5], np.int32), T.INT64: np.array([-2**63, 2**63 - 1]),
          T.BOOL: np.array([True, False, True]),
          T.FLOAT16: np.array([1.5, -0.0, 6e-8, 65504], np.float16),
          T.DOUBLE: np.array([1e300, -2.5]), T.UINT32: np.array([2**32 - 1, 0], np.uint32),
          T.UINT64: np.array([2**64 - 1, 1], np.uint64)}
BF16 = [0x3F80, 0xC000, 0x7F80]


def weights():
    raw = [nh.from_array(a, f"w{t}") for t, a in ARRAYS.items()]
    raw.append(T(dims=[3], data_type=T.BFLOAT16, name="w16",
                 raw_data=struct.pack("<3H", *BF16)))
    raw += [nh.from_array(np.float32(2.5), "scalar"), nh.from_array(np.zeros((0, 4), np.float32), "none")]
    good("raw", model([relu()], weights=raw))

    typed = []
    for t, a in ARRAYS.items():
        w = T(dims=a.shape, data_type=t, name=f"w{t}")
        if t == T.FLOAT16:
            w.int32_data.extend(a.view(np.uint16).tolist())
        elif t == T.BOOL:
            w.int32_data.extend(map(int, a))
        else:
            field = {T.FLOAT: w.float_data, T.DOUBLE: w.double_data, T.INT64: w.int64_data,
                     T.UINT32: w.uint64_data, T.UINT64: w.uint64_data}.get(t, w.int32_data)
            field.extend(a.flatten().tolist())
        typed.append(w)
    typed.append(T(dims=[3], data_type=T.BFLOAT16, name="w16", int32_data=BF16))
    typed.append(T(dims=[], data_type=T.FLOAT, name="scalar", float_data=[2.5]))
    typed.append(T(dims=[0, 4], data_type=T.FLOAT, name="none"))
    good("typed", model([relu()], weights=typed))

    # Numbers one by one, which the format allows as well; dims packed, where it writes none.
    body = wire(1, 2, b"\x02\x01") + wire(2, 0, T.FLOAT) + wire(8, 2, b"one_by_one")
    body += b"".join(wire(4, 5, struct.pack("<f", f)) for f in (0.5, -8))
    part = wire(1, 0, 3) + wire(2, 0, T.INT64) + wire(8, 2, b"in_parts") + wire(7, 0, -5)
    part += wire(7, 2, b"\x07") + wire(7, 2, b"\x09")
    m = model([relu()])
    graph = m.graph.SerializeToString() + wire(5, 2, body) + wire(5, 2, part)
    m.ClearField("graph")
    unpacked = m.SerializeToString() + wire(7, 2, graph)
    parsed = onnx.load_from_string(unpacked)
    save("unpacked", unpacked, model_text(parsed))

    rng = np.random.default_rng(1)
    large = [nh.from_array(rng.standard_normal((31, 37), np.float32), "large_raw"),
             h.make_tensor("large_typed", T.FLOAT, [1500], rng.standard_normal(1500, np.float32)),
             nh.from_array(rng.standard_normal(2500).astype(np.float16), "large_f16")]
    good("large", model([relu()], weights=large))


def external():
    data = np.arange(2000, dtype=np.float32)
    (OUT / "external.bin").write_bytes(b"pad" + data.tobytes() + bytes(range(24)))

    def outside(name, dims, dtype=T.FLOAT, **where):
        w = T(dims=dims, data_type=dtype, name=name, data_location=T.EXTERNAL)
        for key, value in where.items():
            w.external_data.add(key=key, value=str(value))
        return w

    full = dict(location="external.bin", offset=3, length=8000)
    good("external", model([relu()], weights=[
        outside("large", [40, 50], **full),
        outside("small", [6], location="external.bin", offset=8003, length=24),
        outside("no_length", [24], T.UINT8, location="./external.bin", offset=8003)]))
    for name, change, piece in [
            ("external_up", dict(location="../external.bin"), "below the folder"),
            ("external_up_inside", dict(location="a/../external.bin"), "below the folder"),
            ("external_absolute", dict(location="/etc/passwd"), "below the folder"),
            ("external_nul", dict(location="external.bin\0x"), "below the folder"),
            ("external_empty", dict(location=""), "below the folder"),
            ("external_folder", dict(location="."), "below the folder"),
            ("external_slash", dict(location="external.bin/"), "below the folder"),
            ("external_beyond", dict(offset=30), "do not fit"),
            ("external_huge", dict(offset=2**64 - 1), "do not fit"),
            ("external_wrap", dict(offset=2**64), "no number"),
            ("external_negative", dict(offset=-1), "no number"),
            ("external_short", dict(length=7999), "shape needs 8000")]:
        bad(name, "FORMAT", model([relu()], weights=[outside("w", [2000], **{**full, **change})]),
            "'w'", piece)
    bad("external_missing", "IO",
        model([relu()], weights=[outside("w", [2], location="no_such_file")]),
        "no_such_file", "No such file")


def structure():
    w = nh.from_array(np.ones((3, 4), np.float32), "w")
    b = nh.from_array(np.ones(4, np.float32), "b")
    gemm = h.make_node("Gemm", ["x", "w", "b"], ["y"], name="fc", alpha=0.5, transB=0)
    good("weights_as_inputs", model([gemm], [info("x"), info("w", (3, 4)), info("b", (4,))],
                                    [info("y", (2, 4))], [w, b], ir=3, opset=9))
    clip = [h.make_node("Clip", ["x", "", "top"], ["c"], name="clip"),
            h.make_node("Dropout", ["c", "", ""], ["y", ""], name="drop")]
    good("optional", model(clip, weights=[nh.from_array(np.float32(6), "top")]))
    good("unicode", model([relu("Größe/入力:0", "сумма", name="активация — ✓")],
                          [info("Größe/入力:0")], [info("сумма")], name="gráf"))
    good("dims", model([relu(), h.make_node("Neg", ["z"], ["y2"])],
                       [info("x", ("batch", 3, None, "width")),
                        h.make_tensor_value_info("z", T.INT64, None)],
                       [info("y", ("batch", 3, None, "width")),
                        h.make_tensor_value_info("y2", T.INT64, [])]))
    good("unsorted", model([h.make_node("Add", ["a", "c"], ["y"], name="last"),
                            relu("x", "a", name="first"),
                            h.make_node("Constant", [], ["c"], value_float=1.0)]),
         nodes=[node_text("Relu", "first", 13, ["x"], ["a"]),
                node_text("Add", "last", 13, ["a", "c"], ["y"])],
         constants=[("c", tensor_text(nh.from_array(np.float32(1))))])
    rng = np.random.default_rng(2).standard_normal(2000, np.float32)
    kinds = [("t", dict(value=nh.from_array(np.array([[1, 2]], np.int32)))),
             ("big", dict(value=nh.from_array(rng))), ("f", dict(value_float=-1.5)),
             ("i", dict(value_int=-7)), ("fs", dict(value_floats=[0.5, 2])),
             ("is", dict(value_ints=[3, -4, 5])), ("h", dict(value=nh.from_array(ARRAYS[T.FLOAT16])))]
    good("constants", model([h.make_node("Constant", [], [n], **v) for n, v in kinds] + [relu()]))
    sub = h.make_graph([h.make_node("Identity", ["x"], ["s"])], "sub", [], [info("s")])
    attrs = h.make_node("Custom", ["x"], ["y"], name="all", domain="com.example", i=-3, f=0.25,
                        s="text", ints=[1, -2, 3], floats=[1.0, -0.5], strings=["a", "b"],
                        t=nh.from_array(np.array([4], np.int64)), g=sub,
                        tt=[nh.from_array(np.array([4], np.int64))])
    attrs.attribute.add(name="st", type=onnx.AttributeProto.SPARSE_TENSOR)
    attrs.attribute.add(name="no_ints", type=onnx.AttributeProto.INTS)
    good("attributes", model([attrs], domains=[("com.example", 3), ("com.microsoft", 1)]))
    old = model([h.make_node("Concat", ["x", "x"], ["y"], axis=1)])
    old.graph.node[0].attribute[0].ClearField("type")
    expected = model_text(model([h.make_node("Concat", ["x", "x"], ["y"], axis=1)]))
    save("attribute_without_type", old, expected)
    good("domains", model([h.make_node("FastGelu", ["x"], ["a"], domain="com.microsoft"),
                           relu("a", domain="ai.onnx")], domains=[("com.microsoft", 1)]))
    good("passed", model([], [info("x")], [info("x")]))
    good("opset7", model([relu()], opset=7, ir=4))
    good("newest", model([relu()], opset=28, ir=13))


# Functions --------------------------------------------------------------------------------

def functions():
    own = [h.make_opsetid("", 15), h.make_opsetid("f", 1)]
    inner = h.make_function(
        "f", "Scale", ["a", "b"], ["o"],
        [h.make_node("Constant", [], ["k"]), h.make_node("Add", ["a", "b"], ["s"], name="add"),
         h.make_node("Mul", ["s", "k"], ["m"]), h.make_node("LeakyRelu", ["m"], ["o"])],
        own, attributes=["factor"], attribute_protos=[h.make_attribute("slope", 0.125)])
    ref = inner.node[0].attribute.add(name="value_float", ref_attr_name="factor")
    ref.type = onnx.AttributeProto.FLOAT
    ref = inner.node[3].attribute.add(name="alpha", ref_attr_name="slope")
    ref.type = onnx.AttributeProto.FLOAT
    ref = inner.node[3].attribute.add(name="left_out", ref_attr_name="nobody_gives_this")
    ref.type = onnx.AttributeProto.FLOAT
    outer = h.make_function(
        "f", "Twice", ["p", "q"], ["r", "p2", "spare"],
        [h.make_node("Scale", ["p", "q"], ["t"], name="one", domain="f"),
         h.make_node("Scale", ["t", "t"], ["r"], name="two", domain="f", factor=2.0, slope=0.5),
         h.make_node("Identity", ["p"], ["p2"]), h.make_node("Neg", ["t"], ["spare"])],
        own, attributes=["times"])
    ref = outer.node[0].attribute.add(name="factor", ref_attr_name="times")
    ref.type = onnx.AttributeProto.FLOAT
    swap = h.make_function("f", "Through", ["u", "v"], ["u", "n"],
                           [h.make_node("Neg", ["u"], ["n"])], own)
    clip = h.make_function("f", "Limit", ["u", "low"], ["o"],
                           [h.make_node("Clip", ["u", "low"], ["o"])], own)
    nodes = [h.make_node("Twice", ["x", "z"], ["a", "", "c"], name="block", domain="f", times=3.0),
             h.make_node("Through", ["a"], ["d", "e"], name="pass", domain="f"),
             h.make_node("Limit", ["e"], ["l"], domain="f"),
             h.make_node("Sum", ["c", "d", "l"], ["y"])]
    m = model(nodes, [info("x"), info("z")], functions=[outer, inner, swap, clip],
              domains=[("f", 1)])
    f32 = lambda v: tensor_text(nh.from_array(np.float32(v)))
    good("functions", m, constants=[("block/one/k", f32(3)), ("block/two/k", f32(2))], nodes=[
        node_text("Add", "block/one/add", 15, ["x", "z"], ["block/one/s"]),
        node_text("Mul", "block/one/Mul", 15, ["block/one/s", "block/one/k"], ["block/one/m"]),
        node_text("LeakyRelu", "block/one/LeakyRelu", 15, ["block/one/m"], ["block/t"],
                  ["alpha=" + float_text(0.125)]),
        node_text("Add", "block/two/add", 15, ["block/t", "block/t"], ["block/two/s"]),
        node_text("Mul", "block/two/Mul", 15, ["block/two/s", "block/two/k"], ["block/two/m"]),
        node_text("LeakyRelu", "block/two/LeakyRelu", 15, ["block/two/m"], ["a"],
                  ["alpha=" + float_text(0.5)]),
        node_text("Identity", "block/Identity", 15, ["x"], ["block/p2"]),
        node_text("Neg", "block/Neg", 15, ["block/t"], ["c"]),
        node_text("Neg", "pass/Neg", 15, ["a"], ["e"]),
        node_text("Identity", "pass/", 15, ["a"], ["d"]),
        node_text("Clip", "Limit/Clip", 15, ["e", ""], ["l"]),
        node_text("Sum", "", 13, ["c", "d", "l"], ["y"])])

    f = lambda name, body: h.make_function("f", name, ["a"], ["b"], body, own)
    call = lambda op, a="x", b="y", **more: h.make_node(op, [a], [b], domain="f", **more)
    use = dict(domains=[("f", 1)])
    bad("function_itself", "LIMIT",
        model([call("F")], functions=[f("F", [call("F", "a", "b")])], **use), "'F'", "call itself")
    chain = [f(f"F{i}", [call(f"F{i + 1}", "a", "m"), call(f"F{i + 1}", "m", "b")])
             for i in range(24)] + [f("F24", [relu("a", "b")])]
    bad("function_bomb", "LIMIT", model([call("F0")], functions=chain, **use))
    bad("function_ends", "FORMAT",
        model([h.make_node("F", ["x", "x"], ["y"], domain="f", name="c")],
              functions=[f("F", [relu("a", "b")])], **use), "c/", "2 inputs")
    bad("function_twice", "FORMAT",
        model([call("F")], functions=[f("F", [relu("a", "b")])] * 2, **use), "'F'", "second time")
    bad("function_undefined", "FORMAT",
        model([call("F", name="c")], functions=[f("F", [relu("ghost", "b")])], **use), "c/ghost")
    old = f("F", [relu("a", "b")])
    old.opset_import[0].version = 5
    bad("function_opset", "UNSUPPORTED", model([call("F")], functions=[old], **use), "'F'", "opset 5")
    stray = relu()
    stray.attribute.add(name="a", ref_attr_name="b", type=onnx.AttributeProto.INT)
    bad("reference", "FORMAT", model([stray]), "'b'", "function")


# Broken ones ------------------------------------------------------------------------------

def broken():
    bad("opset6", "UNSUPPORTED", model([relu()], opset=6), "opset 6", "7 to 28", "convert")
    bad("opset29", "UNSUPPORTED", model([relu()], opset=29), "opset 29", "7 to 28")
    bad("ir2", "UNSUPPORTED", model([relu()], ir=2), "IR version 2", "3 to 13")
    bad("ir14", "UNSUPPORTED", model([relu()], ir=14), "IR version 14", "3 to 13")
    m = model([relu()])
    m.ClearField("graph")
    bad("no_graph", "FORMAT", m, "no graph")
    m = model([relu()])
    bad("two_graphs", "FORMAT", m.SerializeToString() + wire(7, 2, m.graph.SerializeToString()),
        "more than one graph")
    m = model([relu(name="r")])
    del m.opset_import[:]
    bad("no_opset", "FORMAT", m, "Relu 'r'", "opset", "ai.onnx")
    bad("domain", "FORMAT", model([relu(domain="com.example", name="r")]), "Relu 'r'", "com.example")
    bad("two_opsets", "FORMAT", model([relu()], domains=[("ai.onnx", 14)]), "ai.onnx", "13", "14")
    w = nh.from_array(np.ones(3, np.float32), "w")
    bad("weight_twice", "FORMAT", model([relu()], weights=[w, w]), "'w'", "second time")
    bad("input_twice", "FORMAT", model([relu()], [info("x"), info("x")]), "'x'", "second time")
    bad("made_twice", "FORMAT", model([relu(name="a"), relu(name="b")]), "Relu 'b'", "'y'", "second time")
    bad("weight_made", "FORMAT", model([relu(), relu("x", "w", name="b")], weights=[w]), "'b'", "'w'")
    bad("input_made", "FORMAT", model([relu(), relu("y", "x", name="b")]), "'b'", "'x'")
    bad("input_constant", "FORMAT",
        model([relu(), h.make_node("Constant", [], ["x"], value_int=1)]), "'x'", "Constant")
    bad("constant_twice", "FORMAT",
        model([relu()] + [h.make_node("Constant", [], ["c"], value_int=1)] * 2), "'c'", "second time")
    bad("undefined", "FORMAT", model([relu("ghost", name="r")]), "Relu 'r'", "'ghost'")
    bad("undefined_output", "FORMAT", model([relu()], outputs=[info("y"), info("ghost")]), "'ghost'")
    bad("circle", "FORMAT", model([h.make_node("Add", ["x", "b"], ["a"], name="n"), relu("a", "b"),
                                   relu("b", "y")]), "circle")
    bad("string_weight", "UNSUPPORTED",
        model([relu()], weights=[h.make_tensor("w", T.STRING, [1], [b"text"])]), "'w'", "string")
    f8 = T(dims=[2], data_type=T.FLOAT8E4M3FN, name="w", raw_data=b"ab")
    bad("float8_weight", "UNSUPPORTED", model([relu()], weights=[f8]), "'w'", "float8e4m3fn")
    bad("no_type", "FORMAT", model([relu()], weights=[T(dims=[2], name="w")]), "'w'", "element type")
    m = model([relu()])
    m.graph.sparse_initializer.add(values=nh.from_array(np.ones(1, np.float32), "sw"),
                                   indices=nh.from_array(np.zeros(1, np.int64), ""), dims=[9])
    bad("sparse_weight", "UNSUPPORTED", m, "'sw'", "sparse")
    types = {"sequence": h.make_tensor_sequence_value_info("s", T.FLOAT, [2]),
             "optional": h.make_value_info("s", h.make_optional_type_proto(info("q").type)),
             "sparse": h.make_sparse_tensor_value_info("s", T.FLOAT, [2]),
             "map": h.make_value_info("s", h.make_map_type_proto(T.INT64, info("q").type)),
             "string": info("s", dtype=T.STRING)}
    for name, value in types.items():
        bad(f"{name}_input", "UNSUPPORTED", model([relu()], [info("x"), value]), "input 's'", name)
    bad("sequence_output", "UNSUPPORTED",
        model([relu(), h.make_node("SequenceEmpty", [], ["s"])], None,
              [info("y"), types["sequence"]]), "output 's'", "sequence")
    nine = nh.from_array(np.ones((1,) * 9, np.float32), "w")
    bad("rank9_weight", "UNSUPPORTED", model([relu()], weights=[nine]), "'w'", "rank 9")
    bad("rank9_input", "UNSUPPORTED", model([relu()], [info("x", (1,) * 9)]), "'x'", "rank over 8")
    short = nh.from_array(np.ones(3, np.float32), "w")
    short.dims[0] = 4
    bad("raw_short", "FORMAT", model([relu()], weights=[short]), "'w'", "12 bytes", "16")
    typed = T(dims=[4], data_type=T.FLOAT, name="w", float_data=[1, 2])
    bad("typed_short", "FORMAT", model([relu()], weights=[typed]), "'w'", "2 elements", "needs 4")
    typed = T(dims=[1 << 40, 1 << 30], data_type=T.FLOAT, name="w", float_data=[1, 2])
    bad("shape_huge", "FORMAT", model([relu()], weights=[typed]), "'w'", "shape")
    typed = T(dims=[-2], data_type=T.FLOAT, name="w", float_data=[1, 2])
    bad("shape_negative", "FORMAT", model([relu()], weights=[typed]), "'w'", "shape")
    typed = T(dims=[2], data_type=T.FLOAT, name="w", int64_data=[1, 2])
    bad("wrong_field", "FORMAT", model([relu()], weights=[typed]), "'w'", "0 elements")
    segment = T(dims=[1], data_type=T.FLOAT, name="w", float_data=[1],
                segment=T.Segment(begin=0, end=1))
    bad("segment", "UNSUPPORTED", model([relu()], weights=[segment]), "'w'", "segment")
    for name, value in [("string", dict(value_string="a")), ("strings", dict(value_strings=["a"]))]:
        bad(f"constant_{name}", "UNSUPPORTED",
            model([h.make_node("Constant", [], ["y"], name="c", **value)]), "Constant 'c'", f"value_{name}")
    sparse = h.make_sparse_tensor(nh.from_array(np.ones(1, np.float32)),
                                  nh.from_array(np.zeros(1, np.int64)), [3])
    bad("constant_sparse", "UNSUPPORTED",
        model([h.make_node("Constant", [], ["y"], name="c", sparse_value=sparse)]), "'c'", "sparse_value")
    bad("constant_nothing", "FORMAT", model([h.make_node("Constant", [], ["y"], name="c")]), "'c'", "no value")
    bad("no_op_type", "FORMAT", model([h.make_node("", ["x"], ["y"], name="n")]), "'n'", "operator type")
    bad("no_node_outputs", "FORMAT", model([relu(), h.make_node("Relu", ["x"], [], name="n")]), "'n'", "outputs")
    bad("no_outputs", "FORMAT", model([relu()], outputs=[]), "no outputs")
    bad("no_input_name", "FORMAT", model([relu()], [info("")]), "input", "no name")
    bad("nul_name", "FORMAT", model([relu("x\0", "y")]), "NUL")
    bad("terminal", "FORMAT", model([relu("\x1b]0;title\x07", name="\x1b[2J")]), "Relu '?[2J'",
        "'?]0;title?'")
    twice = h.make_node("Concat", ["x"], ["y"], axis=1, name="n")
    twice.attribute.add(name="axis", i=2, type=onnx.AttributeProto.INT)
    bad("attribute_twice", "FORMAT", model([twice]), "'n'", "'axis'", "second time")
    node = wire(1, 0, 5) + wire(2, 2, b"y") + wire(4, 2, b"Relu")
    m = model([])
    graph = wire(1, 2, node) + m.graph.SerializeToString()
    m.ClearField("graph")
    bad("wire_kind", "FORMAT", m.SerializeToString() + wire(7, 2, graph), "NodeProto", "kind")
    bad("lfs", "FORMAT", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", "Git LFS")
    bad("zip", "FORMAT", b"PK\x03\x04\x14\0\0\0", "zip")
    bad("tflite", "FORMAT", b"\x1c\0\0\0TFL3\x14\0 \0", "TensorFlow Lite")
    bad("empty", "FORMAT", b"", "empty file")


OUT.mkdir(parents=True, exist_ok=True)
for old in OUT.iterdir():
    old.unlink()
weights()
external()
structure()
functions()
broken()
print(f"{len(list(OUT.glob('*.onnx')))} models in {OUT}")
