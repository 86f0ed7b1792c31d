"""What is raised of layouts."""

from __future__ import annotations

import operator
from typing import Any


class LayoutError(ValueError):
    """What is wrong with a layout, where, and what would be right.

    Attributes:
        message: what is wrong, in one line.
        text: the text that the fault is in; empty where it is in none.
        position: the byte of the text where the fault is; -1: nowhere.
        code: "syntax", "unknown_name", "invalid_value", "overflow", "invalid_layout",
            "mismatch", "unsupported" or "io".
    """

    def __init__(self, shown: str, message: str | None = None, text: str = "",
                 position: int = -1, code: str = "unsupported") -> None:
        super().__init__(shown)
        self.message = shown if message is None else message
        self.text = text
        self.position = position
        self.code = code


LayoutError.__module__ = "stridewise"


def checked_text(name: str, x: Any) -> str:
    """An argument that is to be a text."""
    if not isinstance(x, str):
        raise TypeError(f"{name}: expected a str, not {type(x).__name__}")
    if not x.isascii():
        try:
            x.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{name}: {x!r} is no text that UTF-8 can write") from None
    return x


def checked_count(name: str, x: Any, least: int = 0, most: int = 2**63 - 1) -> int:
    """An argument that is to be a whole number from `least` to `most`."""
    try:
        count = operator.index(x)
    except TypeError:
        raise TypeError(f"{name}: expected a whole number, not {x!r}") from None
    if not least <= count <= most:
        raise ValueError(f"{name}: {least} to {most}, not {count}")
    return count


def checked_number(name: str, x: Any) -> float:
    """An argument that is to be a real number."""
    try:
        return float(x)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected a number, not {x!r}") from None
