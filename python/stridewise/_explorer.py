"""Addresses of the explorer: a page for browsers that shows a layout (docs/explorer.md)."""

from __future__ import annotations

import html
import os
import urllib.parse
from typing import TYPE_CHECKING

from ._html import pictures

if TYPE_CHECKING:
    from ._layout import Layout

# Names the page that pictures in notebooks link to; without it they have no link.
PAGE_VARIABLE = "STRIDEWISE_EXPLORER"


def _written(word: str) -> str:
    # Round brackets and "~" end links in some documents.
    return urllib.parse.quote(word, safe=",/:=;@$").replace("~", "%7E").replace("%20", "+")


def address(layout: Layout, to: Layout | None = None, **words: str) -> str:
    """What follows the page's name: "#layout=nChw8c&shape=n=1,c=17"."""
    tables = ";".join(f"{name}={','.join(map(str, entries))}"
                      for name, entries in layout._tables.items())
    state = {"layout": layout._text,
             "shape": ",".join(f"{name}={extent}" for name, extent in layout._whole),
             "dtype": layout._dtype, "to": "" if to is None else to._text,
             "part": layout._part or "", "tables": tables, **words}
    return "#" + "&".join(f"{name}={_written(word)}" for name, word in state.items() if word)


def link(page: str | os.PathLike[str] | None, where: str) -> str:
    """The address on a page: that of the environment variable, or one of this name."""
    return os.fspath(page or os.environ.get(PAGE_VARIABLE) or "explorer.html") + where


def linked(bundle: dict[str, str], where: str) -> dict[str, str]:
    """A picture as a notebook shows it, with a link below where the page is known."""
    if not os.environ.get(PAGE_VARIABLE):
        return bundle
    href = html.escape(link(None, where))
    shown = f'{pictures([bundle["image/svg+xml"]])}<p><a href="{href}">In the explorer</a></p>'
    return {"text/html": shown, "text/plain": bundle["text/plain"]}
