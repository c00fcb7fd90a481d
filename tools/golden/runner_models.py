#!/usr/bin/env python3
"""Write the small models on which the choice of plans is tested.

usage: runner_models.py OUTDIR       needs onnx and numpy
"""
import pathlib
import sys

import numpy as np
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh


def save(out, name, nodes, inputs, outputs, inits=()):
    graph = h.make_graph(nodes, name, inputs, outputs, list(inits))
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 17)])
    model.ir_version = 8
    (out / f"{name}.onnx").write_bytes(model.SerializeToString())


def main(folder):
    out = pathlib.Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    x = h.make_tensor_value_info("x", T.FLOAT, ["n", "m"])
    y = h.make_tensor_value_info("y", T.FLOAT, None)
    save(out, "free_dims", [h.make_node("Add", ["x", "x"], ["d"]),
                            h.make_node("Transpose", ["d"], ["y"], perm=[1, 0])], [x], [y])
    shape = h.make_tensor_value_info("shape", T.INT64, ["k"])
    save(out, "shape_input", [h.make_node("Reshape", ["x", "shape"], ["r"]),
                              h.make_node("Neg", ["r"], ["y"])], [x, shape], [y])
    save(out, "gather", [h.make_node("Gather", ["x", "i"], ["r"], name="pick"),
                         h.make_node("Relu", ["r"], ["y"])],
         [x, h.make_tensor_value_info("i", T.INT64, ["k"])], [y])
    pick = h.make_tensor_value_info("y", T.INT64, None)
    save(out, "data_shape", [h.make_node("NonZero", ["x"], ["i"]),
                             h.make_node("Add", ["i", "one"], ["y"])], [x], [pick],
         [nh.from_array(np.array(1, np.int64), "one")])
    head = [h.make_node("Sub", ["x", "three"], ["d"]), h.make_node("Relu", ["d"], ["r"]),
            h.make_node("Mul", ["r", "r"], ["q"])]
    tail = [h.make_node("NonZero", ["r"], ["i"]), h.make_node("Transpose", ["i"], ["t"]),
            h.make_node("GatherND", ["x", "t"], ["y"])]
    for name, kind, number in (("", T.FLOAT, np.float32), ("_f16", T.FLOAT16, np.float16)):
        save(out, f"data_tail{name}", head + tail, [h.make_tensor_value_info("x", kind, ["n", "m"])],
             [h.make_tensor_value_info(o, kind, None) for o in ("y", "r", "q", "x")],
             [nh.from_array(np.array(3, number), "three")])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
