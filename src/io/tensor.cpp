// SPDX-License-Identifier: Apache-2.0
#include "io/tensor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace stridewise {
namespace {

namespace fs = std::filesystem;

// What other programs take for a format of theirs, by the end of its name.
constexpr auto foreign_formats = std::to_array<std::string_view>({
    // models and checkpoints
    "safetensors",
    "gguf",
    "ggml",
    "pt",
    "pth",
    "ckpt",
    "pkl",
    "pickle",
    "joblib",
    "msgpack",
    "onnx",
    "pb",
    "pbtxt",
    "tflite",
    "keras",
    "mlmodel",
    "pdparams",
    "mnn",
    "caffemodel",
    "engine",
    "rknn",
    // arrays and tables
    "npz",
    "h5",
    "hdf5",
    "hdf",
    "nc",
    "mat",
    "zarr",
    "parquet",
    "arrow",
    "feather",
    "tfrecord",
    "fits",
    "nrrd",
    "csv",
    "tsv",
    "xls",
    "xlsx",
    "txt",
    "json",
    "jsonl",
    "xml",
    "yaml",
    "yml",
    "toml",
    "html",
    "md",
    // pictures, sound and film
    "png",
    "jpg",
    "jpeg",
    "bmp",
    "gif",
    "tif",
    "tiff",
    "webp",
    "svg",
    "pdf",
    "ppm",
    "pgm",
    "pbm",
    "pnm",
    "pfm",
    "exr",
    "hdr",
    "dds",
    "ktx",
    "ico",
    "wav",
    "flac",
    "mp3",
    "mp4",
    "avi",
    "mkv",
    // archives
    "zip",
    "gz",
    "bz2",
    "xz",
    "zst",
    "lz4",
    "7z",
    "tar",
    "tgz",
    "rar",
});

std::string lower_extension(const fs::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return extension;
}

}  // namespace

bool is_npy(const fs::path& path) { return lower_extension(path) == ".npy"; }

std::string print_extents(std::span<const std::int64_t> extents) {
  return extents.empty() ? "no dims"
                         : fmt::format("{}", fmt::join(extents, "x"));
}

Result<void> check_tensor_name(const fs::path& path) {
  std::error_code none;
  const fs::path target =
      fs::is_symlink(path, none) ? fs::weakly_canonical(path, none) : path;
  if (is_npy(path) != is_npy(target)) {
    return fail(ErrorCode::unsupported,
                fmt::format("{}: is a link to {}; only one of them is an array "
                            "by its name",
                            path.string(), target.string()));
  }
  for (const fs::path& name : {path, target}) {
    const std::string extension = lower_extension(name);
    const bool foreign =
        !extension.empty() &&
        std::ranges::find(foreign_formats, std::string_view(extension).substr(
                                               1)) != foreign_formats.end();
    if (!foreign) continue;
    return fail(ErrorCode::unsupported,
                fmt::format("{}: {} is a format of its own, which is not "
                            "written; use .npy, or another ending for raw "
                            "bytes",
                            name.string(), extension));
  }
  return {};
}

std::span<const std::byte> TensorFile::data() const {
  return file.bytes().subspan(npy ? static_cast<std::size_t>(npy->data_offset)
                                  : 0);
}

Result<TensorFile> open_tensor(const fs::path& path) {
  if (lower_extension(path) == ".npz") {
    return fail(ErrorCode::unsupported,
                path.string() + ": an archive of arrays; use one .npy array");
  }
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) return unexpected(file.error());
  TensorFile tensor{path, *std::move(file), {}};
  if (!is_npy(path)) return tensor;
  Result<NpyHeader> header = parse_npy_header(tensor.file.bytes());
  if (!header) {
    header.error().message = path.string() + ": " + header.error().message;
    return unexpected(header.error());
  }
  tensor.npy = *std::move(header);
  const auto has = static_cast<std::int64_t>(tensor.data().size());
  if (has != tensor.npy->data_bytes) {
    return fail(ErrorCode::io,
                fmt::format("{}: the header promises {} bytes of data, the "
                            "file has {}",
                            path.string(), tensor.npy->data_bytes, has));
  }
  return tensor;
}

Result<ElementType> type_of(const TensorFile& file,
                            const std::optional<ElementType>& asked) {
  if (!file.npy) {
    if (asked) return *asked;
    return fail(ErrorCode::mismatch,
                file.path.string() + ": a raw file needs --dtype");
  }
  const NpyHeader& npy = *file.npy;
  if (!asked) {
    if (npy.type) return *npy.type;
    return fail(ErrorCode::mismatch,
                fmt::format("{}: elements of {} opaque bytes; say with --dtype "
                            "what they are",
                            file.path.string(), npy.element_bytes));
  }
  const auto integer = [](const ElementType& type) {
    return type.kind == ElementKind::signed_integer ||
           type.kind == ElementKind::unsigned_integer;
  };
  // What arrays have no name for they hold as integers.
  const ElementType stored = array_type(*asked);
  const bool unnamed = asked->kind == ElementKind::brain_floating ||
                       asked->kind == ElementKind::small_floating ||
                       stored.bits != asked->bits;
  const bool reinterprets = !npy.type || (unnamed && integer(*npy.type));
  const bool fits = stored.bytes() == npy.element_bytes &&
                    (reinterprets || *asked == *npy.type);
  if (fits) return *asked;
  return fail(
      ErrorCode::mismatch,
      fmt::format("{}: holds {} ({} bytes each), not {} ({} bytes)",
                  file.path.string(), npy.type ? npy.type->name : "opaque data",
                  npy.element_bytes, asked->name, stored.bytes()));
}

}  // namespace stridewise
