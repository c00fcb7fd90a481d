#!/usr/bin/env python3
"""Write small models that ask for much: time, memory, or what is not there.

Beside each MODEL.onnx stands MODEL.txt: the status it must be refused with, and a part of
the message.

usage: hostile_models.py OUTDIR       needs onnx and numpy
"""
import pathlib
import sys

import numpy as np
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh


def value(name, shape, kind=T.FLOAT):
    return h.make_tensor_value_info(name, kind, shape)


def ints(name, values):
    return nh.from_array(np.array(values, np.int64), name)


def save(out, name, status, text, nodes, inputs, inits=(), opset=17, kind=T.FLOAT):
    graph = h.make_graph(nodes, name, inputs, [value("y", None, kind)], list(inits))
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", opset)])
    model.ir_version = 8
    (out / f"{name}.onnx").write_bytes(model.SerializeToString())
    (out / f"{name}.txt").write_text(f"{status}\n{text}\n")


def one(op, inputs, **attributes):
    return [h.make_node(op, inputs, ["y"], name="culprit", **attributes)]


def slow(out):
    x = value("x", [1, 1, 1 << 20])
    save(out, "pool_window", "LIMIT", "in MaxPool 'culprit'",
         one("MaxPool", ["x"], kernel_shape=[1 << 20], pads=[1 << 19, 1 << 19]), [x])
    save(out, "average_window", "LIMIT", "in AveragePool 'culprit'",
         one("AveragePool", ["x"], kernel_shape=[1 << 20], pads=[1 << 19, 1 << 19]), [x])
    w = value("w", [1, 1, 1 << 20])
    save(out, "conv_window", "LIMIT", "in Conv 'culprit'",
         one("Conv", ["x", "w"], pads=[1 << 19, 1 << 19]), [x, w])
    save(out, "conv_transpose_window", "LIMIT", "in ConvTranspose 'culprit'",
         one("ConvTranspose", ["x", "w"]), [x, w])
    save(out, "lrn_window", "LIMIT", "in LRN 'culprit'",
         one("LRN", ["x"], size=1 << 20), [value("x", [1, 1 << 20, 64])])
    long = [value(name, [1 << 20]) for name in "abc"]
    save(out, "einsum_loops", "LIMIT", "in Einsum 'culprit'",
         one("Einsum", ["a", "b", "c"], equation="i,j,k->"), long)
    save(out, "matmul_f64", "LIMIT", "in MatMul 'culprit'", one("MatMul", ["a", "b"]),
         [value("a", [1 << 13, 1 << 16], T.DOUBLE), value("b", [1 << 16, 1 << 13], T.DOUBLE)], kind=T.DOUBLE)
    # Nothing to compute, but a loop over the outer dimension would take for ever.
    save(out, "empty_rows", "LIMIT", "in Softmax 'culprit'",
         one("Softmax", ["x"], axis=-1), [value("x", [1 << 44, 0])])
    # Many steps that are bearable one by one.
    many = [h.make_node("Tan", ["x" if i == 0 else f"t{i}"],
                        ["y" if i == 999 else f"t{i + 1}"], name=f"tan{i}")
            for i in range(1000)]
    save(out, "many_steps", "LIMIT", "in Tan 'tan", many, [value("x", [1 << 28])])


def large(out):
    x = value("x", [1, 1, 1])
    save(out, "expand", "LIMIT", "Expand 'culprit'", one("Expand", ["x", "s"]), [x],
         [ints("s", [4096, 4096, 4096])])
    save(out, "expand_overflow", "LIMIT", "Expand 'culprit'", one("Expand", ["x", "s"]), [x],
         [ints("s", [1 << 31, 1 << 31, 1 << 31])])
    save(out, "tile", "LIMIT", "Tile 'culprit'", one("Tile", ["x", "s"]), [x],
         [ints("s", [1 << 20, 1 << 20, 1])])
    save(out, "pad", "LIMIT", "Pad 'culprit'", one("Pad", ["x", "s"]), [x],
         [ints("s", [0, 0, 0, 0, 1 << 20, 1 << 20])])
    save(out, "constant", "LIMIT", "ConstantOfShape 'culprit'", one("ConstantOfShape", ["s"]),
         [], [ints("s", [1 << 16, 1 << 16])])
    save(out, "range", "LIMIT", "Range 'culprit'", one("Range", ["a", "b", "c"]), [],
         [ints("a", 0), ints("b", 1 << 40), ints("c", 1)])
    save(out, "one_hot", "LIMIT", "OneHot 'culprit'", one("OneHot", ["i", "d", "v"]),
         [value("i", [1 << 20], T.INT64)],
         [ints("d", 1 << 20), nh.from_array(np.array([0, 1], np.float32), "v")])
    save(out, "resize", "LIMIT", "Resize 'culprit'", one("Resize", ["x", "", "", "s"], mode="linear"),
         [x], [ints("s", [1, 1 << 17, 1 << 17])], 18)
    save(out, "outer_product", "LIMIT", "MatMul 'culprit'", one("MatMul", ["a", "b"]),
         [value("a", [1 << 18, 1]), value("b", [1, 1 << 18])])
    save(out, "broadcast", "LIMIT", "Add 'culprit'", one("Add", ["a", "b"]),
         [value("a", [1 << 18, 1]), value("b", [1, 1 << 18])])


def overflowing(out):
    """Attributes whose sums and products do not fit 64 bits."""
    far, x, w = 1 << 62, value("x", [1, 4, 8, 8]), value("w", [4, 4, 3, 3])
    groups = "in 4611686018427387904 groups"
    save(out, "conv_groups", "SHAPE", groups, one("Conv", ["x", "w"], group=far), [x, w])
    byte = [value("x", [1, 4, 8, 8], T.UINT8), value("w", [4, 4, 3, 3], T.UINT8)]
    zero, scale = [nh.from_array(np.array(0, np.uint8), "z"),
                   nh.from_array(np.array(1, np.float32), "s")], ["s", "z"]
    save(out, "qlinear_conv_groups", "SHAPE", groups,
         one("QLinearConv", ["x", *scale, "w", *scale, *scale], group=far), byte, zero)
    save(out, "conv_integer_groups", "SHAPE", groups,
         one("ConvInteger", ["x", "w"], group=far), byte)
    save(out, "conv_transpose_groups", "SHAPE", groups,
         one("ConvTranspose", ["x", "w"], group=far), [x, w])
    save(out, "conv_transpose_shape", "SHAPE", "an output of -9223372036854775808",
         one("ConvTranspose", ["x", "w"], output_shape=[-(1 << 63), 8]), [x, w])
    save(out, "quant_block", "SHAPE", "culprit",
         one("DequantizeLinear", ["x", "s"], axis=0, block_size=(1 << 63) - 1),
         [value("x", [4, 4], T.INT8)], [nh.from_array(np.ones((2, 4), np.float32), "s")], 21)
    save(out, "attention_parts", "SHAPE", "qkv_hidden_sizes",
         [h.make_node("Attention", ["x", "w", "b"], ["y"], name="culprit", num_heads=1,
                      domain="com.microsoft", qkv_hidden_sizes=[far, far, far])],
         [value("x", [1, 2, 4]), value("w", [4, 12]), value("b", [12])])
    save(out, "empty_input", "LIMIT", "is too large", one("Relu", ["x"]),
         [value("x", [0, 1 << 40, 1 << 40])])
    save(out, "empty_expand", "LIMIT", "Expand 'culprit'", one("Expand", ["x", "s"]),
         [value("x", [1])], [ints("s", [0, 1 << 40, 1 << 40])])


def odd(out):
    """Strange, but right."""
    far = (1 << 63) - 1
    cut = [ints("x", [[7], [8]]), ints("begin", [0]), ints("end", [far]), ints("axis", [1]),
           ints("step", [far])]
    save(out, "slice_step", "OK", "", one("Slice", ["x", "begin", "end", "axis", "step"]), [],
         cut, kind=T.INT64)
    back = [ints("x", [[7], [8]]), ints("begin", [0]), ints("end", [-far]), ints("axis", [1]),
            ints("step", [-far - 1])]
    save(out, "slice_back", "OK", "", one("Slice", ["x", "begin", "end", "axis", "step"]), [],
         back, kind=T.INT64)


def missing(out):
    norm = [h.make_node("LayerNormalization", ["x", "w"], ["", "y"], name="culprit")]
    save(out, "unnamed_output", "FORMAT", "'culprit' (opset 17): output 0 must have a name", norm,
         [value("x", [2, 4]), value("w", [4])])
    save(out, "unnamed_input", "FORMAT", "'culprit' (opset 17): input 1 is missing",
         one("Slice", ["x", "", "e"]), [value("x", [4])], [ints("e", [2])])


def contradicting(out):
    """What the file says twice, and differently."""
    x, w = value("x", [1, 4, 8, 8]), value("w", [4, 4, 3, 3])
    save(out, "kernel_shape", "SHAPE", "kernel_shape says 5 where the weights have 3",
         one("Conv", ["x", "w"], kernel_shape=[5, 5]), [x, w])
    save(out, "strides_as_text", "FORMAT", "attribute 'strides' is of the wrong type",
         one("Conv", ["x", "w"], strides="2"), [x, w])
    save(out, "output_type", "TYPE", "output 0 is f32, and the file declares it s64", one("Relu", ["x"]),
         [x], kind=T.INT64)
    save(out, "index_outside", "FORMAT", "'culprit' (opset 17): an index lies outside the data",
         one("Gather", ["x", "i"]), [], [nh.from_array(np.ones(4, np.float32), "x"), ints("i", [3, 4])])


def main(folder):
    out = pathlib.Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    slow(out)
    large(out)
    overflowing(out)
    odd(out)
    missing(out)
    contradicting(out)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
