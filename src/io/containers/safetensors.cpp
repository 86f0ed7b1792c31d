// The safetensors format: the length of a header, the header as JSON, then the tensors
// without a gap.
// SPDX-License-Identifier: Apache-2.0
#include "io/containers/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "io/containers/bytes.hpp"
#include "io/containers/directory.hpp"
#include "io/containers/json.hpp"

namespace stridewise {
namespace {

// No tensor takes less of a header: "":{"dtype":"","shape":[],"data_offsets":[0,0]}
constexpr std::size_t shortest_entry = 46;

// Makes tensors of a header's events. `offset` and `bytes` are the two data_offsets until
// all are known.
class HeaderSink : public JsonSink {
 public:
  explicit HeaderSink(Directory& directory) : directory_(directory) {}

  bool begin_object() override {
    if (at_ == At::start) {
      at_ = At::top;
    } else if (at_ == At::top && name_ == "__metadata__") {
      if (std::exchange(metadata_, true)) {
        return stop("__metadata__ comes twice");
      }
      at_ = At::metadata;
    } else if (at_ == At::top) {
      at_ = At::tensor;
      fields_ = 0;
      tensor_ = {};
      tensor_.name = std::move(name_);
    } else {
      return unexpected_value();
    }
    return true;
  }

  bool end_object() override {
    if (at_ == At::tensor) {
      if (fields_ != (has_type | has_shape | has_offsets)) {
        return stop(
            fmt::format("the tensor {} lacks dtype, shape or "
                        "data_offsets",
                        quoted_name(tensor_.name)));
      }
      directory_.tensors.push_back(std::move(tensor_));
    }
    at_ = at_ == At::top ? At::end : At::top;
    return true;
  }

  bool begin_array() override {
    if (at_ != At::tensor || (field_ != has_shape && field_ != has_offsets)) {
      return unexpected_value();
    }
    at_ = field_ == has_shape ? At::shape : At::offsets;
    numbers_ = 0;
    return true;
  }

  bool end_array() override {
    if (at_ == At::offsets && numbers_ != 2) return unexpected_value();
    at_ = At::tensor;
    return true;
  }

  bool key(std::string& name) override {
    if (at_ != At::tensor) {
      name_ = std::move(name);
      return true;
    }
    field_ = name == "dtype"          ? has_type
             : name == "shape"        ? has_shape
             : name == "data_offsets" ? has_offsets
                                      : 0;
    if (field_ == 0 || (fields_ & field_) != 0) {
      return stop(fmt::format(
          "the tensor {} has the key {} {}", quoted_name(tensor_.name),
          quoted_name(name),
          field_ == 0 ? "which the format does not know" : "twice"));
    }
    fields_ |= field_;
    return true;
  }

  bool text(std::string& value) override {
    if (at_ == At::metadata) {
      directory_.metadata.emplace_back(std::move(name_), std::move(value));
      return true;
    }
    if (at_ != At::tensor || field_ != has_type) return unexpected_value();
    tensor_.type_name = std::move(value);
    return true;
  }

  bool number(std::int64_t value) override {
    ++numbers_;
    if (at_ == At::shape) {
      tensor_.shape.push_back(value);
    } else if (at_ == At::offsets && numbers_ <= 2) {
      (numbers_ == 1 ? tensor_.offset : tensor_.bytes) = value;
    } else {
      return unexpected_value();
    }
    return true;
  }

  bool other() override { return unexpected_value(); }

 private:
  enum class At : std::uint8_t {
    start,
    top,
    metadata,
    tensor,
    shape,
    offsets,
    end
  };
  static constexpr unsigned has_type = 1;
  static constexpr unsigned has_shape = 2;
  static constexpr unsigned has_offsets = 4;

  bool unexpected_value() {
    switch (at_) {
      case At::start:
      case At::end:
        return stop("the header is no object");
      case At::top:
        return stop(
            fmt::format("the tensor {} is no object", quoted_name(name_)));
      case At::metadata:
        return stop(
            fmt::format("__metadata__ has no text for {}", quoted_name(name_)));
      default:
        return stop(fmt::format(
            "the tensor {} has {}", quoted_name(tensor_.name),
            field_ == has_type    ? "a dtype that is no text"
            : field_ == has_shape ? "a shape that is no list of numbers from 0 "
                                    "to 2^63 - 1"
                                  : "data_offsets that are not two numbers "
                                    "from 0 to 2^63 - 1"));
    }
  }

  Directory& directory_;
  At at_ = At::start;
  std::string name_;
  ContainedTensor tensor_;
  unsigned field_ = 0;
  unsigned fields_ = 0;
  int numbers_ = 0;
  bool metadata_ = false;
};

unexpected<Error> bad_tensor(const ContainedTensor& tensor,
                             std::string_view what) {
  return fail(ErrorCode::io,
              fmt::format("the tensor {} {}", quoted_name(tensor.name), what));
}

Result<void> set_type(ContainedTensor& tensor) {
  tensor.type = safetensors_type(tensor.type_name);
  // What is not known has no size, but must have a count.
  const std::int64_t width = tensor.type ? tensor.type->bits : 1;
  const Checked bits = bits_of_array(tensor.shape, width);
  if (!bits) return bad_tensor(tensor, "has a shape that overflows 64 bits");
  if (!tensor.type) return {};
  if (*bits % 8 != 0) return bad_tensor(tensor, "does not end with a byte");
  if (*bits / 8 != tensor.bytes) {
    return bad_tensor(tensor,
                      fmt::format("has {} bytes, but its shape and dtype take "
                                  "{}",
                                  tensor.bytes, *bits / 8));
  }
  tensor.element_bytes = tensor.type->bits % 8 == 0 ? tensor.type->bytes() : 0;
  return {};
}

// The tensors must follow each other without gaps and end with the file. data_offsets
// become places in the file.
Result<void> place_tensors(std::vector<ContainedTensor>& tensors,
                           std::int64_t data_begin, std::int64_t data_bytes) {
  std::vector<std::size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t k) {
    return std::pair(tensors[k].offset, tensors[k].bytes);
  });
  std::int64_t end = 0;
  for (const std::size_t k : order) {
    ContainedTensor& tensor = tensors[k];
    if (tensor.offset != end || tensor.bytes < end) {
      return bad_tensor(
          tensor, fmt::format("has data_offsets {} and {}, but the tensors "
                              "before it end at {}",
                              tensor.offset, tensor.bytes, end));
    }
    end = tensor.bytes;
    if (end > data_bytes) break;
    tensor.bytes -= tensor.offset;
    tensor.stored_bytes = tensor.bytes;
    tensor.offset += data_begin;
    if (auto typed = set_type(tensor); !typed) return typed;
  }
  if (end == data_bytes) return {};
  return fail(ErrorCode::io,
              fmt::format("the tensors take {} bytes, but {} follow the header",
                          end, data_bytes));
}

Result<void> check_metadata(Directory& directory) {
  std::vector<std::string_view> keys;
  keys.reserve(directory.metadata.size());
  for (const auto& [key, value] : directory.metadata) keys.emplace_back(key);
  std::ranges::sort(keys);
  const auto twin = std::ranges::adjacent_find(keys);
  if (twin == keys.end()) return {};
  return fail(ErrorCode::io, fmt::format("__metadata__ has the key {} twice",
                                         quoted_name(*twin)));
}

// What the metadata tell of tensors. What is told of one that is gone means nothing.
void attach_layouts(Directory& directory) {
  const auto attach = [&](const std::pair<std::string, std::string>& entry,
                          std::string_view prefix,
                          std::string ContainedTensor::*field) {
    const std::string_view key = entry.first;
    if (!key.starts_with(prefix)) return;
    const std::size_t k = position_of(key.substr(prefix.size()),
                                      directory.tensors, directory.by_name);
    if (k < directory.tensors.size()) {
      directory.tensors[k].*field = entry.second;
    }
  };
  for (const auto& entry : directory.metadata) {
    attach(entry, layout_key, &ContainedTensor::layout);
    attach(entry, shape_key, &ContainedTensor::logical_shape);
    attach(entry, type_key, &ContainedTensor::logical_type);
  }
}

}  // namespace

Result<Directory> read_safetensors(std::span<const std::byte> file) {
  ByteReader reader(file);
  const std::uint64_t length = reader.u64();
  if (reader.ended()) {
    return fail(ErrorCode::io, "too short for a safetensors file");
  }
  if (length > longest_safetensors_header) {
    return fail(ErrorCode::io,
                fmt::format("begins with the length of a header, {} bytes, "
                            "which may not be over {}",
                            length, longest_safetensors_header));
  }
  const std::string_view header = reader.text(length);
  if (reader.ended()) {
    return fail(ErrorCode::io,
                fmt::format("a header of {} bytes, but the file has {}", length,
                            file.size()));
  }
  Directory directory;
  const auto objects =
      static_cast<std::size_t>(std::ranges::count(header, '{'));
  directory.tensors.reserve(std::min(objects, header.size() / shortest_entry));
  HeaderSink sink(directory);
  if (auto read = read_json(header, sink); !read) {
    return unexpected(read.error());
  }
  if (auto placed = place_tensors(directory.tensors,
                                  static_cast<std::int64_t>(reader.position()),
                                  static_cast<std::int64_t>(reader.left()));
      !placed) {
    return unexpected(placed.error());
  }
  if (auto checked = check_metadata(directory); !checked) {
    return unexpected(checked.error());
  }
  if (auto indexed = index_names(directory); !indexed) {
    return unexpected(indexed.error());
  }
  attach_layouts(directory);
  return directory;
}

}  // namespace stridewise
