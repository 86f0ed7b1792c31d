"""What the notation means, written a second time and slowly.

From the grammar and the three formulas of the documentation alone; nothing
here comes from the program. Every address is worked out by plain arithmetic
over all elements, and validity by looking whether two addresses are equal.
"""

import re

import numpy as np

_TERM = re.compile(
    r"(?:\((?P<biased>\w+)\+(?P<bias>\d+)\)|(?P<dim>[A-Za-z_]\w*))"
    r"(?P<steps>(?:[/%]\d+)*)(?::(?P<round>\^)?(?P<stride>\d+)B?)?$")
_AXIS = re.compile(r"\s*(?:(?P<name>[A-Za-z_]\w*)=)?\s*(?:@(?P<base>\d+)\s*)?"
                   r"(?P<terms>.*?)\s*$")
_PITCH = re.compile(r"\s*(?P<round>\^)?(?P<bytes>\d+)B\s*$")


def round_up(value, unit):
    return -(-value // unit) * unit


class Term:
    """A digit and its stride."""

    def __init__(self, text):
        match = _TERM.match(text)
        if match is None:
            raise ValueError(text)
        self.dim = match["dim"] or match["biased"]
        self.bias = int(match["bias"] or 0)
        self.steps = [(step[0], int(step[1:]))
                      for step in re.findall(r"[/%]\d+", match["steps"])]
        self.rounded = match["round"] is not None
        self.given = None if match["stride"] is None else int(match["stride"])
        self.stride = None  # known when bound

    def value(self, x):
        """The digit of index x (a number or an array), left to right."""
        value = x + self.bias
        for sign, k in self.steps:
            value = value // k if sign == "/" else value % k
        return value

    def extent(self, size):
        """How many values it has, the padding of its last block included."""
        if not any(sign == "%" for sign, _ in self.steps):
            return 0 if size == 0 else int(self.value(size - 1)) + 1
        count = None  # of values so far; None: those of the dim
        div = 1
        for sign, k in self.steps:
            if sign == "%":
                count = k if count is None else min(count, k)
            elif count is None:
                div *= k
            else:
                count = -(-count // k)
        return count


class Axis:
    """Digits that are added up to one coordinate."""

    def __init__(self, text):
        match = _AXIS.match(text)
        self.name = match["name"] or "offset"
        self.base = int(match["base"] or 0)
        words = match["terms"].split()
        self.terms = [] if words == ["-"] else [Term(word) for word in words]
        self.separator = None  # (rounded, bytes), of the one at its right
        self.pitch = None
        self.extent = None


class Model:
    """A layout bound to a shape and an element width."""

    def __init__(self, text, shape, width):
        self.text, self.shape, self.width = text, dict(shape), width
        self.axes = []
        for piece in text.split("|"):
            pitch = _PITCH.match(piece)
            if pitch is None:
                self.axes.append(Axis(piece))
            else:
                self.axes[-1].separator = (pitch["round"] is not None,
                                           int(pitch["bytes"]))
        taken = width
        for axis in reversed(self.axes):
            self._bind(axis, taken)
            taken = axis.extent * axis.pitch
        self.elements = int(np.prod(list(self.shape.values()), dtype=object))
        self.size = taken if self.elements else 0

    def _bind(self, axis, taken):
        axis.pitch = taken
        if axis.separator is not None:
            rounded, count = axis.separator
            axis.pitch = round_up(taken, count) if rounded else count
            if axis.pitch < taken:
                raise ValueError("separator too small")
        space, last = 1, 0
        for term in reversed(axis.terms):
            extent = term.extent(self.shape[term.dim])
            if term.given is None:
                term.stride = space
            elif term.rounded:
                term.stride = round_up(space * self.width,
                                       term.given) // self.width
            else:
                term.stride = term.given
            # A stride that is given for a dim of one index adds no memory.
            if (extent == 1 and self.shape[term.dim] == 1
                    and term.given is not None and not term.rounded):
                continue
            space = max(space, extent * term.stride)
            last += max(extent - 1, 0) * term.stride
        axis.extent = axis.base + max(space, last + 1)

    def coordinates(self):
        """One array an axis, of all elements in the shape's order."""
        index = dict(zip(self.shape, np.indices(tuple(self.shape.values()),
                                                dtype=np.int64)))
        result = []
        for axis in self.axes:
            total = np.full(tuple(self.shape.values()), axis.base, np.int64)
            for term in axis.terms:
                total += term.value(index[term.dim]) * term.stride
            result.append(total.ravel())
        return result

    def addresses(self):
        """The byte of every element, in the shape's order."""
        return sum(at * axis.pitch
                   for at, axis in zip(self.coordinates(), self.axes))

    def is_valid(self):
        address = self.addresses()
        return len(np.unique(address)) == len(address)

    def scatter(self, values, memory=None):
        """Memory with `values` (one row of bytes an element) in place; the
        rest is zero, or what `memory` held."""
        if memory is None:
            memory = np.zeros(self.size, np.uint8)
        memory = memory.copy()
        address = self.addresses()
        for k in range(self.width):
            memory[address + k] = values[:, k]
        return memory

    def index_of(self, ordinal):
        """The ordinal-th element of the shape's order, as {dim: index}."""
        index = {}
        for name, extent in reversed(self.shape.items()):
            ordinal, index[name] = divmod(int(ordinal), extent)
        return {name: index[name] for name in self.shape}


def tag_model(tag, order, extents):
    """Element offsets and number of places of a oneDNN tag.

    `order`: its letters in logical order. By the vendor's definition: walk the
    inner blocks from the last to the first, then the outer dims.
    """
    outer = re.match(r"[A-Za-z]+", tag)[0]
    blocks = [(letter, int(size)) for size, letter in
              re.findall(r"(\d+)([a-z])", tag[len(outer):])]
    rest = dict(zip(order, np.indices(tuple(extents), dtype=np.int64)))
    offset = np.zeros(tuple(extents), np.int64)
    stride = 1
    for letter, size in reversed(blocks):
        offset += rest[letter] % size * stride
        rest[letter] = rest[letter] // size
        stride *= size
    block = {letter: 1 for letter in order}
    for letter, size in blocks:
        block[letter] *= size
    for letter in reversed(outer.lower()):
        offset += rest[letter] * stride
        stride *= -(-extents[order.index(letter)] // block[letter])
    return offset.ravel(), stride
