#!/usr/bin/env python3
"""Draws docs/gallery: every figure that the documents of the catalogue's
layouts refer to, from the layouts themselves.

    tools/gallery.py PROGRAM            renews docs/gallery
    tools/gallery.py PROGRAM FOLDER     draws into FOLDER, to be compared

PROGRAM is the stridewise binary, or ./run.

SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import shlex
import subprocess
import sys

from explorer_links import gallery_with_links

ROOT = pathlib.Path(__file__).resolve().parent.parent
GALLERY = ROOT / "docs" / "gallery"

ACTIVATION = ["--shape", "n=2,c=16,h=5,w=4"]
NPUS = "npus=4,npu_bytes=1024"


def figure(name, title, caption, *arguments):
    return {"name": name, "title": title, "caption": caption,
            "arguments": [*arguments, "--title", title]}


def okk(name, title, caption, layout, shape, *more):
    return figure(name, title, caption, layout, "--shape", shape, *more)


def plain(tag, letter, grid, order):
    return figure(
        f"mkldnn-plain-{tag}", f"{tag.upper()}: memory and its jumps",
        f"Memory order goes {order}. [{letter}:0] is the first run; each other "
        "mark stands where a jump lands, in memory and in the tensor.",
        tag, *ACTIVATION, "--with-logical", "--walk", letter, "--label",
        "value", "--color", "c", "--max-cells", "320", "--max-columns", "26",
        "--grid", grid)


SECTIONS = [
    ("MKL-DNN: understanding memory formats", [
        figure("mkldnn-activations", "Activations: N=2, C=16, H=5, W=4",
               "The tensor before it has any memory: two images of 16 planes. "
               "The value at (n, c, h, w) is n*CHW + c*HW + h*W + w.",
               "n h | c w", *ACTIVATION, "--view", "image", "--label", "value",
               "--color", "c", "--max-cells", "320", "--max-columns", "30"),
        plain("nchw", "a", "80", "along a line (w), line by line (h), plane "
              "by plane (c), image by image (n)"),
        plain("nhwc", "b", "64", "through the channels of a pixel (c), along "
              "a line (w), line by line (h), image by image (n)"),
        plain("chwn", "c", "80", "through the images (n), along a line (w), "
              "line by line (h), plane by plane (c)"),
        figure("mkldnn-strides", "Rows with a stride",
               "A matrix of 4 rows and 6 columns whose rows begin 8 elements "
               "apart: two gaps after each row.",
               "rows:8 columns", "--shape", "rows=4,columns=6", "--grid", "32",
               "--color", "rows", "--with-logical"),
        figure("mkldnn-nchw8c", "nChw8c: blocks of eight channels",
               "Eight channels of a pixel lie together; then the next pixel; "
               "then the next eight channels.",
               "nChw8c", *ACTIVATION, "--with-logical", "--walk", "d",
               "--label", "value", "--color", "c%8", "--grid", "64",
               "--max-cells", "320", "--max-columns", "26"),
        figure("mkldnn-padded", "nChw8c with 17 channels",
               "The third block holds one channel and seven of padding, which "
               "are zeros. The size is that of 24 channels.",
               "nChw8c", "--shape", "n=1,c=17,h=2,w=3", "--color", "c%8",
               "--grid", "32", "--walk", "d"),
    ]),
    ("embARC MLI: data layouts", [
        figure("mli-hwc", "HWC: interleaved",
               "The channels of a pixel lie together.",
               "mli.hwc", "--shape", "h=3,w=4,c=3", "--color", "c", "--dtype",
               "s8", "--grid", "12", "--logical", "h | c w"),
        figure("mli-chw", "CHW: planar",
               "Each channel is a plane of its own.",
               "mli.chw", "--shape", "h=3,w=4,c=3", "--color", "c", "--dtype",
               "s8", "--grid", "12", "--logical", "h | c w"),
        figure("mli-hwcn", "HWCN: weights of a convolution",
               "For each tap (h, w) and input channel c, the weights of all "
               "filters n lie together: what one vector load of outputs needs.",
               "mli.hwcn", "--shape", "h=3,w=3,c=2,n=4", "--color", "n",
               "--dtype", "s8", "--grid", "8", "--logical", "n h | c w"),
        figure("mli-output", "HWC: output of the convolution",
               "The depth of the output is the number of filters, n of the "
               "weights: here c=4.",
               "mli.hwc", "--shape", "h=2,w=3,c=4", "--color", "c", "--dtype",
               "s8", "--grid", "12", "--logical", "h | c w"),
    ]),
    ("MACE: OpenCL images", [
        figure("mace-channel", "Channel-major image",
               "[W*ceil(C/4), N*H] pixels; the four lanes are channels.",
               "mace.channel", "--shape", "1x7x3x4", "--color", "c"),
        figure("mace-height", "Height-major image",
               "[W*C, N*ceil(H/4)] pixels; the four lanes are rows.",
               "mace.height", "--shape", "2x3x5x4", "--color", "c"),
        figure("mace-width", "Width-major image",
               "[ceil(W/4)*C, N*H] pixels; the four lanes are columns.",
               "mace.width", "--shape", "1x3x3x6", "--color", "c"),
        figure("mace-filter", "Convolution filter image",
               "[I, ceil(O/4)*H*W] pixels; the four lanes are output channels.",
               "mace.filter", "--shape", "6x5x2x2", "--color", "o"),
    ]),
    ("Sophon OKK: addresses", [
        figure("okk-address", "Four addresses in local memory",
               "Four NPUs of 1024 bytes. An address A is NPU A/1024, byte "
               "A%1024: A=340 lies in NPU 0 at 340, B=1472 in NPU 1 at 448, "
               "C=2300 in NPU 2 at 252, D=3088 in NPU 3 at 16.",
               "npu=a |1024B| offset=b", "--shape", "a=4,b=256", "--color",
               "none", "--label", "offset", "--mark", "A=340=340",
               "--mark", "B=1472=1472", "--mark", "C=2300=2300", "--mark",
               "D=3088=3088", "--grid", "16", "--max-cells", "100"),
    ]),
    ("Sophon OKK: features on NPUs", [
        okk("okk-scatter-0", "C = X-1, start NPU 0",
            "Eight NPUs (X), two batches; each cell is a feature (n, c). NPU 7 "
            "holds none.",
            "okk.compact(npus=8,npu_bytes=8,start=0)", "2x7x1x1", "--color", "n"),
        okk("okk-scatter-1", "C = X-1, start NPU 1",
            "NPU 0 holds none. Still one channel a NPU.",
            "okk.compact(npus=8,npu_bytes=8,start=1)", "2x7x1x1", "--color", "n"),
        okk("okk-scatter-2", "C = X+2, start NPU 0",
            "Two rows a batch: channels X and X+1 return to NPU 0 and 1; six "
            "blocks of the second row are empty.",
            "okk.compact(npus=8,npu_bytes=16,start=0)", "2x10x1x1", "--color", "n"),
        okk("okk-scatter-3", "C = X+2, start NPU X-1",
            "Three rows a batch, with seven empty blocks in the first and the "
            "third.",
            "okk.compact(npus=8,npu_bytes=24,start=7)", "2x10x1x1", "--color", "n"),
    ]),
    ("Sophon OKK: strides", [
        okk("okk-stride-0", "Strides in local memory, start NPU 0",
            "(2, 5, 3, 4) of fp32 on four NPUs: W stride 2, H stride 16, C "
            "stride 56 (from c to c+4), N stride 120. The number in a cell is "
            "n*CHW + c*HW + h*W + w.",
            f"okk.strided({NPUS},start=0,nstride=120,cstride=56,hstride=16,"
            "wstride=2)", "2x5x3x4", "--grid", "32", "--color", "c", "--label",
            "value"),
        okk("okk-stride-1", "Strides in local memory, start NPU 1",
            "(2, 3, 1, 10) of fp32: W stride 2, N stride 120; H and C strides "
            "make no sense. The number in a cell is n*CHW + c*HW + h*W + w.",
            f"okk.strided({NPUS},start=1,nstride=120,cstride=20,hstride=20,"
            "wstride=2)", "2x3x1x10", "--grid", "32", "--color", "c", "--label",
            "value"),
    ]),
    ("Sophon OKK: aligned and compact", [
        okk(f"okk-{kind}-{start}",
            f"{'128-byte aligned' if kind == 'aligned' else 'Compact'} layout, "
            f"start NPU {start}", caption,
            f"okk.{kind}({NPUS},start={start})", "2x3x4x5", "--grid",
            "16" if kind == "aligned" else "20", "--color", "c")
        for kind, start, caption in [
            ("aligned", 0, "(2, 3, 4, 5) of fp32. C stride ceil(20/32)*32 = 32: "
             "12 empty cells after each feature. One channel a NPU: N stride "
             "32."),
            ("aligned", 2, "Two channels a NPU: N stride 64."),
            ("compact", 0, "C stride 20, no gaps; N stride 20."),
            ("compact", 2, "Two channels a NPU: N stride 40."),
        ]
    ]),
    ("Sophon OKK: matrices", [
        okk(f"okk-matrix-{w}", f"Matrix of 2 x 40, W = {w}", caption,
            f"okk.matrix({NPUS},w={w})", "2x40", "--grid", "32", "--color",
            "r")
        for w, caption in [
            (40, "One channel: all columns in NPU 0, a row takes 64 cells."),
            (20, "Two channels: 20 columns in NPU 0 and 1, a row takes 32 "
             "cells."),
            (10, "Four channels: 10 columns in each NPU."),
            (8, "Five channels, more than NPUs: a row takes two times 32 "
             "cells."),
            (15, "Three channels; the last holds 40 - 2*15 = 10 columns."),
            (6, "Seven channels; the last holds 4 columns. More memory than W "
             "= 15 takes."),
        ]
    ]),
    ("Sophon OKK: storage modes", [
        okk("okk-4n", "4N-mode, aligned",
            "(6, 5, 4, 5) of int8. Four batches share a word of four bytes: as "
            "int8x4 the shape is (2, 5, 4, 5), with two dummies in each word "
            "of the second. Strides (64, 32, 5, 1) in words.",
            f"okk.4n({NPUS})", "6x5x4x5", "--dtype", "s8", "--grid", "4",
            "--color", "n", "--max-cells", "512"),
        okk("okk-2n", "2N-mode, aligned",
            "(3, 5, 4, 5) of int16. Two batches share a word of four bytes: as "
            "int16x2 the shape is (2, 5, 4, 5), with one dummy in each word of "
            "the second. Strides (64, 32, 5, 1) in words.",
            f"okk.2n({NPUS})", "3x5x4x5", "--dtype", "s16", "--grid", "8",
            "--color", "n", "--max-cells", "650"),
    ]),
]


# Drawn for docs/layouts: layouts that are more than plain digits.
FAMILIES = [
    ("Beyond plain digits", [
        figure("family-q4-0", "q4_0: a scale and 32 weights in 18 bytes",
               "Two blocks. A cell is four bits; the scale d takes four of "
               "them. The low nibble is weight k, the high one k + 16.",
               "gguf.q4_0", "--shape", "n=1,k=64"),
        figure("family-awq", "AWQ: eight weights in a word",
               "Nibbles in the order 0, 2, 4, 6, 1, 3, 5, 7, lowest first.",
               "k n/8 n%2 n%8/2", "--shape", "k=4,n=16", "--dtype", "u4",
               "--color", "n%8", "--grid", "8"),
        figure("family-pages", "Pages of four tokens, in the order of a table",
               "Page 0 of the sequence is the third one in memory.",
               "page=b s/4<2,0,3,1> | s%4 d", "--shape", "b=1,s=16,d=4",
               "--color", "s/4", "--grid", "64"),
        figure("family-swizzle-128B", "A tile of 8 rows of 128 bytes, swizzled",
               "The number of 16 bytes is xored with the row's number. What "
               "one column of the tile has lies in eight banks.",
               "tma.swizzle-128B", "--shape", "r=8,c=32", "--color", "c/4",
               "--grid", "128"),
        figure("family-fractal", "FRACTAL_Z_C04 in small",
               "Four channels, then w and h, count as one index k; k and n are "
               "cut into blocks, here of 8. Three channels leave one of four "
               "places empty.",
               "k := c/4 h w c%4; k/8 n%8 k%8", "--shape", "n=5,c=3,h=2,w=2",
               "--color", "n", "--grid", "64"),
        figure("family-nv12", "NV12: luma, then two chromas side by side",
               "Of 4 rows and 8 pixels. A U and a V serve 2 by 2 pixels.",
               "image.nv12", "--shape", "h=4,w=8,c=2", "--grid", "8"),
        figure("family-mirrored", "Mirrored pixels in BGR",
               "w and c from the other end.", "h ~w ~c", "--shape",
               "h=3,w=5,c=3", "--dtype", "u8", "--color", "c"),
    ]),
]


def draw(program, folder, entry):
    done = subprocess.run(
        [program, "draw", *entry["arguments"], "--out",
         folder / f"{entry['name']}.svg"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{entry['name']}: {done.stderr}")


def page():
    lines = ["# Gallery", "", "<!-- Generated: tools/gallery.py -->", "",
             "Every figure that the documents of the [catalogue](../catalogue.md)'s",
             "layouts refer to, drawn from the layouts. The command below a "
             "picture draws it;", "[draw](../draw.md) says what pictures show.",
             "", "    tools/gallery.py ./run      # draws all of them again", ""]
    for section, figures in SECTIONS + FAMILIES:
        lines += [f"## {section}", ""]
        for entry in figures:
            command = shlex.join(["./run", "draw", *entry["arguments"], "--out",
                                  f"{entry['name']}.svg"])
            lines += [f"### {entry['title']}", "", entry["caption"], "",
                      f"![{entry['title']}]({entry['name']}.svg)", "",
                      "```console", f"$ {command}", "```", ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def main(arguments):
    if len(arguments) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    program = pathlib.Path(arguments[0]).absolute()
    folder = pathlib.Path(arguments[1]) if len(arguments) == 2 else GALLERY
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.svg"):
        old.unlink()
    for _, figures in SECTIONS + FAMILIES:
        for entry in figures:
            draw(program, folder, entry)
    (folder / "README.md").write_text(gallery_with_links(page()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
