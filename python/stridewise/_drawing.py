"""Pictures of memory: SVG in notebooks, text in terminals, a page on request."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Literal

from ._errors import checked_count
from ._explorer import address, linked

if TYPE_CHECKING:
    import numpy as np

    from ._layout import Layout

Label = Literal["index", "offset", "value"]

# Cells of a picture that nobody asked for, which a saved notebook keeps.
NOTEBOOK_CELLS = 256
# Pixels of the frame that a page is shown in.
_FRAME_HEIGHT = 480


class Page(str):
    """An HTML page that stands on its own; a notebook shows it in a frame."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self)}" width="100%" '
                f'height="{_FRAME_HEIGHT}" style="border: 0"></iframe>')

    def __repr__(self) -> str:
        return f"<page of {len(self)} characters>"


class Drawing:
    """A picture of a layout's memory: see `Layout.draw`."""

    __slots__ = ("_layout", "_options", "_to")

    def __init__(self, layout: Layout, color: str, cells: int, title: str, label: str,
                 to: Layout | None, data: np.ndarray | None) -> None:
        self._layout = layout
        self._to = to
        self._options = (layout._name, color, cells, title, label,
                         None if to is None else to._bound, data)
        self.text()  # an error belongs to who asks for the picture

    def _draw(self, form: str, width: int = 0) -> str:
        return self._layout._bound.draw(form, width, *self._options)

    def svg(self) -> str:
        """The picture as an SVG document."""
        return self._draw("svg")

    def html(self) -> Page:
        """The picture as one page with a script that answers where elements lie."""
        return Page(self._draw("html"))

    def text(self, width: int = 100) -> str:
        """The picture as lines of at most `width` characters."""
        return self._draw("text", checked_count("width", width, 0, 2**16))

    def save(self, path: Any) -> None:
        """Writes an .svg or .html file.

        Raises:
            ValueError: a name that ends in neither.
        """
        name = str(path)
        if name.endswith(".svg"):
            content = self.svg()
        elif name.endswith((".html", ".htm")):
            content = self.html()
        else:
            raise ValueError(f"path: {name!r} ends neither in .svg nor in .html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)

    def _repr_mimebundle_(self, include: object = None,
                          exclude: object = None) -> dict[str, str]:
        _, color, _, _, label, *_ = self._options
        where = address(self._layout, self._to, colour=color,
                        label="" if label in ("", "index") else label)
        return linked({"image/svg+xml": self.svg(), "text/plain": self.text()}, where)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<picture of {self._layout.notation}>"
