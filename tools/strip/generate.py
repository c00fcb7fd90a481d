"""Draw the pictures the strip model is trained, tested and shown with.

    python generate.py dataset FOLDER     train and held-out arrays for train.py
    python generate.py samples FOLDER     240 labelled close-ups, 40 of each class
    python generate.py photos  FOLDER     six photographs of 1920 x 1080, one of each class

Every picture follows from its number alone, so a second run writes the same pixels.
"""

import argparse
import io
from multiprocessing import Pool
from pathlib import Path

import numpy as np
from PIL import Image

from defects import LABELS
from scene import close_up, draw, photograph

SIDE = 224
CLOSE_UP_SIZES = [(224, 224), (256, 256), (256, 224), (240, 272), (288, 232)]

# The number ranges do not overlap, and each begins with class 0.
TRAIN_START, HELD_OUT_START, SAMPLES_START, PHOTOS_START = 0, 6_000_000, 12_000_000, 18_000_000
# Chosen for their looks among the first few of each class.
PHOTO_NUMBERS = [PHOTOS_START + i for i in (6, 19, 8, 9, 10, 17)]


def round_trip(image, quality):
    """What comes back after a JPEG file: chroma and block losses included."""
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=quality)
    return Image.open(buffer)


def to_input(image):
    """Any picture to the uint8 [224, 224, 3] the network's normalisation begins with."""
    return np.asarray(image.convert("RGB").resize((SIDE, SIDE), Image.Resampling.BILINEAR))


def dataset_item(number):
    """One training or held-out picture: three close-ups to one photograph."""
    options = np.random.default_rng([number, 1])
    quality = int(options.integers(70, 96))
    if number // len(LABELS) % 4 == 3:
        size = (1920, 1080) if options.random() < 0.2 else (960, 540)
        image, index = draw(number, photograph, size=size)
    else:
        size = CLOSE_UP_SIZES[options.integers(len(CLOSE_UP_SIZES))]
        image, index = draw(number, close_up, size=size, grey=options.random() < 0.8)
    return to_input(round_trip(image, quality)), index


def write_array(path, start, count, processes):
    """`count` pictures as path-images.npy (uint8 [count, 224, 224, 3]) and path-labels.npy (int64)."""
    images = np.lib.format.open_memmap(f"{path}-images.npy", "w+", np.uint8, (count, SIDE, SIDE, 3))
    labels = np.empty(count, np.int64)
    with Pool(processes) as pool:
        items = pool.imap(dataset_item, range(start, start + count), chunksize=12)
        for row, (image, label) in enumerate(items):
            images[row], labels[row] = image, label
    np.save(f"{path}-labels.npy", labels)


def write_dataset(folder, args):
    write_array(folder / "train", TRAIN_START, args.train, args.processes)
    write_array(folder / "held-out", HELD_OUT_START, args.held_out, args.processes)


def write_samples(folder, args):
    lines = []
    for number in range(SAMPLES_START, SAMPLES_START + 40 * len(LABELS)):
        size = CLOSE_UP_SIZES[number // len(LABELS) % len(CLOSE_UP_SIZES)]
        image, index = draw(number, close_up, size=size)
        name = f"{LABELS[index]}_{(number - SAMPLES_START) // len(LABELS):02d}.jpg"
        image.save(folder / name, quality=70, optimize=True)
        lines.append(f"{name}\t{index}\n")
    (folder / "labels.txt").write_text("".join(sorted(lines)))


def write_photos(folder, args):
    lines = []
    for number in PHOTO_NUMBERS:
        image, index = draw(number, photograph)
        name = f"strip_{LABELS[index]}.jpg"
        image.save(folder / name, quality=90, optimize=True)
        lines.append(f"{name}\t{index}\n")
    (folder / "labels.txt").write_text("".join(sorted(lines)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=["dataset", "samples", "photos"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--train", type=int, default=7200, help="training pictures")
    parser.add_argument("--held-out", type=int, default=1440, help="held-out pictures")
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    {"dataset": write_dataset, "samples": write_samples, "photos": write_photos}[args.what](args.folder, args)


if __name__ == "__main__":
    main()
