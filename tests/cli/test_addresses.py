"""at, who, show and convert against an independent model of the notation,
for random layouts and random oneDNN tags."""

import random
import re
import string
import unittest

import numpy as np

import support
from model import Model, tag_model
from support import DTYPE_OF_WIDTH, shape_text

ELEMENT = r"[A-Za-z_]\w*=\d+(?:,[A-Za-z_]\w*=\d+)*"


def random_digits(rng, dim, extent):
    """Digits that together cover a dim: x/6 x%6/2 x%2 and the like."""
    bias = rng.choice([0, 0, 0, 1, 2, 5])
    name = f"({dim}+{bias})" if bias else dim
    factors = [rng.choice([2, 3, 4, 8]) for _ in range(rng.choice([0, 0, 1,
                                                                   1, 2]))]
    if not factors:
        return [name]
    digits, inner = [], 1
    for factor in factors:
        period = inner * factor
        # (i%16)/4 and (i/4)%4 are the same digit in two spellings.
        if inner == 1:
            digits.append(f"{name}%{period}")
        elif rng.random() < 0.5:
            digits.append(f"{name}%{period}/{inner}")
        else:
            digits.append(f"{name}/{inner}%{factor}")
        inner = period
    # Without the last digit the layout covers the dim only if it is short.
    if extent + bias > inner or rng.random() < 0.8:
        digits.append(f"{name}/{inner}")
    return digits


def random_axis(rng, digits, width, last, loose):
    words = []
    for digit in digits:
        if loose:
            digit += f":{rng.randint(0, 14)}"
        elif last and rng.random() < 0.25:
            digit += f":^{width * rng.choice([2, 3, 8, 32])}B"
        words.append(digit)
    base = f"@{rng.randint(1, 40)} " if rng.random() < 0.2 else ""
    return base + (" ".join(words) if words else "-")


def random_layout(rng, loose=False):
    """(text, shape, element width)."""
    names = rng.sample(["n", "c", "h", "w", "g", "dim_1", "K"],
                       rng.randint(1, 3 if loose else 4))
    most = 4 if loose else 9
    shape = {name: rng.randint(1, most) for name in names}
    width = rng.choice(list(DTYPE_OF_WIDTH))
    digits = [d for name in names for d in random_digits(rng, name,
                                                         shape[name])]
    if loose:
        digits = names
    rng.shuffle(digits)
    count = 1 if loose else rng.choice([1, 1, 2, 3])
    cuts = sorted(rng.randint(0, len(digits)) for _ in range(count - 1))
    cuts = [0, *cuts, len(digits)]
    text = ""
    for k in reversed(range(count)):
        axis = random_axis(rng, digits[cuts[k]:cuts[k + 1]], width,
                           k == count - 1, loose)
        if count > 1:
            axis = f"axis_{k}=" + axis
        if text:
            size = axis_bytes(text, shape, width)
            axis += rng.choice([
                " | ", f" |{size + width * rng.randint(0, 9)}B| ",
                f" |^{width * rng.choice([2, 16, 64])}B| "])
        text = axis + text
    return text, shape, width


def axis_bytes(text, shape, width):
    outer = Model(text, shape, width).axes[0]
    return outer.extent * outer.pitch


class RandomLayouts(support.CliTest):

    def options(self, model):
        return ["--shape", shape_text(model.shape),
                "--dtype", DTYPE_OF_WIDTH[model.width]]

    def check_show(self, model):
        valid = model.is_valid()
        told = self.answer("show", model.text, *self.options(model),
                           code=0 if valid else 1)
        where = f"{model.text} {model.shape} {model.width}"
        self.assertEqual(told["valid"], valid, where)
        self.assertEqual(told["size_bytes"], model.size, where)
        self.assertEqual(told["elements"], model.elements, where)
        self.assertEqual(told["dims"], model.shape, where)
        if valid:
            self.assertEqual(told["padding_elements"],
                             model.size // model.width - model.elements, where)
        self.assertEqual([(a["name"], a["extent"]) for a in told["axes"]],
                         [(a.name, a.extent) for a in model.axes], where)
        expected = [(axis, term) for axis in model.axes for term in axis.terms]
        self.assertEqual(len(told["terms"]), len(expected), where)
        for got, (axis, term) in zip(told["terms"], expected):
            self.assertEqual((got["axis"], got["dim"]), (axis.name, term.dim))
            size = model.shape[term.dim]
            self.assertEqual(got["extent"], term.extent(size), where)
            if axis is model.axes[-1]:
                self.assertEqual(got["stride_elements"], term.stride, where)
            for x in range(size):
                value = (x + got["bias"]) // got["div"]
                value = value % got["mod"] if got["mod"] else value
                self.assertEqual(value, term.value(x), where)
        return told

    def check_places(self, model, rng):
        """at and who for some elements and some places without one."""
        address = model.addresses()
        coordinates = model.coordinates()
        options = self.options(model)
        for ordinal in {0, rng.randrange(model.elements)}:
            index = model.index_of(ordinal)
            byte = int(address[ordinal])
            coords = {a.name: int(c[ordinal])
                      for a, c in zip(model.axes, coordinates)}
            where = f"{model.text} {model.shape} {model.width} {index}"
            told = self.answer("at", model.text, shape_text(index), *options)
            self.assertEqual(told["byte"], byte, where)
            self.assertEqual(told["element_offset"], byte // model.width)
            self.assertEqual(told["coords"], coords, where)
            inner = byte + rng.randrange(model.width)
            for place in (["--byte", inner], ["--coord", shape_text(coords)]):
                told = self.answer("who", model.text, *place, *options)
                self.assertEqual(told["kind"], "element", where)
                self.assertEqual(told["index"], index, where)
        empty = set(range(0, model.size, model.width)) - set(address.tolist())
        for byte in rng.sample(sorted(empty), min(2, len(empty))):
            told = self.answer("who", model.text, "--byte", byte, *options)
            self.assertEqual(told["kind"], "padding", f"{model.text} {byte}")

    def test_show_at_who(self):
        rng = random.Random(1)
        for _ in support.sampled(range(100)):
            model = Model(*random_layout(rng))
            told = self.check_show(model)
            if told["valid"]:
                self.check_places(model, rng)
                # What is printed means the same, and prints the same.
                again = self.answer("show", told["expression"],
                                    *self.options(model))
                self.assertEqual(again["expression"], told["expression"])
                self.assertEqual(again["terms"], told["terms"], model.text)
                self.assertEqual(again["size_bytes"], told["size_bytes"])

    def test_free_strides_collide_or_not(self):
        rng = random.Random(2)
        counts = {True: 0, False: 0}
        for _ in support.sampled(range(150)):
            model = Model(*random_layout(rng, loose=True))
            told = self.check_show(model)
            counts[told["valid"]] += 1
            if told["valid"]:
                if counts[True] % 5 == 0:
                    self.check_places(model, rng)
            else:
                self.check_witness(model, told)
        self.assertGreater(min(counts.values()), 5, counts)

    def check_witness(self, model, told):
        """Two elements are named that really are in one place, or a dim of
        which two indices cannot be told apart."""
        address = model.addresses().reshape(tuple(model.shape.values()))
        reason = told["reason"]
        pair = re.search(f"({ELEMENT}) and ({ELEMENT})", reason)
        self.assertIsNotNone(pair, f"{model.text} {model.shape}: {reason}")
        a, b = (dict(p.split("=") for p in pair[k].split(",")) for k in (1, 2))
        self.assertNotEqual(a, b, reason)
        if len(a) < len(model.shape):  # of a dim that is not covered
            self.assertIn("not covered", reason)
        place = [address[tuple(int(e.get(name, 0)) for name in model.shape)]
                 for e in (a, b)]
        self.assertEqual(place[0], place[1], f"{model.text}: {reason}")

    def test_one_missing_digit_is_named(self):
        for text, shape, dim in [("n h w", "n=2,c=3,h=4,w=5", "c"),
                                 ("n c%4", "n=2,c=5", "c"),
                                 ("n c/4", "n=2,c=5", "c")]:
            told = self.answer("show", text, "--shape", shape, code=1)
            self.assertFalse(told["valid"])
            self.assertRegex(told["reason"], rf"\b{dim}\b.*not covered")

    def test_convert_puts_every_byte_in_place(self):
        rng = random.Random(3)
        generator = np.random.default_rng(3)
        source, target = self.path("a.bin"), self.path("b.bin")
        for _ in support.sampled(range(80)):
            text, shape, width = random_layout(rng)
            there = Model(text, shape, width)
            plain = Model(" ".join(rng.sample(list(shape), len(shape))),
                          shape, width)
            where = f"{plain.text} -> {text} {shape} {width}"
            values = generator.integers(1, 256, (there.elements, width),
                                        np.uint8)
            if not there.is_valid():
                continue
            plain.scatter(values).tofile(source)
            self.convert(source, target, plain.text, text, shape_text(shape),
                         DTYPE_OF_WIDTH[width])
            got = np.fromfile(target, np.uint8)
            np.testing.assert_array_equal(got, there.scatter(values), where)
            # Back, with rubbish in the padding, which must go nowhere.
            rubbish = generator.integers(1, 256, there.size, np.uint8)
            there.scatter(values, rubbish).tofile(source)
            self.convert(source, target, text, plain.text, shape_text(shape),
                         DTYPE_OF_WIDTH[width])
            got = np.fromfile(target, np.uint8)
            np.testing.assert_array_equal(got, plain.scatter(values), where)


def random_tag(rng, order):
    """A tag over the letters `order`: any permutation, any blocks."""
    outer = rng.sample(order, len(order))
    blocks = [(rng.choice(order), rng.choice([2, 3, 4, 8, 16]))
              for _ in range(rng.choice([0, 1, 1, 2, 3]))]
    blocked = {letter for letter, _ in blocks}
    return ("".join(c.upper() if c in blocked else c for c in outer)
            + "".join(f"{size}{letter}" for letter, size in blocks))


class RandomTags(support.CliTest):

    def check(self, rng, order):
        tag = random_tag(rng, order)
        most = 20 if len(order) < 4 else 6
        extents = [rng.randint(1, most) for _ in order]
        offsets, places = tag_model(tag, order, extents)
        width = rng.choice(list(DTYPE_OF_WIDTH))
        named = {letter: e for letter, e in zip(order, extents)}
        # Numbers alone are refused where the tag spells another order.
        spelled = [c.lower() for c in tag if c.isalpha()][:len(order)]
        shape = shape_text(named)
        if spelled == list(order):
            shape = rng.choice(["x".join(map(str, extents)), shape])
        options = ["--shape", shape, "--dtype", DTYPE_OF_WIDTH[width]]
        name = rng.choice([tag, "onednn." + tag])
        where = f"{name} {extents}"
        told = self.answer("show", name, *options)
        self.assertEqual(told["size_bytes"], places * width, where)
        self.assertEqual(told["elements"], len(offsets), where)
        self.assertEqual(told["dims"], named, where)
        self.assertTrue(told["valid"], where)
        index = [rng.randrange(e) for e in extents]
        ordinal = int(np.ravel_multi_index(index, extents))
        told = self.answer("at", name, ",".join(map(str, index)), *options)
        self.assertEqual(told["element_offset"], offsets[ordinal], where)
        place = rng.randrange(places)
        told = self.answer("who", name, "--byte", place * width, *options)
        found = np.flatnonzero(offsets == place)
        self.assertEqual(told["kind"], "element" if len(found) else "padding")
        if len(found):
            self.assertEqual(
                list(told["index"].values()),
                [int(k) for k in np.unravel_index(found[0], extents)], where)

    def test_canonical(self):
        rng = random.Random(4)
        for _ in support.sampled(range(60)):
            self.check(rng, string.ascii_lowercase[:rng.randint(2, 6)])

    def test_friendly(self):
        rng = random.Random(5)
        for order in ["nc", "ncw", "nchw", "ncdhw", "oi", "oiw", "oihw",
                      "oidhw", "goiw", "goihw", "goidhw", "tnc", "ldnc",
                      "ldigo", "ldgo"]:
            for _ in range(4):
                self.check(rng, order)

    def test_twelve_dims(self):
        order = "abcdefghijkl"
        extents = [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 3]
        tag = "lkjihgfedcbA4a"
        offsets, places = tag_model(tag, order, extents)
        told = self.answer("at", tag, ",".join(str(e - 1) for e in extents),
                           "--shape", shape_text(dict(zip(order, extents))))
        self.assertEqual(told["element_offset"], offsets[-1])
        self.assertEqual(places, 4 * 96)

    def test_what_is_no_tag(self):
        for tag in ["nchh", "nChw", "nchw8c", "nChw8d", "nChw0c", "nChw8",
                    "nChw8C", "nqhw", "nChw-8c", "abd", "aBcd99999999999999999"
                    "99b"]:
            self.refused("show", tag, "--shape", "1x2x3x4")


if __name__ == "__main__":
    support.main()
