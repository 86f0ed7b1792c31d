"""Arrays by DLPack, of types for which NumPy does not speak it."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core

# DLPack's codes of types, with their bits (dlpack.h, DLDataTypeCode).
_CODES = {
    "bool": (6, 8), "bf16": (4, 16), "f8_e3m4": (7, 8), "f8_e4m3": (8, 8),
    "f8_e4m3b11fnuz": (9, 8), "f8_e4m3fn": (10, 8), "f8_e4m3fnuz": (11, 8),
    "f8_e5m2": (12, 8), "f8_e5m2fnuz": (13, 8), "e8": (14, 8),
    **{f"s{bits}": (0, bits) for bits in (8, 16, 32, 64)},
    **{f"u{bits}": (1, bits) for bits in (8, 16, 32, 64)},
    **{f"f{bits}": (2, bits) for bits in (16, 32, 64)},
    "c64": (5, 64), "c128": (5, 128),
}
_NAMES = {code: name for name, code in _CODES.items()}


def from_dlpack(x: Any, name: str) -> tuple[np.ndarray, str]:
    """An array of integers as wide as the elements, which shares their memory, and the
    name of their type."""
    if tuple(x.__dlpack_device__())[0] != 1:
        raise ValueError(f"{name}: a {type(x).__name__} on a device; give one on the CPU")
    try:
        array, code, bits, lanes = _core.from_dlpack(x)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise ValueError(f"{name}: a {type(x).__name__} that cannot be read in place: "
                         f"{error}") from None
    dtype = _NAMES.get((code, bits))
    if dtype is None or lanes != 1:
        raise TypeError(f"{name}: elements of {bits} bits of DLPack's type {code}, "
                        f"{lanes} together; give its bytes")
    return array, dtype


def to_dlpack(memory: np.ndarray, shape: tuple[int, ...], dtype: str) -> Any:
    """Bytes as an array that speaks DLPack; it keeps them alive.

    Raises:
        TypeError: DLPack has no such type of whole bytes.
    """
    if dtype not in _CODES:
        raise TypeError(f"x: DLPack has no type of whole bytes for {dtype}; give its bytes")
    return _core.to_dlpack(memory, list(shape), *_CODES[dtype])
