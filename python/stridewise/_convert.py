"""Conversions between any two layouts."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy import ndarray

from . import _core, _html
from ._arrays import (Source, Told, array_type, checked_threads, new_result, of_kind,
                      readable_memory, source, told_type)
from ._drawing import NOTEBOOK_CELLS, Drawing
from ._dtypes import type_name
from ._errors import LayoutError, checked_text
from ._explorer import address, linked
from ._layout import Layout
from ._make import Shape, layout, spelled_dims
from ._out import check_apart, clear_tail, writable_memory
from ._views import bounds, pieces, strided


def convert(x: Any, src: str | Layout, dst: str | Layout, *, shape: Shape = None,
            dtype: object = None, out: Any = None, threads: int = 1) -> Any:
    """The same tensor in another layout.

    Args:
        x: an array of NumPy, torch or JAX, anything with DLPack or the buffer protocol; or
            the path of an .npy file, or of one of bytes.
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
        An array of x's kind (torch, JAX, what has an array namespace), else of NumPy, of
        dst's `array_shape`; its bytes where there is no such type.

    Raises:
        LayoutError: layouts that do not suit each other or the shape.
        TypeError, ValueError: x or out is no such array; the message names it.

    >>> import numpy as np
    >>> convert(np.zeros((2, 17, 5, 4), "f4"), "nchw", "nChw16c").shape
    (2, 2, 5, 4, 16)
    """
    if type(x) is ndarray and shape is None and not (_has_tables(src) or _has_tables(dst)):
        try:
            known = _known_plan(x.shape, x.dtype, src, dst, dtype)
        except TypeError:  # of what is no text and no type, which is told below
            pass
        else:
            done = known._run_arrays(x, out, threads)
            if done is not None:
                return done
    given = source(x)
    count = checked_threads(threads)
    a, b = _pair(given.told, src, dst, shape, dtype)
    result, memory = ((out, writable_memory(out, b)) if out is not None
                      else new_result(given.kind, b))
    if _by_strides(given.array, a):  # which has plans of its own
        _run_by_strides(given.array, a, b, False, memory, count)
    else:
        Plan(a, b)._run(given, memory, count)
    return result if out is not None else of_kind(given.kind, result)


def _has_tables(text: object) -> bool:
    """Whether it is a layout with tables: these are large, and plans of them not kept."""
    return isinstance(text, Layout) and bool(text._tables)


@functools.lru_cache(maxsize=512)
def _known_plan(shape: tuple[int, ...], dtype: np.dtype, src: str | Layout,
                dst: str | Layout, becomes: object) -> Plan:
    """The plan for arrays that were met before: plans do not change."""
    return Plan(*_pair(Told(shape, *told_type(dtype)), src, dst, None, becomes))


class Plan:
    """How to convert from one layout to another: made once, by `plan`, run many times.

    Runs from many threads at once on different arrays. `str` tells its loops.
    """

    __slots__ = ("_core", "_new", "_run_both", "dst", "keep_gaps", "src")

    def __init__(self, src: Layout, dst: Layout, keep_gaps: bool = False) -> None:
        for name, of in (("src", src), ("dst", dst)):
            if not isinstance(of, Layout):
                raise TypeError(f"{name}: expected a Layout, not {type(of).__name__}")
        self.src, self.dst, self.keep_gaps = src, dst, bool(keep_gaps)
        kept = not (_has_tables(src) or _has_tables(dst))
        self._core = _core.plan(src._bound, dst._bound, self.keep_gaps or bool(dst.parts),
                                kept, _types(src, dst), _format(src), _format(dst))
        self._run_both = self._core.run_arrays
        dtype = array_type(dst)
        # What a conversion to one part leaves alone is zero.
        self._new = None if dtype is None else functools.partial(
            np.zeros if dst.parts else np.empty, dst.array_shape, dtype)

    def run(self, x: Any, out: Any = None, threads: int = 1) -> Any:
        """Converts x, an array of `src`, as `convert` does."""
        if type(x) is ndarray:
            done = self._run_arrays(x, out, threads)
            if done is not None:
                return done
        given = source(x)
        count = checked_threads(threads)
        result, memory = ((out, writable_memory(out, self.dst)) if out is not None
                          else new_result(given.kind, self.dst))
        if _by_strides(given.array, self.src):
            _run_by_strides(given.array, self.src, self.dst, self.keep_gaps, memory, count)
        else:
            self._run(given, memory, count)
        return result if out is not None else of_kind(given.kind, result)

    def _run(self, given: Source, memory: np.ndarray, threads: int) -> None:
        """Writes the memory of dst, once nothing is left that could be refused."""
        read = readable_memory(given, self.src, "x")
        check_apart(read, memory)
        if not self.keep_gaps:
            clear_tail(memory, self.dst)
        self._core.run(read, memory, threads)

    def _run_arrays(self, x: ndarray, out: Any, threads: int) -> ndarray | None:
        """The result, where both arrays are taken as they are by one thread; None: there
        is something to ask."""
        if type(threads) is not int or threads != 1:
            return None
        if out is None:
            if self._new is None:
                return None
            out = self._new()
        elif type(out) is not ndarray:
            return None
        return out if self._run_both(x, out) else None

    def draw(self, *, cells: int = 512) -> Drawing:
        """A picture of both memories, each of at most so many cells.

        Raises:
            LayoutError: layouts that are more than plain digits have none in one.
        """
        return self.src.draw(cells=cells, to=self.dst)

    def _repr_mimebundle_(self, include: object = None,
                          exclude: object = None) -> dict[str, str]:
        try:
            picture = self.draw(cells=NOTEBOOK_CELLS).svg()
        except LayoutError:
            return {"text/html": _html.pictures(
                of.draw(cells=NOTEBOOK_CELLS).svg() for of in (self.src, self.dst)),
                "text/plain": str(self)}
        return linked({"image/svg+xml": picture, "text/plain": str(self)},
                      address(self.src, self.dst))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Plan, (self.src, self.dst, self.keep_gaps))

    def __str__(self) -> str:
        return str(self._core)

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
    _check_texts(src, dst)
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


def _format(of: Layout) -> str:
    """The buffer protocol's format of arrays of the layout's memory; "": there are none."""
    dtype = array_type(of)
    if dtype is None or of.parts:
        return ""
    try:
        return np.empty(0, dtype).data.format
    except ValueError:  # of ml_dtypes
        return ""


def _named(of: Layout) -> dict[str, int]:
    return dict(zip(of.dims, of.shape))


def _types(src: Layout, dst: Layout) -> tuple[str, str] | None:
    return None if src.dtype == dst.dtype else (src.dtype, dst.dtype)


def _check_texts(src: object, dst: object) -> None:
    for name, text in (("src", src), ("dst", dst)):
        if not isinstance(text, Layout):
            if not isinstance(text, str):
                raise TypeError(f"{name}: expected a text or a Layout, not "
                                f"{type(text).__name__}")
            checked_text(name, text)


def _pair(told: Told, src: str | Layout, dst: str | Layout, shape: Shape,
          dtype: object) -> tuple[Layout, Layout]:
    _check_texts(src, dst)
    if shape is not None and (isinstance(src, Layout) or isinstance(dst, Layout)):
        raise TypeError("shape: a layout tells it already")
    if dtype is not None and isinstance(dst, Layout):
        raise TypeError("dtype: dst tells it already")
    if isinstance(src, Layout):
        a = src
    else:
        named = _named(dst) if isinstance(dst, Layout) else shape
        type_ = told.dtype if told.dtype is not None else dtype
        a = (layout(src, named, type_) if named is not None
             else _shaped_by_array(told, src, type_))
    if isinstance(dst, Layout):
        return a, dst
    becomes = told.means or a.dtype if dtype is None else type_name(dtype)
    return a, layout(dst, _named(a), becomes)


def _shaped_by_array(told: Told, src: str, dtype: object) -> Layout:
    shape = shape_of_array(told, src)
    try:
        return layout(src, shape, dtype)
    except LayoutError:
        dims = spelled_dims(src)
        if shape is not None:
            raise
        if not dims:
            raise LayoutError(f"src: {src!r} needs a shape; give shape=") from None
        raise LayoutError(f"x: has {len(told.shape)} axes, {src!r} has the dims "
                          f"{', '.join(dims)}; give shape=") from None


def shape_of_array(told: Told, text: str) -> dict[str, int] | None:
    """By the order in which the text spells its dims, where the array has as many."""
    spelled = spelled_dims(text)
    if len(spelled) != len(told.shape):
        return None
    return dict(zip(spelled, told.shape))


def _run_by_strides(array: np.ndarray, a: Layout, b: Layout, keep_gaps: bool,
                    memory: np.ndarray, threads: int) -> None:
    """Converts an array that is read through its own strides, in parts."""
    dims = spelled_dims(a.text)
    end = bounds(array)[1]
    todo = []
    for part, starts in pieces(array, (0,) * array.ndim):
        source_layout, bytes_ = strided(part, dims, a.dtype, end)
        ranges = {d: (low, low + extent) for d, low, extent in
                  zip(dims, starts, part.shape)}
        todo.append((_core.plan(source_layout._bound, b._bound.window(ranges), True, True,
                                _types(a, b)), bytes_))
    check_apart(array, memory)
    if not keep_gaps:
        clear_tail(memory, b)
        if not b.dense and not b.parts:
            memory[:] = 0
    for made, bytes_ in todo:
        made.run(bytes_, memory, threads)


def _by_strides(array: np.ndarray, a: Layout) -> bool:
    """Whether an array is read through its own strides: it is not contiguous, and its axes
    are the layout's dims, in the order of its text."""
    if array.flags.c_contiguous or not a.dense or a.parts or len(spelled_dims(a.text)) != array.ndim:
        return False
    return a.array_shape == array.shape and array.itemsize * 8 == a.itembits
