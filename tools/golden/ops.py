#!/usr/bin/env python3
"""Write golden cases for operators where ONNX's own node tests say little or nothing (those of
com.microsoft above all), answered by ONNX Runtime.

usage: ops.py OUTDIR          needs onnx, onnxruntime, numpy
Each case becomes OUTDIR/test_NAME/{model.onnx,test_data_set_0/{input,output}_I.pb}, the form of
ONNX's own node tests, so that the same program runs them. Inputs that matter to the plan
(scales, weights) are initialisers in half of the cases and inputs in the others.
"""
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper as h
from onnx import numpy_helper as nh

rng = np.random.default_rng(7)


def f32(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def u8(*shape):
    return rng.integers(0, 256, shape).astype(np.uint8)


def s8(*shape):
    return rng.integers(-128, 128, shape).astype(np.int8)


def case(out, name, op, inputs, outputs, constants=(), domain="com.microsoft", **attrs):
    names = [f"i{k}" if x is not None else "" for k, x in enumerate(inputs)]
    outs = [f"o{k}" if wanted else "" for k, wanted in enumerate(outputs)]
    node = h.make_node(op, names, outs, domain=domain, **attrs)
    live = [k for k, x in enumerate(inputs) if x is not None and k not in constants]
    graph = h.make_graph(
        [node], name,
        [h.make_tensor_value_info(names[k], h.np_dtype_to_tensor_dtype(inputs[k].dtype), inputs[k].shape)
         for k in live],
        [h.make_empty_tensor_value_info(o) for o in outs if o],
        [nh.from_array(inputs[k], names[k]) for k in constants if inputs[k] is not None])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 17), h.make_opsetid("com.microsoft", 1)])
    model.ir_version = 8
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    got = session.run(None, {names[k]: inputs[k] for k in live})
    folder = pathlib.Path(out) / f"test_{'ms_' if domain else ''}{name}" / "test_data_set_0"
    folder.mkdir(parents=True, exist_ok=True)
    (folder.parent / "model.onnx").write_bytes(model.SerializeToString())
    for i, k in enumerate(live):
        (folder / f"input_{i}.pb").write_bytes(nh.from_array(inputs[k]).SerializeToString())
    for i, y in enumerate(got):
        (folder / f"output_{i}.pb").write_bytes(nh.from_array(y).SerializeToString())


def one(x):
    return np.float32(x).reshape(())


def main(out):
    case(out, "gelu", "Gelu", [f32(3, 5)], [1])
    case(out, "quick_gelu", "QuickGelu", [f32(3, 5)], [1], alpha=1.5)
    case(out, "bias_gelu", "BiasGelu", [f32(2, 3, 5), f32(5)], [1], constants=[1])
    case(out, "fast_gelu", "FastGelu", [f32(2, 3, 5)], [1])
    case(out, "fast_gelu_bias", "FastGelu", [f32(2, 3, 5), f32(5)], [1])
    for act, params in (("Relu", None), ("LeakyRelu", [0.2]), ("Clip", [-0.5, 0.7]), ("Tanh", None),
                        ("Sigmoid", None), ("HardSigmoid", [0.3, 0.4])):
        kw = {"activation": act, **({"activation_params": params} if params else {})}
        case(out, f"fused_conv_{act.lower()}", "FusedConv", [f32(1, 3, 6, 7), f32(4, 3, 3, 3), f32(4)], [1],
             constants=[1, 2], kernel_shape=[3, 3], pads=[1, 1, 1, 1], **kw)
    case(out, "fused_conv_sum", "FusedConv", [f32(1, 3, 6, 7), f32(4, 3, 3, 3), f32(4), f32(1, 4, 6, 7)], [1],
         constants=[1, 2], kernel_shape=[3, 3], pads=[1, 1, 1, 1], activation="Relu")
    for ta in (0, 1):
        for tb in (0, 1):
            a, b = f32(2, *((5, 4) if ta else (4, 5))), f32(2, *((6, 5) if tb else (5, 6)))
            case(out, f"fused_matmul_{ta}{tb}", "FusedMatMul", [a, b], [1], transA=ta, transB=tb, alpha=0.5)
    case(out, "fused_matmul_weights", "FusedMatMul", [f32(3, 4, 5), f32(6, 5)], [1], constants=[1], transB=1)
    case(out, "skip_layer_norm", "SkipLayerNormalization", [f32(2, 3, 8), f32(2, 3, 8), f32(8), f32(8), f32(8)],
         [1, 0, 0, 1], constants=[2, 3, 4], epsilon=1e-5)
    case(out, "skip_layer_norm_short", "SkipLayerNormalization", [f32(2, 3, 8), f32(2, 3, 8), f32(8)], [1])
    ids = rng.integers(0, 9, (2, 4)).astype(np.int32)
    mask = np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32)
    case(out, "embed_layer_norm", "EmbedLayerNormalization",
         [ids, (ids % 2).astype(np.int32), f32(9, 8), f32(6, 8), f32(2, 8), f32(8), f32(8), mask], [1, 1],
         constants=[2, 3, 4, 5, 6])
    case(out, "embed_layer_norm_plain", "EmbedLayerNormalization",
         [ids, None, f32(9, 8), f32(6, 8), None, f32(8), f32(8)], [1, 1], constants=[2, 3, 5, 6])
    x, w, b = f32(2, 5, 8), f32(8, 24), f32(24)
    case(out, "attention", "Attention", [x, w, b], [1], constants=[1, 2], num_heads=2)
    case(out, "attention_causal", "Attention", [x, w, b], [1], constants=[1, 2], num_heads=4, unidirectional=1)
    case(out, "attention_lengths", "Attention", [x, w, b, np.array([3, 5], np.int32)], [1], constants=[1, 2], num_heads=2)
    raw = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int32)
    case(out, "attention_mask", "Attention", [x, w, b, raw], [1], constants=[1, 2], num_heads=2)
    case(out, "attention_mask_3d", "Attention", [x, w, b, rng.integers(0, 2, (2, 5, 5)).astype(np.int32)], [1], num_heads=2)
    case(out, "attention_bias", "Attention", [x, w, b, None, None, f32(2, 2, 5, 5)], [1], constants=[1, 2], num_heads=2)
    case(out, "attention_sizes", "Attention", [x, f32(8, 20), f32(20)], [1], constants=[1, 2], num_heads=2,
         qkv_hidden_sizes=[8, 8, 4], scale=0.3)
    for make, zero, kind in ((u8, np.uint8(120), "u8"), (s8, np.int8(-3), "s8")):
        z = np.asarray(zero)
        for op in ("QLinearAdd", "QLinearMul"):
            case(out, f"{op.lower()}_{kind}", op,
                 [make(2, 3, 5), one(0.03), z, make(3, 1), one(0.02), z, one(0.05), z], [1],
                 constants=[1, 2, 4, 5, 6, 7])
        case(out, f"qlinearconcat_{kind}", "QLinearConcat",
             [one(0.05), z, make(2, 3, 4), one(0.03), z, make(2, 2, 4), one(0.06), z], [1],
             constants=[0, 1, 3, 4, 6, 7], axis=1)
        case(out, f"qlinearglobalaveragepool_{kind}", "QLinearGlobalAveragePool",
             [make(1, 3, 5, 5), one(0.03), z, one(0.02), z], [1], constants=[1, 2, 3, 4])
        case(out, f"qlinearaveragepool_{kind}", "QLinearAveragePool",
             [make(1, 3, 6, 7), one(0.03), z, one(0.02), z], [1], constants=[1, 2, 3, 4], kernel_shape=[3, 3],
             strides=[2, 2], pads=[1, 1, 1, 1])
        weights, wz = s8(5, 8), np.zeros((), np.int8)
        bias = rng.integers(-500, 500, 5).astype(np.int32)
        case(out, f"qgemm_{kind}", "QGemm",
             [make(3, 8), one(0.03), z, weights, one(0.02), wz, bias, one(0.05), z], [1],
             constants=[1, 2, 3, 4, 5, 6, 7, 8], transB=1)
        case(out, f"qgemm_f32_{kind}", "QGemm", [make(3, 8), one(0.03), z, weights, one(0.02), wz, bias], [1],
             constants=[1, 2, 3, 4, 5, 6], transB=1, alpha=1.0)
        case(out, f"qlinearsigmoid_{kind}", "QLinearSigmoid", [make(2, 30), one(0.04), z, one(1 / 256), z], [1],
             constants=[1, 2, 3, 4])
        case(out, f"qlinearleakyrelu_{kind}", "QLinearLeakyRelu", [make(2, 30), one(0.04), z, one(0.03), z], [1],
             constants=[1, 2, 3, 4], alpha=0.1)

    x, grid = f32(1, 2, 5, 6), rng.uniform(-2.5, 2.5, (1, 4, 5, 2)).astype(np.float32)
    for mode in ("bilinear", "nearest", "bicubic"):
        for padding in ("border", "reflection"):
            case(out, f"grid_sample_{mode}_{padding}", "GridSample", [x, grid], [1], domain="", mode=mode,
                 padding_mode=padding)
    boxes, scores = rng.uniform(0, 1, (2, 40, 4)).astype(np.float32), rng.uniform(0, 1, (2, 3, 40)).astype(np.float32)
    scores[:, :, ::5] = 0.5
    for centred in (0, 1):
        case(out, f"nms_{'centres' if centred else 'corners'}", "NonMaxSuppression",
             [boxes, scores, np.array([7], np.int64), one(0.4), one(0.3)], [1], constants=[2, 3, 4], domain="",
             center_point_box=centred)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
