"""Train the strip network on the arrays of generate.py and write it as ONNX.

    python train.py DATASET strip.onnx

Training runs at 112 x 112 first, where an epoch costs a quarter, and ends at 224 x 224.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from torch import nn

from defects import LABELS
from network import StripNet, count_macs

MEAN = torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1)
STD = torch.tensor([0.229, 0.224, 0.225]).view(1, 3, 1, 1)
BATCH = 64
COARSE_SHARE = 0.6  # of the steps, at half resolution


def load(path):
    """uint8 images [N, 224, 224, 3] (mapped, not read) and labels [N]."""
    images = np.load(f"{path}-images.npy", mmap_mode="r")
    return images, torch.from_numpy(np.load(f"{path}-labels.npy"))


def to_batch(images):
    """uint8 [N, H, W, 3] to normalised float [N, 3, H, W], as the manifest says."""
    batch = torch.from_numpy(np.array(images)).permute(0, 3, 1, 2).float()
    return (batch / 255.0 - MEAN) / STD


def augment(batch):
    """Mirror, turn, and change brightness and contrast; none of it changes the class."""
    for dims in ([2], [3]):
        if torch.rand(()) < 0.5:
            batch = batch.flip(dims)
    if torch.rand(()) < 0.5:
        batch = batch.transpose(2, 3)
    gain = 1.0 + 0.15 * torch.randn(len(batch), 1, 1, 1)
    return batch * gain + 0.25 * torch.randn(len(batch), 1, 1, 1)


def train(model, images, labels, epochs, peak_rate):
    steps_per_epoch = len(labels) // BATCH
    steps = epochs * steps_per_epoch
    optimizer = torch.optim.AdamW(model.parameters(), lr=peak_rate, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, peak_rate, total_steps=steps, pct_start=0.2)
    loss_of = nn.CrossEntropyLoss(label_smoothing=0.03)
    began, running = time.time(), 0.0
    for step in range(steps):
        if step % steps_per_epoch == 0:
            order = torch.randperm(len(labels))
        at = step % steps_per_epoch * BATCH
        rows = order[at : at + BATCH].sort().values
        batch = augment(to_batch(images[rows.numpy()]))
        if step < COARSE_SHARE * steps:
            batch = nn.functional.avg_pool2d(batch, 2)
        model.train()
        loss = loss_of(model(batch.contiguous(memory_format=torch.channels_last)), labels[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        running += loss.item() / steps_per_epoch
        if (step + 1) % steps_per_epoch == 0:
            epoch = (step + 1) // steps_per_epoch
            print(f"epoch {epoch:3d}/{epochs}  loss {running:.4f}  {time.time() - began:.0f} s", flush=True)
            running = 0.0


def predict(model, images):
    """Logits [N, classes] of the network in evaluation mode."""
    model.eval()
    with torch.no_grad():
        parts = [model(to_batch(images[at : at + BATCH])) for at in range(0, len(images), BATCH)]
    return torch.cat(parts)


def export(model, path):
    """Opset 17, batch normalisation kept as its own node, the batch size left open."""
    model.eval().to(memory_format=torch.contiguous_format)
    torch.onnx.export(
        model,
        (torch.zeros(2, 3, 224, 224),),
        path,
        dynamo=False,
        opset_version=17,
        training=torch.onnx.TrainingMode.PRESERVE,
        do_constant_folding=False,
        input_names=["image"],
        output_names=["logits"],
        dynamic_axes={"image": {0: "batch"}, "logits": {0: "batch"}},
    )
    graph_file = onnx.load(path)
    repeat_shared_weights(graph_file.graph)
    onnx.checker.check_model(graph_file, full_check=True)
    onnx.save(graph_file, path)


def repeat_shared_weights(graph):
    """Undo the exporter's sharing of equal weights, which puts Identity nodes before some biases.

    The two batch normalisations added at a shortcut receive the same gradients and so learn equal biases.
    """
    weights = {weight.name: weight for weight in graph.initializer}
    for node in [n for n in graph.node if n.op_type == "Identity" and n.input[0] in weights]:
        graph.initializer.add().CopyFrom(weights[node.input[0]])
        graph.initializer[-1].name = node.output[0]
        graph.node.remove(node)


def check_export(model, path, images):
    """Largest difference between the logits of the file in ONNX Runtime and of the network here."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    with torch.no_grad():
        expected = model(to_batch(images)).numpy()
    return np.abs(session.run(["logits"], {"image": to_batch(images).numpy()})[0] - expected).max()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("dataset", type=Path, help="folder written by generate.py dataset")
    parser.add_argument("onnx", type=Path)
    parser.add_argument("--epochs", type=int, default=16)
    parser.add_argument("--rate", type=float, default=4e-3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)

    model = StripNet(len(LABELS)).to(memory_format=torch.channels_last)
    print(f"{sum(p.numel() for p in model.parameters())} parameters, {count_macs(model) / 1e6:.1f} MMAC")
    train(model, *load(args.dataset / "train"), args.epochs, args.rate)
    images, labels = load(args.dataset / "held-out")
    correct = (predict(model, images).argmax(1) == labels).sum().item()
    print(f"held-out: {correct} of {len(labels)} right ({100 * correct / len(labels):.2f} %)")
    export(model, args.onnx)
    print(f"ONNX Runtime differs by {check_export(model, args.onnx, images[:96]):.1e} at most")


if __name__ == "__main__":
    main()
