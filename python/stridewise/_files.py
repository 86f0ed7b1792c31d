"""Files as arrays, without reading more of them than is asked for."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np

from . import _core


def is_path(x: object) -> bool:
    return isinstance(x, (str, os.PathLike))


def _is_contained(text: str) -> bool:
    try:
        return _core.is_contained(text)
    except TypeError:  # a name that is no UTF-8
        return False


class Stored(NamedTuple):
    """What a file holds: an array, or bytes whose type and shape it may tell."""

    array: np.ndarray
    is_bytes: bool = False
    dtype: str = ""  # of bytes: the type of what they are
    shape: tuple[int, ...] = ()


def read(path: Any, name: str) -> Stored:
    """The array of an .npy file, a tensor of a container ("model.safetensors:w"), or the
    bytes of another file; mapped where they can be.

    Raises:
        OSError: a file that cannot be read.
        ValueError: an .npy file that is none; the message names the argument.
        LayoutError: a container that lies about its contents, or has no such tensor.
    """
    text = os.fsdecode(path)
    if text.endswith(".npy"):
        try:
            return Stored(np.load(text, mmap_mode="r", allow_pickle=False))
        except (ValueError, EOFError) as error:
            raise ValueError(f"{name}: {text}: {error}") from None
    if _is_contained(text):
        memory, dtype, shape = _core.open_contained(text)
        return Stored(memory, True, dtype, tuple(shape))
    if os.path.getsize(text) == 0:  # which cannot be mapped
        return Stored(np.zeros(0, np.uint8), True)
    return Stored(np.memmap(text, np.uint8, "r"), True)
