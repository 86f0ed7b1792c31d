"""Names of element types, however a framework spells them."""

from __future__ import annotations

import functools

import numpy as np

from . import _core
from ._errors import checked_text

# Types that NumPy has itself.
_NUMPY = {
    "bool": "?", "s8": "i1", "u8": "u1", "s16": "i2", "u16": "u2",
    "s32": "i4", "u32": "u4", "s64": "i8", "u64": "u8", "f16": "f2",
    "f32": "f4", "f64": "f8", "c64": "c8", "c128": "c16",
}
# Types that the package ml_dtypes adds to NumPy.
_ML_DTYPES = {
    "bf16": "bfloat16", "f8_e4m3fn": "float8_e4m3fn", "f8_e5m2": "float8_e5m2",
    "f8_e4m3": "float8_e4m3", "f8_e3m4": "float8_e3m4",
    "f8_e4m3fnuz": "float8_e4m3fnuz", "f8_e5m2fnuz": "float8_e5m2fnuz",
    "f8_e4m3b11fnuz": "float8_e4m3b11fnuz", "e8": "float8_e8m0fnu",
    "f6_e2m3": "float6_e2m3fn", "f6_e3m2": "float6_e3m2fn",
    "f4": "float4_e2m1fn",
}
_OF_ML_DTYPES = {theirs: ours for ours, theirs in _ML_DTYPES.items()} | {
    "int2": "s2", "uint2": "u2", "int4": "s4", "uint4": "u4",
    "int1": "s1", "uint1": "u1",
}


def is_torch(x: object) -> bool:
    """Whether x is something of torch, or of a class that is derived from one of its."""
    return any(str(c.__module__).split(".")[0] == "torch" for c in type(x).__mro__)


@functools.lru_cache(maxsize=256)
def name_of_dtype(dtype: np.dtype) -> str:
    """The name of NumPy's dtype of an array, as `type_name` tells it."""
    return type_name(dtype)


def type_name(dtype: object) -> str:
    """The name of an element type: "f32", "bf16", "u4".

    Args:
        dtype: such a name or another spelling of it ("float32"), a dtype or scalar type of
            NumPy, ml_dtypes or JAX, or a dtype of torch.

    Raises:
        LayoutError: a name that no type has.
        TypeError: what is no type at all.
    """
    if isinstance(dtype, str) and dtype[:1] not in ("<", ">", "=", "|"):  # NumPy's spelling
        return _core.element_type(checked_text("dtype", _OF_ML_DTYPES.get(dtype, dtype)))[0]
    if is_torch(dtype):
        return type_name(str(dtype).rpartition(".")[2])
    try:
        if dtype is None:  # which NumPy takes for f64
            raise TypeError
        numpy = np.dtype(dtype)  # type: ignore[call-overload]
    except TypeError:
        raise TypeError(
            f"dtype: {dtype!r} is no element type; give a name such as 'f32', or a dtype "
            "of NumPy, ml_dtypes, torch or JAX") from None
    if numpy.names is not None or numpy.hasobject:
        raise TypeError(f"dtype: {numpy} has no single element type")
    if numpy.byteorder == ">":
        raise TypeError(f"dtype: {numpy} is big-endian; layouts are of little-endian types")
    return type_name(numpy.name)


@functools.lru_cache(maxsize=256)
def bits_of(name: str) -> int:
    """Bits of an element of the type."""
    return int(_core.element_type(name)[1])


@functools.lru_cache(maxsize=256)
def numpy_dtype(name: str) -> np.dtype | None:
    """The dtype of an array that holds an element of the type in each item.

    None where neither NumPy nor ml_dtypes, if it is installed, has one. Integers of other
    widths take the next wider items.
    """
    if name in _NUMPY:
        return np.dtype(_NUMPY[name])
    if name in _ML_DTYPES:
        try:
            import ml_dtypes
        except ImportError:
            return None
        found = getattr(ml_dtypes, _ML_DTYPES[name], None)
        return None if found is None else np.dtype(found)
    bits = bits_of(name)
    if name[:1] in "su" and bits <= 64:
        return np.dtype(f"{'i' if name[0] == 's' else 'u'}{_item_bytes(bits)}")
    return None


def _item_bytes(bits: int) -> int:
    return next(count for count in (1, 2, 4, 8) if bits <= 8 * count)
