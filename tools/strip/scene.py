"""Whole pictures: close-ups under the line camera, and photographs of the strip on its rollers."""

import numpy as np
from PIL import Image

from defects import DRAW, LABELS
from surface import bare_strip, colour, expose, fractal_noise, light, smoothstep, value_noise

PHOTO_SIZE = (1920, 1080)


def close_up(rng, label, size=(224, 224), grey=True):
    """A picture filled by strip, at times with its edge in view. Returns a Pillow image."""
    width, height = size
    unit = np.sqrt(width * height) / 224 * rng.uniform(0.75, 1.35)
    turn = rng.random() < 0.5  # rolling direction from left to right, or from top to bottom
    rows, columns = (width, height) if turn else (height, width)
    rows, columns = round(1.16 * rows), round(1.16 * columns)

    first, last = 0, rows
    if rng.random() < 0.25:
        gap = round(rng.uniform(0.10, 0.28) * rows)
        first, last = (gap, rows) if rng.random() < 0.5 else (0, rows - gap)
    backdrop = rng.uniform(0.02, 0.12) * (1 + 0.3 * value_noise(rng, (rows, columns), (9 * unit, 60 * unit)))
    rgb = np.repeat(backdrop[..., None], 3, axis=2)
    rgb[first:last] = lit_strip(rng, label, (last - first, columns), unit)
    rgb *= 1.0 + rng.uniform(0.0, 0.012) * rng.standard_normal((rows, 1, 1), dtype=np.float32)
    if grey:
        rgb = rgb.mean(axis=2, keepdims=True)
    return develop(rng, rgb, size, turn, rng.uniform(-5, 5), rng.uniform(0.008, 0.022))


def photograph(rng, label, size=PHOTO_SIZE):
    """The strip running over rollers through the frame, seen from above. Returns a Pillow image."""
    width, height = size
    unit = np.sqrt(width * height) / 224 * rng.uniform(0.75, 1.05)
    turn = rng.random() < 0.3
    rows, columns = (width, height) if turn else (height, width)
    rows, columns = round(1.05 * rows), round(1.05 * columns)

    share = rng.uniform(0.58, 0.82)
    first = round(rows * (1 - share) * rng.uniform(0.35, 0.65))
    last = first + round(rows * share)
    rgb = roller_table(rng, (rows, columns), unit, (first, last))
    rgb[first:last] = lit_strip(rng, label, (last - first, columns), unit)
    for edge in (first, last - 1):  # the sheared edge catches the light
        thickness = max(1, round(0.25 * unit))
        rgb[edge : edge + thickness] = 0.55 * rgb[edge : edge + thickness] + rng.uniform(0.15, 0.4)
    return develop(rng, rgb, size, turn, rng.uniform(-1.2, 1.2), rng.uniform(0.010, 0.020))


def lit_strip(rng, label, shape, unit):
    """A strip with one kind of defect under uneven light: RGB [rows, columns, 3]."""
    layers = bare_strip(rng, shape, unit)
    DRAW[label](rng, layers, rng.uniform(0.65, 1.05))
    np.clip(layers.albedo, 0.02, 1.2, out=layers.albedo)
    grey = light(rng, layers) * rng.uniform(0.85, 1.15)
    return colour(grey, layers.oxide, 1.0 + rng.normal(0, 0.012, 3) + (-0.015, 0.0, 0.015))


def roller_table(rng, shape, unit, strip):
    """What lies beside the strip: dark floor, shining rollers, painted side rails with bolts."""
    rows, columns = shape
    first, last = strip
    y = np.arange(rows, dtype=np.float32)[:, None]
    x = np.arange(columns, dtype=np.float32)[None, :]
    floor = 0.05 + 0.02 * fractal_noise(rng, shape, (30 * unit, 30 * unit), 4)
    grey = np.clip(floor, 0.01, 0.2) * np.ones_like(x)

    pitch = rng.uniform(26, 60) * unit
    radius = pitch * rng.uniform(0.28, 0.42)
    across = (x + rng.uniform(0, pitch)) % pitch - 0.5 * pitch
    round_shape = np.sqrt(np.clip(1.0 - (across / radius) ** 2, 0.0, 1.0))
    glint = np.exp(-(((across / radius + rng.uniform(-0.4, 0.4)) / 0.18) ** 2))
    steel = rng.uniform(0.10, 0.30) * round_shape + rng.uniform(0.05, 0.35) * glint
    wear = 1.0 + 0.10 * value_noise(rng, shape, (1.5 * unit, 30 * unit))
    grey = np.where(np.abs(across) < radius, steel * wear, grey)
    away = np.maximum(first - y, y - last)
    grey = grey * (0.25 + 0.75 * smoothstep(0.0, 10.0 * unit, away))  # shadow beside the strip
    rgb = np.repeat(grey[..., None], 3, axis=2).astype(np.float32)

    paint = np.array([(0.62, 0.47, 0.10), (0.12, 0.30, 0.45), (0.18, 0.36, 0.28), (0.34, 0.34, 0.36)])
    paint = paint[rng.integers(len(paint))] * rng.uniform(0.5, 1.0)
    thickness = rng.uniform(5, 12) * unit
    offset = rng.uniform(7, 16) * unit
    for middle in (first - offset - thickness, last + offset + thickness):
        profile = smoothstep(1.0, 0.88, np.abs(y - middle) / thickness)
        worn = 1.0 + 0.12 * fractal_noise(rng, shape, (5 * unit, 20 * unit), 4)
        face = (0.75 + 0.25 * (middle - y) / thickness) * worn
        bolt = np.hypot((x + 7 * unit) % pitch - 0.5 * pitch, y - middle) / (2.2 * unit)
        face = face * (1.0 - 0.6 * smoothstep(1.25, 0.9, bolt)) + 0.25 * smoothstep(0.9, 0.5, bolt)
        rgb = rgb * (1.0 - profile[..., None]) + (profile * face)[..., None] * paint.astype(np.float32)
    return rgb * (1.0 + rng.uniform(-0.25, 0.25) * (2 * x / columns - 1))[..., None]


def develop(rng, rgb, size, turn, degrees, noise):
    """Turn, tilt and crop to `size` = (width, height), then add camera noise."""
    if turn:
        rgb = rgb.transpose(1, 0, 2)
    exact = (np.clip(rgb, 0.0, 1.0) * 255.0 + 0.5).astype(np.uint8)
    image = Image.fromarray(exact[..., 0] if exact.shape[2] == 1 else exact)
    image = image.rotate(degrees, Image.Resampling.BICUBIC)
    left, top = (image.width - size[0]) // 2, (image.height - size[1]) // 2
    image = image.crop((left, top, left + size[0], top + size[1]))
    pixels = np.asarray(image, np.float32).reshape(size[1], size[0], -1) / 255.0
    return Image.fromarray(expose(rng, pixels, noise).squeeze())


def draw(seed, view, **options):
    """The picture number `seed` and its class index; the class follows from the seed."""
    index = seed % len(LABELS)
    rng = np.random.default_rng(seed)
    return view(rng, LABELS[index], **options), index
