// The npz format: a zip archive of .npy arrays.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/containers/bytes.hpp"
#include "io/containers/directory.hpp"
#include "io/containers/inflate.hpp"
#include "io/containers/zip.hpp"

namespace stridewise {
namespace {

constexpr std::string_view ending = ".npy";
// The first bytes of an array, which tell how long its header is.
constexpr std::size_t prefix_bytes = 12;
// More dims than NumPy has are a way to fill memory.
constexpr std::size_t most_npy_dims = 64;
constexpr std::size_t longest_header = std::size_t{1} << 20;

// The dtype of a header in its own spelling. Pre: the header is whole.
std::string type_name_of(std::span<const std::byte> header) {
  const std::string_view text(reinterpret_cast<const char*>(header.data()),
                              header.size());
  const std::size_t key = text.find("descr");
  if (key == std::string_view::npos) return {};
  const std::size_t begin = text.find_first_not_of("'\": ", key + 5);
  if (begin == std::string_view::npos) return {};
  if (text[begin] == '[') return "structured";
  const std::size_t end = text.find_first_of("'\"", begin);
  if (end == std::string_view::npos) return {};
  return std::string(
      text.substr(begin, std::min<std::size_t>(end - begin, 64)));
}

class Reader {
 public:
  explicit Reader(std::span<const std::byte> archive) : archive_(archive) {}

  Result<Directory> run() {
    const Result<std::vector<ZipEntry>> entries = read_zip(archive_);
    if (!entries) return unexpected(entries.error());
    directory_.tensors.reserve(entries->size());
    directory_.members.reserve(entries->size());
    for (const ZipEntry& entry : *entries) {
      // Other files in an archive are no arrays.
      if (entry.name.ends_with(ending)) add(entry);
    }
    if (auto indexed = index_names(directory_); !indexed) {
      return unexpected(indexed.error());
    }
    return std::move(directory_);
  }

 private:
  // An array that cannot be read is listed with the reason, and others can be read.
  void add(const ZipEntry& entry) {
    ContainedTensor tensor;
    tensor.name = entry.name.substr(0, entry.name.size() - ending.size());
    tensor.compressed = entry.method != zip_stored;
    tensor.offset = entry.offset;
    tensor.stored_bytes = entry.packed_bytes;
    tensor.bytes = entry.bytes;
    Container::Member member{.offset = entry.offset,
                             .packed_bytes = entry.packed_bytes,
                             .bytes = entry.bytes,
                             .checksum = entry.checksum};
    if (entry.encrypted) {
      tensor.refused = "it is encrypted";
    } else if (entry.method != zip_stored && entry.method != zip_deflated) {
      tensor.refused = fmt::format(
          "it is packed by method {} of zip; stored and deflated "
          "arrays are read",
          entry.method);
    } else {
      read_header(tensor, member);
    }
    directory_.tensors.push_back(std::move(tensor));
    directory_.members.push_back(member);
  }

  void read_header(ContainedTensor& tensor, Container::Member& member) {
    const std::span<const std::byte> bytes = beginning(tensor, member);
    const Result<NpyHeader> header = parse_npy_header(bytes);
    if (!header) {
      tensor.type_name = type_name_of(bytes);
      tensor.refused = shown(header.error().message);
      return;
    }
    if (header->shape.size() > most_npy_dims) {
      tensor.refused = fmt::format("it has {} dims; NumPy has {} at most",
                                   header->shape.size(), most_npy_dims);
      return;
    }
    const auto header_bytes = static_cast<std::size_t>(header->data_offset);
    tensor.type_name = type_name_of(bytes.first(header_bytes));
    tensor.type = header->type;
    tensor.element_bytes = header->element_bytes;
    tensor.big_endian = header->big_endian;
    tensor.fortran_order = header->fortran_order;
    tensor.shape = header->shape;
    // data_offset is at most the member's size: the header was whole.
    if (header->data_bytes != member.bytes - header->data_offset) {
      tensor.refused =
          fmt::format("its header promises {} bytes of data, but it has {}",
                      header->data_bytes, member.bytes - header->data_offset);
      return;
    }
    member.header_bytes = header->data_offset;
    tensor.bytes = header->data_bytes;
    if (tensor.compressed) return;
    tensor.offset += header->data_offset;
    tensor.stored_bytes = header->data_bytes;
  }

  // The member's first bytes, up to the end of its header, if it has one.
  std::span<const std::byte> beginning(const ContainedTensor& tensor,
                                       const Container::Member& member) {
    const auto packed =
        archive_.subspan(static_cast<std::size_t>(member.offset),
                         static_cast<std::size_t>(member.packed_bytes));
    const std::size_t most = std::min(static_cast<std::size_t>(member.bytes),
                                      longest_header + prefix_bytes);
    if (!tensor.compressed) return packed.first(most);
    unpacked_.resize(std::min(most, prefix_bytes));
    if (!inflater_.start(packed)) return {};
    unpacked_.resize(inflater_.read(unpacked_));
    if (unpacked_.size() < prefix_bytes) return unpacked_;
    ByteReader reader(unpacked_);
    reader.skip(6);
    const bool short_length = (reader.u16() & 0xff) == 1;
    const std::size_t wanted =
        prefix_bytes + (short_length ? reader.u16() : reader.u32());
    unpacked_.resize(std::min(most, wanted));
    const std::span<std::byte> rest =
        std::span(unpacked_).subspan(prefix_bytes);
    unpacked_.resize(prefix_bytes + inflater_.read(rest));
    return unpacked_;
  }

  std::span<const std::byte> archive_;
  Inflater inflater_;
  std::vector<std::byte> unpacked_;
  Directory directory_;
};

}  // namespace

Result<Directory> read_npz(std::span<const std::byte> file) {
  return Reader(file).run();
}

}  // namespace stridewise
