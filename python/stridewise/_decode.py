"""A tensor in memory and as an array of its own shape: see `Layout`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arrays import check_type, checked_threads, memory_of, readable_memory, source
from ._dtypes import bits_of, numpy_dtype
from ._errors import LayoutError
from ._out import check_apart, clear_tail, writable_memory

if TYPE_CHECKING:
    from ._layout import Layout


def decode(of: Layout, buffer: Any, threads: int) -> np.ndarray:
    """See `Layout.decode`."""
    count = checked_threads(threads)
    dtype = _items(of)
    memory = readable_memory(source(buffer, "buffer"), of, "buffer")
    result = np.empty(of.shape, dtype)
    rows = of._bound.row_major(8 * dtype.itemsize)
    types = None if 8 * dtype.itemsize == of.itembits else _widths(of, dtype)
    _core.plan(of._bound, rows, False, not of._tables, types).run(
        memory, memory_of(result), count)
    return result


def encode(of: Layout, x: Any, out: Any, threads: int) -> Any:
    """See `Layout.encode`."""
    count = checked_threads(threads)
    _items(of)
    given = source(x)
    if given.array.shape != of.shape:
        raise ValueError(f"x: has the shape {given.array.shape}, the tensor {of.shape}")
    held = given.dtype or "u8"
    rows = of._bound.row_major(bits_of(held))
    plan = _core.plan(rows, of._bound, bool(of.parts), not of._tables,
                      None if held == of.dtype else (held, of.dtype))
    result = (np.zeros if of.parts else np.empty)(of.nbytes, np.uint8) if out is None else out
    memory = writable_memory(result, of)
    check_apart(given.array, memory)
    clear_tail(memory, of)
    plan.run(memory_of(np.ascontiguousarray(given.array)), memory, count)
    return result


def view(of: Layout, buffer: Any) -> np.ndarray:
    """See `Layout.view`."""
    strides = of.strides
    if strides is None:
        raise LayoutError(f"{of.notation}: no strides say this layout; decode() copies "
                          "the tensor out of it")
    dtype = numpy_dtype(of.dtype)
    if dtype is None or dtype.itemsize * 8 != of.itembits:
        raise LayoutError(f"NumPy has no array of {of.dtype}")
    given = source(buffer, "buffer")
    check_type(given, of, "buffer")
    if not given.array.flags.c_contiguous:
        raise ValueError("buffer: is not contiguous")
    memory = memory_of(given.array)
    used = of._bound.used_bits
    if memory.size * 8 < used:
        raise ValueError(f"buffer: has {memory.size} bytes, the layout needs "
                         f"{-(-used // 8)}")
    first = of.byte(*(0 for _ in of.dims))
    return np.ndarray(of.shape, dtype, memory.data, first, strides)


def _items(of: Layout) -> np.dtype:
    dtype = numpy_dtype(of.dtype)
    if dtype is None:
        raise LayoutError(f"NumPy has no array of {of.dtype}; stridewise.convert changes the "
                          "type, and ml_dtypes brings those of small floats")
    return dtype


def _widths(of: Layout, dtype: np.dtype) -> tuple[str, str]:
    """Integers that hold the bits of an element, in memory and in an item of the dtype."""
    sign = "s" if of.dtype[0] == "s" else "u"
    return f"{sign}{of.itembits}", f"{sign}{8 * dtype.itemsize}"
