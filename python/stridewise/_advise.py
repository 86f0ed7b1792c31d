"""Which layout a tensor should have, and all tensors of a network."""

from __future__ import annotations

import dataclasses
import math
import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from . import _core
from ._dtypes import type_name
from ._errors import checked_count, checked_number, checked_text
from ._layout import Layout
from ._make import Shape, _shape_text, layout

Operation = Literal["conv", "gemm", "pool", "copy"]


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A layout, and what it costs. Numbers are those of `stridewise advise`.

    `costs` are what it loses, 0 at best; None is not known, or does not apply.
    """

    text: str
    also: list[str]
    layout: Layout
    nbytes: int
    waste: int
    padding: dict[str, int]
    run: dict[str, int | None]
    runs: int | None
    descriptors: int | None
    row_alignment: int | None
    banks: dict[str, int] | None
    left: int | None
    turns: float | None
    loads: int | None
    filled: float | None
    there: float | None
    back: float | None
    there_cycles: float | None
    back_cycles: float | None
    costs: dict[str, float | None]
    score: float
    front: bool
    missed: list[tuple[str, int, int]]

    @property
    def fits(self) -> bool:
        """Whether it keeps all limits of the chip."""
        return not self.missed

    def __str__(self) -> str:
        mark = "*" if self.front else " "
        return f"{mark} {self.text}: {self.nbytes} bytes, {self.waste} wasted, {self.score:.3f}"


@dataclasses.dataclass(frozen=True)
class Advice:
    """Candidates, the best first: those that fit, then by score."""

    candidates: list[Candidate]
    left_out: dict[str, str]
    tried: int

    @property
    def best(self) -> Candidate:
        """The first one."""
        return self.candidates[0]

    def __str__(self) -> str:
        return "\n".join(str(candidate) for candidate in self.candidates)


def advise(shape: Shape = None, dtype: object = "f32", *, family: str | Sequence[str] = (),
           op: Operation = "conv", vector: str | None = None, lanes: int = 0,
           box: Mapping[str, int] | None = None, source: str | None = None,
           limits: Mapping[str, int | str] | None = None,
           weights: Mapping[str, float] | None = None, machine: str = "",
           **dims: int) -> Advice:
    """Layouts of the catalogue for a tensor, ranked by what they lose.

    Args:
        shape: as for `layout`. Four numbers without names are n, c, h, w.
        dtype: see `type_name`.
        family: vendors or layouts of the catalogue, with values for parameters: "okk",
            "okk.matrix(npus=4)". Without any: all.
        op: who reads the tensor; decides along which dim vectors are loaded.
        vector: that dim instead, and `lanes` of them (0: 64 bytes, or what the chip has).
        box: the indices that are read at once, for conflicts of banks.
        source: the layout that the tensor is in now, for the price of conversions.
        limits: of the chip, as {"bank_bytes": 65536, "pixel": 16384}.
        weights: what counts how much, by the names of `costs`.
        machine: whose prices conversions have; "" is this one.

    >>> advise((2, 40), family="okk.matrix(npus=4)").best.text
    'okk.matrix(npus=4,w=10)'
    """
    families = [family] if isinstance(family, str) else [checked_text("family", f)
                                                         for f in family]
    numbers = dict(limits or {})
    axis = numbers.pop("bank_axis", "")
    extents = _shape_text(shape, dims)
    name = type_name(dtype)
    told = _core.advise(
        extents, name, families, checked_text("op", op),
        "" if vector is None else checked_text("vector", vector),
        checked_count("lanes", lanes),
        [(checked_text("box", d), checked_count(f"box[{d!r}]", x))
         for d, x in (box or {}).items()],
        checked_text("limits['bank_axis']", axis),
        {checked_text("limits", n): checked_count(f"limits[{n!r}]", x, 1)
         for n, x in numbers.items()},
        {checked_text("weights", n): checked_number(f"weights[{n!r}]", x)
         for n, x in (weights or {}).items()},
        None if source is None else checked_text("source", source),
        checked_text("machine", machine))
    candidates = [Candidate(layout=layout(facts["text"], told["shape"], name), **facts)
                  for facts in told["candidates"]]
    return Advice(candidates, told["left_out"], told["tried"])


# ---------------------------------------------------------------- networks ---

@dataclasses.dataclass(frozen=True)
class NetworkAdvice:
    """Layouts for all tensors of a network. Costs are in bytes that could be copied.

    `choices` are the numbers of the ways that operations take, `conversions` are (tensor,
    from, to, cost). No solution costs less than `bound`.
    """

    layouts: dict[str, str]
    choices: dict[str, int]
    conversions: list[tuple[str, str, str, float]]
    cost: float
    operations: float
    waste: float
    moves: float
    bound: float

    def __str__(self) -> str:
        return (f"{self.cost:.0f} bytes copied, {len(self.conversions)} conversions, "
                f"at least {self.bound:.0f}")


def advise_network(network: Mapping[str, Any] | str | os.PathLike[str], *,
                   way: str = "best", machine: str = "") -> NetworkAdvice:
    """A layout for each tensor of a network, such that all costs least together.

    Args:
        network: a file of docs/advise.md, or the same as a dict: {"tensors": {"x":
            {"shape": "1x3x8x8"}}, "operations": [{"name": "conv", "reads": ["x"], ...}]}.
            `network_from_onnx` makes one.
        way: "best"; to compare, "greedy" or a layout that all take where they can.
        machine: as for `advise`.

    >>> net = {"tensors": {"x": {"shape": "1x8x4x4", "layouts": ["nchw"]}},
    ...        "operations": [{"name": "conv", "reads": ["x"], "accepts": ["nhwc"]}]}
    >>> advise_network(net).conversions[0][:3]
    ('x', 'nchw', 'nhwc')
    """
    text = (_toml(network) if isinstance(network, Mapping)
            else pathlib.Path(network).read_text(encoding="utf-8"))
    return NetworkAdvice(**_core.network(text, checked_text("way", way),
                                         checked_text("machine", machine)))


def _toml(network: Mapping[str, Any]) -> str:
    """The text of a network's file: keys that are simple, values as TOML writes them."""
    unknown = set(network) - {"layouts", "tensors", "operations"}
    if unknown:
        raise TypeError(f"network: unknown keys {sorted(unknown)}; there are layouts, "
                        "tensors and operations")
    lines = [f"layouts = {_value(list(network['layouts']))}"] if "layouts" in network else []
    lines.append("[tensors]")
    lines += [f"{_value(name)} = {_value(tensor)}"
              for name, tensor in network.get("tensors", {}).items()]
    for operation in network.get("operations", []):
        lines.append("[[operations]]")
        lines += [f"{_value(key)} = {_value(value)}" for key, value in operation.items()]
    return "\n".join(lines)


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_value(k)} = {_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, str):
        return f'"{"".join(map(_character, value))}"'
    if isinstance(value, (bool, int)):
        return str(value).lower()
    if isinstance(value, float) and math.isfinite(value):
        return repr(float(value))
    raise TypeError(f"network: {value!r} is no text, number, list or dict")


def _character(c: str) -> str:
    if c in '"\\':
        return "\\" + c
    return c if " " <= c <= "~" else f"\\U{ord(c):08x}"
