"""What two memories differ in, what is wrong with one, and which layout left it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from ._arrays import Source, memory_of, readable_memory, source
from ._convert import shape_of_array
from ._dtypes import bits_of, numpy_dtype, type_name
from ._errors import checked_count, checked_number
from ._layout import Layout
from ._make import Shape, layout, named_dims
from ._reports import (CheckReport, Difference, DiffReport, Fit, InferReport, Leak,
                       LeakSet)


def _indexed(dims: Sequence[str], index: Sequence[int] | None) -> dict[str, int] | None:
    return None if index is None else dict(zip(dims, index))


def _difference(dims: Sequence[str], told: dict[str, Any] | None) -> Difference | None:
    if told is None:
        return None
    return Difference(**{**told, "index": dict(zip(dims, told["index"]))})


def _memory(given: Source, of: Layout, name: str) -> np.ndarray:
    if given.array.flags.c_contiguous:
        return readable_memory(given, of, name)
    return readable_memory(given._replace(array=np.ascontiguousarray(given.array)), of,
                           name)


def _layout_of(given: Source, text: str | Layout | None, shape: Shape,
               dtype: object) -> Layout:
    """Without a text, an array is the tensor itself."""
    if isinstance(text, Layout):
        return text
    if text is not None and not isinstance(text, str):
        raise TypeError(f"layout: expected a text or a Layout, not {type(text).__name__}")
    told = given.dtype if given.dtype is not None else dtype
    if text is not None:
        return layout(text, shape_of_array(given.told, text) if shape is None else shape, told)
    extents = given.array.shape
    if given.dtype is None:  # bytes: as many elements as they are
        told = "u8" if dtype is None else type_name(dtype)
        extents = (8 * given.array.nbytes // bits_of(told),)
    names = named_dims(None, len(extents))
    return layout(" ".join(names) or "-", dict(zip(names, extents)), told)


def diff(a: Any, b: Any, layout_a: str | Layout | None = None,
         layout_b: str | Layout | None = None, *, shape: Shape = None,
         dtype: object = None, rtol: float | None = None, atol: float | None = None,
         ulp: int | None = None, scale: Any = None, zero_point: Any = None,
         scale_dim: str = "") -> DiffReport:
    """Where two tensors differ, each in its own layout, in the words of the tensor.

    Args:
        a, b: arrays, buffers or paths of files ("dump.bin", "model.safetensors:w"); b is
            the reference.
        layout_a, layout_b: their layouts. Without one, b has that of a, and a is the
            tensor itself.
        shape, dtype: as for `convert`, where arrays do not tell them.
        rtol, atol, ulp: what counts as equal: |a - b| <= atol + rtol * |b|, or so many
            steps between floats. Unless one is given: what two types leave of one number,
            as 2**-10 of f16 and f32, and nothing where both are the same type.
        scale, zero_point: what the side that is integers means, real = (integer -
            zero_point) * scale: numbers, or one for each index of `scale_dim`.

    >>> import numpy as np
    >>> diff(np.arange(6.0), np.array([0.0, 1, 2, 3, 4, 9])).first.index
    {'n': 5}
    """
    given_a, given_b = source(a, "a"), source(b, "b")
    if shape is None and isinstance(layout_a, str) and isinstance(layout_b, str):
        # The reference tells the shape where a is bytes, or has other axes.
        if given_a.dtype is None or shape_of_array(given_a.told, layout_a) is None:
            shape = shape_of_array(given_b.told, layout_b)
    if layout_a is None and isinstance(layout_b, Layout):
        own = layout(" ".join(layout_b.dims), dict(zip(layout_b.dims, layout_b.shape)),
                     given_a.dtype or layout_b.dtype)
    else:
        own = _layout_of(given_a, layout_a, shape, dtype)
    if layout_b is None:
        other = own if given_b.dtype in (None, own.dtype) else layout(
            own.text, dict(zip(own.dims, own.shape)), given_b.dtype)
    elif isinstance(layout_b, Layout):
        other = layout_b
    else:
        other = layout(layout_b, dict(zip(own.dims, own.shape)),
                       given_b.dtype or own.dtype)
    told = _core.diff(own._bound, _memory(given_a, own, "a"), other._bound,
                      _memory(given_b, other, "b"), own.dtype, other.dtype,
                      None if rtol is None else checked_number("rtol", rtol),
                      None if atol is None else checked_number("atol", atol),
                      None if ulp is None else checked_count("ulp", ulp, -1),
                      scale_dim, _scales(scale, zero_point, scale_dim))
    told["first"] = _difference(own.dims, told["first"])
    told["worst"] = _difference(own.dims, told["worst"])
    return DiffReport(**told)


def _scales(scale: Any, zero_point: Any, dim: str) -> list[tuple[float, int]]:
    """Pairs of a scale and a zero point; none where nothing is asked for."""
    if scale is None and zero_point is None:
        if dim:
            raise TypeError("scale_dim: is of a scale or zero_point for each index")
        return []
    scales = np.atleast_1d(np.asarray(1.0 if scale is None else scale, np.float64))
    points = np.atleast_1d(np.asarray(0 if zero_point is None else zero_point))
    if scales.ndim > 1 or points.ndim > 1 or points.dtype.kind not in "iu":
        raise TypeError("scale, zero_point: expected numbers, or arrays of one dim; zero "
                        "points are integers")
    count = max(len(scales), len(points))
    if {len(scales), len(points)} - {1, count}:
        raise ValueError(f"scale: {len(scales)} of them, but {len(points)} zero points")
    if count > 1 and not dim:
        raise TypeError(f"scale: {count} of them; scale_dim says of which dim")
    return [(float(s), int(z)) for s, z in zip(np.resize(scales, count),
                                               np.resize(points, count))]


def check(x: Any, layout_x: str | Layout, shape: Shape = None,
          dtype: object = None) -> CheckReport:
    """What is wrong with a tensor in memory: padding that is not zero, NaN, infinities.

    Args:
        x: an array, a buffer or a file of the layout's memory; "model.safetensors:w" is one
            tensor of several.
        layout_x: its layout; a text needs `shape` where it does not tell one.
    """
    given = source(x)
    of = _layout_of(given, layout_x, shape, dtype)
    told = _core.check(of._bound, _memory(given, of, "x"), of.dtype)
    for name in ("first_nan", "first_inf"):
        told[name] = _indexed(of.dims, told[name])
    told["leaks"] = [Leak(**leak) for leak in told["leaks"]]
    told["leak_sets"] = [LeakSet(**leak) for leak in told["leak_sets"]]
    return CheckReport(**told)


def probe(shape: Sequence[int] | Mapping[str, int], dtype: object = "f32"
          ) -> list[np.ndarray]:
    """Arrays to send through other software, so that `infer` can read what comes out.

    No two elements of the first array are equal; types of few values take several
    arrays, which differ together.
    """
    name = type_name(dtype)
    given = shape.values() if isinstance(shape, Mapping) else shape
    try:
        extents = [checked_count("shape", extent) for extent in given]
    except TypeError:
        raise TypeError(f"shape: expected whole numbers, not {shape!r}") from None
    dims = named_dims(list(shape) if isinstance(shape, Mapping) else None, len(extents))
    kind = numpy_dtype(name)
    files = _core.probe(list(zip(dims, extents)), name)
    if kind is None and bits_of(name) in (8, 16, 32, 64):  # without ml_dtypes: its bits
        kind = np.dtype(f"u{bits_of(name) // 8}")
    return [file.view(kind).reshape(extents) if kind is not None else file
            for file in files]


def infer(reference: Any, dump: Any, *, dims: Sequence[str] | None = None,
          dtype: object = None, dump_dtype: object = None, rtol: float = 0,
          atol: float = 0, record: int | None = None, part_at: int | None = None,
          part_bytes: int | None = None) -> InferReport:
    """The layout of a dump, from a tensor whose elements are in it.

    Args:
        reference: the tensor, an array in logical order or the path of its file; or a list
            of them, as `probe` makes for types of few values.
        dump: the bytes that some program made of it, or the path of their file; or a list of
            as many.
        dims: names for the reference's dims; "n c h w" and the like without.
        dtype: its element type, where that is of less than a byte: "u4".
        dump_dtype: the type of the dump's elements, where it is another one than the
            reference's; an array of another type than bytes tells its own. Integers of a
            reference of floats may have any scale and zero point.
        rtol, atol: how far values may be off, |dump - reference| <= atol + rtol * |reference|.
        record: bytes of a record, of which the tensor is a part; `part_at` and
            `part_bytes` tell where in it, and how much of it.

    >>> p = probe((2, 17, 5, 4))[0]
    >>> from stridewise import convert
    >>> print(infer(p, convert(p, "nchw", "nChw16c")).layout.notation)
    n c/16 h w c%16
    """
    references = [source(r, "reference") for r in _each(reference)]
    dumps = [source(d, "dump") for d in _each(dump)]
    if len(references) != len(dumps):
        raise ValueError(f"dump: {len(dumps)} for {len(references)} references")
    if not references:
        raise ValueError("reference: there is none")
    arrays = [_raw(r, given) for r, given in zip(_each(reference), references)]
    array = arrays[0]
    name = (type_name(dtype) if dtype is not None
            else references[0].told.means or references[0].dtype or "u8")
    width = 8 * array.dtype.itemsize
    if bits_of(name) > width or (bits_of(name) % 8 == 0 and bits_of(name) != width):
        raise TypeError(f"dtype: {name} has {bits_of(name)} bits, the reference's items "
                        f"{width}")
    if record is None and (part_at is not None or part_bytes is not None):
        raise TypeError("part_at, part_bytes: are of a record; give record=")
    names = named_dims(dims, array.ndim)
    shape = list(zip(names, array.shape))
    packed = bits_of(name) % 8 != 0
    theirs = _dump_type(dumps[0], name, dump_dtype)
    told = _core.infer(
        [memory_of(np.ascontiguousarray(a)) for a in arrays],
        [memory_of(np.ascontiguousarray(d.array)) for d in dumps], shape, dims is None,
        name, theirs, checked_number("rtol", rtol), checked_number("atol", atol),
        array.dtype.itemsize if packed else bits_of(theirs) // 8,
        bits_of(name) if packed else 0,
        None if record is None else
        [checked_count("record", record),
         -1 if part_at is None else checked_count("part_at", part_at),
         -1 if part_bytes is None else checked_count("part_bytes", part_bytes)])
    own = name if told["agreement"] == "the same bits" else theirs
    fits = [Fit(layout(fit.pop("notation"), dict(shape), own), **fit)
            for fit in told["fits"]]
    nearest = told["nearest"]
    told.update(fits=fits, nearest=None if nearest is None else nearest["notation"],
                first_break=_indexed(names, told["first_break"]))
    return InferReport(**told)


def _dump_type(dump: Source, reference: str, told: object) -> str:
    """Bytes are of the reference's type, unless another one is told."""
    if told is not None:
        return type_name(told)
    own = dump.dtype
    if own in (None, "u8") or bits_of(reference) % 8 != 0 or bits_of(own) % 8 != 0:
        return reference
    return own


def _raw(x: Any, given: Source) -> np.ndarray:
    """The items of an array as they are, also those that mean fewer bits."""
    return given.array if given.told.means is None else np.asarray(x).view("u1")


def _each(x: Any) -> list[Any]:
    return list(x) if isinstance(x, (list, tuple)) else [x]
