// How a .safetensors file becomes one with another tensor.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>

#include "io/containers/directory.hpp"
#include "io/containers/json.hpp"
#include "io/containers/safetensors.hpp"

namespace stridewise {
namespace {

using Metadata = std::vector<std::pair<std::string, std::string>>;

std::int64_t width_of(const ContainedTensor& tensor) {
  return std::max<std::int64_t>(tensor.element_bytes, 1);
}

// The old metadata with what the new tensor says instead of what its forerunner said.
Metadata new_metadata(const Container* existing,
                      const SafetensorsTensor& tensor) {
  struct Told {
    std::string key;
    const std::string& value;
    bool done = false;
  };
  std::array<Told, 3> told{{
      {std::string(layout_key) + tensor.name, tensor.layout},
      {std::string(shape_key) + tensor.name, tensor.logical_shape},
      {std::string(type_key) + tensor.name, tensor.logical_type},
  }};
  Metadata metadata;
  if (existing != nullptr) {
    for (const auto& entry : existing->metadata()) {
      const auto same = std::ranges::find(told, entry.first, &Told::key);
      if (same == told.end()) {
        metadata.push_back(entry);
      } else if (same->done = true; !same->value.empty()) {
        metadata.emplace_back(entry.first, same->value);
      }
    }
  }
  for (const Told& t : told) {
    if (!t.done && !t.value.empty()) metadata.emplace_back(t.key, t.value);
  }
  return metadata;
}

// Where the new tensor goes among `order`, which are indices of the directory's tensors in
// the order of their data.
std::size_t place_in_data(std::vector<std::size_t>& order,
                          std::span<const ContainedTensor> tensors,
                          std::size_t replaced, std::int64_t width) {
  if (replaced < tensors.size()) {
    const auto at = std::ranges::find(order, replaced);
    const auto place = static_cast<std::size_t>(at - order.begin());
    order.erase(at);
    // Elements of another width would move what follows off its alignment.
    if (width_of(tensors[replaced]) == width) return place;
  }
  const auto narrower = std::ranges::find_if(
      order, [&](std::size_t k) { return width_of(tensors[k]) < width; });
  return static_cast<std::size_t>(narrower - order.begin());
}

class Writer {
 public:
  Writer(const Container* existing, const SafetensorsTensor& tensor,
         std::string type_name)
      : existing_(existing), tensor_(tensor), type_name_(std::move(type_name)) {
    if (existing != nullptr) tensors_ = existing->tensors();
    replaced_ = tensors_.size();
    for (std::size_t k = 0; k < tensors_.size(); ++k) {
      if (tensors_[k].name == tensor.name) replaced_ = k;
    }
  }

  Result<SafetensorsEdit> run(std::int64_t bytes) {
    SafetensorsEdit edit;
    edit.data_bytes = bytes;
    if (!lay_out(edit)) {
      return fail(ErrorCode::overflow, "a file of more than 2^63 bytes");
    }
    write_header(edit);
    if (edit.header.size() - safetensors_prefix > longest_safetensors_header) {
      return fail(ErrorCode::unsupported,
                  fmt::format("a safetensors header of {} bytes; readers take "
                              "{} at most",
                              edit.header.size(), longest_safetensors_header));
    }
    const auto header = static_cast<std::int64_t>(edit.header.size());
    const Checked end = add(edit.file_bytes, header);
    if (!end) {
      return fail(ErrorCode::overflow, "a file of more than 2^63 bytes");
    }
    edit.file_bytes = *end;
    edit.data_offset += header;
    for (SafetensorsEdit::Copy& copy : edit.copies) copy.to += header;
    return edit;
  }

 private:
  // Gives every tensor its place in the new data, and what is copied. Offsets begin with
  // the data. False: more bytes than can be counted.
  bool lay_out(SafetensorsEdit& edit) {
    std::vector<std::size_t> order(tensors_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t k) {
      return std::pair(tensors_[k].offset, tensors_[k].stored_bytes);
    });
    const std::size_t place =
        place_in_data(order, tensors_, replaced_,
                      tensor_.type.bits % 8 == 0 ? tensor_.type.bytes() : 1);
    begins_.resize(tensors_.size());
    Checked end = 0;
    for (std::size_t k = 0; k <= order.size(); ++k) {
      if (k == place) {
        edit.data_offset = saturated(end);
        end = add(end, edit.data_bytes);
      }
      if (k == order.size() || !end) break;
      const ContainedTensor& old = tensors_[order[k]];
      begins_[order[k]] = *end;
      copy(edit, old, *end);
      end = add(end, old.stored_bytes);
    }
    edit.file_bytes = saturated(end);
    if (replaced_ < tensors_.size()) begins_[replaced_] = edit.data_offset;
    return end.has_value();
  }

  // Tensors that follow each other in both files are one copy.
  static void copy(SafetensorsEdit& edit, const ContainedTensor& old,
                   std::int64_t to) {
    if (old.stored_bytes == 0) return;
    if (!edit.copies.empty()) {
      SafetensorsEdit::Copy& last = edit.copies.back();
      if (last.from + last.bytes == old.offset && last.to + last.bytes == to) {
        last.bytes += old.stored_bytes;
        return;
      }
    }
    edit.copies.push_back({old.offset, to, old.stored_bytes});
  }

  void write_header(SafetensorsEdit& edit) const {
    std::string& header = edit.header;
    header.assign(safetensors_prefix, '\0');
    header += '{';
    write_metadata(header);
    for (std::size_t k = 0; k < tensors_.size(); ++k) {
      const ContainedTensor& old = tensors_[k];
      if (k == replaced_) {
        write_new(edit);
      } else {
        write_tensor(header, old.name, old.type_name, old.shape, begins_[k],
                     old.stored_bytes);
      }
    }
    if (replaced_ == tensors_.size()) write_new(edit);
    header += '}';
    header.resize((header.size() + 7) / 8 * 8, ' ');
    const std::uint64_t length = header.size() - safetensors_prefix;
    for (std::size_t k = 0; k < safetensors_prefix; ++k) {
      header[k] = static_cast<char>(length >> (8 * k) & 0xff);
    }
  }

  void write_metadata(std::string& header) const {
    const Metadata metadata = new_metadata(existing_, tensor_);
    if (metadata.empty()) return;
    header += "\"__metadata__\":{";
    for (const auto& [key, value] : metadata) {
      if (header.back() != '{') header += ',';
      header += json_quoted(key) + ':' + json_quoted(value);
    }
    header += '}';
  }

  void write_new(SafetensorsEdit& edit) const {
    write_tensor(edit.header, tensor_.name, type_name_, tensor_.shape,
                 edit.data_offset, edit.data_bytes);
  }

  static void write_tensor(std::string& header, std::string_view name,
                           std::string_view type,
                           std::span<const std::int64_t> shape,
                           std::int64_t begin, std::int64_t bytes) {
    if (header.back() != '{') header += ',';
    fmt::format_to(std::back_inserter(header),
                   "{}:{{\"dtype\":{},\"shape\":[{}],\"data_offsets\":[{},{}]"
                   "}}",
                   json_quoted(name), json_quoted(type), fmt::join(shape, ","),
                   begin, begin + bytes);
  }

  const Container* existing_;
  const SafetensorsTensor& tensor_;
  std::string type_name_;
  std::span<const ContainedTensor> tensors_;
  std::size_t replaced_ = 0;  // tensors_.size(): the tensor is new
  std::vector<std::int64_t> begins_;
};

// Names and texts that JSON cannot hold would make a file that nobody reads.
Result<void> check_texts(const SafetensorsTensor& tensor) {
  struct Nothing : JsonSink {
    bool begin_object() override { return true; }
    bool end_object() override { return true; }
    bool begin_array() override { return true; }
    bool end_array() override { return true; }
    bool key(std::string& /*name*/) override { return true; }
    bool text(std::string& /*value*/) override { return true; }
    bool number(std::int64_t /*value*/) override { return true; }
    bool other() override { return true; }
  };
  for (const std::string& text : {tensor.name, tensor.layout,
                                  tensor.logical_shape, tensor.logical_type}) {
    Nothing sink;
    if (read_json(json_quoted(text), sink)) continue;
    return fail(ErrorCode::invalid_value,
                fmt::format("safetensors holds texts of UTF-8 alone, which {} "
                            "is not",
                            quoted_name(text)));
  }
  if (tensor.name != "__metadata__") return {};
  return fail(ErrorCode::invalid_value,
              "safetensors has no tensor of the name __metadata__");
}

}  // namespace

Result<SafetensorsEdit> edit_safetensors(const Container* existing,
                                         const SafetensorsTensor& tensor) {
  if (existing != nullptr &&
      existing->format() != ContainerFormat::safetensors) {
    return fail(
        ErrorCode::unsupported,
        fmt::format("{}: tensors are written to .safetensors files "
                    "alone",
                    existing->files().empty() ? "an index"
                                              : existing->files()[0].string()));
  }
  if (auto checked = check_texts(tensor); !checked) {
    return unexpected(checked.error());
  }
  Result<std::string> type_name = safetensors_type_name(tensor.type);
  if (!type_name) return unexpected(type_name.error());
  const Checked bits = bits_of_array(tensor.shape, tensor.type.bits);
  if (!bits ||
      std::ranges::any_of(tensor.shape, [](std::int64_t x) { return x < 0; })) {
    return fail(ErrorCode::overflow, "a shape that overflows 64 bits");
  }
  if (*bits % 8 != 0) {
    return fail(ErrorCode::unsupported,
                fmt::format("safetensors holds whole bytes: {} elements of {} "
                            "bits are none",
                            *bits / tensor.type.bits, tensor.type.bits));
  }
  return Writer(existing, tensor, *std::move(type_name)).run(*bits / 8);
}

}  // namespace stridewise
