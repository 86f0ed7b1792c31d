"""Arrays that are written in place, or refused before a byte of them changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import Source, check_shape, check_type, memory_of, of_numpy, source
from ._dtypes import is_torch
from ._files import is_path

if TYPE_CHECKING:
    from ._layout import Layout


def writable_memory(out: Any, layout: Layout) -> np.ndarray:
    """The bytes of an array that is written in place.

    Raises:
        TypeError: what is no array, or one of another type than the layout's.
        ValueError: an array that is read-only, not contiguous or of another size.
    """
    given = _shared(out)
    array = given.array
    if not array.flags.writeable:
        raise ValueError("out: is read-only")
    if not array.flags.c_contiguous:
        raise ValueError("out: is not contiguous; its memory is the layout's")
    check_type(given, layout, "out")
    if array.nbytes != layout.nbytes:
        raise ValueError(f"out: has {array.nbytes} bytes, the layout needs "
                         f"{layout.nbytes}")
    check_shape(given, layout, "out")
    return memory_of(array)


def _shared(out: Any) -> Source:
    """An array whose own memory is written: not one that NumPy would copy."""
    if isinstance(out, np.generic) or is_path(out):
        raise TypeError(f"out: a {type(out).__name__} is no array that is written in place")
    if isinstance(out, np.ndarray):
        given = source(out, "out")
        if given.told.means is not None:
            raise TypeError(f"out: an array of {out.dtype} has a byte for each element; give "
                            "bytes, which are packed")
        return given
    if is_torch(out) or hasattr(out, "__array_interface__"):
        return source(out, "out")
    if hasattr(out, "__dlpack__"):
        try:
            return of_numpy(np.from_dlpack(out), "out")
        except (BufferError, RuntimeError, TypeError) as error:
            raise TypeError(f"out: NumPy cannot write this {type(out).__name__}: "
                            f"{error}") from None
    if hasattr(out, "__array__"):
        raise TypeError(f"out: a {type(out).__name__} is no array that is written in place")
    return source(out, "out")


def check_apart(x: np.ndarray, memory: np.ndarray) -> None:
    """Refuses an `out` that has bytes of the source, before any is written."""
    if np.may_share_memory(x, memory):
        raise ValueError("out: overlaps the source")


def clear_tail(memory: np.ndarray, layout: Layout) -> None:
    """The bits of the last byte that the memory has beyond the layout's; those before them,
    too, which are written next, but not where they are another part's."""
    if layout._tail and not layout.parts:
        memory[-1] = 0
