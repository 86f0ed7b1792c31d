"""linalg.pack, compiled and run by IREE, against blocked layouts. Not part of ./test."""

import iree.compiler
import iree.runtime
import numpy as np
import pytest
import stridewise as sw


def packed(x, mlir_type, outer, inner_dims, tiles, result):
    """x by linalg.pack, padded with zeros."""
    shape = "x".join(map(str, x.shape))
    zero = "0.0" if mlir_type[0] in "fb" else "0"
    text = f"""
    func.func @pack(%x: tensor<{shape}x{mlir_type}>) -> tensor<{result}x{mlir_type}> {{
      %zero = arith.constant {zero} : {mlir_type}
      %out = tensor.empty() : tensor<{result}x{mlir_type}>
      %y = linalg.pack %x padding_value(%zero : {mlir_type})
        outer_dims_perm = {outer} inner_dims_pos = {inner_dims} inner_tiles = {tiles}
        into %out : tensor<{shape}x{mlir_type}> -> tensor<{result}x{mlir_type}>
      return %y : tensor<{result}x{mlir_type}>
    }}"""
    binary = iree.compiler.compile_str(text, target_backends=["llvm-cpu"],
                                       extra_args=["--iree-llvmcpu-target-cpu=host"])
    module = iree.runtime.load_vm_flatbuffer(binary, driver="local-task")
    return np.asarray(module.pack(x).to_host())


@pytest.mark.parametrize("layout, outer, inner_dims, tiles", [
    ("n c/16 h w c%16", [0, 1, 2, 3], [1], [16]),
    ("n h w c/8 c%8", [0, 2, 3, 1], [1], [8]),
    ("n/4 c/16 h w c%16 n%4", [0, 1, 2, 3], [1, 0], [16, 4]),
    ("h w n/2 c/5 n%2 c%5", [2, 3, 0, 1], [0, 1], [2, 5])])
@pytest.mark.parametrize("dtype, mlir", [("f4", "f32"), ("i1", "i8"), ("f2", "f16")])
def test_pack(layout, outer, inner_dims, tiles, dtype, mlir):
    x = np.random.default_rng(1).integers(-99, 99, (3, 17, 5, 4)).astype(dtype)
    ours = sw.convert(x, "n c h w", layout)
    theirs = packed(x, mlir, outer, inner_dims, tiles, "x".join(map(str, ours.shape)))
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(
        sw.convert(theirs, sw.layout(layout, dict(zip("nchw", x.shape)), x.dtype),
                   "n c h w"), x)
