// The catalogue against the collection of layouts that were constructed without it.
// SPDX-License-Identifier: Apache-2.0
#include "support/world.hpp"

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <vector>

#include "stridewise/catalogue.hpp"

namespace stridewise::testing {
namespace {

const std::map<std::string, std::string>& names_of_the_collection() {
  static const std::map<std::string, std::string> names = {
      {"onednn.OIhw4i16o4i", "onednn.OIhw4i16o4i"},
      {"ascend.NDC1HWC0", "ascend.NDC1HWC0"},
      {"ascend.FRACTAL_Z", "ascend.FRACTAL_Z"},
      {"ascend.FRACTAL_NZ", "ascend.FRACTAL_NZ"},
      {"ascend.FRACTAL_ZZ", "ascend.FRACTAL_ZZ"},
      {"ascend.C1HWNCoC0", "ascend.C1HWNCoC0"},
      {"rknn.NC1HWC2", "rknn.NC1HWC2"},
      {"rknn.matmul-B", "rknn.matmul-B"},
      {"tensorrt.kCHW32", "tensorrt.kCHW32"},
      {"tensorrt.kDLA_LINEAR", "tensorrt.kDLA_LINEAR"},
      {"tensorrt.kDLA_HWC4", "tensorrt.kDLA_HWC4"},
      {"cublaslt.COL4_4R2_8C", "cublaslt.COL4_4R2_8C"},
      {"cublaslt.COL32_2R_4R4", "cublaslt.COL32_2R_4R4"},
      {"ncnn.pack4-cstep", "ncnn.pack"},
      {"tt.tile32", "tt.tile32"},
      {"xla.T(8,128)", "xla.tiled"},
      {"xla.T(8,128)(2,1)", "xla.tiled-packed"},
      {"acl.OHWIo8i4", "acl.OHWIo8i4"},
      {"hexagon.crouton-f16", "hexagon.crouton-f16"},
      {"hexagon.iohw-16i32o2i", "hexagon.iohw-16i32o2i"},
      {"nvdla.feature", "nvdla.feature(line=192,surface=640)"},
      {"sophon.bm1684x-coeff", "sophon.bm1684x-coeff"},
      {"hailo.F8CR", "hailo.F8CR"},
      {"hailo.RGB4", "hailo.RGB4"},
      {"openvino.osa4_isa8_osv8_isv4_swz4",
       "openvino.os_is_yx_osa4_isa8_osv8_isv4_swizzled_by_4"},
      {"apple.CoreAI-interleave", "apple.interleave(cstride=128,hstride=24)"},
      {"vulkan.texture3d-channels", "vulkan.channels-packed"},
      {"marlin.scales", "gptq.marlin-scales"},
      {"trtllm.ColumnMajorTileInterleave-int8", "llm.trtllm-interleave-int8"},
      {"amx.BA16a64b4a", "mma.amx-BA16a64b4a"},
      {"aiter.shuffle_weight", "llm.aiter-shuffle"},
      {"triton.HOPPER_MX_SCALE", "scales.hopper-mx"},
      {"flashinfer.shuffle_matrix_a", "llm.flashinfer-shuffle"},
      {"flashinfer.BlockMajorK", "llm.flashinfer-block-major-k"},
      {"flashinfer.sm90-scale-fold", "scales.flashinfer-sm90-fold"},
      {"blackwell.sf-8x4", "scales.blackwell-8x4"},
      {"deepgemm.sf-mn-major", "scales.deepgemm-mn-major"},
      {"vllm.key-cache", "kv.vllm-key"},
      {"vllm.value-cache", "kv.vllm-value"},
      {"flashinfer.paged-NHD", "kv.flashinfer-NHD"},
      {"mma.m16n8k16-A", "mma.m16n8k16-A"},
      {"wgmma.C-64x32", "mma.wgmma-C"},
      {"ldmatrix.x4", "mma.ldmatrix-x4"},
      {"mfma.32x32x8-C", "mma.mfma-32x32x8-C"},
      {"rgba-pitch256", "image.rgba-pitch256"},
      {"morton-8x8", "image.morton-8x8"},
      {"apple.gpu-tiled", "apple.gpu-tiled"},
      {"intel.Y-tile", "gpu.intel-Y"},
      {"intel.Tile4", "gpu.intel-4"},
      {"nvidia.block-linear", "gpu.nvidia-block-linear(gobs=2)"},
      {"vivante.super-tiled", "gpu.vivante-super-tiled"},
      {"scalapack.block-cyclic", "hpc.scalapack(mb=2,nb=2)"},
      {"aosoa8", "hpc.aosoa"},
      {"zarr.chunks", "hpc.zarr-chunks(rows=4,columns=5)"},
      {"lapack.band-by-diagonal", "hpc.lapack-band"},
      {"fftw.r2c-inplace", "hpc.fftw-r2c-inplace"},
      {"llama.rope-permute", "llm.rope-interleaved"},
      {"rknn.matmul-B-segments", "rknn.matmul-B-segments(segment=64)"},
      {"fbgemm.PackedGemmMatrixFP16", "gemm.fbgemm-fp16(rows=16,columns=8)"},
      {"mlas.sgemm-packB", "gemm.mlas-sgemm-B(step=16)"},
      {"blis.packed-B", "gemm.blis-B(nc=12,kc=16,nr=6)"},
      {"bgr", "image.bgr"},
      {"ascend.FRACTAL_Z_C04", "ascend.FRACTAL_Z_C04"},
      {"tt.interleaved-12-banks", "tt.interleaved"},
      {"xla.T(*,*,2,*,3)", "xla.tiled-combined"},
      {"hexagon.crouton-table", "hexagon.crouton-table"},
      {"vllm.paged-key", "kv.vllm-paged-key"},
      {"sell-c-sigma", "hpc.sell-c-sigma"},
      {"vc4.T-tiled", "gpu.vc4-T"},
      {"onednn.s8s8-compensation", "onednn.s8s8-compensation"},
      {"gguf.q8_0", "gguf.q8_0"},
      {"llamacpp.q8_0x4", "gguf.q8_0x4"},
      {"xnnpack.f32-gemm", "gemm.xnnpack-f32"},
      {"flashmla.v32-fp8", "kv.flashmla-v32"},
      {"flashmla.model1-fp8", "kv.flashmla-model1"},
      {"deepgemm.indexer-kv", "kv.deepgemm-indexer"},
      {"nv12", "image.nv12(pitch=16)"},
      {"mtk.MM21", "image.mm21"},
      {"nv21", "image.nv21(pitch=16)"},
      {"xnnpack.f32-gemm-s4", "gemm.xnnpack-f32-s4"},
      {"yuyv", "image.yuyv"},
      {"tmem.sf-replicated", "scales.tmem-replicated"},
      {"dtensor.shard-then-replicate", "torch.DTensor-shard-replicate"},
      {"gptq.int4", "gptq.int4"},
      {"awq.gemm", "awq.gemm"},
      {"awq.gemv_fast", "awq.gemv_fast"},
      {"machete.int4", "gptq.machete"},
      {"torch.int4pack-cuda", "torch.int4pack-cuda"},
      {"trtllm.ColumnMajorTileInterleave-int4", "llm.trtllm-interleave-int4"},
      {"ipex.woq-int4", "llm.ipex-woq-int4"},
      {"kivi.k2", "kv.kivi-k2"},
      {"tma.U4_ALIGN16B", "tma.U4_ALIGN16B"},
      {"tma.U6_ALIGN16B", "tma.U6_ALIGN16B"},
      {"hqq.3bit_32", "hqq.3bit_32"},
      {"gptq.int3", "gptq.int3"},
      {"triton.HOPPER_VALUE-bits", "scales.hopper-mx-value-bits"},
      {"raw10-mipi", "image.raw10"},
      {"rknn.matmul-B-int4", "rknn.matmul-B-int4"},
      {"hqq.4bit_u8", "hqq.4bit_u8"},
      {"bitnet.i2_s", "llm.bitnet-i2_s"},
      {"exllama.act-order", "gptq.exllama-act-order"},
      {"gguf.q4_0", "gguf.q4_0"},
      {"gguf.nvfp4", "gguf.nvfp4"},
      {"gguf.tq2_0", "gguf.tq2_0"},
      {"llamacpp.q4_0_4x8", "gguf.q4_0_4x8"},
      {"llamacpp.q4_0_8x8", "gguf.q4_0_8x8"},
      {"spacemit.q4_0x16", "gguf.spacemit-q4_0x16"},
      {"hexagon.q4x4x2", "hexagon.q4x4x2"},
      {"kleidiai.qsi4c32p", "gemm.kleidiai-qsi4c32p"},
      {"xnnpack.qc4w", "gemm.xnnpack-qc4w"},
      {"d24s8", "image.d24s8"},
      {"gguf.q5_0", "gguf.q5_0"},
      {"gguf.q6_K", "gguf.q6_K"},
      {"gguf.q3_K", "gguf.q3_K"},
      {"torch.int4pack-cpu512-tail", "torch.int4pack-cpu512"},
      {"lstm.onnx-iofc", "onnx.lstm-iofc"},
      {"tma.swizzle-128B", "tma.swizzle-128B"},
      {"tma.swizzle-32B", "tma.swizzle-32B"},
      {"intel.Y-tile-bit6", "gpu.intel-Y-bit6"},
      {"mali.16x16-u-interleaved", "gpu.mali-u-interleaved"},
  };
  return names;
}

// The first element that lies elsewhere, in words; empty: all lie where they should.
std::string difference(const Layout& named, const Layout& expected) {
  if (named.shape() != expected.shape()) {
    return "dims " + print(named.shape()) + ", not " + print(expected.shape());
  }
  std::string found;
  for_each_index(expected.shape(), [&](const std::vector<std::int64_t>& index) {
    for (std::int64_t bit = 0; bit < expected.element_bits(); ++bit) {
      const std::int64_t at = named.bit_of(index, bit);
      if (!found.empty() || at == expected.bit_of(index, bit)) continue;
      found =
          fmt::format("bit {} of {} lies at {}, not at {}", bit,
                      fmt::join(index, ","), at, expected.bit_of(index, bit));
    }
  });
  return found;
}

TEST(CatalogueWorld, EveryLayoutHasAName) {
  for (WorldEntry entry : world()) {
    // Its expression has the table of this width in the text.
    if (entry.name == "vc4.T-tiled") {
      entry.binding.tables["T"] = {0, 1, 2, 5, 4, 3};
    }
    SCOPED_TRACE(entry.name);
    const auto text = names_of_the_collection().find(entry.name);
    ASSERT_NE(text, names_of_the_collection().end());
    const Result<LayoutSource> source = resolve_layout(text->second);
    ASSERT_TRUE(source) << source.error().to_string();
    const Result<Layout> named = source->bind(entry.shape, entry.binding);
    ASSERT_TRUE(named) << named.error().message;
    const Layout expected = layout_of(entry);
    EXPECT_EQ(named->size_bits(), expected.size_bits());
    ASSERT_EQ(named->tensors().size(), expected.tensors().size());
    for (const Tensor& tensor : expected.tensors()) {
      EXPECT_EQ(
          difference(*named->part(tensor.name), *expected.part(tensor.name)),
          "")
          << tensor.name;
    }
  }
}

}  // namespace
}  // namespace stridewise::testing
