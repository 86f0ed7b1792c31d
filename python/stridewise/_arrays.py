"""Arrays of anyone as memory, and memory as arrays of their kind."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ._errors import LayoutError
from ._dtypes import bits_of, name_of_dtype, numpy_dtype, type_name
from ._layout import Layout

# Integers of a width, for what NumPy has no type of.
_OPAQUE = ("u1", "u2", "u4", "u8")


class Source(NamedTuple):
    """An array that is read: NumPy's view of it, and what its elements are."""

    array: np.ndarray
    dtype: str | None  # None: bytes of no type
    kind: str  # "numpy" or "torch": what results are to be
    means: str | None = None  # of items that hold less than their bytes: the type


def is_torch(x: object) -> bool:
    return type(x).__module__.split(".")[0] == "torch"


def source(x: Any, name: str = "x") -> Source:
    """The array behind an argument, without a copy.

    Raises:
        TypeError: what is no array; the message names the argument.
        ValueError: an array that cannot be read in place.
    """
    if isinstance(x, np.ndarray):
        return _of_numpy(x, name)
    if is_torch(x):
        return Source(_of_torch(x, name), type_name(x.dtype), "torch")
    if isinstance(x, (bytes, bytearray)):
        return Source(np.frombuffer(x, np.uint8), None, "numpy")
    if hasattr(x, "__array_interface__") or hasattr(x, "__array__"):
        return _of_numpy(np.asarray(x), name)
    if hasattr(x, "__dlpack__"):
        return _of_numpy(np.from_dlpack(x), name)
    try:
        view = memoryview(x)
    except TypeError:
        raise TypeError(f"{name}: expected an array or a buffer, not "
                        f"{type(x).__name__}") from None
    given = _of_numpy(np.asarray(view), name)
    return given._replace(dtype=None) if view.format in ("B", "b", "c") else given


def _of_numpy(x: np.ndarray, name: str) -> Source:
    if type(x) is not np.ndarray:
        if isinstance(x, np.ma.MaskedArray):
            raise TypeError(f"{name}: a masked array, whose mask would be lost; give "
                            f"{name}.filled(...)")
        x = np.asarray(x)
    if x.dtype.byteorder == ">" or x.dtype.kind in "OVMmSU":
        _checked(x, name)
    held = name_of_dtype(x.dtype)
    bits = bits_of(held)
    if bits == 8 * x.dtype.itemsize:
        return Source(x, held, "numpy")
    # ml_dtypes has a byte for each element of less.
    whole = f"{held[0]}8" if held[0] in "su" else "u8"
    return Source(x.view("i1" if whole == "s8" else "u1"), whole, "numpy", held)


def _checked(array: np.ndarray, name: str) -> np.ndarray:
    if array.dtype.hasobject or array.dtype.names is not None:
        raise TypeError(f"{name}: an array of {array.dtype} is no tensor")
    if array.dtype.byteorder == ">":
        raise ValueError(f"{name}: the array is big-endian; give "
                         f"{name}.astype({name}.dtype.newbyteorder('<'))")
    return array


def _of_torch(x: Any, name: str) -> np.ndarray:
    import torch

    if x.layout != torch.strided or x.device.type != "cpu":
        raise ValueError(f"{name}: a {x.layout} tensor on {x.device}; strided ones on the "
                         "CPU are read in place")
    if x.is_conj() or x.is_neg():
        raise ValueError(f"{name}: a tensor that is conjugated or negated when it is "
                         "read; give x.resolve_conj().resolve_neg()")
    whole = x.detach()
    try:
        array: np.ndarray = whole.numpy()
    except TypeError:
        widths = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
        array = whole.view(widths[x.element_size()]).numpy()
    return array


def memory_of(array: np.ndarray) -> np.ndarray:
    """The bytes of a contiguous array, as a view."""
    return array.reshape(-1).view(np.uint8)


def result_like(kind: str, layout: Layout) -> tuple[Any, np.ndarray]:
    """A new array of a layout's memory, of the caller's kind, and its bytes.

    Where the kind has no such type, it is the bytes themselves.
    """
    # What a conversion to one part leaves alone is zero.
    memory = (np.zeros if layout.parts else np.empty)(layout.nbytes, np.uint8)
    shape = layout.array_shape
    width = layout.itembits // 8
    fits = layout.itembits % 8 == 0 and math.prod(shape) * width == layout.nbytes
    if kind == "torch":
        return _torch_result(memory, layout, shape if fits else None), memory
    dtype = numpy_dtype(layout.dtype)
    if not fits or dtype is None or dtype.itemsize != width:
        return memory, memory
    return memory.view(dtype).reshape(shape), memory


def _torch_result(memory: np.ndarray, layout: Layout,
                  shape: tuple[int, ...] | None) -> Any:
    import torch

    tensor = torch.from_numpy(memory)
    if shape is None:
        return tensor
    for name in dir(torch):
        dtype = getattr(torch, name)
        if isinstance(dtype, torch.dtype) and _same_type(dtype, layout.dtype):
            return tensor.view(dtype).reshape(shape)
    return tensor


def _same_type(dtype: object, name: str) -> bool:
    try:
        return type_name(dtype) == name
    except (LayoutError, TypeError):
        return False


def writable_memory(out: Any, layout: Layout) -> np.ndarray:
    """The bytes of an array that is written in place.

    Raises:
        TypeError: what is no array, or one of another type than the layout's.
        ValueError: an array that is read-only, not contiguous or of another size.
    """
    if not isinstance(out, np.ndarray):
        _check_shares(out)
    given = source(out, "out")
    array = given.array
    if not array.flags.writeable:
        raise ValueError("out: is read-only")
    if not array.flags.c_contiguous:
        raise ValueError("out: is not contiguous; its memory is the layout's")
    check_type(given, layout, "out")
    if array.nbytes != layout.nbytes:
        raise ValueError(f"out: has {array.nbytes} bytes, the layout needs "
                         f"{layout.nbytes}")
    _check_shape(given, layout, "out")
    return memory_of(array)


def _check_shares(out: object) -> None:
    """What NumPy can only copy is not written in place."""
    shares = is_torch(out) or (not isinstance(out, np.generic) and any(
        hasattr(out, p) for p in ("__array_interface__", "__dlpack__")))
    if not shares and hasattr(out, "__array__"):
        raise TypeError(f"out: a {type(out).__name__} is no array that is written in place")


def check_type(given: Source, layout: Layout, name: str) -> None:
    """Bytes are memory of any type; other arrays are of the layout's, or opaque."""
    if given.dtype in (None, "u8", layout.dtype):
        return
    width = given.array.dtype.itemsize * 8
    opaque = layout.itembits == width and numpy_dtype(layout.dtype) is None
    if opaque and given.array.dtype.str[1:] in _OPAQUE:
        return
    raise TypeError(f"{name}: is of {given.dtype}, the layout of {layout.dtype} "
                    f"({bits_of(layout.dtype)} bits)")


def readable_memory(given: Source, layout: Layout, name: str) -> np.ndarray:
    """The bytes of a contiguous array that holds the layout's memory.

    Raises:
        TypeError: an array of another type.
        ValueError: an array that is not contiguous, or of another size.
    """
    check_type(given, layout, name)
    array = given.array
    if not array.flags.c_contiguous:
        raise ValueError(f"{name}: is not contiguous, and {layout.notation} is no order "
                         "of whole dims that its strides could say")
    if array.nbytes != layout.nbytes:
        raise ValueError(f"{name}: has {array.nbytes} bytes, {layout} needs "
                         f"{layout.nbytes}")
    _check_shape(given, layout, name)
    return memory_of(array)


def _check_shape(given: Source, layout: Layout, name: str) -> None:
    """An array of several axes is the layout's digits; flat ones and bytes are memory."""
    array = given.array
    bytes_ = given.dtype in (None, "u8") and layout.dtype != "u8"
    if array.ndim < 2 or bytes_ or array.shape == layout.array_shape:
        return
    raise ValueError(f"{name}: has the shape {array.shape}, the memory of "
                     f"{layout.notation} is {layout.array_shape}; flatten what is memory "
                     "without a shape")
