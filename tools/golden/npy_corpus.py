#!/usr/bin/env python3
"""Writes tests/golden/npy: tensor files as NumPy and the onnx package write them.

NAME.npy or NAME.pb is a file; NAME.txt holds the tensor as text, elements in row-major
order, or `error STATUS` and a piece of the message.
usage: npy_corpus.py OUTPUT_DIR   (needs onnx and numpy)
"""
import sys
from pathlib import Path

import numpy as np
from numpy.lib import format as npy
from onnx import TensorProto, helper, numpy_helper

OUT = Path(sys.argv[1])
NAMES = {"f4": "f32", "u1": "u8", "i1": "s8", "u2": "u16", "i2": "s16", "i4": "s32",
         "i8": "s64", "b1": "bool", "f2": "f16", "f8": "f64", "u4": "u32", "u8": "u64"}


def text(a):
    shape = ",".join(map(str, a.shape))
    body = np.ascontiguousarray(a).astype(a.dtype.newbyteorder("<")).tobytes().hex()
    return f"{NAMES[a.dtype.str[1:]]}[{shape}] {body}\n"


def put(name, data, expected):
    (OUT / name).write_bytes(data)
    (OUT / (name.rsplit(".", 1)[0] + ".txt")).write_text(expected)


def saved(a, version=(1, 0)):
    import io
    out = io.BytesIO()
    npy.write_array(out, a, version=version, allow_pickle=True)
    return out.getvalue()


def header(text, version=1):
    text = text.encode() + b"\n"
    return npy.MAGIC_PREFIX + bytes([version, 0]) + len(text).to_bytes(2 if version == 1 else 4, "little") + text


OUT.mkdir(parents=True, exist_ok=True)
for old in OUT.iterdir():
    old.unlink()

rng = np.random.default_rng(3)
for code, name in NAMES.items():
    a = rng.integers(0, 2 if code == "b1" else 100, (2, 3)).astype(code)
    if code[0] in "fi":
        a = -a
    put(f"{name}.npy", saved(a), text(a))
for shape in [(), (5,), (0, 4), (1,) * 8, (2, 3, 4), (2, 1, 3, 2)]:
    a = rng.integers(0, 9999, shape).astype("i2")
    tag = "x".join(map(str, shape)) or "scalar"
    put(f"c_{tag}.npy", saved(a), text(a))
    if a.ndim > 1:
        put(f"fortran_{tag}.npy", saved(np.asfortranarray(a)), text(a))
a = rng.standard_normal((3, 2)).astype("f4")
put("version2.npy", saved(a, (2, 0)), text(a))
put("version3.npy", saved(a.T, (3, 0)), text(a.T))
four = np.arange(4, dtype="i4")
body = four.tobytes()
for name, head in [("other_order", "{'shape':(4,),\"descr\":'<i4','fortran_order':False}"),
                   ("python2", "{'descr': '<i4', 'fortran_order': False, 'shape': (2L, 2L), }"),
                   ("native", "{ 'descr' : '=i4' , 'fortran_order' : False , 'shape' : ( 4 , ) }")]:
    b = four.reshape(2, 2) if name == "python2" else four
    put(name + ".npy", header(head) + body, text(b))
put("one_byte_order.npy", header("{'descr': '>u1', 'fortran_order': False, 'shape': (4,), }") + b"abcd",
    text(np.frombuffer(b"abcd", "u1")))
put("truth.npy", header("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }") + b"\0\x02\xff",
    "bool[3] 000101\n")

fine = "'fortran_order': False, 'shape': (4,), }"
for name, status, data, piece in [
        ("big_endian", "UNSUPPORTED", saved(four.astype(">i4")), "big-endian"),
        ("structured", "UNSUPPORTED", saved(np.zeros(2, [("a", "i4"), ("b", "f4")])), "structured"),
        ("objects", "UNSUPPORTED", saved(np.array([None, 1])), "'|O'"),
        ("text", "UNSUPPORTED", saved(np.array(["ab"])), "'<U2'"),
        ("complex", "UNSUPPORTED", saved(np.zeros(2, "c8")), "'<c8'"),
        ("long_double", "UNSUPPORTED", saved(np.zeros(2, "g")), "'<f16'"),
        ("bf16", "UNSUPPORTED", saved(np.zeros(2, "V2")), "'|V2'"),
        ("rank9", "UNSUPPORTED", saved(np.zeros((1,) * 9, "i4")), "rank 9"),
        ("version4", "UNSUPPORTED", npy.MAGIC_PREFIX + b"\4\0\0\0\0\0\0\0", "format 4.0"),
        ("short", "FORMAT", saved(four)[:-1], "15 bytes"),
        ("long", "FORMAT", saved(four) + b"x", "17 bytes"),
        ("cut", "FORMAT", saved(four)[:60], "cut off"),
        ("magic_only", "FORMAT", npy.MAGIC_PREFIX, "cut off"),
        ("huge_header", "LIMIT", npy.MAGIC_PREFIX + b"\2\0\xff\xff\xff\x7f", "header of 2147483647"),
        ("overflow", "LIMIT", header("{'descr': '<i4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }"), "too large"),
        ("digits", "FORMAT", header("{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999999999,), }"), "malformed"),
        ("negative", "FORMAT", header("{'descr': '<i4', 'fortran_order': False, 'shape': (-4,), }") + body, "malformed"),
        ("key_twice", "FORMAT", header("{'descr': '<i4', 'descr': '<i4', " + fine) + body, "malformed"),
        ("key_unknown", "FORMAT", header("{'descr': '<i4', 'extra': True, " + fine) + body, "malformed"),
        ("key_missing", "FORMAT", header("{" + fine) + body, "malformed"),
        ("open_string", "FORMAT", header("{'descr': '<i4, " + fine) + body, "malformed"),
        ("after", "FORMAT", header("{'descr': '<i4', " + fine + " x") + body, "malformed")]:
    put(f"bad_{name}.npy", data, f"error {status}\n{piece}\n")

a = rng.standard_normal((2, 3)).astype("f4")
put("proto_raw.pb", numpy_helper.from_array(a, "name").SerializeToString(), text(a))
put("proto_typed.pb", helper.make_tensor("", TensorProto.FLOAT, (2, 3), a.flatten()).SerializeToString(), text(a))
flags = np.array([[True, False]])
put("proto_bool.pb", numpy_helper.from_array(flags).SerializeToString(), text(flags))
put("bad_proto_text.pb", helper.make_tensor("t", TensorProto.STRING, (1,), [b"x"]).SerializeToString(),
    "error UNSUPPORTED\nstring\n")
t = TensorProto(name="t", dims=[1], data_type=TensorProto.FLOAT, data_location=TensorProto.EXTERNAL)
t.external_data.add(key="location", value="x")
put("bad_proto_external.pb", t.SerializeToString(), "error UNSUPPORTED\nanother file\n")
put("bad_picture.pb", b"\xff\xd8\xff\xe0\0\x10JFIF", "error FORMAT\nread as a TensorProto\n")
put("bad_empty.pb", b"", "error FORMAT\nis empty\n")
print(f"{len(list(OUT.glob('*.txt')))} files in {OUT}")
