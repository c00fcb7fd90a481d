"""Bare steel strip: noise, surface finish, lighting and camera.

All fields are float32 arrays of shape [rows, columns]. The rolling direction runs along the columns.
A "unit" is the length in pixels that becomes one pixel once a picture is resized to 224 x 224;
sizes given in units therefore look the same to the network at every resolution.
"""

from dataclasses import dataclass

import numpy as np
from PIL import Image


def value_noise(rng, shape, cell):
    """Smooth noise of about unit deviation; `cell` = (rows, columns) in pixels per feature."""
    rows, columns = shape
    spans = (rows / max(cell[0], 1.0), columns / max(cell[1], 1.0))
    grid = rng.standard_normal((int(spans[0]) + 4, int(spans[1]) + 4), dtype=np.float32)
    top, left = 1.0 + rng.random(2)
    box = (left, top, left + spans[1], top + spans[0])
    smooth = Image.fromarray(grid).resize((columns, rows), Image.Resampling.BICUBIC, box=box)
    return np.asarray(smooth) * np.float32(1.3)


def fractal_noise(rng, shape, cell, octaves, gain=0.6):
    """Sum of `octaves` noises, each with half the cell and `gain` times the amplitude."""
    total = np.zeros(shape, np.float32)
    power = 0.0
    for octave in range(octaves):
        amplitude = gain**octave
        total += amplitude * value_noise(rng, shape, (cell[0] / 2**octave, cell[1] / 2**octave))
        power += amplitude**2
    return total / np.float32(np.sqrt(power))


def smoothstep(low, high, x):
    """0 below `low`, 1 above `high`, a cubic between."""
    t = np.clip((x - low) / (high - low), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


def soften(field, radius):
    """Blur by shrinking `radius` times and enlarging again; quick, and good enough for glows."""
    rows, columns = field.shape
    small = (max(2, int(columns / max(radius, 1.0))), max(2, int(rows / max(radius, 1.0))))
    shrunk = Image.fromarray(field).resize(small, Image.Resampling.BILINEAR)
    return np.asarray(shrunk.resize((columns, rows), Image.Resampling.BICUBIC))


@dataclass
class Layers:
    """What the light falls on. Defects change these fields in place."""

    albedo: np.ndarray  # diffuse reflectance, 0..1
    relief: np.ndarray  # height in pixels; its slope makes edges bright or dark
    gloss: np.ndarray  # share of the mirror reflection that is kept, 0..1
    oxide: np.ndarray  # colour: > 0 towards rust brown, < 0 towards temper blue
    unit: float  # pixels per unit

    @property
    def shape(self):
        return self.albedo.shape

    def part(self, rows, columns):
        """The same layers seen through a window (views, not copies)."""
        window = (rows, columns)
        return Layers(
            self.albedo[window], self.relief[window], self.gloss[window], self.oxide[window], self.unit
        )


FINISHES = {
    # name: base reflectance, brush lines, grain, clouds, gloss
    "bright": (0.60, 0.060, 0.020, 0.015, 1.00),
    "matte": (0.50, 0.022, 0.050, 0.025, 0.55),
    "hot rolled": (0.36, 0.030, 0.040, 0.045, 0.35),
}


def bare_strip(rng, shape, unit):
    """A faultless strip with one of three finishes."""
    base, brush, grain, clouds, gloss = FINISHES[rng.choice(list(FINISHES))]
    base *= rng.uniform(0.8, 1.2)
    brush, grain, clouds = (a * rng.uniform(0.4, 1.4) for a in (brush, grain, clouds))

    lines = 0.45 * value_noise(rng, shape, (0.3 * unit, 40 * unit))
    lines += 0.35 * value_noise(rng, shape, (0.9 * unit, 120 * unit))
    lines += 0.30 * value_noise(rng, shape, (6.0 * unit, 400 * unit))
    texture = brush * lines
    texture += grain * fractal_noise(rng, shape, (0.8 * unit, 1.2 * unit), 3, gain=0.9)
    texture += clouds * fractal_noise(rng, shape, (25 * unit, 60 * unit), 3)

    layers = Layers(
        albedo=(base * (1.0 + 2.0 * texture)).astype(np.float32),
        relief=(grain * unit * value_noise(rng, shape, (unit, 1.6 * unit))).astype(np.float32),
        gloss=np.full(shape, gloss, np.float32),
        oxide=(0.15 * value_noise(rng, shape, (60 * unit, 150 * unit))).astype(np.float32),
        unit=unit,
    )
    add_blemishes(rng, layers)
    return layers


def add_blemishes(rng, layers):
    """Harmless marks every strip carries: oil film, hairlines and dust. They are no defect."""
    unit, shape = layers.unit, layers.shape
    film = smoothstep(0.6, 1.6, fractal_noise(rng, shape, (40 * unit, 60 * unit), 2))
    layers.albedo *= 1.0 - rng.uniform(0.0, 0.10) * film
    hairs = smoothstep(1.7, 2.6, value_noise(rng, shape, (0.8 * unit, 60 * unit)))
    layers.albedo *= 1.0 + rng.uniform(-0.15, 0.15) * hairs

    rows, columns = shape
    for _ in range(rng.integers(0, 1 + int(14 * rows * columns / (224 * unit) ** 2))):
        y, x, size = rng.integers(rows), rng.integers(columns), max(1, round(rng.uniform(0.4, 1.0) * unit))
        layers.albedo[y : y + size, x : x + size] *= rng.uniform(0.8, 1.35)


def light(rng, layers):
    """Uneven light of a lamp row: grey values of about 0..1.

    Diffuse light falls off linearly and into the corners; a soft mirror image of the lamp lies across
    the strip; slopes facing the lamp are brighter than those turned away.
    """
    rows, columns = layers.shape
    y = np.linspace(-1, 1, rows, dtype=np.float32)[:, None]
    x = np.linspace(-1, 1, columns, dtype=np.float32)[None, :]
    diffuse = 1.0 + rng.uniform(-0.28, 0.28) * x + rng.uniform(-0.28, 0.28) * y
    diffuse = diffuse - rng.uniform(0.0, 0.18) * (x * x + y * y)
    diffuse *= 1.0 + 0.04 * value_noise(rng, layers.shape, (rows / 2, columns / 2))

    lamp = x - rng.uniform(-1.2, 1.2) + rng.uniform(-0.3, 0.3) * y
    mirror = rng.uniform(0.0, 0.25) * np.exp(-((lamp / rng.uniform(0.25, 0.8)) ** 2))

    angle = rng.uniform(0, 2 * np.pi)
    slope_y, slope_x = np.gradient(layers.relief)
    shade = np.clip(slope_x * np.cos(angle) + slope_y * np.sin(angle), -0.55, 0.9)
    grey = layers.albedo * diffuse * (1.0 + shade) + layers.gloss * mirror
    return grey / (1.0 + 0.8 * np.maximum(grey - 0.70, 0.0))  # the shoulder of the camera's response


def colour(grey, oxide, tint):
    """Grey values to RGB: the steel's own tint, then brown or blue where there is oxide."""
    channels = [grey * (tint[c] + (0.16, 0.0, -0.20)[c] * oxide) for c in range(3)]
    return np.stack(channels, axis=-1)


def expose(rng, rgb, noise):
    """Shot and read noise of the camera, then 8 bits. `noise` is the deviation at mid grey."""
    grain = rng.standard_normal(rgb.shape[:2], dtype=np.float32)[..., None]
    if rgb.shape[2] == 3:
        grain = 0.8 * grain + 0.5 * rng.standard_normal(rgb.shape, dtype=np.float32)
    noisy = rgb + noise * np.sqrt(np.clip(rgb, 0.02, 1.0) * 2.0) * grain
    return (np.clip(noisy, 0.0, 1.0) * 255.0 + 0.5).astype(np.uint8)
