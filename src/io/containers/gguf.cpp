// The GGUF format: keys with values, then what tensors there are, then their bytes.
// SPDX-License-Identifier: Apache-2.0
#include "io/containers/gguf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "io/containers/bytes.hpp"
#include "io/containers/directory.hpp"

namespace stridewise {
namespace {

constexpr std::uint32_t deepest = 8;
constexpr std::uint32_t most_dims = 4;
constexpr std::uint64_t default_alignment = 32;

// A key's length and the type of its value, and a tensor without a name and dims.
constexpr std::uint64_t shortest_pair = 8 + 4 + 1;
constexpr std::uint64_t shortest_tensor = 8 + 4 + 4 + 8;

unexpected<Error> bad(std::string message) {
  return fail(ErrorCode::io, std::move(message));
}

// The types of values.
constexpr std::uint32_t value_u32 = 4;
constexpr std::uint32_t value_text = 8;
constexpr std::uint32_t value_list = 9;

// The bytes of a value of this type, or the fewest that it may have; 0: there is none.
std::uint64_t value_bytes(std::uint32_t type) {
  constexpr auto bytes =
      std::to_array<std::uint64_t>({1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8});
  return type < bytes.size() ? bytes[type] : 0;
}

class Parser {
 public:
  explicit Parser(std::span<const std::byte> file)
      : file_(file), reader_(file) {}

  Result<Directory> run() {
    std::uint64_t tensors = 0;
    std::uint64_t pairs = 0;
    if (auto read = begin(tensors, pairs); !read) {
      return unexpected(read.error());
    }
    for (std::uint64_t k = 0; k < pairs; ++k) {
      if (auto read = pair(); !read) return unexpected(read.error());
    }
    if (tensors > reader_.left() / shortest_tensor) {
      return bad(fmt::format("promises {} tensors in the last {} bytes",
                             tensors, reader_.left()));
    }
    directory_.tensors.reserve(static_cast<std::size_t>(tensors));
    for (std::uint64_t k = 0; k < tensors; ++k) {
      if (auto read = tensor(); !read) return unexpected(read.error());
    }
    if (auto placed = place(); !placed) return unexpected(placed.error());
    if (auto indexed = index_names(directory_); !indexed) {
      return unexpected(indexed.error());
    }
    return std::move(directory_);
  }

 private:
  Result<void> begin(std::uint64_t& tensors, std::uint64_t& pairs) {
    const std::string_view magic = reader_.text(4);
    const std::uint32_t version = reader_.u32();
    if (magic != "GGUF") return bad("does not begin as a GGUF file does");
    if (version != 0 && (version & 0xffff) == 0) {
      return fail(ErrorCode::unsupported,
                  "a big-endian GGUF file; little-endian ones are read");
    }
    if (!reader_.ended() && version != 2 && version != 3) {
      return fail(ErrorCode::unsupported,
                  fmt::format("version {} of GGUF; versions 2 and 3 are read",
                              version));
    }
    tensors = reader_.u64();
    pairs = reader_.u64();
    if (reader_.ended()) return bad("ends within its first bytes");
    if (pairs > reader_.left() / shortest_pair) {
      return bad(
          fmt::format("promises {} keys in {} bytes", pairs, reader_.left()));
    }
    return {};
  }

  Result<void> pair() {
    const std::string_view key = reader_.text(reader_.u64());
    const std::uint32_t type = reader_.u32();
    if (reader_.ended()) return bad("ends within its keys");
    if (key != "general.alignment") return skip_value(key, type, 0);
    if (std::exchange(aligned_, true)) return bad("tells its alignment twice");
    if (type != value_u32) return bad("has an alignment that is no u32");
    alignment_ = reader_.u32();
    if (reader_.ended()) return bad("ends within its keys");
    if (!std::has_single_bit(alignment_)) {
      return bad(
          fmt::format("an alignment of {} bytes, which is no power of "
                      "two",
                      alignment_));
    }
    return {};
  }

  Result<void> skip_value(std::string_view key, std::uint32_t type,
                          std::uint32_t depth) {
    const std::uint64_t bytes = value_bytes(type);
    if (bytes == 0) {
      return bad(
          fmt::format("the key {} has a value of type {}, which the "
                      "format does not know",
                      quoted_name(key), type));
    }
    if (type == value_list) return skip_list(key, depth + 1);
    reader_.skip(type == value_text ? reader_.u64() : bytes);
    if (reader_.ended()) {
      return bad(fmt::format("ends within the value of {}", quoted_name(key)));
    }
    return {};
  }

  Result<void> skip_list(std::string_view key, std::uint32_t depth) {
    const std::uint32_t type = reader_.u32();
    const std::uint64_t count = reader_.u64();
    const std::uint64_t bytes = value_bytes(type);
    if (depth > deepest) {
      return bad(fmt::format("the key {} has lists that are deeper than {}",
                             quoted_name(key), deepest));
    }
    if (reader_.ended() || (bytes != 0 && count > reader_.left() / bytes)) {
      return bad(fmt::format("ends within the list of {}", quoted_name(key)));
    }
    if (bytes != 0 && type != value_text && type != value_list) {
      reader_.skip(count * bytes);
      return {};
    }
    for (std::uint64_t k = 0; k < count; ++k) {
      if (auto read = skip_value(key, type, depth); !read) return read;
    }
    return {};
  }

  // Offsets are from the begin of the data until place().
  Result<void> tensor() {
    ContainedTensor tensor;
    tensor.name = reader_.text(reader_.u64());
    const std::uint32_t dims = reader_.u32();
    if (!reader_.ended() && dims > most_dims) {
      return bad(fmt::format("the tensor {} has {} dims; {} are the most",
                             quoted_name(tensor.name), dims, most_dims));
    }
    bool counted = true;
    for (std::uint32_t k = 0; k < dims && !reader_.ended(); ++k) {
      const std::uint64_t extent = reader_.u64();
      counted = counted && fits(extent);
      tensor.shape.push_back(static_cast<std::int64_t>(extent));
    }
    // The file has the fastest dim first.
    std::ranges::reverse(tensor.shape);
    const std::uint32_t type = reader_.u32();
    const std::uint64_t offset = reader_.u64();
    if (reader_.ended()) return bad("ends within what it says of its tensors");
    if (!counted || !fits(offset)) return overflows(tensor);
    tensor.offset = static_cast<std::int64_t>(offset);
    if (auto typed = set_type(tensor, type); !typed) return typed;
    directory_.tensors.push_back(std::move(tensor));
    return {};
  }

  static unexpected<Error> overflows(const ContainedTensor& tensor) {
    return bad(
        fmt::format("the tensor {} has extents or an offset that "
                    "overflow 64 bits",
                    quoted_name(tensor.name)));
  }

  // `bytes` is -1 where the type is not known.
  static Result<void> set_type(ContainedTensor& tensor, std::uint32_t number) {
    const GgufType* type = gguf_type(number);
    if (type == nullptr) {
      tensor.type_name = fmt::format("type {}", number);
      tensor.bytes = -1;
      return bits_of_array(tensor.shape, 1) ? Result<void>()
                                            : overflows(tensor);
    }
    tensor.type_name = type->name;
    const std::int64_t row = tensor.shape.empty() ? 1 : tensor.shape.back();
    if (row % type->block != 0) {
      return bad(
          fmt::format("the tensor {} has rows of {} elements, which are "
                      "no whole blocks of {} of {}",
                      quoted_name(tensor.name), row, type->block, type->name));
    }
    // Blocks take less than 16 bits an element, so that the elements can be counted, too.
    std::vector<std::int64_t> blocks = tensor.shape;
    if (!blocks.empty()) blocks.back() /= type->block;
    const Checked bits = bits_of_array(blocks, 8 * type->block_bytes);
    const Checked elements = bits_of_array(tensor.shape, 1);
    if (!bits || !elements) return overflows(tensor);
    tensor.bytes = *bits / 8;
    if (type->block == 1) {
      tensor.type = *parse_element_type(type->ours);
      tensor.element_bytes = type->block_bytes;
    } else {
      tensor.layout = type->ours;
      std::int64_t rows = 1;
      for (std::size_t k = 0; k + 1 < tensor.shape.size(); ++k) {
        rows *= tensor.shape[k];  // no overflow: bits_of_array has seen it
      }
      tensor.logical_shape = fmt::format("n={},k={}", rows, row);
    }
    return {};
  }

  // Gives the tensors their places in the file, if these are apart.
  Result<void> place() {
    const std::uint64_t unit = alignment_;
    // A file without data may end before.
    const std::uint64_t begin = std::min<std::uint64_t>(
        (reader_.position() + unit - 1) / unit * unit, file_.size());
    const std::uint64_t size = file_.size() - begin;
    std::vector<ContainedTensor>& tensors = directory_.tensors;
    std::vector<std::size_t> order(tensors.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // What takes no bytes lies before what begins at the same place.
    std::ranges::sort(order, {}, [&](std::size_t k) {
      return std::pair(tensors[k].offset, tensors[k].bytes != 0);
    });
    for (std::size_t at = 0; at < order.size(); ++at) {
      ContainedTensor& tensor = tensors[order[at]];
      const auto offset = static_cast<std::uint64_t>(tensor.offset);
      if (offset % unit != 0) {
        return bad(
            fmt::format("the tensor {} begins at {}, which is no "
                        "multiple of {}",
                        quoted_name(tensor.name), offset, unit));
      }
      const std::uint64_t end =
          at + 1 < order.size()
              ? static_cast<std::uint64_t>(tensors[order[at + 1]].offset)
              : size;
      if (end > size || offset > end || !holds(tensor, end - offset)) {
        return bad(
            fmt::format("the tensor {} goes on after byte {} of the "
                        "data, where {} ends",
                        quoted_name(tensor.name), std::min(end, size),
                        end < size ? "its place" : "the file"));
      }
      tensor.offset += static_cast<std::int64_t>(begin);
      tensor.stored_bytes = tensor.bytes;
    }
    return {};
  }

  // Whether the room up to the next tensor is enough. A tensor of a type that is not known
  // gets all of it.
  static bool holds(ContainedTensor& tensor, std::uint64_t room) {
    if (tensor.bytes < 0) tensor.bytes = static_cast<std::int64_t>(room);
    return static_cast<std::uint64_t>(tensor.bytes) <= room;
  }

  std::span<const std::byte> file_;
  ByteReader reader_;
  std::uint64_t alignment_ = default_alignment;
  bool aligned_ = false;
  Directory directory_;
};

}  // namespace

Result<Directory> read_gguf(std::span<const std::byte> file) {
  return Parser(file).run();
}

}  // namespace stridewise
