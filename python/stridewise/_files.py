"""Files as arrays, without reading more of them than is asked for."""

from __future__ import annotations

import os
from typing import Any

import numpy as np


def is_path(x: object) -> bool:
    return isinstance(x, (str, os.PathLike))


def read(path: Any, name: str) -> tuple[np.ndarray, bool]:
    """The array of an .npy file, or the bytes of another one, as mapped memory; and whether
    it is bytes.

    Raises:
        OSError: a file that cannot be read.
        ValueError: an .npy file that is none; the message names the argument.
    """
    text = os.fspath(path)
    if text.endswith(".npy"):
        try:
            return np.load(text, mmap_mode="r", allow_pickle=False), False
        except (ValueError, EOFError) as error:
            raise ValueError(f"{name}: {text}: {error}") from None
    if os.path.getsize(text) == 0:  # which cannot be mapped
        return np.zeros(0, np.uint8), True
    return np.memmap(text, np.uint8, "r"), True
