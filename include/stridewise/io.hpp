// Tensors in files: .npy and raw bytes, memory-mapped, so that a tensor larger
// than memory converts in bounded memory. Output files appear whole or not at
// all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stridewise/catalogue.hpp"
#include "stridewise/element.hpp"
#include "stridewise/reorder.hpp"
#include "stridewise/result.hpp"

namespace stridewise {

// ------------------------------------------------------------------ .npy ---

struct NpyHeader {
  std::optional<ElementType> type;  // nullopt: opaque bytes ("V2")
  std::int64_t element_bytes = 0;
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;  // empty: one value
  std::int64_t data_offset = 0;     // bytes from the start of the file
  std::int64_t data_bytes = 0;
};

// The header at the start of a file, of which `bytes` are at hand (all of it
// lies within the first 1 MiB of any sane file). Versions 1, 2 and 3.
// Errors: not .npy, truncated, a version or dtype that is not supported, a
// shape whose size overflows.
[[nodiscard]] Result<NpyHeader> parse_npy_header(
    std::span<const std::byte> bytes);

// The type as a .npy array holds it: with whole bytes for each element, 1, 2, 4 or 8 of
// integers. Its name is the type's.
[[nodiscard]] ElementType array_type(const ElementType& type);

// A version 1 header (2 when it does not fit), padded so that data begins on a
// multiple of 64 bytes; little endian, C order. NumPy has no name for bf16 and for types
// below 8 bits or of small floats: they are written as integers, of floats their codes.
// Pre: type == array_type(type).
[[nodiscard]] std::string make_npy_header(const ElementType& type,
                                          std::span<const std::int64_t> shape);

// The shape of the array that holds a layout's memory in a .npy file: its
// digits' extents, slowest first, where the memory is those digits and nothing
// else (nChw8c of 2x17x5x4: 2x3x5x4x8); else one dim an axis; where a layout is more than
// plain digits, its places.
[[nodiscard]] std::vector<std::int64_t> array_shape(const Layout& layout);

// ----------------------------------------------------------------- names ---

// Whether something has this name; of a link, whether what it leads to is there.
// Error io: the system cannot tell.
[[nodiscard]] Result<bool> file_exists(const std::filesystem::path& path);

// Whether both names are of one file. Error io: the system cannot tell.
[[nodiscard]] Result<bool> is_same_file(const std::filesystem::path& a,
                                        const std::filesystem::path& b);

// -------------------------------------------------------------- mappings ---

// A whole regular file, read-only; of no bytes at first. Move-only.
class MappedFile {
 public:
  MappedFile() = default;
  [[nodiscard]] static Result<MappedFile> open(
      const std::filesystem::path& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const;

  // Gives back the memory that these bytes were read into; they can be read
  // again. Bytes outside of the file change nothing. For who walks once over a file
  // larger than memory.
  void forget(std::int64_t first, std::int64_t count) const noexcept;

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

// What a file tells of its tensor beside an array's header; empty: nothing.
struct ToldTensor {
  std::string layout;
  std::string shape;  // "n=2,c=17"
  std::string dtype;
};

// A tensor as every command reads it: an array of NumPy, one of the tensors of a container
// (container.hpp), or raw bytes.
struct TensorFile {
  std::filesystem::path path;  // "x.npy", "model.safetensors:layers.0.w"
  MappedFile file;
  // What an array's header tells, which a tensor of a container has as well; nullopt: raw.
  std::optional<NpyHeader> npy = {};
  ToldTensor told = {};
  // Where the tensor's bytes lie in the file,
  std::int64_t data_offset = 0;
  std::int64_t data_bytes = 0;
  // unless they were unpacked, or brought into another order, in memory.
  std::unique_ptr<std::byte[]> memory = nullptr;

  // The tensor's bytes, without a header.
  [[nodiscard]] std::span<const std::byte> data() const;
};

// Whether a file of this name is a NumPy array: it ends in .npy, in either case.
[[nodiscard]] bool is_npy(const std::filesystem::path& path);

// Whether a tensor may be written under this name: as NumPy's array, as a tensor of a
// .safetensors file, or as raw bytes.
// Error unsupported: the name is of another format (.safetensors, .pt, .png ...), whose
// readers would take raw bytes for something else; or it is a link to a file of another
// kind than the name says.
[[nodiscard]] Result<void> check_tensor_name(const std::filesystem::path& path);

// "model.safetensors:w" is one tensor of several; the name of the container alone will do
// where it holds one. Errors: the file cannot be read, its header lies, there is no such
// tensor or there are several.
[[nodiscard]] Result<TensorFile> open_tensor(const std::filesystem::path& path);

// The same raw bytes with those of each `width` in reverse order, from byte `first` on: a
// copy in memory. Error overflow: no memory for one.
[[nodiscard]] Result<TensorFile> with_bytes_reversed(TensorFile file,
                                                     std::int64_t width,
                                                     std::int64_t first);

// The same tensor with its elements in C order and little-endian: in a copy in memory where
// the array has them otherwise, else as it is. Error overflow: no memory for a copy.
[[nodiscard]] Result<TensorFile> in_native_order(TensorFile file);

// Whether what is written under this name is an array with a header: .npy, or a tensor of
// a .safetensors file ("out.safetensors:w").
[[nodiscard]] bool writes_array(const std::filesystem::path& path);

// The type of its elements: what is asked for, where the file does not say
// otherwise. 2-byte data may be read as bf16, opaque data as any type of its
// width, integers as any type that arrays hold as integers of that width. Errors: a raw file and nothing asked; another type than the file's.
[[nodiscard]] Result<ElementType> type_of(
    const TensorFile& file, const std::optional<ElementType>& asked);

// The shape that a .npy array tells of a layout whose digits are whole dims.
// Errors: another number of dims, or a layout with blocks, strides or bases.
// Pre: the file is .npy.
[[nodiscard]] Result<Shape> shape_of_array(const TensorFile& file,
                                           const LayoutSource& layout);

// A layout's memory within bytes that hold less or more than it, such as a dump
// with a header.
struct MemoryWindow {
  std::span<const std::byte> bytes;  // of the layout's size
  // Where the file has not all of it: a copy with zeros for what is missing,
  // to which `bytes` points.
  std::unique_ptr<std::byte[]> filled = nullptr;
  std::int64_t missing_elements = 0;  // in part or whole
};

// The file's data begin with byte `start_byte` of the layout's memory; negative:
// so many bytes come before it. They may end anywhere. nullopt: they are the memory
// and nothing else, which is not checked. Errors: no element is in
// them; they are an array of several dims, which is all of a memory; a layout of
// more than 4 GiB would have to be completed.
[[nodiscard]] Result<MemoryWindow> memory_window(
    const TensorFile& file, const Layout& layout,
    std::optional<std::int64_t> start_byte);

// Whether a written file outlives a loss of power: when the system gets round to it, or
// from the moment that it has its name.
enum class Sync { later, now };

// A file that takes its name only when commit() succeeds: until then it has no
// name at all (or a hidden one, ".stridewise.*.new", where the folder or the system knows
// no nameless files), and destroying it leaves nothing. Created full-size, as zeros.
// Move-only; one that was moved from can be destroyed and assigned to.
class OutputFile {
 public:
  // The new file has the permissions of the one that it replaces, 0777 at most. It
  // belongs to who writes it; what root replaces keeps its owner. Of a link, what it
  // points to is replaced.
  // Errors: `path` is empty, a directory, a device, a link to nothing, or a file that is
  // read-only, has several names (hard links) or may not be replaced by this user; its
  // folder cannot be written; `size` is negative, or more than the disk has free.
  [[nodiscard]] static Result<OutputFile> create(
      const std::filesystem::path& path, std::int64_t size);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  // Of no bytes once it is committed.
  [[nodiscard]] std::span<std::byte> bytes() const;
  // The file is to end after so many bytes, at most its size; those after them are no longer
  // to be touched.
  [[nodiscard]] Result<void> cut_to(std::int64_t size);
  // Errors: the system could not write all of it, or the name was taken by what no file
  // replaces. With Sync::now, the folder may fail after the file has its name.
  [[nodiscard]] Result<void> commit(Sync sync = Sync::later);

 private:
  struct State;
  explicit OutputFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Removes the hidden names of all files that are not committed. For handlers of signals
// that end the process: it calls what they may call alone.
void remove_unfinished_files() noexcept;

// --------------------------------------------------------------- convert ---

// What convert_file() moves: every element of `in` to where dst wants it in
// `out`, whose other bytes are to stay as they are. Types that are equal mean
// the same bits.
struct ConvertJob {
  const Layout& src;
  const Layout& dst;
  Values values;
  std::span<const std::byte> in;
  std::span<std::byte> out;
};

// A file that holds one part of a memory.
struct PartFile {
  std::string name;
  std::filesystem::path path;
};

// The layout of a part's dims one after the other, as such files have it. Error
// unknown_name: the memory has no such part.
[[nodiscard]] Result<LayoutSource> rows_of_part(const Layout& memory,
                                                const std::string& part);

struct ConvertOptions {
  std::filesystem::path in;  // ".npy" files are NumPy's, all others raw
  std::filesystem::path out;
  LayoutSource from;
  LayoutSource to;
  std::optional<Shape> shape = {};       // logical; needed unless .npy tells
  std::optional<ElementType> type = {};  // needed unless .npy tells
  // The type of `out`, where values are to change; see values.hpp.
  std::optional<ElementType> to_type = {};
  Quantisation quantisation = {};
  // Where each index of a dim has its own instead.
  Scales scales = {};
  bool big_endian = false;  // elements of `in`, where it is raw
  // The entries of tables that the layouts name.
  std::map<std::string, std::vector<std::int64_t>, std::less<>> tables = {};
  // The box of indices of src that moves, and the box of dst that it becomes; empty: all
  // of them. What lies outside of dst's box stays where `out` exists.
  std::vector<Slice> from_window = {};
  std::vector<Slice> to_window = {};
  // Logical extents of dst's memory where these are not those that move: `shape` and
  // arrays tell src's alone. Without `shape`, src has the extents of dst's box.
  std::optional<Shape> to_shape = {};
  // Which part of a memory of several is meant, on the side that has them. Where dst is
  // such a memory and `out` exists, all of it but the part's elements stays.
  std::string part = {};
  // Parts of dst, each from a file of its own, instead of `in`; all of `out` that they do
  // not hold is zero, or stays where they are not all parts and it exists. Where `from`
  // is empty each has its dims one after the other.
  std::vector<PartFile> part_files = {};
  // Whether `out` is an array of elements, where its name does not tell.
  std::optional<bool> out_is_array = {};
  // Arrays of types below 8 bits hold their memory as it is, not an element a byte.
  bool packed = false;
  // The byte of src's memory that `in` begins with, as infer() has it: then `in`
  // may end anywhere, and elements that it has not are zero. Else `in` is that
  // memory and nothing else.
  std::optional<std::int64_t> start_byte = {};
  Fill fill = Fill::zero;  // keep: bytes of an existing `out` that hold no
                           // element stay as they are
  // Of a new `out`: all bytes that hold no element, instead of zeros. Error mismatch
  // where `out` keeps what it has: with Fill::keep, to_window, one part of several.
  std::optional<std::byte> fill_byte = {};
  ParallelFor parallel_for = sequential_for;
  // Does the moving instead of a plan: a device.
  std::function<Result<void>(const ConvertJob&)> move = {};
  std::function<void(double done)> progress = {};  // 0..1, calling thread
  Sync sync = Sync::later;
  // Called with what was moved and all bytes of the new file, before it takes the name
  // `out`. An error ends the conversion, and nothing is written.
  std::function<Result<void>(const ConvertJob&,
                             std::span<const std::byte> file)>
      before_commit = {};
};

// One tensor of each of two files, for who compares them.
struct TensorPair {
  Layout a;
  Layout b;
  ElementType type_a;
  ElementType type_b;
};
struct PairOptions {
  std::optional<ElementType> type = {};    // as ConvertOptions has them
  std::optional<ElementType> type_b = {};  // of B, where it is another one
  std::string part = {};
  std::map<std::string, std::vector<std::int64_t>, std::less<>> tables = {};
};
// What convert_file would read as src and write as dst. Errors: those of binding; parts
// that are not chosen or do not match.
[[nodiscard]] Result<TensorPair> bind_pair(const TensorFile& a,
                                           const LayoutSource& layout_a,
                                           const TensorFile& b,
                                           const LayoutSource& layout_b,
                                           const Shape& shape,
                                           const PairOptions& options);

struct ConvertReport {
  Layout src;
  Layout dst;
  Plan plan;
  ElementType type;
  ElementType to_type;                // the same unless values changed
  std::int64_t bytes_read = 0;        // of tensor data
  std::int64_t bytes_written = 0;     // of tensor data
  std::int64_t missing_elements = 0;  // not in `in`: zero in `out`
  // How many bytes of its layout's memory `in` leaves out after its last element.
  std::int64_t missing_bytes = 0;
  double seconds = 0;  // moving alone, without opening files
};

// Converts a file. `in` is never written; nothing stands under `out`'s name
// unless all went well.
[[nodiscard]] Result<ConvertReport> convert_file(const ConvertOptions& options);

}  // namespace stridewise
