"""Layouts from texts, shapes and types, however these are spelled."""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._dtypes import type_name
from ._errors import checked_text
from ._layout import Layout

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Shape = str | int | Sequence[int] | Mapping[str, int] | None

# Names that dims take where nobody gives any.
_NAMES = {1: "n", 2: "nc", 3: "ncw", 4: "nchw", 5: "ncdhw"}


def layout(text: str | Layout,
           shape: Shape = None, dtype: object = None, *,
           tables: Mapping[str, ArrayLike] | None = None,
           part: str | None = None, **dims: int) -> Layout:
    """The layout that a text names, for a shape and an element type.

    Args:
        text: an expression ("n c/16 h w c%16"), a oneDNN tag ("nChw16c"), a name of the
            catalogue ("okk.aligned(npus=64)"), or a text of another dialect ("NCHW",
            "(8,64):(64,1)").
        shape: logical extents: "2x17x5x4", "n=2,c=17", (2, 17, 5, 4), {"n": 2, "c": 17},
            or as keywords. May be left out where the text tells them, as CuTe's does.
        dtype: see `type_name`; "f32" unless the text tells a type. Names count bits: "u4"
            is a nibble.
        tables: the entries of tables that the text names, as {"T": [7, 2, 5, 0]}.
        part: one tensor of a memory of several.

    Raises:
        LayoutError: a text that is no layout, or sizes that do not suit it. Its message
            shows where.
        TypeError: a shape or dtype that is none.

    >>> L = layout("nChw16c", (2, 17, 5, 4))
    >>> L(1, 16, 4, 3), L.nbytes
    (1264, 5120)
    """
    if isinstance(text, Layout):
        if shape is None and not dims and dtype is None and not tables:
            return text if part is None else text.part(part)
        # What is not given anew stays as it is.
        shape = dict(text._whole) if shape is None and not dims else shape
        dtype = text._dtype if dtype is None else dtype
        tables = text._tables if tables is None else tables
        part = text._part if part is None else part
        text = text.text
    checked_text("text", text)
    entries = _entries(tables)
    extents = _shape_text(shape, dims)
    name = None if dtype is None else type_name(dtype)
    made = (Layout._bind(text, extents, name, entries) if entries
            else _bind_again(text, extents, name))
    return made if part is None else made.part(checked_text("part", part))


def _entries(tables: Mapping[str, ArrayLike] | None) -> dict[str, list[int]]:
    if tables is None:
        return {}
    if not isinstance(tables, Mapping):
        raise TypeError(f"tables: expected a dict of entries by name, not {tables!r}")
    made = {}
    for name, table in tables.items():
        array = np.asarray(table)
        if array.size and array.dtype.kind not in "iu" or array.dtype == np.uint64:
            raise TypeError(f"tables: {name!r} has entries of {array.dtype}; whole numbers "
                            "are wanted")
        made[checked_text("tables", name)] = [int(x) for x in array.ravel()]
    return made


@functools.lru_cache(maxsize=512)
def _bind_again(text: str, shape: str, dtype: str | None) -> Layout:
    """The same for texts that were bound before: layouts do not change."""
    return Layout._bind(text, shape, dtype, {})


@functools.lru_cache(maxsize=512)
def spelled_dims(text: str) -> tuple[str, ...]:
    """The dims in the order in which a text spells them; none where it spells none."""
    return tuple(_core.spelled_dims(checked_text("text", text)))


def named_dims(dims: Sequence[str] | None, count: int) -> tuple[str, ...]:
    """Names for so many dims: "nchw" and the like where nobody gives any."""
    if dims is None:
        return tuple(_NAMES.get(count, "")) or tuple(f"d{k}" for k in range(count))
    try:
        names = tuple(_name("dims", name) for name in dims)
    except TypeError:
        raise TypeError(f"dims: expected names, not {dims!r}") from None
    if len(names) != count:
        raise ValueError(f"dims: {len(names)} names for {count} axes")
    if len(set(names)) != count:
        raise ValueError(f"dims: {dims!r} has a name twice")
    return names


def _name(argument: str, name: Any) -> str:
    if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", checked_text(argument, name)):
        raise ValueError(f"{argument}: {name!r} is no name of a dim: letters, digits and '_', "
                         "not a digit first")
    return str(name)


def _shape_text(shape: object, dims: Mapping[str, int]) -> str:
    if dims:
        if shape is not None:
            raise TypeError("shape: give extents as a shape or as keywords, not both")
        shape = dims
    if shape is None:
        return ""
    if isinstance(shape, str):
        return checked_text("shape", shape)
    if isinstance(shape, Mapping):
        return ",".join(f"{_name('shape', name)}={_extent(x)}" for name, x in shape.items()) or "()"
    try:
        extents = [_extent(x) for x in shape]  # type: ignore[attr-defined]
    except TypeError:
        extents = [_extent(shape)]
    return "x".join(str(x) for x in extents) or "()"


def _extent(x: Any) -> int:
    try:
        return operator.index(x)
    except TypeError:
        raise TypeError(f"shape: an extent is a whole number, not {x!r}") from None
