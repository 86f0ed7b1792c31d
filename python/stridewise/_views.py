"""Arrays as they lie in memory: by digits, by strides, by DLPack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from . import _dlpack
from ._arrays import array_type, memory_of, readable_memory, source
from ._errors import LayoutError
from ._layout import Layout
from ._make import layout, named_dims


def physical(x: Any, of: Layout) -> np.ndarray:
    """Memory as the array that it is: one axis a digit of the layout, slowest first.

    Args:
        x: contiguous memory of the layout: bytes or an array, of any shape.
        of: the layout.

    Returns:
        A view of x of the shape `of.array_shape`.

    Raises:
        LayoutError: NumPy has no such type, or the memory is more than its digits.
        TypeError, ValueError: x is no such memory.

    >>> L = layout("nChw16c", (2, 17, 5, 4))
    >>> physical(bytes(L.nbytes), L).shape
    (2, 2, 5, 4, 16)
    """
    if not isinstance(of, Layout):
        raise TypeError(f"of: expected a Layout, not {type(of).__name__}")
    dtype = array_type(of)
    if dtype is None:
        raise LayoutError(f"{of.notation}: its memory is no array of {of.dtype}; its "
                          "bytes are all that NumPy can have")
    given = source(x)
    flat = (given._replace(array=given.array.reshape(-1))
            if given.array.flags.c_contiguous else given)
    return readable_memory(flat, of, "x").view(dtype).reshape(of.array_shape)


def to_dlpack(x: Any) -> Any:
    """An array that speaks DLPack, of types for which NumPy's own do not.

    Args:
        x: a contiguous array, of bf16, an eight-bit float or another whole-byte type.

    Returns:
        What torch.from_dlpack and jax.dlpack.from_dlpack take; it shares x's memory.

    Raises:
        TypeError: DLPack has no such type.
        ValueError: an array that is not contiguous, or read-only.

    >>> import numpy as np
    >>> np.from_dlpack(to_dlpack(np.arange(3, dtype="f4")))
    array([0., 1., 2.], dtype=float32)
    """
    given = source(x)
    if not given.array.flags.c_contiguous:
        raise ValueError("x: is not contiguous")
    if not given.array.flags.writeable:
        raise ValueError("x: is read-only, which its readers would not know")
    return _dlpack.to_dlpack(memory_of(given.array), given.array.shape,
                             given.told.means or given.dtype or "u8")


def layout_of(x: Any, dims: Sequence[str] | None = None) -> Layout:
    """The layout of an array's elements in memory, by its strides.

    Args:
        x: an array of NumPy, torch or another kind that is read in place.
        dims: names of its axes, "nhwc" or ("rows", "cols"); else "nchw" and the like.

    Returns:
        Its dims are the array's axes; memory begins at the lowest byte of an element.

    >>> import numpy as np
    >>> x = np.zeros((2, 17, 5, 4), "f4").transpose(0, 2, 3, 1)
    >>> layout_of(x, "nhwc").notation
    'n c h w'
    >>> layout_of(x[:, ::2], "nhwc").notation
    'n:340 h:8 w:1 c:20'
    """
    given = source(x)
    array = given.array
    names = named_dims(dims, array.ndim)
    extents = dict(zip(names, array.shape))
    # The slowest first; axes of one index have any stride.
    order = sorted(range(array.ndim), key=lambda k: -abs(array.strides[k]))
    order = ([k for k in order if array.shape[k] == 1] +
             [k for k in order if array.shape[k] != 1])
    if given.told.means is not None:  # an element of fewer bits at each byte
        array = x
        text = strided_text(array, names, in_bytes=True)
    elif array.transpose(order).flags.c_contiguous or not array.size:
        text = " ".join(names[k] for k in order) or "-"
    else:
        text = strided_text(array, names)
    return layout(text, extents, given.told.means or given.dtype or "u8")


def strided_text(array: np.ndarray, dims: Sequence[str], in_bytes: bool = False) -> str:
    """An expression of an array's strides, from its lowest byte on: in elements, where they
    are multiples, and else in bytes."""
    width = array.itemsize
    base = sum((e - 1) * -s for s, e in zip(array.strides, array.shape) if s < 0)
    whole = not in_bytes and all(s % width == 0 for s in (*array.strides, base))

    def told(count: int) -> str:
        return f"{count // width}" if whole else f"{count}B"

    terms = [f"{d}:{told(s)}" for d, s in zip(dims, array.strides)]
    return " ".join([f"@{told(base)}", *terms] if base else terms) or "-"


def pieces(array: np.ndarray, starts: tuple[int, ...]
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
    yield from pieces(array[tuple(after)], _moved(starts, axis, one))


def _moved(starts: tuple[int, ...], axis: int, by: int) -> tuple[int, ...]:
    return (*starts[:axis], starts[axis] + by, *starts[axis + 1:])


def bounds(array: np.ndarray) -> tuple[int, int]:
    """The addresses of the first byte and behind the last one."""
    reach = [(e - 1) * s for e, s in zip(array.shape, array.strides)]
    first = array.__array_interface__["data"][0]
    return (first + sum(r for r in reach if r < 0),
            first + sum(r for r in reach if r > 0) + array.itemsize)


def strided(array: np.ndarray, dims: Sequence[str], dtype: str, end: int
            ) -> tuple[Layout, np.ndarray]:
    """A layout that says the array's strides, and the bytes from its lowest one on.

    Memory is read up to `end`. Views whose elements interleave may need more: those are
    copied.
    """
    extents = dict(zip(dims, array.shape))
    made = layout(strided_text(array, dims), extents, dtype)
    if bounds(array)[0] + made.nbytes > end:
        return (layout(" ".join(dims), extents, dtype),
                memory_of(np.ascontiguousarray(array)))
    flipped = array[tuple(slice(None, None, -1 if s < 0 else 1)
                          for s in array.strides)]
    lowest = np.lib.stride_tricks.as_strided(flipped, (1,) * array.ndim)
    bytes_ = np.lib.stride_tricks.as_strided(
        lowest.reshape(-1).view(np.uint8), (made.nbytes,), (1,), writeable=False)
    return made, bytes_
