#!/usr/bin/env python3
"""Time hasten and ONNX Runtime on the same ONNX files, interleaved, and print the ratio.

usage: against_ort.py --hasten PATH [--threads 1,2] [--rounds 5] MODEL...

Each round runs one side, then the other, in processes of their own, for about a second; the
ratio of a round is between neighbours in time, so that a drift of the machine's speed falls
out. The median of the ratios is printed with its extremes. Inputs are random numbers (ids for
integer inputs), the same kind on both sides.
"""
import argparse
import json
import statistics
import subprocess
import sys

PEER = r"""
import sys, time, numpy as np, onnxruntime as ort
path, threads, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
o = ort.SessionOptions()
o.intra_op_num_threads, o.inter_op_num_threads = threads, 1
o.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
s = ort.InferenceSession(path, o, providers=["CPUExecutionProvider"])
r = np.random.default_rng(0)
feeds = {}
for i in s.get_inputs():
    shape = [d if isinstance(d, int) else 1 for d in i.shape]
    feeds[i.name] = (r.standard_normal(shape).astype(np.float32) if "float" in i.type
                     else r.integers(0, 2, shape).astype(np.int64))
for _ in range(3):
    s.run(None, feeds)
t, end = [], time.perf_counter() + seconds
while time.perf_counter() < end or len(t) < 3:
    a = time.perf_counter(); s.run(None, feeds); t.append(time.perf_counter() - a)
print(sorted(t)[(len(t) - 1) // 2] * 1e3)
"""


def ours(hasten, model, threads, seconds):
    out = subprocess.run([hasten, "bench", model, "--threads", str(threads), "--duration",
                          f"{seconds}s", "--json"], capture_output=True, text=True)
    if out.returncode:
        sys.exit(f"{model}: {out.stderr}")
    latency = json.loads(out.stdout)["latency_ms"]
    return latency["p50"] or latency["mean"]


def theirs(model, threads, seconds):
    out = subprocess.run([sys.executable, "-c", PEER, model, str(threads), str(seconds)],
                         capture_output=True, text=True)
    if out.returncode:
        sys.exit(f"{model}: {out.stderr}")
    return float(out.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--hasten", required=True)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("models", nargs="+")
    args = parser.parse_args()
    print("model\tthreads\thasten_ms\tort_ms\tratio\tratio_min\tratio_max")
    for model in args.models:
        for threads in (int(t) for t in args.threads.split(",")):
            pairs = [(ours(args.hasten, model, threads, args.seconds),
                      theirs(model, threads, args.seconds)) for _ in range(args.rounds)]
            ratios = sorted(a / b for a, b in pairs)
            print(f"{model}\t{threads}\t{statistics.median(a for a, _ in pairs):.2f}\t"
                  f"{statistics.median(b for _, b in pairs):.2f}\t{statistics.median(ratios):.3f}\t"
                  f"{ratios[0]:.3f}\t{ratios[-1]:.3f}", flush=True)


if __name__ == "__main__":
    main()
