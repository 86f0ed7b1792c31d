// A file's sidecar says what its bytes are: dump.json beside dump.bin, an object with
// layout, shape, dtype (two of these at least) and the name of its file. One that a command wrote also has the
// file's size and hash, so that it can say nothing about other bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "stridewise/io.hpp"

namespace stridewise::cli {

// dump.bin -> dump.json
[[nodiscard]] std::filesystem::path sidecar_of(
    const std::filesystem::path& file);

// A file as it is when this is made. A sidecar that is read after it speaks of these bytes
// alone: who has opened the file by then checks that they are still the same.
class Unchanged {
 public:
  explicit Unchanged(std::filesystem::path file);
  // Error io: the name is another file's now, or the file was written to.
  [[nodiscard]] Result<void> check() const;

 private:
  std::filesystem::path file_;
  std::string identity_;
};

// What a sidecar tells; empty where there is none. JSON that does not name the file
// is no sidecar of it. What the header of a .npy file tells comes before.
struct Sidecar {
  std::string layout, shape, dtype;
};
// Ends the command where the sidecar is of other bytes than the file holds.
[[nodiscard]] Sidecar sidecar_for(const std::filesystem::path& file);
// Fills in what is empty, each on its own.
void use_sidecar(const std::filesystem::path& file, std::string& layout,
                 std::string& shape, std::string& dtype);
// Ends the command where an option is still empty after the file's sidecar.
void need(const std::string& value, const std::string& option,
          const std::filesystem::path& file);
// The same of --shape, which layouts without dims do not need.
void need_shape(const std::string& shape, std::span<const LayoutSource> layouts,
                const std::filesystem::path& file);

// A file that is about to take its name, as its sidecar has it.
struct Fingerprint {
  std::int64_t size_bytes = 0;
  std::string xxh128;  // 32 hexadecimal digits, as `xxhsum -H2` prints them
};
// O(bytes).
[[nodiscard]] Fingerprint fingerprint_of(std::span<const std::byte> bytes);

// Ends the command where OUT's sidecar would replace IN, OUT, or a file that is
// not OUT's sidecar already, or where it cannot say OUT's name. Before OUT is written.
void check_sidecar(const std::filesystem::path& in,
                   const std::filesystem::path& out);
// Removes the sidecar that names `out`, also beside what a link points to. To be
// called before `out` is replaced: a sidecar of the old bytes must not outlive them.
[[nodiscard]] Result<void> remove_sidecars(const std::filesystem::path& out);
// The sidecar of a file, which takes its name when it is committed. Made before the
// file takes its own, so that what fails then loses nothing.
[[nodiscard]] Result<OutputFile> make_sidecar(const std::filesystem::path& file,
                                              const Sidecar& sidecar,
                                              const Fingerprint& fingerprint);

}  // namespace stridewise::cli
