"""HTML for notebooks, in the colours of the page around it."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Sequence


def report(title: str, findings: Iterable[str],
           rows: Sequence[tuple[str, object]] = ()) -> str:
    """A title, a list of sentences, and a table of names and what they are."""
    parts = [f"<p><strong>{html.escape(title)}</strong></p>"]
    items = "".join(f"<li>{html.escape(finding)}</li>" for finding in findings)
    parts.append(f"<ul>{items}</ul>" if items else "")
    cells = "".join(
        f'<tr><th style="text-align: left">{html.escape(name)}</th>'
        f'<td style="text-align: left">{html.escape(str(value))}</td></tr>'
        for name, value in rows)
    parts.append(f"<table>{cells}</table>" if cells else "")
    return f'<div style="color: inherit">{"".join(parts)}</div>'


def pictures(svgs: Iterable[str]) -> str:
    """Pictures below each other. As images, they do not share styles with the page."""
    return "".join(
        '<img style="display: block; max-width: 100%" alt="memory" src="data:image/svg+xml;'
        f'base64,{base64.b64encode(svg.encode()).decode()}">' for svg in svgs)
