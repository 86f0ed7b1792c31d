"""What comparing, checking and inferring find."""

from __future__ import annotations

import dataclasses

from . import _html
from ._layout import Layout


@dataclasses.dataclass(frozen=True)
class Difference:
    """One element that differs: its index, its values as text, where it lies."""

    index: dict[str, int]
    a: str
    b: str
    byte_a: int
    byte_b: int
    abs: float
    rel: float
    ulp: int

    def __str__(self) -> str:
        index = ",".join(f"{d}={x}" for d, x in self.index.items())
        return (f"{index}: {self.a} and {self.b}, at byte {self.byte_a} of A and "
                f"{self.byte_b} of B")


@dataclasses.dataclass(frozen=True)
class DiffReport:
    """What `diff` found. `findings` are sentences, the most telling first."""

    elements: int
    differences: int
    findings: list[str]
    first: Difference | None
    worst: Difference | None
    max_abs: float
    max_rel: float
    max_ulp: int
    nan_a: int
    nan_b: int
    infinite: int
    compared_as: str
    rtol: float
    atol: float
    by_dim: dict[str, list[int]]
    by_axis: dict[str, list[int]]

    @property
    def equal(self) -> bool:
        """Whether no element differs."""
        return self.differences == 0

    def __str__(self) -> str:
        lines = [self._title(), *(f"  {finding}" for finding in self.findings)]
        if not self.equal:
            lines += [f"  first     {self.first}", f"  worst     {self.worst}"]
        return "\n".join(lines)

    def _title(self) -> str:
        if self.equal:
            return f"equal: {self.elements} elements"
        return (f"{self.differences} of {self.elements} elements differ "
                f"({100 * self.differences / self.elements:.3g} %)")

    def _repr_html_(self) -> str:
        rows = [] if self.equal else [
            ("first", self.first), ("worst", self.worst), ("largest |a - b|", self.max_abs),
            *((f"elements that differ, by {dim}", _shortened(counts))
              for dim, counts in self.by_dim.items())]
        return _html.report(self._title(), self.findings, rows)


def _shortened(counts: list[int]) -> str:
    """As many counts as a line of a table holds."""
    kept = 32
    more = f" ... {len(counts) - kept} more" if len(counts) > kept else ""
    return " ".join(map(str, counts[:kept])) + more


@dataclasses.dataclass(frozen=True)
class Leak:
    """A run of places without an element that are not zero."""

    byte: int
    count: int
    holds: str


@dataclasses.dataclass(frozen=True)
class LeakSet:
    """Places without an element that are not zero, by the indices they would have."""

    indices: str
    byte: int  # of the first
    count: int
    of: int  # so many places with these indices
    runs: int


@dataclasses.dataclass(frozen=True)
class CheckReport:
    """What `check` found. `findings` are sentences; none: nothing is wrong.

    nan_indices, inf_indices: "all of n=1, h=0..3", empty where there are none.
    """

    elements: int
    padding: int
    padding_in_bits: bool
    padding_nonzero: int
    nan: int
    inf: int
    first_nan: dict[str, int] | None
    first_inf: dict[str, int] | None
    nan_indices: str
    inf_indices: str
    leaks: list[Leak]
    leak_runs: int
    leak_sets: list[LeakSet]
    findings: list[str]

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def __str__(self) -> str:
        return "\n".join(self.findings) or f"nothing found: {self.elements} elements"

    def _repr_html_(self) -> str:
        return _html.report(
            f"{len(self.findings) or 'nothing'} found in {self.elements} elements",
            self.findings,
            [(f"byte {leak.byte}", f"{leak.count} not zero" +
              (f", hold {leak.holds}" if leak.holds else "")) for leak in self.leaks])


@dataclasses.dataclass(frozen=True)
class Fit:
    """A layout that has the reference's elements where the dump has them."""

    layout: Layout
    names: list[str]
    start_byte: int
    trailing_bytes: int
    missing_bytes: int


@dataclasses.dataclass(frozen=True)
class InferReport:
    """What `infer` found.

    outcome: "one fits", "fits, maybe not alone", "several fit", "none fits" or
        "cannot know".
    fits: the layouts; `layout` is the first one, None where there is none.
    agreement: how the values of a fit belong together: "equal", "equal as the dump's type",
        "the same bits", "within the tolerance", "quantised".
    scale, zero_point: of a quantised dump, real = (integer - zero_point) * scale.
    """

    outcome: str
    fits: list[Fit]
    reason: str
    elements: int
    present: int
    matching: int
    equal: int
    nearest: str | None
    first_break: dict[str, int] | None
    agreement: str
    scale: float | None
    zero_point: int | None

    @property
    def layout(self) -> Layout | None:
        """The layout that fits, the simplest where several do."""
        return self.fits[0].layout if self.fits else None

    @property
    def unique(self) -> bool:
        """Whether no other layout could have left the dump."""
        return self.outcome == "one fits"

    def __str__(self) -> str:
        lines = [fit.layout.notation + (f"  ({fit.names[0]})" if fit.names else "")
                 for fit in self.fits]
        if not self.unique:
            lines.append(self.reason if not self.fits else f"{self.outcome}: {self.reason}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return _html.report(
            self.outcome, [] if self.unique else [self.reason],
            [(fit.layout.notation, ", ".join(fit.names)) for fit in self.fits])
