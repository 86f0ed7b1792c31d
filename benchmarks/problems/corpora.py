#!/usr/bin/env python3
"""Writes the corpora activations.txt, weights.txt and transposes.txt beside itself.

They are drawn from the shapes of known networks, all pairs of the layouts that runtimes
hold such tensors in, and sizes from 32 KiB to 64 MiB, evenly by their logarithm. The draw
is the same each time.
"""
import itertools
import pathlib
import random

PAIRS = 150
LEAST, MOST = 32 << 10, 64 << 20
WIDTHS = {"f64": 8, "f32": 4, "bf16": 2, "s8": 1}

# Channels and extents of ResNet-50, MobileNet-V2, VGG-16, EfficientNet-B0 and YOLOv5s.
PLANES = """
3x224x224 64x112x112 64x56x56 256x56x56 128x28x28 512x28x28 256x14x14 1024x14x14 512x7x7
2048x7x7 32x112x112 16x112x112 96x56x56 24x56x56 144x56x56 144x28x28 32x28x28 192x28x28
64x14x14 384x14x14 96x14x14 576x14x14 160x7x7 960x7x7 320x7x7 1280x7x7 64x224x224
128x112x112 256x28x28 512x14x14 40x28x28 240x28x28 80x14x14 480x14x14 112x14x14 672x14x14
192x7x7 1152x7x7 3x640x640 32x320x320 64x160x160 128x80x80 256x40x40 512x20x20 255x80x80
255x40x40 255x20x20 1000x1x1 2048x1x1 3x299x299 17x35x35 67x31x31
""".split()
ACTIVATIONS = ["nchw", "nhwc", "chwn", "nChw4c", "nChw8c", "nChw16c", "nChw32c",
               "mace.channel"]

FILTERS = """
64x3x7x7 32x3x3x3 64x64x1x1 64x64x3x3 256x64x1x1 64x256x1x1 128x128x3x3 512x128x1x1
256x256x3x3 1024x256x1x1 512x512x3x3 2048x512x1x1 16x32x1x1 96x16x1x1 24x96x1x1 144x24x1x1
192x32x1x1 384x64x1x1 576x96x1x1 960x160x1x1 320x960x1x1 1280x320x1x1 64x3x3x3 128x64x3x3
256x128x3x3 512x256x3x3 40x144x1x1 240x40x1x1 80x240x1x1 480x80x1x1 112x480x1x1 672x112x1x1
192x1152x1x1 32x12x3x3 255x512x1x1 64x32x5x5 48x17x3x3 96x64x5x5
""".split()
WEIGHTS = ["oihw", "ohwi", "hwio", "OIhw16i16o", "OIhw8i8o", "OIhw16o16i", "OIhw4i16o4i",
           "OIhw8i16o2i", "OIhw4i4o", "Oihw16o", "mace.filter"]


def product(numbers):
    result = 1
    for number in numbers:
        result *= number
    return result


def drawn_bytes(draw):
    return LEAST * (MOST / LEAST) ** draw.random()


def activations(draw):
    """A pair of layouts, a type, and as many images as come near the bytes drawn."""
    src, dst = draw.sample(ACTIVATIONS, 2)
    dtype = draw.choice(["f32", "bf16", "s8"])
    plane = [int(extent) for extent in draw.choice(PLANES).split("x")]
    images = round(drawn_bytes(draw) / (product(plane) * WIDTHS[dtype]))
    shape = [min(max(images, 1), 64), *plane]
    return dtype, src, dst, shape


def weights(draw):
    src, dst = draw.sample(WEIGHTS, 2)
    return (draw.choice(["f32", "bf16", "s8"]), src, dst,
            [int(extent) for extent in draw.choice(FILTERS).split("x")])


def transposes(draw):
    """Matrices, and permutations of four dims, of extents that are no round numbers."""
    dtype = draw.choice(list(WIDTHS))
    elements = drawn_bytes(draw) / WIDTHS[dtype]
    dims = draw.choice([2, 4])
    shares = [draw.random() + 0.25 for _ in range(dims)]
    shape = [max(2, round(elements ** (share / sum(shares)))) for share in shares]
    letters = "abcd"[:dims]
    orders = [order for order in itertools.permutations(letters)
              if order[-1] != letters[-1]]
    return dtype, letters, "".join(draw.choice(orders)), shape


def write(name, of, about):
    draw = random.Random(name)
    lines, seen = [], set()
    while len(lines) < PAIRS:
        dtype, src, dst, shape = of(draw)
        extents = "x".join(map(str, shape))
        bytes_moved = product(shape) * WIDTHS[dtype]
        key = (dtype, src, dst, extents)
        if not LEAST <= bytes_moved <= MOST or key in seen:
            continue
        seen.add(key)
        title = f"{dtype} {src}->{dst} {extents}"
        lines.append((bytes_moved, f"{title}; {dtype}; {src} -> {dst}; {extents}"))
    lines.sort()
    path = pathlib.Path(__file__).with_name(f"{name}.txt")
    path.write_text(f"# {about}\n# Written by corpora.py. name; dtype; src -> dst; shape.\n"
                    + "\n".join(line for _, line in lines) + "\n")


def main():
    write("activations", activations,
          "150 conversions of feature maps of five networks, 32 KiB to 64 MiB.")
    write("weights", weights,
          "150 conversions of filters of five networks, 32 KiB to 10 MiB.")
    write("transposes", transposes,
          "150 transposes of matrices and of tensors of four dims, 32 KiB to 64 MiB.")


if __name__ == "__main__":
    main()
