#!/usr/bin/env python3
"""Write small models for the tests of the passes: what must be fused and what must not.

usage: passes.py OUTDIR       needs onnx and numpy
Each case is OUTDIR/NAME.onnx and OUTDIR/NAME.steps: the steps (operator, + activation) that
a plan must have after the passes, views left out, one a line, in order.
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh

rng = np.random.default_rng(3)


class Graph:
    def __init__(self):
        self.nodes, self.inits, self.n = [], [], 0

    def const(self, a):
        self.n += 1
        self.inits.append(nh.from_array(np.asarray(a), f"c{self.n}"))
        return f"c{self.n}"

    def f32(self, *shape):
        return self.const((rng.standard_normal(shape) * 0.5).astype(np.float32))

    def op(self, kind, *ins, outs=1, **attrs):
        self.n += 1
        names = [f"v{self.n}_{k}" for k in range(outs)]
        self.nodes.append(h.make_node(kind, list(ins), names, **attrs))
        return names[0] if outs == 1 else names

    def conv(self, x, ci, co, k=3, **attrs):
        return self.op("Conv", x, self.f32(co, ci, k, k), self.f32(co), pads=[k // 2] * 4, **attrs)

    def bn(self, x, c):
        return self.op("BatchNormalization", x, self.f32(c), self.f32(c), self.f32(c),
                       self.const(np.abs(rng.standard_normal(c)).astype(np.float32) + 0.5))


CASES = {}


def case(steps, shape=(1, 8, 6, 6), opset=17):
    def keep(build):
        CASES[build.__name__] = (build, steps.split(), shape, opset)
        return build
    return keep


def scalar(g, v):
    return g.const(np.float32(v))


@case("Transpose Conv+relu Transpose")
def conv_bn_relu(g, x):
    return g.op("Relu", g.bn(g.op("Conv", x, g.f32(8, 8, 3, 3), pads=[1] * 4), 8))


@case("Transpose Conv Relu Transpose Transpose")
def conv_read_twice(g, x):
    y = g.conv(x, 8, 8)
    return g.op("Relu", y), y


@case("Transpose Conv Conv+relu Transpose")
def residual(g, x):
    a = g.conv(x, 8, 8)
    return g.op("Relu", g.op("Add", g.conv(a, 8, 8), a))


@case("Transpose Conv+silu Transpose")
def silu(g, x):
    y = g.conv(x, 8, 8)
    return g.op("Mul", y, g.op("Sigmoid", y))


@case("Transpose Conv Sigmoid Mul Transpose")
def not_silu(g, x):
    y = g.conv(x, 8, 8)
    return g.op("Mul", y, g.op("Sigmoid", g.op("Identity", x)))


@case("Transpose Conv+hardswish Transpose")
def hard_swish_from_clip(g, x):
    y = g.conv(x, 8, 8)
    gate = g.op("Clip", g.op("Add", y, scalar(g, 3)), scalar(g, 0), scalar(g, 6))
    return g.op("Div", g.op("Mul", y, gate), scalar(g, 6))


@case("Transpose Conv+mish Transpose")
def mish(g, x):
    y = g.conv(x, 8, 8)
    return g.op("Mul", y, g.op("Tanh", g.op("Softplus", y)))


@case("Transpose Conv+clip Transpose")
def relu6(g, x):
    return g.op("Clip", g.conv(x, 8, 8), scalar(g, 0), scalar(g, 6))


@case("MatMul+gelu", (2, 5, 16))
def gelu(g, x):
    y = g.op("Add", g.op("MatMul", x, g.f32(16, 12)), g.f32(12))
    e = g.op("Erf", g.op("Div", y, scalar(g, 2 ** 0.5)))
    return g.op("Mul", g.op("Mul", y, g.op("Add", e, scalar(g, 1))), scalar(g, 0.5))


@case("MatMul+gelu_tanh", (2, 5, 16))
def gelu_tanh(g, x):
    y = g.op("MatMul", x, g.f32(16, 12))
    cubic = g.op("Mul", g.op("Pow", y, scalar(g, 3)), scalar(g, 0.044715))
    t = g.op("Tanh", g.op("Mul", g.op("Add", y, cubic), scalar(g, 0.7978845608)))
    return g.op("Mul", g.op("Mul", y, scalar(g, 0.5)), g.op("Add", t, scalar(g, 1)))


@case("LayerNormalization", (2, 5, 16))
def layer_norm(g, x):
    d = g.op("Sub", x, g.op("ReduceMean", x, axes=[-1]))
    v = g.op("ReduceMean", g.op("Pow", d, scalar(g, 2)), axes=[-1])
    y = g.op("Div", d, g.op("Sqrt", g.op("Add", v, scalar(g, 1e-5))))
    return g.op("Add", g.op("Mul", y, g.f32(16)), g.f32(16))


@case("ReduceMean Sub Pow ReduceMean Add Sqrt Div", (2, 5, 16))
def layer_norm_other_axis(g, x):
    d = g.op("Sub", x, g.op("ReduceMean", x, axes=[1]))
    v = g.op("ReduceMean", g.op("Pow", d, scalar(g, 2)), axes=[1])
    return g.op("Div", d, g.op("Sqrt", g.op("Add", v, scalar(g, 1e-5))))


@case("MatMul Mul", (2, 5, 16))
def scale_behind_bias(g, x):
    y = g.op("Add", g.op("MatMul", x, g.f32(16, 12)), g.f32(12))
    return g.op("Mul", y, scalar(g, 0.25))


@case("MatMul", (2, 5, 16))
def scale_then_bias(g, x):
    y = g.op("Div", g.op("MatMul", x, g.f32(16, 12)), scalar(g, 4))
    return g.op("Add", y, g.f32(12))


@case("MatMul Add", (2, 5, 16))
def bias_of_another_shape(g, x):
    return g.op("Add", g.op("MatMul", x, g.f32(16, 12)), g.f32(5, 1))


@case("Transpose Conv Conv Concat Slice Transpose")
def concat_and_slice(g, x):
    y = g.op("Concat", g.conv(x, 8, 8), g.conv(x, 8, 4), axis=1)
    ints = lambda *v: g.const(np.array(v, np.int64))
    return g.op("Slice", y, ints(3, 1), ints(9, 5), ints(1, 3))


@case("Transpose Conv Add Mul Mul Transpose")
def constants_of_every_rank(g, x):
    y = g.op("Add", g.conv(x, 8, 8), g.f32(8, 1, 1))
    return g.op("Mul", g.op("Mul", y, g.f32(6)), g.f32(1, 8, 6, 6))


@case("Transpose Conv ReduceMean")
def mean_without_dims(g, x):
    return g.op("ReduceMean", g.conv(x, 8, 8), axes=[2, 3], keepdims=0)


@case("Transpose Conv Pad Softmax Split Add Transpose")
def pad_softmax_split(g, x):
    y = g.op("Pad", g.conv(x, 8, 8), g.const(np.array([0, 0, 1, 2, 0, 0, 0, 1], np.int64)))
    a, b = g.op("Split", g.op("Softmax", y, axis=1), g.const(np.array([4, 4], np.int64)), outs=2, axis=1)
    return g.op("Add", a, b)


@case("Transpose Conv Transpose Conv Transpose")
def channel_shuffle(g, x):
    shape = lambda *v: g.const(np.array(v, np.int64))
    y = g.op("Reshape", g.conv(x, 8, 8), shape(1, 2, 4, 6, 6))
    y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3, 4]), shape(1, 8, 6, 6))
    return g.conv(y, 8, 8)


@case("Transpose Conv Transpose Sigmoid")
def detection_head(g, x):
    shape = lambda *v: g.const(np.array(v, np.int64))
    y = g.op("Reshape", g.conv(x, 8, 15), shape(1, 3, 5, 6, 6))
    return g.op("Sigmoid", g.op("Transpose", y, perm=[0, 1, 3, 4, 2]))


@case("Transpose Conv+relu Resize Transpose")
def resize(g, x):
    y = g.op("Relu", g.conv(x, 8, 8))
    return g.op("Resize", y, "", g.const(np.array([1, 1, 2, 2], np.float32)), mode="nearest",
                coordinate_transformation_mode="asymmetric", nearest_mode="floor")


@case("Conv+relu Transpose", (1, 3, 9, 9))
def few_channels(g, x):
    return g.op("Relu", g.conv(x, 3, 8))


@case("Transpose Conv Transpose Relu")
def perm_from_the_end(g, x):
    return g.op("Relu", g.op("Transpose", g.conv(x, 8, 12), perm=[0, -2, -3, -1]))


def main(out):
    folder = pathlib.Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    for name, (build, steps, shape, opset) in CASES.items():
        g = Graph()
        outs = build(g, "x")
        outs = [outs] if isinstance(outs, str) else list(outs)
        graph = h.make_graph(g.nodes, name, [h.make_tensor_value_info("x", T.FLOAT, shape)],
                             [h.make_empty_tensor_value_info(o) for o in outs], g.inits)
        model = h.make_model(graph, opset_imports=[h.make_opsetid("", opset)])
        model.ir_version = 8
        (folder / f"{name}.onnx").write_bytes(model.SerializeToString())
        (folder / f"{name}.steps").write_text("\n".join(steps) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
