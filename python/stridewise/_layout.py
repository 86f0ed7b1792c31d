"""A layout: a tensor's shape, its element type and where its elements lie."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _core
from ._dtypes import numpy_dtype, type_name
from ._errors import LayoutError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Unit = Literal["bit", "byte", "element"]

# Cells of a picture that a saved notebook keeps.
_NOTEBOOK_CELLS = 256


def layout(text: str | Layout,
           shape: str | int | Sequence[int] | Mapping[str, int] | None = None,
           dtype: object = None, *,
           tables: Mapping[str, ArrayLike] | None = None,
           part: str | None = None, **dims: int) -> Layout:
    """The layout that a text names, for a shape and an element type.

    Args:
        text: an expression ("n c/16 h w c%16"), a oneDNN tag ("nChw16c"), a name of the
            catalogue ("okk.aligned(npus=64)"), or a text of another dialect ("NCHW",
            "(8,64):(64,1)").
        shape: logical extents: "2x17x5x4", "n=2,c=17", (2, 17, 5, 4), {"n": 2, "c": 17},
            or as keywords. May be left out where the text tells them, as CuTe's does.
        dtype: see `type_name`; "f32" unless the text tells a type. Names count bits: "u4"
            is a nibble.
        tables: the entries of tables that the text names, as {"T": [7, 2, 5, 0]}.
        part: one tensor of a memory of several.

    Raises:
        LayoutError: a text that is no layout, or sizes that do not suit it. Its message
            shows where.
        TypeError: a shape or dtype that is none.

    >>> L = layout("nChw16c", (2, 17, 5, 4))
    >>> L(1, 16, 4, 3), L.nbytes
    (1264, 5120)
    """
    if isinstance(text, Layout):
        if shape is None and not dims and dtype is None and not tables:
            return text if part is None else text.part(part)
        # What is not given anew stays as it is.
        shape = dict(text._whole) if shape is None and not dims else shape
        dtype = text._dtype if dtype is None else dtype
        tables = text._tables if tables is None else tables
        part = text._part if part is None else part
        text = text.text
    if not isinstance(text, str):
        raise TypeError(f"text: expected a str, not {type(text).__name__}")
    entries = {name: [int(x) for x in np.asarray(table).ravel()]
               for name, table in (tables or {}).items()}
    extents = _shape_text(shape, dims)
    name = None if dtype is None else type_name(dtype)
    made = (_bind(text, extents, name, entries) if entries
            else _bind_again(text, extents, name))
    return made if part is None else made.part(part)


def _bind(text: str, shape: str, dtype: str | None,
          tables: dict[str, list[int]]) -> Layout:
    bound, name = _core.bind(text, shape, dtype, tables)
    return Layout._of(bound, name, text, tables, tuple(bound.shape), None)


@functools.lru_cache(maxsize=512)
def _bind_again(text: str, shape: str, dtype: str | None) -> Layout:
    """The same for texts that were bound before: layouts do not change."""
    return _bind(text, shape, dtype, {})


@functools.lru_cache(maxsize=512)
def spelled_dims(text: str) -> tuple[str, ...]:
    """The dims in the order in which a text spells them; none where it spells none."""
    return tuple(_core.spelled_dims(text))


def _shape_text(shape: object, dims: Mapping[str, int]) -> str:
    if dims:
        if shape is not None:
            raise TypeError("shape: give extents as a shape or as keywords, not both")
        shape = dims
    if shape is None:
        return ""
    if isinstance(shape, str):
        return shape
    if isinstance(shape, Mapping):
        return ",".join(f"{name}={_extent(x)}" for name, x in shape.items()) or "()"
    try:
        extents = [_extent(x) for x in shape]  # type: ignore[attr-defined]
    except TypeError:
        extents = [_extent(shape)]
    return "x".join(str(x) for x in extents) or "()"


def _extent(x: Any) -> int:
    try:
        return operator.index(x)
    except TypeError:
        raise TypeError(f"shape: an extent is a whole number, not {x!r}") from None


def _index(name: str, x: ArrayLike) -> NDArray[np.int64]:
    array = np.asarray(x)
    if not array.size:
        return array.astype(np.int64)
    if array.dtype == object and all(isinstance(v, int) for v in array.ravel()):
        raise IndexError(f"{name}={x!r} is outside of the shape")
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name}: an index is a whole number, not {array.dtype}")
    if array.dtype.kind == "u" and array.max() > np.iinfo(np.int64).max:
        raise IndexError(f"{name}={array.max()} is outside of the shape")
    return array.astype(np.int64)


class Nothing(str):
    """What lies where no element does: "padding", "gap" or "other". It is false."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return f"<{str(self)}>"


class Layout:
    """Where each element of a tensor lies in memory. Made by `layout`; immutable.

    Two layouts are equal where their notation, shape, type, tables and part are.
    """

    __slots__ = ("_array_shape", "_bound", "_dtype", "_name", "_nbytes", "_part", "_parts",
                 "_tables", "_tail", "_text", "_whole", "_width")

    _bound: _core.Layout
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
                            ("_tail", core.size_bits % 8 != 0),
                            ("_parts", tuple(n for n, *_ in tensors if n)),
                            ("_array_shape", tuple(core.array_shape))):
            object.__setattr__(made, name, value)
        return made

    def __setattr__(self, name: str, value: object) -> None:
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
        return tuple(name for name, _ in self._bound.shape)

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
        return Layout._of(self._bound.part(name), self._dtype, self._text,
                          self._tables, self._whole, name)

    @property
    def array_shape(self) -> tuple[int, ...]:
        """The shape of an array of the memory: one axis a digit, slowest first, where the
        memory is its digits and nothing else."""
        return self._array_shape

    def _first_byte(self) -> int:
        told = self._bound.strides_bits
        return 0 if told is None else told[1] // 8

    @property
    def strides(self) -> tuple[int, ...] | None:
        """Bytes of one step of each dim; None where no strides say the layout."""
        told = self._bound.strides_bits
        if told is None or any(s % 8 for s in told[0]) or told[1] % 8:
            return None
        return tuple(s // 8 for s in told[0])

    # ----------------------------------------------------------------- places

    def __call__(self, *index: ArrayLike, **named: ArrayLike) -> Any:
        """The place of an element, counted in elements from the start of memory.

        Args:
            *index: one number a dim, in the order of `dims`; arrays broadcast as they do
                in NumPy's indexing, and give an int64 array.
            **named: the same by the names of the dims.

        Raises:
            IndexError: an index outside of the shape.
            TypeError: too few or too many numbers, or what is no whole number.
        """
        return self._place(self._numbers(index, named), self.itembits)

    def byte(self, *index: ArrayLike, **named: ArrayLike) -> Any:
        """The first byte of an element. As calling the layout."""
        return self._place(self._numbers(index, named), 8)

    def _place(self, numbers: tuple[ArrayLike, ...], unit: int) -> Any:
        if self._bound.bitwise:
            raise LayoutError(f"{self.notation}: tells where each bit lies, which is no "
                              "one place; ask offsets('bit')")
        arrays = np.broadcast_arrays(*(_index(name, x)
                                       for name, x in zip(self.dims, numbers)))
        if not arrays:
            bits = np.array([self._bound.bit_of([])])
        else:
            rows = np.stack([a.ravel() for a in arrays], axis=1)
            bits = self._bound.bits_at(np.ascontiguousarray(rows))
        if (bits % unit).any():
            raise LayoutError(f"{self.notation}: elements of {self.itembits} bits lie "
                              f"between multiples of {unit}; count in smaller units")
        if not arrays or not arrays[0].ndim:
            return int(bits[0]) // unit
        return (bits // unit).reshape(arrays[0].shape)

    def _numbers(self, index: tuple[ArrayLike, ...],
                 named: Mapping[str, ArrayLike]) -> tuple[ArrayLike, ...]:
        dims = self.dims
        if named:
            if index or set(named) != set(dims):
                raise TypeError(f"give an index for each of {', '.join(dims)}, by name "
                                "or in that order")
            return tuple(named[name] for name in dims)
        if len(index) != len(dims):
            raise TypeError(f"{len(index)} indices for the {len(dims)} dims "
                            f"{', '.join(dims)}")
        return index

    def offsets(self, unit: Unit = "element") -> NDArray[np.int64]:
        """The place of every element, as an int64 array of `shape`.

        Args:
            unit: what places count: "element", "byte" or "bit". In bits, elements whose
                bits lie apart have one more dim, the bit.
        """
        return self._bound.offsets(unit)

    def inverse(self, unit: Unit = "element") -> NDArray[np.int64]:
        """For every place of memory, the number of the element there in logical order.

        -1 is padding, -2 a gap, -3 another part.
        """
        return self._bound.inverse(unit)

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
        given = [(x, width) for x, width in
                 ((element, self.itembits), (byte, 8), (bit, 1)) if x is not None]
        if len(given) != 1:
            raise TypeError("give one of element=, byte= or bit=")
        at = operator.index(given[0][0]) * given[0][1]
        if not 0 <= at < self._bound.size_bits:
            raise IndexError(f"bit {at} is outside of the memory's {self._bound.size_bits}")
        place, index, _, _, tensor, _ = self._bound.find(at)
        if place != "element":
            return Nothing(place)
        if self._bound.tensor not in (-1, tensor):
            return Nothing("other")
        name, _, _, dims = self._bound.tensors[tensor]
        found: dict[str, Any] = {"part": name} if name and not self._part else {}
        found.update(zip((d for d, _ in dims), index))
        return found

    def view(self, buffer: Any) -> np.ndarray:
        """The tensor in a buffer, as an array of `shape` that shares its memory.

        Args:
            buffer: bytes, an array or anything with the buffer protocol, contiguous; it
                may end with the last element. What it is read-only, the view is too.

        Raises:
            LayoutError: no strides say the layout, or NumPy has no such type.
            ValueError: the buffer is too small.
        """
        strides = self.strides
        if strides is None:
            raise LayoutError(f"{self.notation}: no strides say this layout; convert it "
                              "to one that they do")
        dtype = numpy_dtype(self.dtype)
        if dtype is None or dtype.itemsize * 8 != self.itembits:
            raise LayoutError(f"NumPy has no array of {self.dtype}")
        from ._arrays import check_type, memory_of, source

        given = source(buffer, "buffer")
        check_type(given, self, "buffer")
        if not given.array.flags.c_contiguous:
            raise ValueError("buffer: is not contiguous")
        memory = memory_of(given.array)
        if memory.size * 8 < self._bound.used_bits:
            raise ValueError(f"buffer: has {memory.size} bytes, the layout needs "
                             f"{-(-self._bound.used_bits // 8)}")
        return np.ndarray(self.shape, dtype, memory.data, self._first_byte(), strides)

    # ------------------------------------------------------------ other words

    def emit(self, language: Literal["c", "opencl", "cuda"] = "c",
             name: str = "layout") -> str:
        """The layout's arithmetic as source code: index to offset and back."""
        return self._bound.emit(language, name)

    def print_as(self, dialect: str) -> str:
        """The layout as another program writes it: "tvm", "cute", "xla", "onednn" ...

        Raises:
            LayoutError: that dialect has no words for it; the message says why.
        """
        return self._bound.print_as(dialect)

    def draw(self, *, color: str = "", cells: int = 4096, title: str = "") -> Drawing:
        """A picture of the memory: SVG in a notebook, text in a terminal.

        Args:
            color: a dim ("c") or a digit ("c/16") that gives cells their colour.
            cells: the most that are drawn; the rest is left out, which the picture says.
            title: above the picture.
        """
        return Drawing(self, color, cells, title)

    def _repr_mimebundle_(self, include: object = None,
                          exclude: object = None) -> dict[str, str]:
        try:
            picture = self.draw(cells=_NOTEBOOK_CELLS).svg()
        except LayoutError:
            return {"text/plain": repr(self)}
        return {"image/svg+xml": picture, "text/plain": repr(self)}

    def __repr__(self) -> str:
        shape = ",".join(f"{name}={extent}" for name, extent in self._whole) or "()"
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
        return isinstance(other, Layout) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, ...]:
        shape = dict(self._whole)
        return (_again, (self._text, shape, self._dtype, self._tables, self._part))


def _again(text: str, shape: dict[str, int], dtype: str,
           tables: dict[str, list[int]], part: str | None) -> Layout:
    return layout(text, shape, dtype, tables=tables, part=part)


class Drawing:
    """A picture of a layout's memory: see `Layout.draw`."""

    __slots__ = ("_cells", "_color", "_layout", "_title")

    def __init__(self, layout: Layout, color: str, cells: int, title: str) -> None:
        self._layout, self._color, self._cells, self._title = layout, color, cells, title
        self.text()  # an error belongs to who asks for the picture

    def _arguments(self) -> tuple[str, str, int, str]:
        return (self._layout.dtype, self._color, self._cells, self._title)

    def svg(self) -> str:
        """The picture as an SVG document."""
        return self._layout._bound.svg(*self._arguments())

    def html(self) -> str:
        """The picture as one page with a script that answers where elements lie."""
        return self._layout._bound.html(*self._arguments())

    def text(self, width: int = 100) -> str:
        """The picture as lines of at most `width` characters."""
        return self._layout._bound.text(*self._arguments(), width)

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
        return {"image/svg+xml": self.svg(), "text/plain": self.text()}

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<picture of {self._layout.notation}>"
