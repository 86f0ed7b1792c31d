"""A layout's memory as views of an array: what a user of NumPy would type for it.

SPDX-License-Identifier: Apache-2.0
"""

import re


class NoViews(Exception):
    """No axes of an array say the layout."""


class Views:
    """How an array of the digits of a layout is the logical tensor.

    order: the digits' axes, those of each dim together, the dim's slowest first.
    split: extents of the digits in that order, a list a dim.
    padded, extents: of each dim, with padding and without.
    """

    def __init__(self, layout, dims):
        digits = [_digit(word) for word in layout.notation.split()]
        self.shape = layout.array_shape
        if None in digits or len(digits) != len(self.shape):
            raise NoViews(layout.notation)
        of_dim = [sorted((k for k, (name, _) in enumerate(digits) if name == dim),
                         key=lambda k: -digits[k][1]) for dim in dims]
        self.order = [k for axes in of_dim for k in axes]
        self.split = [[self.shape[k] for k in axes] for axes in of_dim]
        named = dict(zip(layout.dims, layout.shape))
        self.extents = tuple(named[dim] for dim in dims)
        self.padded = tuple(_product(extents) for extents in self.split)
        self.blocked = any(len(axes) != 1 for axes in of_dim)
        self.back = [self.order.index(k) for k in range(len(self.order))]

    def pattern(self, dims):
        """For einops: digits in the order of memory, and the dims of which they are."""
        names = [f"{dim}{k}" for dim, extents in zip(dims, self.split)
                 for k in range(len(extents))]
        memory = " ".join(names[self.back[k]] for k in range(len(names)))
        groups, at = [], 0
        for extents in self.split:
            groups.append("(" + " ".join(names[at:at + len(extents)]) + ")")
            at += len(extents)
        sizes = {name: extent for name, extent in
                 zip(names, (e for extents in self.split for e in extents))}
        return memory, " ".join(groups), sizes


def _product(extents):
    product = 1
    for extent in extents:
        product *= extent
    return product


def _digit(word):
    """The dim of "c%16/4", and how many steps of it one of the digit is."""
    found = re.fullmatch(r"([a-z]\w*)((?:[/%]\d+)*)", word)
    if not found:
        return None
    div = 1
    for sign, number in re.findall(r"([/%])(\d+)", found[2]):
        div *= int(number) if sign == "/" else 1
    return found[1], div
