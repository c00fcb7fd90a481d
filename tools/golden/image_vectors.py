#!/usr/bin/env python3
"""Write golden vectors for pictures: small files of every form with their pixels as Pillow and
OpenCV decode them, and resizes as Pillow and OpenCV make them.

usage: image_vectors.py OUTDIR          needs pillow, opencv, numpy
OUTDIR gets the picture files, VERSIONS, and two packed files of records. A record is a line of
text and behind it the samples it speaks of (u8, or little-endian u16), rows dense:
  decode.bin  FILE CHANNELS KEEP16 UPRIGHT WIDTH HEIGHT STORED_CHANNELS BITS
  resize.bin  source NAME WIDTH HEIGHT CHANNELS BITS
              CONVENTION FILTER SOURCE_NAME WIDTH HEIGHT CHANNELS BITS
"""
import io
import pathlib
import struct
import sys
import zlib

import cv2
import numpy as np
import PIL
from PIL import Image, ImageOps

W, H = 29, 21
rng = np.random.default_rng(11)


def picture(w=W, h=H):
    """Gradients, a hard edge, a disc and some noise: what decoders and filters differ on."""
    y, x = np.mgrid[0:h, 0:w].astype(np.float64)
    p = np.stack([255 * x / w, 255 * y / h, 127 + 120 * np.sin(x / 3) * np.cos(y / 4)], 2)
    p[:, w // 2:] = 255 - p[:, w // 2:]
    p[(x - w / 3) ** 2 + (y - h / 2) ** 2 < (h / 4) ** 2] = (250, 10, 40)
    return np.clip(p + rng.integers(-9, 10, p.shape), 0, 255).astype(np.uint8)


RGB = picture()
GREY = np.asarray(Image.fromarray(RGB).convert("L"))
ALPHA = np.clip((np.mgrid[0:H, 0:W][1] * 9), 0, 255).astype(np.uint8)
DEEP = (RGB.astype(np.uint16) * 256 + rng.integers(0, 256, RGB.shape)).astype(np.uint16)


# ---- files ---------------------------------------------------------------------------

def saved(array, mode, form, **options):
    buffer = io.BytesIO()
    image = Image.fromarray(array, "CMYK") if array.shape[2:] == (4,) else Image.fromarray(array)
    (image if image.mode == mode else image.convert(mode)).save(buffer, form, **options)
    return buffer.getvalue()


def exif(orientation):
    e = Image.Exif()
    e[0x0112] = orientation
    return e


def packed_rows(samples, depth):
    """Rows [h][w * channels] of samples as PNG and BMP pack them: the high bits first."""
    if depth == 16:
        return [r.astype(">u2").tobytes() for r in samples]
    bits = ((samples[:, :, None] >> np.arange(depth - 1, -1, -1)) & 1).astype(np.uint8)
    return [np.packbits(r.reshape(-1)).tobytes() for r in bits]


def png(samples, colour, depth, interlaced=False, palette=None, trns=None, orientation=0):
    h, w = samples.shape[:2]

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    def rows(s):
        return b"".join(b"\0" + r for r in packed_rows(s.reshape(s.shape[0], -1), depth)) if s.size else b""

    passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
    data = b"".join(rows(samples[y::dy, x::dx]) for y, x, dy, dx in passes) if interlaced else rows(samples)
    out = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", w, h, depth, colour, 0, 0, interlaced))
    if palette is not None:
        out += chunk(b"PLTE", palette.astype(np.uint8).tobytes())
    if trns is not None:
        out += chunk(b"tRNS", trns)
    if orientation:
        out += chunk(b"eXIf", exif(orientation).tobytes()[6:])
    return out + chunk(b"IDAT", zlib.compress(data, 9)) + chunk(b"IEND", b"")


def bmp(rows, w, h, bits, compression=0, palette=b"", from_above=False, masks=b""):
    """rows: the pixel data; masks behind the 40-byte header."""
    at = 54 + len(palette) + len(masks)
    return (b"BM" + struct.pack("<IHHI", at + len(rows), 0, 0, at)
            + struct.pack("<IiiHHIIiiII", 40, w, -h if from_above else h, 1, bits, compression, len(rows),
                          2835, 2835, len(palette) // 4, 0) + masks + palette + rows)


def bmp_rows(rows, from_above=False):
    padded = [r + bytes(-len(r) % 4) for r in rows]
    return b"".join(padded if from_above else reversed(padded))


def rle8(index):
    out = b""
    for row in index[::-1]:
        x = 0
        while x < len(row):
            n = 1
            while x + n < len(row) and n < 255 and row[x + n] == row[x]:
                n += 1
            if n == 1 and x + 4 <= len(row):  # a literal stretch
                n = 3
                out += bytes([0, n]) + bytes(row[x:x + n]) + b"\0"
            else:
                out += bytes([n, row[x]])
            x += n
        out += b"\0\0"
    return out + b"\0\1"


def text_pnm(kind, samples, maxval):
    h, w = samples.shape[:2]
    body = "\n".join(" ".join(str(v) for v in r.reshape(-1)) for r in samples)
    return f"P{kind}\n# a comment\n{w} {h}\n{maxval}\n{body}\n".encode()


def files():
    f = {}
    for sub, name in ((0, "444"), (1, "422"), (2, "420")):
        for kind, progressive in (("base", False), ("prog", True)):
            f[f"{kind}_{name}.jpg"] = saved(RGB, "RGB", "JPEG", quality=85, subsampling=sub, progressive=progressive)
    for factors, name in (("411", cv2.IMWRITE_JPEG_SAMPLING_FACTOR_411), ("440", cv2.IMWRITE_JPEG_SAMPLING_FACTOR_440)):
        f[f"base_{factors}.jpg"] = cv2.imencode(
            ".jpg", RGB[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, 85, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, name])[1].tobytes()
    f["grey.jpg"] = saved(GREY, "L", "JPEG", quality=85)
    f["grey_prog.jpg"] = saved(GREY, "L", "JPEG", quality=85, progressive=True)
    f["restart.jpg"] = saved(RGB, "RGB", "JPEG", quality=85, restart_marker_blocks=1)
    ink = np.dstack([255 - RGB, 255 - GREY])[:, ::-1] // 2
    f["cmyk.jpg"] = saved(np.ascontiguousarray(ink), "CMYK", "JPEG", quality=90)
    f["rgb.jpg"] = saved(RGB, "RGB", "JPEG", quality=85, keep_rgb=True)
    for o in range(1, 9):
        f[f"turn_{o}.jpg"] = saved(RGB[:14, :18], "RGB", "JPEG", quality=85, exif=exif(o))
    palette = rng.integers(0, 256, (256, 3))
    for depth in (1, 2, 4, 8, 16):
        for interlaced in (False, True):
            tail = "_laced" if interlaced else ""
            top = DEEP[:, :, 0] >> (16 - depth)
            f[f"grey{depth}{tail}.png"] = png(top, 0, depth, interlaced)
            if depth <= 8:
                f[f"palette{depth}{tail}.png"] = png(top, 3, depth, interlaced, palette[:1 << depth])
            if depth >= 8:
                f[f"rgb{depth}{tail}.png"] = png(DEEP >> (16 - depth), 2, depth, interlaced)
    rgba = np.dstack([RGB, ALPHA])
    f["rgba8.png"] = png(rgba, 6, 8)
    f["rgba16.png"] = png(np.dstack([DEEP, ALPHA.astype(np.uint16) * 257]), 6, 16)
    f["grey_alpha8.png"] = png(np.dstack([GREY, ALPHA]), 4, 8)
    f["grey_alpha16.png"] = png(np.dstack([DEEP[:, :, 0], ALPHA.astype(np.uint16) * 257]), 4, 16)
    f["palette_alpha.png"] = png(DEEP[:, :, 0] >> 12, 3, 4, palette=palette[:16], trns=bytes(range(0, 240, 15)))
    f["filtered.png"] = saved(RGB, "RGB", "PNG", optimize=True)
    f["turn_6.png"] = png(RGB, 2, 8, orientation=6)
    f["p2.pgm"] = text_pnm(2, GREY[:9, :12], 255)
    f["p3.ppm"] = text_pnm(3, RGB[:9, :12], 255)
    f["p5.pgm"] = b"P5 %d %d 255\n" % (W, H) + GREY.tobytes()
    f["p6.ppm"] = b"P6\n%d %d\n255\n" % (W, H) + RGB.tobytes()
    f["p5_16.pgm"] = b"P5 %d %d 65535\n" % (W, H) + DEEP[:, :, 0].astype(">u2").tobytes()
    f["p6_16.ppm"] = b"P6 %d %d 65535\n" % (W, H) + DEEP.astype(">u2").tobytes()
    # highest values that leave no halves to round
    f["p5_99.pgm"] = b"P5 %d %d 99\n" % (W, H) + (GREY // 3).tobytes()
    f["p5_999.pgm"] = b"P5 %d %d 999\n" % (W, H) + (GREY.astype(">u2") * 4).tobytes()
    f["p1.pbm"] = b"P1\n5 3\n1 0 1 0 1\n01100\n1 1 1 1 1\n"
    f["p4.pbm"] = b"P4\n%d %d\n" % (W, H) + b"".join(packed_rows((GREY > 128).astype(np.uint8), 1))
    four = np.hstack([palette[:, ::-1], np.zeros((256, 1), int)]).astype(np.uint8)
    for bits in (1, 4, 8):
        index = GREY >> (8 - bits)
        f[f"index{bits}.bmp"] = bmp(bmp_rows(packed_rows(index, bits)), W, H, bits, palette=four[:1 << bits].tobytes())
    bgr = [r.tobytes() for r in np.ascontiguousarray(RGB[:, :, ::-1])]
    f["rgb24.bmp"] = bmp(bmp_rows(bgr), W, H, 24)
    f["top_down.bmp"] = bmp(bmp_rows(bgr, True), W, H, 24, from_above=True)
    bgra = [r.tobytes() for r in np.ascontiguousarray(np.dstack([RGB[:, :, ::-1], ALPHA]))]
    f["rgb32.bmp"] = bmp(bmp_rows(bgra), W, H, 32)
    f["rle8.bmp"] = bmp(rle8((GREY >> 5) & 7), W, H, 8, 1, palette=four.tobytes())
    ramp = np.repeat(np.arange(256, dtype=np.uint8)[:, None], 4, 1)
    f["grey8.bmp"] = bmp(bmp_rows(packed_rows(GREY, 8)), W, H, 8, palette=ramp.tobytes())
    r5, g6, b5 = (RGB[:, :, k].astype(np.uint16) >> s for k, s in ((0, 3), (1, 2), (2, 3)))
    f["rgb565.bmp"] = bmp(bmp_rows([r.astype("<u2").tobytes() for r in r5 << 11 | g6 << 5 | b5]), W, H, 16, 3,
                          masks=struct.pack("<III", 0xf800, 0x7e0, 0x1f))
    return f


# ---- answers -------------------------------------------------------------------------

def pillow_pixels(data, upright):
    """Pillow's grey or RGB of the file, alpha dropped."""
    image = Image.open(io.BytesIO(data))
    if upright:
        image = ImageOps.exif_transpose(image)
    if image.mode in ("1", "L", "LA"):
        return np.asarray(image.convert("L"))
    if image.mode.startswith("I"):  # 16-bit grey: the high byte
        return (np.asarray(image).astype(np.uint16) >> 8).astype(np.uint8)
    return np.asarray(image.convert("RGBA").convert("RGB") if image.mode == "P" else image.convert("RGB"))


def record(out, head, pixels):
    h, w = pixels.shape[:2]
    c = 1 if pixels.ndim == 2 else pixels.shape[2]
    out.write(f"{head} {w} {h} {c} {8 * pixels.itemsize}\n".encode())
    out.write(np.ascontiguousarray(pixels, pixels.dtype.newbyteorder("<")).tobytes())


def write_decode(folder):
    with open(folder / "decode.bin", "wb") as out:
        for name, data in files().items():
            (folder / name).write_bytes(data)
            pixels = pillow_pixels(data, True)
            if name in ("rgb16.png", "rgb16_laced.png", "rgba16.png", "grey_alpha16.png", "p6_16.ppm"):
                # Pillow's 8 bits of these are rounded in its own way; OpenCV's 16 are exact
                deep = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
                deep = deep[:, :, 2::-1] if deep.ndim == 3 else deep
                pixels = (deep >> 8).astype(np.uint8)
                if name == "grey_alpha16.png":
                    pixels = pixels[:, :, 0]
            record(out, f"{name} 0 0 1", pixels)
            if "16" in name and "alpha" not in name and "rgba" not in name:
                deep = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
                record(out, f"{name} 0 1 1", deep[:, :, ::-1] if deep.ndim == 3 else deep)
            if name == "p5_999.pgm":
                record(out, f"{name} 0 1 1", np.asarray(Image.open(io.BytesIO(data))).astype(np.uint16))
            if name in ("turn_6.jpg", "turn_6.png"):
                record(out, f"{name} 0 0 0", pillow_pixels(data, False))
            if name in ("base_420.jpg", "prog_420.jpg"):
                grey = Image.open(io.BytesIO(data))
                grey.draft("L", grey.size)
                record(out, f"{name} 1 0 1", np.asarray(grey))
            if name in ("rgba8.png", "palette_alpha.png", "grey_alpha8.png"):
                record(out, f"{name} 4 0 1", np.asarray(Image.open(io.BytesIO(data)).convert("RGBA")))


FILTERS = {"nearest": (Image.Resampling.NEAREST, cv2.INTER_NEAREST),
           "bilinear": (Image.Resampling.BILINEAR, cv2.INTER_LINEAR),
           "bicubic": (Image.Resampling.BICUBIC, cv2.INTER_CUBIC),
           "area": (Image.Resampling.BOX, cv2.INTER_AREA),
           "lanczos": (Image.Resampling.LANCZOS, None)}


def write_resize(folder):
    even, strip = picture(28, 20), picture(19, 40)
    sources = {"rgb": RGB, "grey": GREY, "even": even, "even_grey": even[:, :, 1].copy(), "tall": strip,
               "dot": RGB[7:8, 9:10].copy(), "line": GREY[:1].copy(), "deep": DEEP[:, :, 0].copy(),
               "deep_even": (even[:, :, 0].astype(np.uint16) * 257 + 13), "rgba": np.dstack([RGB, ALPHA])}
    sizes = {"rgb": [(13, 8), (37, 31), (29, 11), (14, 21), (1, 1), (33, 9)], "grey": [(13, 8), (31, 36), (7, 21), (1, 30)],
             "even": [(14, 10), (7, 5), (14, 5)], "even_grey": [(14, 10), (4, 4), (56, 40)], "tall": [(17, 9), (16, 3)],
             "dot": [(5, 4)], "line": [(11, 6), (60, 1)], "deep": [(13, 8), (33, 27)], "deep_even": [(14, 10), (7, 4)],
             "rgba": [(13, 8), (33, 25)]}
    with open(folder / "resize.bin", "wb") as out:
        for name, pixels in sources.items():
            record(out, f"source {name}", pixels)
        for name, pixels in sources.items():
            for size in sizes[name]:
                for filter_name, (pil, ocv) in FILTERS.items():
                    if ocv is not None:
                        record(out, f"opencv {filter_name} {name}", cv2.resize(pixels, size, interpolation=ocv))
                    if name == "rgba":  # Pillow multiplies by alpha first
                        continue
                    image = Image.fromarray(pixels)
                    record(out, f"pillow {filter_name} {name}", np.asarray(image.resize(size, pil)))
                    if name in ("tall", "grey") and filter_name != "nearest":
                        # Pillow up to 12: rows first, always
                        rows_first = image.resize((size[0], image.height), pil).resize(size, pil)
                        record(out, f"pillow12 {filter_name} {name}", np.asarray(rows_first))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    write_decode(folder)
    write_resize(folder)
    (folder / "VERSIONS").write_text(
        f"Pillow {PIL.__version__}, OpenCV {cv2.__version__}, NumPy {np.__version__}\n")


if __name__ == "__main__":
    main()
