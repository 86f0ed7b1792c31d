"""Where elements lie, and what lies at a place."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import LayoutError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ._layout import Layout


class Nothing(str):
    """What lies where no element does: "padding", "gap" or "other". It is false."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return f"<{str(self)}>"


def place(of: Layout, index: tuple[ArrayLike, ...], named: Mapping[str, ArrayLike],
          unit: int) -> Any:
    """The place of an element in units of so many bits; of arrays, an array."""
    numbers = _numbers(of.dims, index, named)
    found = of._bound.place_of(numbers, unit)
    return found if found >= 0 else _places(of, numbers, unit)


def _places(of: Layout, numbers: tuple[ArrayLike, ...], unit: int) -> Any:
    if of._bound.bitwise:
        raise LayoutError(f"{of.notation}: tells where each bit lies, which is no one place; "
                          "ask offsets('bit')")
    arrays = [_index(name, x) for name, x in zip(of.dims, numbers)]
    try:
        shape = np.broadcast_shapes(*(a.shape for a in arrays))
    except ValueError:
        told = ", ".join(f"{name} {a.shape}" for name, a in zip(of.dims, arrays))
        raise ValueError(f"indices do not broadcast; their shapes are {told}") from None
    rows = np.empty((*shape, len(arrays)), np.int64)
    for dim, array in enumerate(arrays):
        rows[..., dim] = array
    bits = of._bound.bits_at(rows.reshape(math.prod(shape), len(arrays)))
    if (bits % unit).any():
        raise LayoutError(f"{of.notation}: elements of {of.itembits} bits lie between "
                          f"multiples of {unit}; count in smaller units")
    return (bits // unit).reshape(shape) if shape else int(bits[0]) // unit


def _numbers(dims: tuple[str, ...], index: tuple[ArrayLike, ...],
             named: Mapping[str, ArrayLike]) -> tuple[ArrayLike, ...]:
    if named:
        if index or len(named) != len(dims) or not all(d in named for d in dims):
            raise TypeError(f"give an index for each of {', '.join(dims)}, by name or in "
                            "that order")
        return tuple(named[name] for name in dims)
    if len(index) != len(dims):
        raise TypeError(f"{len(index)} indices for the {len(dims)} dims {', '.join(dims)}")
    return index


def _index(name: str, x: ArrayLike) -> NDArray[np.int64]:
    array = np.asarray(x)
    if not array.size:
        return array.astype(np.int64)
    if array.dtype == object and all(isinstance(v, int) for v in array.ravel()):
        try:
            return array.astype(np.int64)
        except OverflowError:
            raise IndexError(f"{name}={x!r} is outside of the shape") from None
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name}: an index is a whole number, not {array.dtype}")
    if array.dtype.kind == "u" and array.max() > np.iinfo(np.int64).max:
        raise IndexError(f"{name}={array.max()} is outside of the shape")
    return array.astype(np.int64)


def who(of: Layout, element: int | None, byte: int | None, bit: int | None
        ) -> dict[str, int] | Nothing:
    """See `Layout.who`."""
    given = [(name, x, width) for name, x, width in
             (("element", element, of.itembits), ("byte", byte, 8), ("bit", bit, 1))
             if x is not None]
    if len(given) != 1:
        raise TypeError("give one of element=, byte= or bit=")
    name, number, width = given[0]
    try:
        at = operator.index(number) * width
    except TypeError:
        raise TypeError(f"{name}: expected a whole number, not {number!r}") from None
    if not 0 <= at < of._bound.size_bits:
        raise IndexError(f"{name}={number} is outside of the memory's {of.nbytes} bytes")
    found, index, tensor = of._bound.find(at)
    if found != "element":
        return Nothing(found)
    if of._bound.tensor not in (-1, tensor):
        return Nothing("other")
    part, _, _, dims = of._bound.tensors[tensor]
    told: dict[str, Any] = dict(zip((d for d, _ in dims), index))
    if not part or of._part:
        return told
    # A dim may have that name itself.
    return {"part_" if "part" in told else "part": part, **told}
