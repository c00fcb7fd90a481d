#!/usr/bin/env python3
"""Compare hasten's outputs with ONNX Runtime's, on real images, model by model.

usage: compare_outputs.py --hasten PATH [--threads N] [--cpu LEVEL] SHARED

SHARED holds models/ and data/. Every float model gets the same input tensors in both: real
photographs brought to the model's size (the numbers need not be what the model was trained
on: both sides get the same). A model passes when the largest difference is at most 1e-3 of
the largest output and the mean difference at most 1e-5 of it. Quantised models are compared
in steps of their last scale and printed, not judged.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnxruntime as ort
from PIL import Image


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


def run_hasten(args, model, feeds, shapes, out_dir):
    command = [args.hasten, "run", str(model), "--output-dir", str(out_dir)]
    for name, array in feeds.items():
        path = out_dir / (name.replace("/", "_").replace(":", "_") + ".in.npy")
        np.save(path, array)
        command += ["--input", f"{name}={path}"]
    if args.threads:
        command += ["--threads", str(args.threads)]
    if args.cpu:
        command += ["--cpu", args.cpu]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())


def compare(args, model, shared):
    options = ort.SessionOptions()
    options.log_severity_level = 3
    session = ort.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    spec = session.get_inputs()[0]
    shape = [1] + [d if isinstance(d, int) else 1 for d in spec.shape[1:]]
    worst, mean = 0.0, 0.0
    for photo in photographs(shared, 3):
        feeds = {spec.name: tensor(photo, shape, input_scale(model.name))}
        want = session.run(None, feeds)
        with tempfile.TemporaryDirectory() as scratch:
            out_dir = pathlib.Path(scratch)
            run_hasten(args, model, feeds, shape, out_dir)
            for info, w in zip(session.get_outputs(), want):
                got = np.load(out_dir / (info.name.replace("/", "_").replace(":", "_") + ".npy"))
                if got.shape != w.shape:
                    raise RuntimeError(f"{info.name}: shape {got.shape}, wanted {w.shape}")
                size = max(float(np.abs(w).max()), 1e-12)
                difference = np.abs(got.astype(np.float64) - w) / size
                if not np.all(np.isfinite(difference)):
                    raise RuntimeError(f"{info.name}: not finite")
                worst, mean = max(worst, difference.max()), max(mean, difference.mean())
    return worst, mean


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
            worst, mean = compare(args, model, args.shared)
            judged = "_qdq" not in model.name
            ok = not judged or (worst <= 1e-3 and mean <= 1e-5)
            verdict = ("ok" if ok else "TOO FAR") if judged else "(quantised, not judged)"
            print(f"{model.name:45} max {worst:.2e}  mean {mean:.2e}  {verdict}", flush=True)
        except Exception as error:  # a model that cannot be run is a finding, not a crash
            ok = False
            print(f"{model.name:45} {error}", flush=True)
        passed, failed = passed + ok, failed + (not ok)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
