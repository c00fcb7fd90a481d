"""Six defects of rolled steel strip. Each function draws one kind into the layers of a bare strip.

Every function takes the random generator, the layers, and `strength` (about 0.6 faint .. 1 plain).
Lengths are in units (see surface.py); counts grow with the area of strip in view.
"""

import numpy as np
from PIL import Image, ImageDraw

from surface import fractal_noise, smoothstep, soften, value_noise


def crack(rng, layers, strength):
    """Jagged dark tears, branching, mostly across the rolling direction and often from an edge."""
    rows, columns = layers.shape
    unit = layers.unit
    strokes = []
    for _ in range(count(rng, layers, 1, 2)):
        from_top = rng.random() < 0.5
        edge_start = rng.random() < 0.7
        y = (0.0 if from_top else rows - 1.0) if edge_start else rng.uniform(0.2, 0.8) * rows
        x = rng.uniform(0.15, 0.85) * columns
        heading = (0.5 if from_top else -0.5) * np.pi + rng.normal(0, 0.35)
        length = min(rng.uniform(50, 150) * unit, 0.9 * rows)
        strokes += jagged_path(rng, (y, x), heading, length, rng.uniform(1.4, 3.0) * unit, unit, forks=3)
    mask = stroke_mask(layers.shape, strokes)
    layers.relief += rng.uniform(0.5, 1.2) * unit * (soften(mask, 3 * unit) - mask)
    layers.albedo *= 1.0 - np.clip(1.1 * strength, 0, 0.92) * mask
    layers.gloss *= 1.0 - 0.95 * mask


def inclusion(rng, layers, strength):
    """Slag rolled out with the steel: dark ragged stringers lying along the rolling direction."""
    unit = layers.unit
    for _ in range(count(rng, layers, 2, 5)):
        half = (rng.uniform(1.8, 4.5) * unit, rng.uniform(16, 50) * unit)
        view, y, x = window(rng, layers, half, 1.6)
        ragged = 0.8 * fractal_noise(rng, view.shape, (2.5 * unit, 12 * unit), 4)
        distance = np.hypot((y + rng.normal(0, 0.012) * x) / half[0], x / half[1])
        mask = smoothstep(0.0, 0.35, 0.85 - distance + 0.45 * ragged) * smoothstep(1.6, 1.2, distance)
        view.albedo *= 1.0 - strength * rng.uniform(0.50, 0.80) * mask
        view.gloss *= 1.0 - 0.8 * mask
        view.relief += 0.5 * unit * mask * value_noise(rng, view.shape, (1.5 * unit, 3 * unit))
        view.oxide += rng.uniform(0.2, 0.9) * mask


def patch(rng, layers, strength):
    """Stains from emulsion or pickling: a few broad areas of other brightness with a sharp outline."""
    unit = layers.unit
    darker = rng.random() < 0.8
    for _ in range(count(rng, layers, 1, 3)):
        half = (rng.uniform(18, 48) * unit, rng.uniform(24, 70) * unit)
        view, y, x = window(rng, layers, half, 1.7)
        outline = 1.0 - np.hypot(y / half[0], x / half[1])
        outline += 0.33 * fractal_noise(rng, view.shape, (22 * unit, 30 * unit), 5, gain=0.5)
        outline = np.where(np.hypot(y / half[0], x / half[1]) > 1.65, -1.0, outline)
        mask = smoothstep(0.0, rng.uniform(0.05, 0.25), outline)
        fringe = mask * smoothstep(0.35, 0.0, outline)
        change = strength * rng.uniform(0.28, 0.50) * (1.0 if darker else -0.8)
        cloud = 1.0 + 0.12 * value_noise(rng, view.shape, (9 * unit, 14 * unit))
        view.albedo *= 1.0 - change * mask * cloud
        view.albedo *= 1.0 - rng.uniform(0.0, 0.35) * strength * fringe
        view.gloss *= 1.0 - 0.6 * mask * darker
        view.oxide += rng.uniform(-0.9, 0.6) * mask


def pit(rng, layers, strength):
    """Small round corrosion holes in loose clusters, one side in shadow and the other bright."""
    unit = layers.unit
    rows, columns = layers.shape
    for _ in range(count(rng, layers, 2, 5)):
        centre = rng.uniform(0.15, 0.85, 2) * (rows, columns)
        spread = rng.uniform(12, 55) * unit
        for _ in range(rng.integers(5, 24)):
            radius = rng.lognormal(0.75, 0.35) * unit
            place = centre + rng.normal(0, 0.6, 2) * spread
            half = (radius * rng.uniform(0.85, 1.15), radius * rng.uniform(0.85, 1.25))
            view, y, x = window(rng, layers, half, 2.4, place)
            if view.albedo.size == 0:
                continue
            angle = np.arctan2(y, x)
            lobes = 1.0
            for waves in (2, 3, 5):
                lobes = lobes + rng.normal(0, 0.16 / waves) * np.sin(waves * angle + rng.uniform(0, 6.28))
            distance = np.hypot(y / half[0], x / half[1]) / lobes
            hole = smoothstep(1.25, 0.55, distance)
            rim = np.exp(-(((distance - 1.3) / 0.35) ** 2))
            view.albedo *= 1.0 - strength * rng.uniform(0.40, 0.75) * hole
            view.relief += strength * radius * (0.10 * rim - 0.45 * hole)
            view.gloss *= 1.0 - 0.8 * hole
            view.oxide += 0.4 * hole


def scale(rng, layers, strength):
    """Rolled-in scale: fields of many rough dark flakes, drawn out along the rolling direction."""
    unit = layers.unit
    for _ in range(count(rng, layers, 1, 2)):
        half = (rng.uniform(35, 90) * unit, rng.uniform(60, 130) * unit)
        view, y, x = window(rng, layers, half, 1.5)
        flake = (rng.uniform(4.0, 7.0) * unit, rng.uniform(8.0, 16.0) * unit)
        density = 1.0 - np.hypot(y / half[0], x / half[1])
        density += 0.35 * value_noise(rng, view.shape, (30 * unit, 40 * unit))
        field = fractal_noise(rng, view.shape, flake, 4, gain=0.65)
        mask = smoothstep(0.55, 0.95, field + 0.45 * np.clip(density, -1.5, 0.5))
        mask *= smoothstep(-0.45, 0.1, density)
        rough = fractal_noise(rng, view.shape, (1.2 * unit, 2.0 * unit), 2)
        view.albedo *= 1.0 - strength * mask * np.clip(rng.uniform(0.40, 0.62) + 0.12 * rough, 0, 0.9)
        view.relief += strength * unit * mask * (0.7 + 0.25 * rough)
        view.gloss *= 1.0 - 0.9 * mask
        view.oxide += rng.uniform(0.1, 0.8) * mask


def scratch(rng, layers, strength):
    """Fine, nearly straight grooves of bare bright metal, each a bundle of hairs broken here and there."""
    rows, columns = layers.shape
    unit = layers.unit
    strokes = []
    mean_angle = rng.normal(0, 0.4)
    for _ in range(count(rng, layers, 1, 4)):
        angle = mean_angle + rng.normal(0, 0.12)
        length = rng.uniform(60, 190) * unit
        width = rng.uniform(0.8, 2.2) * unit
        bow = rng.normal(0, 0.10) * length
        middle = rng.uniform(0.2, 0.8, 2) * (rows, columns)
        along, across = np.array([np.sin(angle), np.cos(angle)]), np.array([np.cos(angle), -np.sin(angle)])
        for _ in range(5):
            begin, end = -0.5 + rng.beta(1, 4), 0.5 - rng.beta(1, 4)
            t = np.linspace(begin, end, 25)[:, None]
            drift = rng.uniform(-0.5, 0.5, 2) * width
            points = middle + t * length * along
            points = points + ((t * t - 0.08) * bow + drift[0] + t * drift[1]) * across
            strokes.append((points, 0.36 * width * np.sqrt(np.linspace(rng.uniform(0.4, 1.0), 1.0, 25))))
    mask = stroke_mask(layers.shape, strokes)
    mask *= 0.35 + 0.65 * smoothstep(-1.3, -0.3, fractal_noise(rng, layers.shape, (12 * unit, 12 * unit), 3))
    bright = rng.random() < 0.85
    layers.albedo += strength * mask * (rng.uniform(0.38, 0.65) if bright else -0.6 * layers.albedo)
    layers.relief += 0.4 * unit * (soften(mask, 2 * unit) - mask)
    layers.gloss *= 1.0 - 0.5 * mask


DRAW = {f.__name__: f for f in (crack, inclusion, patch, pit, scale, scratch)}
LABELS = list(DRAW)


def count(rng, layers, low, high):
    """How many of a thing: low..high for a picture full of strip, more or fewer by area."""
    share = layers.albedo.size / (224 * layers.unit) ** 2
    return max(1, round(rng.uniform(low, high + 0.5) * max(share, 0.6)))


def window(rng, layers, half, reach, centre=None):
    """Layers within `reach` times `half` = (rows, columns) around a centre (random when not given).

    Returns the window and the distances y [rows, 1] and x [1, columns] from the centre in pixels.
    """
    rows, columns = layers.shape
    y0, x0 = rng.uniform(0.2, 0.8, 2) * (rows, columns) if centre is None else centre
    spans = [
        slice(int(np.clip(c - reach * h, 0, n)), int(np.clip(c + reach * h + 1, 0, n)))
        for c, h, n in ((y0, half[0], rows), (x0, half[1], columns))
    ]
    y = np.arange(spans[0].start, spans[0].stop, dtype=np.float32)[:, None] - np.float32(y0)
    x = np.arange(spans[1].start, spans[1].stop, dtype=np.float32)[None, :] - np.float32(x0)
    return layers.part(*spans), y, x


def jagged_path(rng, start, heading, length, width, unit, forks):
    """A random walk that keeps its heading, tapers, and forks up to `forks` times."""
    steps = max(4, int(length / (3.0 * unit)))
    turns = heading + rng.normal(0, 0.5, steps) + np.cumsum(rng.normal(0, 0.06, steps))
    hops = 3.0 * unit * rng.uniform(0.5, 1.5, steps)
    path = np.cumsum(np.stack([np.sin(turns) * hops, np.cos(turns) * hops], axis=1), axis=0)
    points = np.vstack([[start], np.asarray(start) + path])
    widths = width * np.linspace(1.0, 0.3, steps + 1) * rng.uniform(0.6, 1.2, steps + 1)
    strokes = [(points, widths)]
    for _ in range(rng.integers(0, forks + 1)):
        at = rng.integers(1, steps)
        side = heading + rng.choice([-1.0, 1.0]) * rng.uniform(0.4, 1.1)
        strokes += jagged_path(rng, points[at], side, 0.4 * length, 0.6 * widths[at], unit, 0)
    return strokes


def stroke_mask(shape, strokes):
    """Paint strokes (points [n, 2] as row/column, widths [n]) into a 0..1 mask, supersampled."""
    rows, columns = shape
    fine = 4 if columns < 600 else 2
    canvas = Image.new("L", (columns * fine, rows * fine))
    draw = ImageDraw.Draw(canvas)
    for points, widths in strokes:
        xy = [(x * fine, y * fine) for y, x in points]
        for begin, end, width in zip(xy, xy[1:], widths):
            draw.line([begin, end], fill=255, width=max(1, round(width * fine)))
    mask = canvas.resize((columns, rows), Image.Resampling.BOX)
    return np.asarray(mask, dtype=np.float32) / 255.0
