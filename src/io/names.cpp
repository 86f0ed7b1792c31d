// What the name of a file says: whether it is an array, one tensor of several, or a format
// that is not written.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "stridewise/container.hpp"

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

namespace {

bool is_safetensors(const fs::path& path) {
  return lower_extension(path) == ".safetensors";
}

// Of a tensor that is to be one of several in a file.
Result<void> check_container_name(const fs::path& path,
                                  const ContainerPath& place) {
  if (!is_safetensors(place.file)) {
    return fail(ErrorCode::unsupported,
                fmt::format("{}: tensors are read from {} files and not "
                            "written to them; use .npy or .safetensors:NAME",
                            path.string(), lower_extension(place.file)));
  }
  if (place.name->empty()) {
    return fail(ErrorCode::invalid_value,
                path.string() + ": the tensor's name is missing after the ':'");
  }
  return {};
}

}  // namespace

bool writes_array(const fs::path& path) {
  return is_npy(path) || split_container_path(path.native()).name.has_value();
}

Result<void> check_tensor_name(const fs::path& path) {
  if (const ContainerPath place = split_container_path(path.native());
      place.name) {
    return check_container_name(path, place);
  }
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
    return fail(
        ErrorCode::unsupported,
        is_safetensors(name)
            ? fmt::format(
                  "{0}: a format of tensors by name; {0}:NAME writes one",
                  name.string())
            : fmt::format("{}: {} is a format of its own, which is not "
                          "written; use .npy, .safetensors:NAME, or another "
                          "ending for raw bytes",
                          name.string(), extension));
  }
  return {};
}

}  // namespace stridewise
