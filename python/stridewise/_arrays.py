"""Arrays of anyone as memory, and memory as arrays of their kind."""

from __future__ import annotations

import functools
import math
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._dlpack import from_dlpack
from ._dtypes import bits_of, is_torch, name_of_dtype, numpy_dtype, type_name
from ._errors import LayoutError, checked_count
from ._files import is_path, read

if TYPE_CHECKING:
    from ._layout import Layout

# Integers of a width, for what NumPy has no type of.
_OPAQUE = ("u1", "u2", "u4", "u8")

# Whose arrays results are: NumPy's, torch's, or those of a namespace of the array API.
Kind = str | ModuleType


class Told(NamedTuple):
    """What an array tells of itself."""

    shape: tuple[int, ...]
    dtype: str | None  # None: bytes of no type
    means: str | None = None  # of items that hold less than their bytes: the type


class Source(NamedTuple):
    """An array that is read: NumPy's view of it, and what it tells."""

    array: np.ndarray
    told: Told
    kind: Kind = "numpy"

    @property
    def dtype(self) -> str | None:
        return self.told.dtype


def source(x: Any, name: str = "x") -> Source:
    """The array behind an argument, or in the file that it names, without a copy.

    Raises:
        OSError, LayoutError: a file that cannot be read.
        TypeError: what is no array; the message names the argument.
        ValueError: an array that cannot be read in place.
    """
    if isinstance(x, np.ndarray):
        return of_numpy(x, name)
    if is_path(x):
        stored = read(x, name)
        # Maps of files are of a class of their own.
        plain = stored.array.view(np.ndarray)
        if stored.dtype:
            return _of_bytes(plain, stored.dtype, stored.shape)
        return _bytes(plain) if stored.is_bytes else of_numpy(plain, name)
    if isinstance(x, (bytes, bytearray)):
        return _bytes(np.frombuffer(x, np.uint8))
    if is_torch(x):
        array = _of_torch(x, name)
        return Source(array, Told(array.shape, type_name(x.dtype)), "torch")
    if hasattr(x, "__array_interface__") or hasattr(x, "__array__"):
        try:
            return of_numpy(np.asarray(x), name)._replace(kind=_kind(x))
        except ValueError as error:  # a type that NumPy does not have
            if not hasattr(x, "__dlpack__"):
                raise ValueError(f"{name}: {error}") from None
    if hasattr(x, "__dlpack__"):
        return _of_dlpack(x, name)._replace(kind=_kind(x))
    try:
        view = memoryview(x)
    except TypeError:
        raise TypeError(f"{name}: expected an array or a buffer, not "
                        f"{type(x).__name__}") from None
    array = np.asarray(view)
    if view.format is not None and view.format.lstrip("<=@") in ("B", "b", "c"):
        return _bytes(array.view(np.uint8))
    return of_numpy(array, name)


def _bytes(array: np.ndarray) -> Source:
    return Source(array, Told(array.shape, None))


def _of_bytes(memory: np.ndarray, dtype: str, shape: tuple[int, ...]) -> Source:
    """Bytes as elements of a type, which NumPy may not have."""
    bits = bits_of(dtype)
    if bits % 8 != 0 or bits // 8 * math.prod(shape) != memory.nbytes:
        return _bytes(memory)
    items = numpy_dtype(dtype)
    if items is None or items.itemsize * 8 != bits:
        items = np.dtype(f"u{bits // 8}")
    return Source(memory.view(items).reshape(shape), Told(shape, dtype))


def _kind(x: Any) -> Kind:
    """Whose arrays results for x are."""
    namespace = getattr(x, "__array_namespace__", None)
    if namespace is None or isinstance(x, np.generic):
        return "numpy"
    made: ModuleType = namespace()
    return made


def of_numpy(x: np.ndarray, name: str) -> Source:
    if type(x) is not np.ndarray:
        if isinstance(x, np.ma.MaskedArray):
            advice = "" if name == "out" else f"; give {name}.filled(...)"
            raise TypeError(f"{name}: a masked array, whose mask would be lost{advice}")
        x = np.asarray(x)
    held, means = told_type(x.dtype, name)
    if means is not None:
        x = x.astype(numpy_dtype(held))
    return Source(x, Told(x.shape, held, means))


def told_type(dtype: np.dtype, name: str = "x") -> tuple[str, str | None]:
    """The type that items of an array are read as, and the type that they mean.

    Two for ml_dtypes' integers and floats of less than a byte, which have a byte each: they
    are read as s8, u8 or f32, by NumPy's own conversion. Else the second is None.

    Raises:
        TypeError, ValueError: items that are no numbers; the message names the argument.
    """
    if dtype.byteorder == ">":
        advice = ("" if name == "out" else
                  f"; give {name}.astype({name}.dtype.newbyteorder('<'))")
        raise ValueError(f"{name}: the array is big-endian{advice}")
    try:
        held = name_of_dtype(dtype)
    except (LayoutError, TypeError):
        raise TypeError(f"{name}: an array of {dtype} is no tensor") from None
    if bits_of(held) == 8 * dtype.itemsize:
        return held, None
    return {"s": "s8", "u": "u8"}.get(held[0], "f32"), held


def _of_torch(x: Any, name: str) -> np.ndarray:
    import torch

    if not isinstance(x, torch.Tensor):
        raise TypeError(f"{name}: expected an array or a buffer, not {type(x).__name__}")
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


def _of_dlpack(x: Any, name: str) -> Source:
    """By the protocol, of types that NumPy does not have, too."""
    try:
        return of_numpy(np.from_dlpack(x), name)
    except (BufferError, RuntimeError, TypeError):
        array, dtype = from_dlpack(x, name)
        return Source(array, Told(array.shape, dtype))


def memory_of(array: np.ndarray) -> np.ndarray:
    """The bytes of a contiguous array, as a view."""
    return array.reshape(-1).view(np.uint8)


def array_type(layout: Layout) -> np.dtype | None:
    """The dtype of an array of `layout.array_shape` that is the layout's memory; None
    where there is no such array."""
    dtype = numpy_dtype(layout.dtype)
    bytes_ = math.prod(layout.array_shape) * layout.itembits // 8
    if dtype is None or dtype.itemsize * 8 != layout.itembits or bytes_ != layout.nbytes:
        return None
    return dtype


def new_result(kind: Kind, layout: Layout) -> tuple[Any, np.ndarray]:
    """A new array of a layout's memory, of torch or NumPy, and its bytes.

    Where there is no such type, it is the bytes themselves.
    """
    # What a conversion to one part leaves alone is zero.
    memory = (np.zeros if layout.parts else np.empty)(layout.nbytes, np.uint8)
    if kind == "torch":
        return _torch_result(memory, layout), memory
    dtype = array_type(layout)
    return (memory if dtype is None
            else memory.view(dtype).reshape(layout.array_shape)), memory


def of_kind(kind: Kind, result: Any) -> Any:
    """A result of NumPy as an array of the namespace that the source is of; as it is
    where that has no such type."""
    if isinstance(kind, str):
        return result
    made = kind.asarray(result)
    return made if getattr(made, "dtype", None) == result.dtype else result


def _torch_result(memory: np.ndarray, layout: Layout) -> Any:
    import torch

    tensor = torch.from_numpy(memory)
    dtype = _torch_dtypes().get(layout.dtype)
    if dtype is None or math.prod(layout.array_shape) * dtype.itemsize != layout.nbytes:
        return tensor
    return tensor.view(dtype).reshape(layout.array_shape)


@functools.cache
def _torch_dtypes() -> dict[str, Any]:
    """The dtypes of torch that hold one element of a type each."""
    import torch

    found = {}
    for name in dir(torch):
        dtype = getattr(torch, name)
        if isinstance(dtype, torch.dtype):
            try:
                known = type_name(dtype)
            except (LayoutError, TypeError):
                continue
            if bits_of(known) == 8 * dtype.itemsize:
                found[known] = dtype
    return found


def check_type(given: Source, layout: Layout, name: str) -> None:
    """Bytes are memory of any type; other arrays are of the layout's, or opaque."""
    if given.dtype in (None, "u8", layout.dtype):
        return
    width = given.array.dtype.itemsize * 8
    opaque = layout.itembits == width and numpy_dtype(layout.dtype) is None
    if opaque and given.array.dtype.str[1:] in _OPAQUE:
        return
    packed = f"; packed ones are bytes: {name}.view('u1')" if layout.itembits < 8 else ""
    raise TypeError(f"{name}: is of {given.dtype}, the layout of {layout.dtype} "
                    f"({bits_of(layout.dtype)} bits){packed}")


def readable_memory(given: Source, layout: Layout, name: str) -> np.ndarray:
    """The bytes of a contiguous array that holds the layout's memory.

    Raises:
        TypeError: an array of another type.
        ValueError: an array that is not contiguous, or of another size.
    """
    check_type(given, layout, name)
    array = given.array
    if not array.flags.c_contiguous:
        check_shape(given, layout, name)
        raise ValueError(f"{name}: is not contiguous, and {layout.notation} is no order "
                         "of whole dims that its strides could say")
    if array.nbytes != layout.nbytes:
        raise ValueError(f"{name}: has {array.nbytes} bytes, {layout} needs "
                         f"{layout.nbytes}")
    check_shape(given, layout, name)
    return memory_of(array)


def check_shape(given: Source, layout: Layout, name: str) -> None:
    """An array of several axes is the layout's digits; flat ones and bytes are memory."""
    array = given.array
    bytes_ = given.dtype in (None, "u8") and layout.dtype != "u8"
    if array.ndim < 2 or bytes_ or array.shape == layout.array_shape:
        return
    raise ValueError(f"{name}: has the shape {array.shape}, the memory of "
                     f"{layout.notation} is {layout.array_shape}; flatten what is memory "
                     "without a shape")


def checked_threads(threads: Any) -> int:
    """How many threads may work."""
    return checked_count("threads", threads, 1, 4096)
