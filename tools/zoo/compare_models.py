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
import sys
import tempfile

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "peers"))
from both import distance, file_name, peer, run_hasten  # noqa: E402


def check(hasten, model):
    session, optimised = peer(model, optimise=False), peer(model)
    base = model.name.split(".")[0]
    inputs = {i.name: model.parent / f"{base}.{i.name}.npy" for i in session.get_inputs()}
    feeds = {k: np.load(p) for k, p in inputs.items()}
    want, other_want = session.run(None, feeds), optimised.run(None, feeds)
    ours_far, theirs_far = np.zeros(2), np.zeros(2)
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        run_hasten(hasten, model, inputs, one, "--threads", "1")
        run_hasten(hasten, model, inputs, two, "--threads", "2")
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
