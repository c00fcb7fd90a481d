#!/usr/bin/env python3
"""Compare hasten's outputs with ONNX Runtime's, on real images, model by model.

usage: compare_outputs.py --hasten PATH [--threads N] [--cpu LEVEL] SHARED

SHARED holds models/ and data/. Every float model gets the same input tensors in both: real
photographs brought to the model's size (the numbers need not be what the model was trained
on: both sides get the same). A model passes when the largest difference is at most 1e-3 of
the largest output and the mean difference at most 1e-5 of it. A quantised model rounds at every
layer, so that sums in another order part by whole steps: it passes when it is no further (1.5
times, in the mean) from ONNX Runtime than ONNX Runtime is from itself without optimisations.
"""
import argparse
import pathlib
import sys
import tempfile

import numpy as np
from PIL import Image

from both import distance, file_name, peer, run_hasten


def photographs(shared, count):
    files = sorted((shared / "data" / "photos").glob("*.jpg"))
    return files[:count]


def tensor(path, shape, scale):
    """An image as f32 [1,3,H,W]."""
    image = Image.open(path).convert("RGB").resize((shape[3], shape[2]), Image.BILINEAR)
    x = np.asarray(image, np.float32).transpose(2, 0, 1)[None]
    return np.ascontiguousarray((x - scale[0]) * scale[1])


def input_scale(name):
    if "yunet" in name or "mlperf" in name:
        return (0.0, 1.0)
    if "fastestdet" in name:
        return (0.0, 1 / 255)
    if "squeezenet" in name:
        return (114.0, 1.0)
    return (127.0, 1 / 128)


def compare(args, model, shared):
    """Distance from ONNX Runtime, and of ONNX Runtime from itself: [max, mean] each."""
    options = ["--threads", str(args.threads)] if args.threads else []
    options += ["--cpu", args.cpu] if args.cpu else []
    session, plain = peer(model), peer(model, optimise=False)
    spec = session.get_inputs()[0]
    shape = [1] + [d if isinstance(d, int) else 1 for d in spec.shape[1:]]
    ours, theirs = np.zeros(2), np.zeros(2)
    for photo in photographs(shared, 3):
        feeds = {spec.name: tensor(photo, shape, input_scale(model.name))}
        want, unoptimised = session.run(None, feeds), plain.run(None, feeds)
        with tempfile.TemporaryDirectory() as scratch:
            out_dir = pathlib.Path(scratch)
            inputs = {}
            for name, array in feeds.items():
                inputs[name] = out_dir / ("in." + file_name(name))
                np.save(inputs[name], array)
            run_hasten(args.hasten, model, inputs, out_dir, *options)
            for info, w, u in zip(session.get_outputs(), want, unoptimised):
                got = np.load(out_dir / file_name(info.name))
                if got.shape != w.shape:
                    raise RuntimeError(f"{info.name}: shape {got.shape}, wanted {w.shape}")
                ours = np.maximum(ours, distance(got, w))
                theirs = np.maximum(theirs, distance(u, w))
    return ours, theirs


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--hasten", required=True)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--cpu")
    parser.add_argument("shared", type=pathlib.Path)
    args = parser.parse_args()
    passed = failed = 0
    for model in sorted((args.shared / "models").glob("*.onnx")):
        try:
            ours, theirs = compare(args, model, args.shared)
            if "_qdq" in model.name:
                ok = ours[1] <= 1.5 * theirs[1]
                note = f", ONNX Runtime from itself: max {theirs[0]:.2e}  mean {theirs[1]:.2e}"
            else:
                ok, note = ours[0] <= 1e-3 and ours[1] <= 1e-5, ""
            verdict = ("ok" if ok else "TOO FAR") + note
            print(f"{model.name:45} max {ours[0]:.2e}  mean {ours[1]:.2e}  {verdict}", flush=True)
        except Exception as error:  # a model that cannot be run is a finding, not a crash
            ok = False
            print(f"{model.name:45} {error}", flush=True)
        passed, failed = passed + ok, failed + (not ok)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
