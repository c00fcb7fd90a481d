"""What scripts need that run a model in hasten and in ONNX Runtime and compare."""
import subprocess

import numpy as np
import onnxruntime as ort


def file_name(name):
    """The file that `hasten run --output-dir` writes for an output."""
    return name.replace("/", "_").replace(":", "_") + ".npy"


def run_hasten(hasten, model, inputs, out_dir, *options):
    """Inputs are .npy files by name; outputs go to out_dir."""
    command = [hasten, "run", str(model), "--output-dir", str(out_dir), *options]
    for name, path in inputs.items():
        command += ["--input", f"{name}={path}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise RuntimeError(f"status {done.returncode}: {done.stderr.strip()}")


def peer(model, optimise=True):
    options = ort.SessionOptions()
    options.log_severity_level = 4
    if not optimise:
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def distance(got, want):
    """Largest and mean difference, as parts of the largest wanted value."""
    size = max(float(np.abs(want).max()), 1e-12)
    difference = np.abs(got.astype(np.float64) - want) / size
    if not np.all(np.isfinite(difference)):
        raise RuntimeError("not finite")
    return np.array([difference.max(), difference.mean()])
