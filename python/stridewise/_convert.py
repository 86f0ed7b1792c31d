"""Conversions between any two layouts."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from . import _core
from ._arrays import (Source, memory_of, readable_memory, result_like, source,
                      writable_memory)
from ._dtypes import type_name
from ._layout import Layout, layout, spelled_dims

Shape = str | int | Sequence[int] | Mapping[str, int] | None


def convert(x: Any, src: str | Layout, dst: str | Layout, *, shape: Shape = None,
            dtype: object = None, out: Any = None, threads: int = 1) -> Any:
    """The same tensor in another layout.

    Args:
        x: an array of NumPy, torch or JAX, anything with DLPack or the buffer protocol.
            Read in place: through its own strides, where `src` is an order of whole dims.
        src: the layout of x.
        dst: the layout of the result.
        shape: logical extents, where neither x's shape nor a layout tells them.
        dtype: element type of the result, to which values are converted; else x's. Of an
            array of ml_dtypes' int4 and the like, the result is packed.
        out: where the result is written: contiguous memory of dst's size. It is returned.
            Where dst is a part, the others stay.
        threads: how many threads may work.

    Returns:
        An array of torch where x is, else of NumPy, of dst's `array_shape`; its bytes
        where there is no such type.

    Raises:
        LayoutError: layouts that do not suit each other or the shape.
        TypeError, ValueError: x or out is no such array; the message names it.

    >>> import numpy as np
    >>> convert(np.zeros((2, 17, 5, 4), "f4"), "nchw", "nChw16c").shape
    (2, 2, 5, 4, 16)
    """
    given = source(x)
    a, b = _pair(given, src, dst, shape, dtype)
    result, memory = ((out, writable_memory(out, b)) if out is not None
                      else result_like(given.kind, b))
    _run(given, a, b, memory, _threads(threads))
    return result


class Plan:
    """How to convert from one layout to another: made once, run many times.

    Runs from many threads at once on different arrays. `str` tells its loops.
    """

    __slots__ = ("_plan", "dst", "keep_gaps", "src")

    def __init__(self, src: Layout, dst: Layout, keep_gaps: bool = False) -> None:
        self.src, self.dst, self.keep_gaps = src, dst, keep_gaps
        self._plan = _core.plan(src._bound, dst._bound, keep_gaps or bool(dst.parts),
                                _types(src, dst))

    def run(self, x: Any, out: Any = None, threads: int = 1) -> Any:
        """Converts x, contiguous memory of `src`; see `convert`."""
        given = source(x)
        result, memory = ((out, writable_memory(out, self.dst)) if out is not None
                          else result_like(given.kind, self.dst))
        if not self.keep_gaps:
            _clear_tail(memory, self.dst)
        self._plan.run(readable_memory(given, self.src, "x"), memory, _threads(threads))
        return result

    def __str__(self) -> str:
        return str(self._plan)

    def __repr__(self) -> str:
        keep = ", keep_gaps=True" if self.keep_gaps else ""
        return f"stridewise.plan({self.src!r}, {self.dst!r}{keep})"


def plan(src: str | Layout, dst: str | Layout, shape: Shape = None,
         dtype: object = None, *, keep_gaps: bool = False, **dims: int) -> Plan:
    """The plan of a conversion.

    Args:
        src, dst: layouts, or texts of some for `shape` and `dtype`; one that is a Layout
            tells those of the other.
        shape, dtype, **dims: as for `layout`.
        keep_gaps: whether bytes of out that hold no element stay; else they become zero.
    """
    if (isinstance(src, Layout) or isinstance(dst, Layout)) and (
            shape is not None or dims):
        raise TypeError("shape: a layout tells it already")
    if isinstance(src, Layout) and isinstance(dst, Layout):
        if dtype is not None:
            raise TypeError("dtype: both layouts tell theirs already")
        return Plan(src, dst, keep_gaps)
    if isinstance(src, Layout):
        a = src
        b = layout(dst, _named(a), a.dtype if dtype is None else dtype)
    elif isinstance(dst, Layout):
        b = dst
        a = layout(src, _named(b), b.dtype if dtype is None else dtype)
    else:
        a = layout(src, shape, dtype, **dims)  # type: ignore[arg-type]
        b = layout(dst, _named(a), dtype)
    return Plan(a, b, keep_gaps)


def _clear_tail(memory: np.ndarray, dst: Layout) -> None:
    """The bits of the last byte that the memory has beyond the layout's."""
    if dst._tail:
        memory[-1] = 0


def _threads(threads: int) -> int:
    try:
        count = operator.index(threads)
    except TypeError:
        raise TypeError(f"threads: a whole number, not {threads!r}") from None
    if not 1 <= count <= 4096:
        raise ValueError(f"threads: 1 to 4096, not {count}")
    return count


def _named(of: Layout) -> dict[str, int]:
    return dict(zip(of.dims, of.shape))


def _types(src: Layout, dst: Layout) -> tuple[str, str] | None:
    return None if src.dtype == dst.dtype else (src.dtype, dst.dtype)


def _pair(given: Source, src: str | Layout, dst: str | Layout, shape: Shape,
          dtype: object) -> tuple[Layout, Layout]:
    for name, text in (("src", src), ("dst", dst)):
        if not isinstance(text, (str, Layout)):
            raise TypeError(f"{name}: expected a text or a Layout, not "
                            f"{type(text).__name__}")
    if shape is not None and (isinstance(src, Layout) or isinstance(dst, Layout)):
        raise TypeError("shape: a layout tells it already")
    if dtype is not None and isinstance(dst, Layout):
        raise TypeError("dtype: dst tells it already")
    if isinstance(src, Layout):
        a = src
    else:
        named = _named(dst) if isinstance(dst, Layout) else shape
        told = given.dtype if given.dtype is not None else dtype
        a = layout(src, shape_of_array(given, src) if named is None else named, told)
    if isinstance(dst, Layout):
        return a, dst
    becomes = given.means or a.dtype if dtype is None else type_name(dtype)
    return a, layout(dst, _named(a), becomes)


def shape_of_array(given: Source, text: str) -> dict[str, int] | None:
    """By the order in which the text spells its dims, where the array has as many."""
    spelled = spelled_dims(text)
    if len(spelled) != given.array.ndim:
        return None
    return dict(zip(spelled, given.array.shape))


def _run(given: Source, a: Layout, b: Layout, memory: np.ndarray,
         threads: int) -> None:
    _clear_tail(memory, b)
    if given.array.flags.c_contiguous or not _is_rows(given.array, a):
        plan_ = _core.plan(a._bound, b._bound, bool(b.parts), _types(a, b))
        plan_.run(readable_memory(given, a, "x"), memory, threads)
        return
    if not b.dense and not b.parts:
        memory[:] = 0
    dims = spelled_dims(a.text)
    end = _bounds(given.array)[1]
    for part, starts in _pieces(given.array, (0,) * given.array.ndim):
        source_layout, bytes_ = _strided(part, dims, a, end)
        ranges = {d: (low, low + extent) for d, low, extent in
                  zip(dims, starts, part.shape)}
        window = b._bound.window(ranges)
        _core.plan(source_layout._bound, window, True, _types(a, b)).run(
            bytes_, memory, threads)


def _is_rows(array: np.ndarray, a: Layout) -> bool:
    """Whether the array's axes are the layout's dims, in the order of its text."""
    if not a.dense or a.parts or len(spelled_dims(a.text)) != array.ndim:
        return False
    return a.array_shape == array.shape and array.itemsize * 8 == a.itembits


def _pieces(array: np.ndarray, starts: tuple[int, ...]
            ) -> Iterator[tuple[np.ndarray, tuple[int, ...]]]:
    """Parts of the array whose strides take no memory beyond it.

    A layout takes a whole step after its last row, which the array may not have: so the
    last row is a part of its own, and so on within it.
    """
    steps = [abs(s) if e > 1 else 0 for s, e in zip(array.strides, array.shape)]
    axis = int(np.argmax(steps)) if steps else 0
    if array.size == 0:
        return
    if not steps or steps[axis] <= array.itemsize:
        yield array, starts
        return
    last = array.shape[axis] - 1
    before = [slice(None)] * array.ndim
    after = list(before)
    # What memory has behind the others is the last row: of a negative stride, the first.
    one, rest = (last, 0) if array.strides[axis] > 0 else (0, 1)
    before[axis] = slice(rest, rest + last)
    after[axis] = slice(one, one + 1)
    yield array[tuple(before)], _moved(starts, axis, rest)
    yield from _pieces(array[tuple(after)], _moved(starts, axis, one))


def _moved(starts: tuple[int, ...], axis: int, by: int) -> tuple[int, ...]:
    return (*starts[:axis], starts[axis] + by, *starts[axis + 1:])


def _bounds(array: np.ndarray) -> tuple[int, int]:
    """The addresses of the first byte and behind the last one."""
    reach = [(e - 1) * s for e, s in zip(array.shape, array.strides)]
    first = array.__array_interface__["data"][0]
    return (first + sum(r for r in reach if r < 0),
            first + sum(r for r in reach if r > 0) + array.itemsize)


def _strided(array: np.ndarray, dims: Sequence[str], a: Layout, end: int
             ) -> tuple[Layout, np.ndarray]:
    """A layout that says the array's strides, and the bytes from its lowest one on.

    Memory is read up to `end`. Views whose elements interleave may need more: those are
    copied.
    """
    flipped = array[tuple(slice(None, None, -1 if s < 0 else 1)
                          for s in array.strides)]
    lowest = np.lib.stride_tricks.as_strided(flipped, (1,) * array.ndim)
    base = sum((e - 1) * -s for s, e in zip(array.strides, array.shape) if s < 0)
    terms = " ".join(f"{d}:{s}B" for d, s in zip(dims, array.strides))
    text = f"@{base}B {terms}" if base else terms
    extents = dict(zip(dims, array.shape))
    made = layout(text, extents, a.dtype)
    if _bounds(array)[0] + made.nbytes > end:
        return (layout(" ".join(dims), extents, a.dtype),
                memory_of(np.ascontiguousarray(array)))
    bytes_ = np.lib.stride_tricks.as_strided(
        lowest.reshape(-1).view(np.uint8), (made.nbytes,), (1,), writeable=False)
    return made, bytes_
