"""Networks from ONNX."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import onnx

# What an operation costs in a layout, in bytes that could be copied meanwhile: the type, the
# shapes that it reads and writes, the layout.
Cost = Callable[[str, list[tuple[int, ...]], list[tuple[int, ...]], str], float]


def network_from_onnx(model: onnx.ModelProto | str | os.PathLike[str], *,
                      layouts: Sequence[str] = ("nchw", "nhwc", "nChw16c"),
                      cost: Cost | None = None) -> dict[str, Any]:
    """The tensors of four dims of an ONNX model and what lies between them, for
    `advise_network`.

    Inputs and outputs of the model stay NCHW, as ONNX has them. Weights are left out: they
    are converted once. Each operation takes one of `layouts` for all its tensors. One that
    touches fewer than one such tensor is left out, and one that reads or writes other
    tensors, too, accepts NCHW alone: it may reshape.

    Args:
        model: a model, or its file. Its shapes must be known, or follow from those that are.
        layouts: what operations accept.
        cost: what they cost; without it, all cost the same in each layout.

    Raises:
        ImportError: the package `onnx` is not there.
        ValueError: a model without shapes of four dims.
    """
    import onnx
    import onnx.shape_inference

    loaded = model if isinstance(model, onnx.ModelProto) else onnx.load(
        os.fspath(model), load_external_data=False)
    graph = onnx.shape_inference.infer_shapes(loaded).graph
    weights = {tensor.name for tensor in graph.initializer}
    shapes = {}
    types = {}
    for value in [*graph.input, *graph.output, *graph.value_info]:
        tensor = value.type.tensor_type
        extents = tuple(d.dim_value for d in tensor.shape.dim)
        if value.name not in weights and len(extents) == 4 and all(extents):
            shapes[value.name] = extents
            types[value.name] = _bits(tensor.elem_type)
    if not shapes:
        raise ValueError("the model has no tensors of four dims whose shapes are known; "
                         "fix its input's shape first")
    # Names of ONNX are any text; those of the answer are the same.
    outside = {value.name for value in [*graph.input, *graph.output]}
    tensors = {name: {"shape": "x".join(map(str, shape)), "dtype": types[name],
                      **({"layouts": ["nchw"]} if name in outside else {})}
               for name, shape in shapes.items()}
    operations = []
    for number, node in enumerate(graph.node):
        reads = [name for name in dict.fromkeys(node.input) if name in shapes]
        writes = [name for name in dict.fromkeys(node.output) if name in shapes]
        if not reads and not writes:
            continue
        others = [name for name in [*node.input, *node.output]
                  if name and name not in shapes and name not in weights]
        accepted = ["nchw"] if others or not _keeps_dims(node.op_type) else layouts
        operations.append({
            "name": f"{number} {node.op_type} {node.name}".strip(),
            "reads": reads, "writes": writes,
            "accepts": [{"layouts": one, "cost": float(cost(
                node.op_type, [shapes[r] for r in reads], [shapes[w] for w in writes], one))
                if cost else 0.0} for one in accepted]})
    touched = {name for o in operations for name in [*o["reads"], *o["writes"]]}
    return {"tensors": {n: t for n, t in tensors.items() if n in touched},
            "operations": operations}


# These speak of dims by their numbers, or make others of them.
_BY_NUMBER = {"Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze", "Slice", "Gather",
              "MatMul", "Gemm", "Expand", "Tile", "ScatterND", "GatherND", "Loop", "If",
              "Scan", "Einsum"}


def _keeps_dims(operation: str) -> bool:
    return operation not in _BY_NUMBER


def _bits(element_type: int) -> str:
    """A type of the library that is as wide: layouts move bytes, whatever they mean."""
    import onnx.helper

    size = onnx.helper.tensor_dtype_to_np_dtype(element_type).itemsize
    return {1: "u8", 2: "u16", 4: "u32", 8: "u64", 16: "c128"}[size]
