// What the commands about dumps share: shapes without a layout to name their
// dims, series of files, and arrays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "common.hpp"
#include "dump_window.hpp"

namespace stridewise::cli {

// Reads a shape. An empty text is that of an array without dims. Without names, its dims are called x, nc, ncw, nchw or ncdhw
// by their number, and `positional` tells so.
struct TensorShape {
  Shape shape;
  bool positional = false;
};
[[nodiscard]] TensorShape tensor_shape(const std::string& text);
// What was assumed of the order of dims that nobody named, and what to type for channels that
// come last; empty where it can be no other.
[[nodiscard]] std::string assumed_dims(const TensorShape& shape);

// A file, and the layout that its tensor lies in.
struct StoredTensor {
  const TensorFile& file;
  const LayoutSource& layout;
};
// The shape that `text` gives to `layouts`. Of two readings, the one that the axes of a
// stored array tell. Ends the command where none tells.
[[nodiscard]] Shape shape_in_files(const std::string& text,
                                   std::span<const LayoutSource> layouts,
                                   std::initializer_list<StoredTensor> stored);

// These extents with the names of a layout's dims, in its logical order; nullopt: it has
// another number of dims.
[[nodiscard]] std::optional<Shape> shape_in_order(
    const LayoutSource& layout, std::span<const std::int64_t> extents);

// --part and --table of commands that read dumps.
struct PartOptions {
  std::string part;
  std::vector<std::string> tables;

  void add_to(Command command);
};

// A tensor of a file, and the type of its elements there.
struct BoundTensor {
  Layout layout;
  ElementType type;
};
// `dtype` is needed unless the file or the layout's text tells. Ends the command where the
// layout is of several parts and none is chosen, or where an index has no place.
[[nodiscard]] BoundTensor bind_tensor(const TensorFile& file,
                                      const LayoutSource& source,
                                      const Shape& shape,
                                      const std::string& dtype,
                                      const PartOptions& options);

// "x.npy" -> "x.0.npy", "x.1.npy" ... : file k of a series.
[[nodiscard]] std::filesystem::path series_name(
    const std::filesystem::path& path, int k);

// The file itself or all of its series: what is there, and of both what was
// written last.
[[nodiscard]] std::vector<std::filesystem::path> files_of(
    const std::filesystem::path& path);
// Dates `path` after `other`, should that exist and look no older: two files that
// one tick of the clock saw written bear the same time.
void date_after(const std::filesystem::path& path,
                const std::filesystem::path& other);

[[nodiscard]] std::optional<ElementType> dtype_of(const std::string& text);

// "n c h w": the expression of dims that follow each other; "-" where there are none.
[[nodiscard]] std::string print_dims(std::span<const std::string> dims);
[[nodiscard]] std::string print_dims(const Shape& shape);

[[nodiscard]] std::string print_extents(std::span<const std::int64_t> extents);

// Ends the command unless a .npy file is in C order, of little endian, and of
// the tensor's extents, or those of the layout's digits, which is how convert
// writes it. An array of one dim is bare memory. Raw files pass.
void check_array(const TensorFile& file, const Shape& shape,
                 const Layout* layout);

// The holes of a sparse file, as bytes of its tensor, ascending; none where the
// file system does not tell.
[[nodiscard]] std::vector<ByteRange> holes_of(const TensorFile& file);

// The memory of these bytes of the tensor may go.
void forget(const TensorFile& file, std::int64_t first, std::int64_t count);

// A tensor in C order and little-endian, whatever its file has. Ends the command where the
// file cannot be read.
[[nodiscard]] TensorFile open_dump(const std::filesystem::path& path);

// --byte-order little or big: of raw files.
void add_byte_order(Command command, std::string& byte_order);
// Swaps the bytes of a raw file's elements, in a copy, where the option says big. Elements
// begin after the bytes that the window skips.
void swap_raw(TensorFile& file, const std::string& byte_order,
              const ElementType& type, const WindowOptions& window);

}  // namespace stridewise::cli
