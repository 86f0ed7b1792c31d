// Files that hold several named tensors: .safetensors and its index of shards, .gguf and
// .npz. Only their directories are read; the tensors stay where they are until they are
// asked for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stridewise/element.hpp"
#include "stridewise/io.hpp"
#include "stridewise/result.hpp"

namespace stridewise {

enum class ContainerFormat : std::uint8_t {
  safetensors,
  safetensors_index,  // *.index.json: which file of several holds which tensor
  gguf,
  npz,
};

// One tensor of a container: what it is, and where its bytes lie.
struct ContainedTensor {
  std::string name;       // any bytes
  std::string type_name;  // as the file spells it: "F16", "Q4_0", "<f4"
  // nullopt: no type of plain elements, such as blocks of GGUF, opaque bytes of NumPy or a
  // type that is not known.
  std::optional<ElementType> type;
  // 0: elements are not whole bytes each. Those of safetensors are packed then, without a
  // gap, the first in the lowest bits.
  std::int64_t element_bytes = 0;
  std::vector<std::int64_t> shape;  // slowest first; empty: one value
  bool big_endian = false;
  bool fortran_order = false;
  // The layout that the file tells, or the name of one in the catalogue ("gguf.q4_0");
  // empty: the dims one after the other.
  std::string layout;
  std::string logical_shape;  // of that layout, as "n=2,c=17"; empty: not told
  std::string
      logical_type;  // where the stored type only holds it ("u4"); else empty
  // Where it lies: `stored_bytes` from byte `offset` of a file, which is
  // Container::files()[file]. load() gives `bytes`, which differ where it is compressed.
  std::int64_t offset = 0;
  std::int64_t stored_bytes = 0;
  std::int64_t bytes = 0;
  std::int32_t file = 0;
  bool compressed = false;
  std::string refused;  // why load() refuses it; empty: it does not
};

// The bytes of one tensor, without any header.
struct LoadedTensor {
  std::span<const std::byte> bytes;
  std::optional<MappedFile> file;  // which they lie in,
  std::unique_ptr<std::byte[]>
      inflated;  // or memory that they were unpacked to
};

// The directory of a container. Immutable, and safe to read from many threads.
class Container {
 public:
  // Reads the directory of the file and checks all of it: every tensor lies inside its file,
  // and no two share a byte, except where the size of a type is not known. Takes memory in
  // proportion to the directory. Errors: the file
  // cannot be read, is no such file, or lies about its own contents.
  [[nodiscard]] static Result<Container> open(
      const std::filesystem::path& path);

  [[nodiscard]] ContainerFormat format() const { return format_; }
  // The file itself; of an index, the files that it names.
  [[nodiscard]] std::span<const std::filesystem::path> files() const {
    return files_;
  }
  // In the order of the directory.
  [[nodiscard]] std::span<const ContainedTensor> tensors() const {
    return tensors_;
  }
  // What a .safetensors file says about itself.
  [[nodiscard]] std::span<const std::pair<std::string, std::string>> metadata()
      const {
    return metadata_;
  }

  // The tensor of exactly this name. Error unknown_name: there is none; it tells the
  // nearest name and how many there are. O(log(tensors)).
  [[nodiscard]] Result<const ContainedTensor*> find(
      std::string_view name) const;

  // The tensor's bytes: mapped where they lie in the file as they are, else unpacked, which
  // takes memory for all of them. What an archive has a checksum of is compared with it.
  // Errors: those of find(), the tensor is refused, the file has changed, the checksum is
  // another one.
  [[nodiscard]] Result<LoadedTensor> load(std::string_view name) const;

  // A member of an archive, which begins with the header of an array.
  struct Member {
    std::int64_t offset = 0;
    std::int64_t packed_bytes = 0;
    std::int64_t bytes = 0;
    std::int64_t header_bytes = 0;
    std::uint32_t checksum = 0;
  };

 private:
  Container() = default;
  ContainerFormat format_ = ContainerFormat::safetensors;
  std::vector<std::filesystem::path> files_;
  std::vector<ContainedTensor> tensors_;
  std::vector<std::size_t> by_name_;  // indices into tensors_, by name
  std::vector<Member> members_;       // of an archive: one a tensor
  std::vector<std::pair<std::string, std::string>> metadata_;
};

// Whether a file of this name holds several tensors: it ends in .safetensors, .gguf, .npz or
// .index.json, in either case.
[[nodiscard]] bool is_container(const std::filesystem::path& path);

struct ContainerPath {
  std::filesystem::path file;
  std::optional<std::string> name;  // nullopt: the text is a file's name alone
};

// "model.safetensors:layers.0.w" names the tensor layers.0.w of model.safetensors. The
// name is what follows the first ':' after a container's ending; a file that exists under
// the whole text is that file.
[[nodiscard]] ContainerPath split_container_path(std::string_view text);

// ------------------------------------------------------------- writing ---

// The name that safetensors has for a type. Error unsupported: it has none (s4, f128 ...);
// the message says what may be written instead.
[[nodiscard]] Result<std::string> safetensors_type_name(
    const ElementType& type);

// A tensor that is to be in a .safetensors file.
struct SafetensorsTensor {
  std::string name;  // UTF-8
  ElementType type;
  std::vector<std::int64_t> shape;  // of the array that is stored
  // What the file is to tell beside it; empty: nothing. See ContainedTensor.
  std::string layout = {};
  std::string logical_shape = {};
  std::string logical_type = {};
};

// How a file becomes one with another tensor: `header` is how it begins, the new tensor's
// bytes go to `data_offset`, and the rest is copied.
struct SafetensorsEdit {
  std::string header;
  struct Copy {
    std::int64_t from = 0;  // in the old file
    std::int64_t to = 0;    // in the new one
    std::int64_t bytes = 0;
  };
  std::vector<Copy> copies;
  std::int64_t data_offset = 0;
  std::int64_t data_bytes = 0;
  std::int64_t file_bytes = 0;
};

// Adds the tensor to a file, or replaces the one of its name. All else that the file has
// stays, in its order; a new tensor comes after those of elements as wide, so that all stay
// aligned. nullptr: there is no file yet.
// Errors: another format; a type that safetensors has no name for; a name that is no text;
// a header beyond what readers take (100 MB).
[[nodiscard]] Result<SafetensorsEdit> edit_safetensors(
    const Container* existing, const SafetensorsTensor& tensor);

}  // namespace stridewise
