"""Measure strip.onnx with ONNX Runtime: accuracy, confusion matrix, 95 % Wilson interval.

    python evaluate.py strip.onnx DATASET/held-out     the arrays of generate.py dataset
    python evaluate.py strip.onnx FOLDER               a folder of pictures with a labels.txt
"""

import argparse
from pathlib import Path

import numpy as np
import onnxruntime
from PIL import Image

from defects import LABELS
from generate import to_input

MEAN = np.array([0.485, 0.456, 0.406], np.float32)
STD = np.array([0.229, 0.224, 0.225], np.float32)
Z95 = 1.959964  # two-sided 95 % quantile of the normal distribution


def read_pictures(where):
    """Pairs of uint8 [224, 224, 3] and class index, with names, from a folder or from two arrays."""
    if where.is_dir():
        lines = [line.split("\t") for line in (where / "labels.txt").read_text().splitlines()]
        images = np.stack([to_input(Image.open(where / name)) for name, _ in lines])
        return images, np.array([int(index) for _, index in lines]), [name for name, _ in lines]
    labels = np.load(f"{where}-labels.npy")
    return np.load(f"{where}-images.npy", mmap_mode="r"), labels, [f"row {i}" for i in range(len(labels))]


def probabilities(session, images):
    """Softmax of the logits, float64 [N, classes]."""
    logits = []
    for at in range(0, len(images), 32):
        batch = (images[at : at + 32].astype(np.float32) / 255.0 - MEAN) / STD
        logits.append(session.run(["logits"], {"image": batch.transpose(0, 3, 1, 2)})[0])
    powers = np.exp(np.concatenate(logits).astype(np.float64))
    return powers / powers.sum(axis=1, keepdims=True)


def wilson(correct, total):
    """Wilson's score interval for a share (1927), 95 %."""
    share = correct / total
    centre = share + Z95**2 / (2 * total)
    spread = Z95 * np.sqrt(share * (1 - share) / total + Z95**2 / (4 * total**2))
    scale = 1 + Z95**2 / total
    return (centre - spread) / scale, (centre + spread) / scale


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("onnx", type=Path)
    parser.add_argument("pictures", type=Path)
    parser.add_argument("--list", action="store_true", help="name every picture, not only the wrong ones")
    args = parser.parse_args()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(args.onnx, options, providers=["CPUExecutionProvider"])

    images, labels, names = read_pictures(args.pictures)
    shares = probabilities(session, images)
    guesses = shares.argmax(axis=1)
    for name, label, guess, share in zip(names, labels, guesses, shares.max(axis=1)):
        if args.list or guess != label:
            print(f"{name}: {LABELS[label]} seen as {LABELS[guess]} ({share:.3f})")

    matrix = np.zeros((len(LABELS), len(LABELS)), int)
    np.add.at(matrix, (labels, guesses), 1)
    print("true \\ seen".ljust(12) + "".join(label.rjust(10) for label in LABELS))
    for label, row in zip(LABELS, matrix):
        print(label.ljust(12) + "".join(str(n).rjust(10) for n in row))
    correct, total = int(np.trace(matrix)), len(labels)
    low, high = wilson(correct, total)
    print(f"{correct} of {total} right: {correct / total:.2%}, 95 % interval {low:.2%} .. {high:.2%}")


if __name__ == "__main__":
    main()
