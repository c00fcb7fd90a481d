#!/usr/bin/env python3
"""Run every model of a folder in hasten and in ONNX Runtime and compare the outputs.

usage: compare_models.py --hasten PATH FOLDER [NAME...]      needs numpy onnxruntime
FOLDER is what export_models.py wrote. A model passes when no output differs by more than
1e-3 of the largest value, the mean difference is at most 1e-5 of it or three times that of
ONNX Runtime with and without its optimisations (random weights can magnify rounding), and one
and two threads give the same bits.
"""
import argparse
import pathlib
import subprocess
import tempfile

import numpy as np
import onnxruntime as ort


def file_name(name):
    return name.replace("/", "_").replace(":", "_") + ".npy"


def ours(hasten, model, inputs, threads, out):
    command = [hasten, "run", str(model), "--output-dir", str(out), "--threads", str(threads)]
    for name, path in inputs.items():
        command += ["--input", f"{name}={path}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise RuntimeError(f"status {done.returncode}: {done.stderr.strip()}")


def peer(model, level):
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = level
    return ort.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def distance(got, want):
    """Largest and mean difference, as parts of the largest wanted value."""
    d = np.abs(got.astype(np.float64) - want) / max(float(np.abs(want).max()), 1e-12)
    if not np.isfinite(d).all():
        raise RuntimeError("not finite")
    return np.array([d.max(), d.mean()])


def check(hasten, model):
    session = peer(model, ort.GraphOptimizationLevel.ORT_DISABLE_ALL)
    optimised = peer(model, ort.GraphOptimizationLevel.ORT_ENABLE_ALL)
    base = model.name.split(".")[0]
    inputs = {i.name: model.parent / f"{base}.{i.name}.npy" for i in session.get_inputs()}
    feeds = {k: np.load(p) for k, p in inputs.items()}
    want, other_want = session.run(None, feeds), optimised.run(None, feeds)
    ours_far, theirs_far = np.zeros(2), np.zeros(2)
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        ours(hasten, model, inputs, 1, pathlib.Path(one))
        ours(hasten, model, inputs, 2, pathlib.Path(two))
        for info, w, v in zip(session.get_outputs(), want, other_want):
            got = np.load(pathlib.Path(one) / file_name(info.name))
            other = np.load(pathlib.Path(two) / file_name(info.name))
            if got.tobytes() != other.tobytes():
                raise RuntimeError(f"{info.name}: one and two threads differ")
            if got.shape != w.shape or got.dtype != w.dtype:
                raise RuntimeError(f"{info.name}: {got.dtype}{got.shape}, not {w.dtype}{w.shape}")
            ours_far = np.maximum(ours_far, distance(got, w))
            theirs_far = np.maximum(theirs_far, distance(v, w))
    return ours_far, theirs_far


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--hasten", required=True)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    failed = passed = 0
    for model in sorted(args.folder.glob("*.onnx")):
        if args.names and model.name.split(".")[0] not in args.names:
            continue
        try:
            (worst, mean), (_, peer_mean) = check(args.hasten, model)
            ok = worst <= 1e-3 and mean <= max(1e-5, 3 * peer_mean)
            text = f"max {worst:.1e} mean {mean:.1e} (ONNX Runtime from itself {peer_mean:.1e})"
        except Exception as error:
            ok, text = False, str(error)[:600]
        passed, failed = passed + ok, failed + (not ok)
        print(f"{'ok  ' if ok else 'FAIL'} {model.name:42} {text}", flush=True)
    print(f"{passed} passed, {failed} failed")
    raise SystemExit(failed > 0)


if __name__ == "__main__":
    main()
