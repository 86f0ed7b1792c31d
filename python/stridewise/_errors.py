"""What is raised of layouts."""

from __future__ import annotations


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
