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


def save(out, name, status, text, nodes, inputs, inits=(), opset=17):
    graph = h.make_graph(nodes, name, inputs, [value("y", None)], list(inits))
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
         [value("a", [1 << 13, 1 << 16], T.DOUBLE), value("b", [1 << 16, 1 << 13], T.DOUBLE)])
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


def missing(out):
    norm = [h.make_node("LayerNormalization", ["x", "w"], ["", "y"], name="culprit")]
    save(out, "unnamed_output", "FORMAT", "'culprit' (opset 17): output 0 must have a name", norm,
         [value("x", [2, 4]), value("w", [4])])
    save(out, "unnamed_input", "FORMAT", "'culprit' (opset 17): input 1 is missing",
         one("Slice", ["x", "", "e"]), [value("x", [4])], [ints("e", [2])])


def main(folder):
    out = pathlib.Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    slow(out)
    large(out)
    missing(out)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
