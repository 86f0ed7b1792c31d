"""Reads a picture back: what an SVG of `draw` says, cell by cell."""

import collections
import re
import xml.etree.ElementTree as ET

NAMESPACE = "{http://www.w3.org/2000/svg}"

Cell = collections.namedtuple(
    "Cell", "kind index offset byte value text text_x text_y style x y width "
    "height")


def numbers(element, *names):
    return [float(element.get(name)) for name in names]


def index_of(text):
    return {name: int(value) for name, value in
            (part.split("=") for part in text.split(","))}


def cell_of(node):
    rect = node.find(f"{NAMESPACE}rect")
    text = node.find(f"{NAMESPACE}text")
    index = node.get("data-index")
    return Cell(kind=node.get("data-kind"),
                index=None if index is None else index_of(index),
                offset=integer(node.get("data-offset")),
                byte=integer(node.get("data-byte")),
                value=node.get("data-value"),
                text="" if text is None else text.text,
                text_x=None if text is None else float(text.get("x")),
                text_y=None if text is None else float(text.get("y")),
                style=node.get("class"),
                **dict(zip(("x", "y", "width", "height"),
                           numbers(rect, "x", "y", "width", "height"))))


def segments(path):
    """The lines of a path of M, H and V: x0, y0, x1, y1."""
    x = y = 0.0
    for command, rest in re.findall(r"([MHV])([-\d. ]+)", path):
        values = [float(v) for v in rest.split()]
        if command == "M":
            x, y = values
            continue
        to = (values[0], y) if command == "H" else (x, values[0])
        yield (x, y, *to)
        x, y = to


def integer(text):
    return None if text is None else int(text)


class Panel:
    """One memory, or the logical tensor."""

    def __init__(self, node):
        self.name = node.get("data-panel")
        self.expression = node.get("data-expression")
        self.x, self.y = map(float, re.findall(
            r"[\d.]+", node.get("transform")))
        self.cells = [cell_of(g) for g in node.iter(f"{NAMESPACE}g")
                      if g.get("data-kind") is not None]
        self.elided = [(int(t.get("data-elided")), t.text)
                       for t in node.iter(f"{NAMESPACE}text")
                       if t.get("data-elided") is not None]
        self.tags = [t.text for g in node.iter(f"{NAMESPACE}g")
                     if g.get("class") in ("tag", "mark")
                     for t in g.iter(f"{NAMESPACE}text")]

        tags = [g.find(f"{NAMESPACE}rect") for g in node.iter(f"{NAMESPACE}g")
                if g.get("class") in ("tag", "mark")]
        self.tag_boxes = [(x, y, x + width, y + height) for x, y, width, height
                          in (numbers(r, "x", "y", "width", "height")
                              for r in tags)]
        self.arrows = [line for p in node.iter(f"{NAMESPACE}path")
                       if p.get("class") == "jump"
                       for line in segments(p.get("d"))]

    def count(self, kind):
        return sum(cell.kind == kind for cell in self.cells)

    def at(self, **index):
        """The cell that names this element."""
        return next(cell for cell in self.cells if cell.index == index)


class Picture:
    def __init__(self, text):
        self.root = ET.fromstring(text)
        self.text = text
        self.width, self.height = numbers(self.root, "width", "height")
        self.panels = [Panel(g) for g in self.root.iter(f"{NAMESPACE}g")
                       if g.get("class") == "panel"]
        legend = next(g for g in self.root.iter(f"{NAMESPACE}g")
                      if g.get("class") == "legend")
        self.legend = " | ".join(t.text for t in legend.iter(
            f"{NAMESPACE}text"))
