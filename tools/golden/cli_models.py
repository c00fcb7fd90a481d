#!/usr/bin/env python3
"""Write the small models on which the command's manners are tested.

usage: cli_models.py OUTDIR       needs onnx
"""
import pathlib
import sys

from onnx import TensorProto as T
from onnx import helper as h


def save(out, name, nodes, inputs, outputs, title="g", producer="", domains=()):
    graph = h.make_graph(nodes, title, inputs, outputs)
    opsets = [h.make_opsetid("", 17), *(h.make_opsetid(d, 1) for d in domains)]
    model = h.make_model(graph, opset_imports=opsets, producer_name=producer)
    model.ir_version = 8
    (out / f"{name}.onnx").write_bytes(model.SerializeToString())


def value(name, shape):
    return h.make_tensor_value_info(name, T.FLOAT, shape)


def main(folder):
    out = pathlib.Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    # Escape sequences (7 and 8 bit), title change, newline, DEL, right-to-left override.
    steer = "\x1b[31mRED\x1b]0;title\x07\r\n\t\x7f\u009b31m\u202eend"
    save(out, "steering_names",
         [h.make_node("Relu", ["in" + steer], ["mid" + steer], name="node" + steer),
          h.make_node("Tanh", ["mid" + steer], ["out" + steer], name="second" + steer)],
         [value("in" + steer, [1, "dim" + steer])], [value("out" + steer, None)],
         "graph" + steer, "producer" + steer)
    names = ["a/b", "a:b", "..", "/etc/passwd", "c=d", "n" * 300]
    save(out, "file_names", [h.make_node("Neg", ["x"], [name]) for name in names],
         [value("x", [2, 3])], [value(name, None) for name in names])
    save(out, "equals", [h.make_node("Sub", ["a=1", "a"], ["y"])],
         [value("a=1", [2, 3]), value("a", [2, 3])], [value("y", None)])
    save(out, "unsupported", [h.make_node("Frobnicate", ["x"], ["f"]), h.make_node("Relu", ["f"], ["r"]),
                              h.make_node("Foo", ["r"], ["y"], domain="com.acme")],
         [value("x", [2, 3])], [value("y", None)], domains=["com.acme"])
    save(out, "huge", [h.make_node("Relu", ["x"], ["y"])],
         [value("x", [1, 3, 99999, 99999])], [value("y", None)])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
