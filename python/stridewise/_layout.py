"""A layout: a tensor's shape, its element type and where its elements lie."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _core
from ._arrays import readable_memory, source
from ._decode import decode, encode, view
from ._drawing import NOTEBOOK_CELLS, Drawing, Label
from ._errors import LayoutError, checked_count, checked_text
from ._explorer import address, link, linked
from ._places import Nothing, place, who

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Unit = Literal["bit", "byte", "element"]


class Layout:
    """Where each element of a tensor lies in memory. Made by `layout`; immutable.

    Two layouts are equal where their notation, shape, type, tables and part are.
    """

    __slots__ = ("_array_shape", "_bound", "_dims", "_dtype", "_hash", "_name", "_nbytes",
                 "_part", "_parts", "_tables", "_tail", "_text", "_whole", "_width")

    _bound: _core.Layout
    _dims: tuple[str, ...]
    _hash: int  # 0: not yet told
    _dtype: str
    _text: str
    _tables: dict[str, list[int]]
    _whole: tuple[tuple[str, int], ...]  # dims of the memory: a part may have fewer
    _part: str | None
    # What is asked for in each conversion.
    _name: str  # of the element type
    _width: int  # bits of an element
    _nbytes: int
    _tail: bool  # whether the last byte has bits beyond the memory
    _parts: tuple[str, ...]
    _array_shape: tuple[int, ...]

    def __init__(self) -> None:
        raise TypeError("make layouts with stridewise.layout(text, shape, dtype)")

    @classmethod
    def _bind(cls, text: str, shape: str, dtype: str | None,
              tables: dict[str, list[int]], part: str | None = None) -> Layout:
        bound, name = _core.bind(text, shape, dtype, tables)
        made = cls._of(bound, name, text, tables, tuple(bound.shape), None)
        return made if part is None else made.part(part)

    @classmethod
    def _of(cls, core: _core.Layout, dtype: str, text: str,
            tables: dict[str, list[int]], whole: tuple[tuple[str, int], ...],
            part: str | None) -> Layout:
        made = object.__new__(cls)
        tensors = core.tensors
        own = tensors[core.tensor][1] if core.tensor >= 0 else ""
        for name, value in (("_bound", core), ("_dtype", dtype), ("_text", text),
                            ("_tables", tables), ("_whole", whole), ("_part", part),
                            ("_name", own or dtype), ("_width", core.element_bits),
                            ("_nbytes", core.size_bytes),
                            ("_tail", core.size_bits % 8 != 0), ("_hash", 0),
                            ("_dims", tuple(name for name, _ in core.shape)),
                            ("_parts", tuple(n for n, *_ in tensors if n)),
                            ("_array_shape", tuple(core.array_shape))):
            object.__setattr__(made, name, value)
        return made

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a layout does not change")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a layout does not change")

    # ------------------------------------------------------------- what it is

    @property
    def text(self) -> str:
        """The text that it was made of."""
        return self._text

    @property
    def notation(self) -> str:
        """The layout in the notation, for any shape."""
        return self._bound.notation

    @property
    def dtype(self) -> str:
        """The name of its element type, such as "f32"."""
        return self._name

    @property
    def dims(self) -> tuple[str, ...]:
        """The names of its dims, in logical order."""
        return self._dims

    @property
    def shape(self) -> tuple[int, ...]:
        """The logical extents, in the order of `dims`."""
        return tuple(extent for _, extent in self._bound.shape)

    @property
    def size(self) -> int:
        """How many elements the tensor has."""
        return math.prod(self.shape)

    @property
    def itembits(self) -> int:
        """Bits of an element in memory."""
        return self._width

    @property
    def nbytes(self) -> int:
        """Bytes of the memory, padding and gaps included."""
        return self._nbytes

    @property
    def padding(self) -> int:
        """How many elements' room of the memory holds no element, of any part."""
        held = sum(bits * math.prod(extent for _, extent in dims)
                   for _, _, bits, dims in self._bound.tensors)
        return max(self._bound.size_bits - held, 0) // self.itembits

    @property
    def dense(self) -> bool:
        """Whether every place is an element, in the order of the digits."""
        return self._bound.dense

    @property
    def valid(self) -> bool:
        """Whether each place holds one element at most: else it can only be read."""
        return self._bound.valid

    @property
    def defect(self) -> str | None:
        """Why it is not valid."""
        return self._bound.defect

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the tensors of a memory of several."""
        return self._parts

    def part(self, name: str) -> Layout:
        """One tensor of a memory of several.

        Raises:
            LayoutError: it has no such part; the message names those there are.
        """
        return Layout._of(self._bound.part(checked_text("name", name)), self._dtype, self._text,
                          self._tables, self._whole, name)

    @property
    def array_shape(self) -> tuple[int, ...]:
        """The shape of an array of the memory: one axis a digit, slowest first, where the
        memory is its digits and nothing else."""
        return self._array_shape

    @property
    def strides(self) -> tuple[int, ...] | None:
        """Bytes of one step of each dim; None where no strides say the layout."""
        told = self._bound.strides_bits
        if told is None or any(s % 8 for s in told[0]) or told[1] % 8:
            return None
        return tuple(s // 8 for s in told[0])

    # ----------------------------------------------------------------- places

    def __call__(self, /, *index: ArrayLike, **named: ArrayLike) -> Any:
        """The place of an element, counted in elements from the start of memory.

        Args:
            *index: one number a dim, in the order of `dims`; arrays broadcast as they do
                in NumPy's indexing, and give an int64 array.
            **named: the same by the names of the dims.

        Raises:
            IndexError: an index outside of the shape.
            TypeError: too few or too many numbers, or what is no whole number.
        """
        return place(self, index, named, self._width)

    def byte(self, /, *index: ArrayLike, **named: ArrayLike) -> Any:
        """The first byte of an element. As calling the layout."""
        return place(self, index, named, 8)

    def offsets(self, unit: Unit = "element") -> NDArray[np.int64]:
        """The place of every element, as an int64 array of `shape`.

        Args:
            unit: what places count: "element", "byte" or "bit". In bits, elements whose
                bits lie apart have one more dim, the bit.
        """
        try:
            return self._bound.offsets(checked_text("unit", unit))
        except MemoryError:
            raise MemoryError(f"a table of {self.size} places") from None

    def inverse(self, unit: Unit = "element") -> NDArray[np.int64]:
        """For every place of memory, the number of the element there in logical order.

        -1 is padding, -2 a gap, -3 another part.
        """
        try:
            return self._bound.inverse(checked_text("unit", unit))
        except MemoryError:
            raise MemoryError(f"a table of {self.nbytes} bytes of memory") from None

    def who(self, *, element: int | None = None, byte: int | None = None,
            bit: int | None = None) -> dict[str, int] | Nothing:
        """What lies at a place: the index by dim, or what is there instead.

        Args:
            element: the place, counted in elements from the start of memory.
            byte: or in bytes.
            bit: or in bits.

        Returns:
            {"n": 1, "c": 16}; or "padding", "gap" or "other" (another part), which is
            false. Of a memory of several tensors, "part" names the one.

        Raises:
            IndexError: a place outside of the memory.
        """
        return who(self, element, byte, bit)

    def view(self, buffer: Any) -> np.ndarray:
        """The tensor in a buffer, as an array of `shape` that shares its memory.

        Args:
            buffer: bytes, an array or anything with the buffer protocol, contiguous; it
                may end with the last element. Of what is read-only, the view is read-only.

        Raises:
            LayoutError: no strides say the layout, or NumPy has no such type.
            ValueError: the buffer is too small.
        """
        return view(self, buffer)

    def decode(self, buffer: Any, *, threads: int = 1) -> np.ndarray:
        """The tensor in a buffer, as an array of `shape` of its own.

        Args:
            buffer: contiguous memory of the layout; of a part, the whole memory.
            threads: how many threads may work.

        Returns:
            Elements of less than a byte, or of a width that NumPy does not have, take the
            next wider items.

        Raises:
            LayoutError: NumPy has no such type.
            TypeError, ValueError: no such memory.

        >>> from stridewise import layout
        >>> layout("n k/2 ~k%2", n=1, k=4, dtype="u4").decode(bytes([0x12, 0x34]))
        array([[1, 2, 3, 4]], dtype=uint8)
        """
        return decode(self, buffer, threads)

    def encode(self, x: Any, *, out: Any = None, threads: int = 1) -> Any:
        """The memory of a tensor: what `decode` reads.

        Args:
            x: an array of `shape`, of the layout's type, or of one that `convert` changes
                to it.
            out: writable memory of the layout; other parts stay as they are there.
            threads: how many threads may work.

        Returns:
            out, or a new array of bytes.

        Raises:
            TypeError, ValueError: no such array.

        >>> from stridewise import layout
        >>> layout("n k/2 ~k%2", n=1, k=4, dtype="u4").encode(np.array([[1, 2, 3, 4]], "u1"))
        array([18, 52], dtype=uint8)
        """
        return encode(self, x, out, threads)

    # ------------------------------------------------------------ other words

    def emit(self, language: Literal["c", "opencl", "cuda"] = "c",
             name: str = "layout") -> str:
        """The layout's arithmetic as source code: index to offset and back."""
        return self._bound.emit(checked_text("language", language), checked_text("name", name))

    def print_as(self, dialect: str) -> str:
        """The layout as another program writes it: "tvm", "cute", "xla", "onednn" ...

        Raises:
            LayoutError: that dialect has no words for it; the message says why.
        """
        return self._bound.print_as(checked_text("dialect", dialect))

    def draw(self, *, color: str = "", cells: int = 512, title: str = "",
             label: Label | None = None, to: Layout | None = None,
             data: Any = None) -> Drawing:
        """A picture of the memory: SVG in a notebook, text in a terminal.

        Args:
            color: a dim ("c") or a digit ("c/16") that gives cells their colour.
            cells: about the most that are drawn, of each memory; the regular middle is
                left out beyond them, which the picture says.
            title: above the picture.
            label: what cells show: the "index", the "offset" or the "value", which without
                data is the element's number in logical order. None: "value" where there
                is data, else "index".
            to: a second layout of the same tensor, drawn below.
            data: an array of the layout's memory.

        Raises:
            LayoutError: a colour that the layout does not have, or a layout that cannot
                be drawn so.
        """
        if label is None:
            label = "index" if data is None else "value"
        if data is not None:
            data = readable_memory(source(data, "data"), self, "data")
        if to is not None and not isinstance(to, Layout):
            raise TypeError(f"to: expected a Layout, not {type(to).__name__}")
        return Drawing(self, checked_text("color", color), checked_count("cells", cells),
                       checked_text("title", title),
                       checked_text("label", label), to, data)

    def _repr_mimebundle_(self, include: object = None,
                          exclude: object = None) -> dict[str, str]:
        try:
            picture = self.draw(cells=NOTEBOOK_CELLS).svg()
        except LayoutError:
            return {"text/plain": repr(self)}
        return linked({"image/svg+xml": picture, "text/plain": repr(self)}, address(self))

    def explorer(self, page: str | os.PathLike[str] | None = None, *,
                 to: Layout | None = None) -> str:
        """The address that shows this layout in the explorer, a page for browsers.

        Args:
            page: where the page is: a file or a URL. None: what the environment variable
                STRIDEWISE_EXPLORER says, else "explorer.html".
            to: a second layout of the same tensor, for a conversion.
        """
        return link(page, address(self, to))

    def __repr__(self) -> str:
        shape = self._whole_shape()
        more = f", tables={self._tables!r}" if self._tables else ""
        more += f", part={self._part!r}" if self._part is not None else ""
        return f"stridewise.layout({self._text!r}, {shape!r}, {self._dtype!r}{more})"

    def __str__(self) -> str:
        return (f"{self.notation}  {', '.join(f'{n}={e}' for n, e in zip(self.dims, self.shape))}"
                f"  {self.dtype}  {self.nbytes} bytes")

    def _key(self) -> tuple[object, ...]:
        tables = tuple((k, tuple(v)) for k, v in sorted(self._tables.items()))
        return (self.notation, tuple(self._bound.shape), self.dtype, tables, self._part)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Layout) and self._key() == other._key()

    def __hash__(self) -> int:
        if not self._hash:
            object.__setattr__(self, "_hash", hash(self._key()) or 1)
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return (Layout._bind, (self._text, self._whole_shape(), self._dtype, self._tables,
                               self._part))

    def _whole_shape(self) -> str:
        return ",".join(f"{name}={extent}" for name, extent in self._whole) or "()"
