#!/usr/bin/env python3
"""Writes the networks of this folder: tensors and operations for `advise --graph`.

    benchmarks/networks/make.py

What operations cost is a model, not a measurement: multiplications of a core that does 32
in a cycle while it could copy 8 bytes, by the part of 16 lanes that a layout fills along the
channels; NCHW vectorises along the row instead, at half that speed. Operations without
multiplications read and write their tensors once.

SPDX-License-Identifier: Apache-2.0
"""

import pathlib

HERE = pathlib.Path(__file__).resolve().parent
BYTES_OF_PRODUCT = 8 / 32
LANES = 16
LAYOUTS = ("nchw", "nhwc", "nChw16c")
HEAD = "# Written by make.py, which tells what costs mean.\n# SPDX-License-Identifier: Apache-2.0\n"


class Network:
    def __init__(self):
        self.tensors, self.operations = {}, []

    def tensor(self, name, shape, layouts=None):
        self.tensors[name] = (shape, layouts)
        return name

    def shape(self, name):
        return self.tensors[name][0]

    def operation(self, name, reads, writes, accepts):
        self.operations.append((name, reads, writes, accepts))
        return writes

    def conv(self, name, source, channels, kernel=1, stride=1, depthwise=False):
        n, c, h, w = self.shape(source)
        out = self.tensor(name, (n, channels, -(-h // stride), -(-w // stride)))
        products = (n * channels * -(-h // stride) * -(-w // stride)
                    * kernel * kernel * (1 if depthwise else c))
        return self.operation("conv_" + name, [source], out, [
            (layout, products * BYTES_OF_PRODUCT / filled(layout, c, channels))
            for layout in LAYOUTS])

    def pointwise(self, name, *sources, stride=1, channels=None):
        """Reads all sources, writes one of their shape; padding is read and written, too."""
        n, c, h, w = self.shape(sources[0])
        out = self.tensor(name, (n, channels or c, -(-h // stride), -(-w // stride)))
        size = sum(4 * volume(self.shape(s)) for s in sources)
        return self.operation("op_" + name, list(sources), out,
                              [(layout, size) for layout in LAYOUTS])

    def write(self, name):
        lines = [HEAD + "[tensors]"]
        for tensor, (shape, layouts) in self.tensors.items():
            kept = f", layouts = [\"{layouts}\"]" if layouts else ""
            text = "x".join(map(str, shape))
            lines.append(f"{tensor} = {{ shape = \"{text}\"{kept} }}")
        for operation, reads, writes, accepts in self.operations:
            lines.append(f"\n[[operations]]\nname = \"{operation}\"")
            lines.append(f"reads = {list(reads)!r}".replace("'", '"'))
            lines.append(f"writes = \"{writes}\"\naccepts = [")
            for layout, cost in accepts:
                lines.append(f"  {{ layouts = \"{layout}\", cost = {cost:.0f} }},")
            lines.append("]")
        (HERE / f"{name}.toml").write_text("\n".join(lines) + "\n")


def volume(shape):
    n, c, h, w = shape
    return n * c * h * w


def filled(layout, *channels):
    """The part of the lanes that hold channels; of NCHW half, along rows."""
    if layout == "nchw":
        return 0.5
    c = min(channels)
    return c / (-(-c // LANES) * LANES)


def resnet50():
    net = Network()
    x = net.conv("stem", net.tensor("image", (1, 3, 224, 224), "nchw"), 64, 7, 2)
    x = net.pointwise("pool", x, stride=2)
    for stage, (width, blocks) in enumerate([(64, 3), (128, 4), (256, 6), (512, 3)]):
        for block in range(blocks):
            name = f"s{stage}b{block}"
            stride = 2 if stage and not block else 1
            y = net.conv(name + "a", x, width)
            y = net.conv(name + "b", y, width, 3, stride)
            y = net.conv(name + "c", y, 4 * width)
            if not block:
                x = net.conv(name + "s", x, 4 * width, 1, stride)
            x = net.pointwise(name, y, x)
    net.conv("scores", net.pointwise("mean", x, stride=7), 1000)
    net.tensors["scores"] = (net.shape("scores"), "nchw")
    return net


def mobilenet_v2():
    net = Network()
    x = net.conv("stem", net.tensor("image", (1, 3, 224, 224), "nchw"), 32, 3, 2)
    plan = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
            (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
    for stage, (expand, channels, repeats, stride) in enumerate(plan):
        for block in range(repeats):
            name = f"s{stage}b{block}"
            wide = net.shape(x)[1] * expand
            y = net.conv(name + "e", x, wide) if expand > 1 else x
            y = net.conv(name + "d", y, wide, 3, stride if not block else 1, True)
            y = net.conv(name + "p", y, channels)
            x = net.pointwise(name, y, x) if block else y
    net.conv("scores", net.pointwise("mean", net.conv("head", x, 1280), stride=7), 1000)
    net.tensors["scores"] = (net.shape("scores"), "nchw")
    return net


def unet():
    net = Network()
    x = net.tensor("image", (1, 3, 256, 256), "nchw")
    kept = []
    for level in range(5):
        width = 64 << level
        x = net.conv(f"down{level}b", net.conv(f"down{level}a", x, width, 3), width, 3)
        if level < 4:
            kept.append(x)
            x = net.pointwise(f"pool{level}", x, stride=2)
    for level in reversed(range(4)):
        width = 64 << level
        n, c, h, w = net.shape(x)
        up = net.tensor(f"up{level}", (n, width, 2 * h, 2 * w))
        products = volume(net.shape(up)) * c
        net.operation(f"deconv{level}", [x], up, [
            (layout, products * BYTES_OF_PRODUCT / filled(layout, c, width))
            for layout in LAYOUTS])
        x = net.pointwise(f"join{level}", kept[level], up, channels=2 * width)
        x = net.conv(f"up{level}b", net.conv(f"up{level}a", x, width, 3), width, 3)
    net.conv("mask", x, 2)
    net.tensors["mask"] = (net.shape("mask"), "nchw")
    return net


def transformer():
    """A block: as images of one row, with channels where a token has its features."""
    net = Network()
    x = net.tensor("tokens", (1, 768, 1, 197), "nhwc")
    heads = {part: net.conv(part, x, 768) for part in ("q", "k", "v")}
    scores = net.tensor("weights", (1, 12 * 197, 1, 197))
    net.operation("attend", [heads["q"], heads["k"]], scores, [
        (layout, 197 * 197 * 768 * BYTES_OF_PRODUCT / filled(layout, 768))
        for layout in LAYOUTS])
    mixed = net.tensor("mixed", (1, 768, 1, 197))
    net.operation("mix", [scores, heads["v"]], mixed, [
        (layout, 197 * 197 * 768 * BYTES_OF_PRODUCT / filled(layout, 197))
        for layout in LAYOUTS])
    x = net.pointwise("sum1", net.conv("o", mixed, 768), x)
    y = net.conv("fc2", net.pointwise("gelu", net.conv("fc1", x, 3072)), 768)
    net.pointwise("sum2", y, x)
    net.tensors["sum2"] = (net.shape("sum2"), "nhwc")
    return net


if __name__ == "__main__":
    for network in (resnet50, mobilenet_v2, unet, transformer):
        network().write(network.__name__.replace("_", "-"))
