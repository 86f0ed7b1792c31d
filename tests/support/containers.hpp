// Writes files of several tensors, sound ones and others, byte by byte.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace stridewise::testing {

// A number of that many bytes, which may be more than it needs.
inline std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int k = 0; k < bytes; ++k) {
    text += static_cast<char>(value & 0xff);
    value >>= 8;
  }
  return text;
}

inline std::string safetensors_file(std::string_view header,
                                    std::string_view data) {
  return little(header.size(), 8) + std::string(header) + std::string(data);
}

// ------------------------------------------------------------------ GGUF ---

inline std::string gguf_text(std::string_view text) {
  return little(text.size(), 8) + std::string(text);
}

struct GgufTensor {
  std::string name;
  std::vector<std::uint64_t> extents;  // the fastest first
  std::uint32_t type = 0;
  std::uint64_t offset = 0;
};

struct GgufFile {
  std::uint32_t version = 3;
  std::vector<std::string> pairs = {};  // key, type and value
  std::vector<GgufTensor> tensors = {};
  std::string data = {};
  std::size_t alignment = 32;

  [[nodiscard]] std::string bytes() const {
    std::string file = "GGUF" + little(version, 4) + little(tensors.size(), 8) +
                       little(pairs.size(), 8);
    for (const std::string& pair : pairs) file += pair;
    for (const GgufTensor& t : tensors) {
      file += gguf_text(t.name) + little(t.extents.size(), 4);
      for (const std::uint64_t extent : t.extents) file += little(extent, 8);
      file += little(t.type, 4) + little(t.offset, 8);
    }
    file.resize((file.size() + alignment - 1) / alignment * alignment, '\0');
    return file + data;
  }
};

inline std::string gguf_u32(std::string_view key, std::uint32_t value) {
  return gguf_text(key) + little(4, 4) + little(value, 4);
}

// ------------------------------------------------------------------- zip ---

inline std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

inline std::string deflated(std::string_view bytes) {
  z_stream stream{};
  ::deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(::deflateBound(&stream, bytes.size()), '\0');
  stream.next_in =
      const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  ::deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  ::deflateEnd(&stream);
  return packed;
}

struct ZipMember {
  std::string name;
  std::string bytes;
  int method = 0;  // 8: deflated
  int flags = 0;
  // Lies, where they are not -1.
  std::int64_t size = -1;
  std::int64_t packed_size = -1;
  std::int64_t crc = -1;
};

// As NumPy writes them: the sizes before each member stand in a ZIP64 field.
struct ZipFile {
  std::vector<ZipMember> members;
  std::string comment = {};
  bool zip64 = false;  // the end, too

  [[nodiscard]] std::string bytes() const {
    std::string file;
    std::string directory;
    for (const ZipMember& m : members) {
      const std::string packed = m.method == 8 ? deflated(m.bytes) : m.bytes;
      const auto told = [](std::int64_t lie, std::uint64_t truth) {
        return lie < 0 ? truth : static_cast<std::uint64_t>(lie);
      };
      const std::uint64_t size = told(m.size, m.bytes.size());
      const std::uint64_t packed_size = told(m.packed_size, packed.size());
      const std::uint64_t crc = told(m.crc, checksum(m.bytes));
      const std::string common = little(static_cast<unsigned>(m.flags), 2) +
                                 little(static_cast<unsigned>(m.method), 2) +
                                 little(0, 4) + little(crc, 4);
      const std::string extra = little(1, 2) + little(16, 2) + little(size, 8) +
                                little(packed_size, 8);
      const std::uint64_t begin = file.size();
      file += "PK\3\4" + little(45, 2) + common + little(0xffffffff, 4) +
              little(0xffffffff, 4) + little(m.name.size(), 2) +
              little(extra.size(), 2) + m.name + extra + packed;
      directory += "PK\1\2" + little(45, 2) + little(45, 2) + common +
                   (zip64 ? little(0xffffffff, 4) + little(0xffffffff, 4)
                          : little(packed_size, 4) + little(size, 4)) +
                   little(m.name.size(), 2) +
                   little(zip64 ? extra.size() + 8 : 0, 2) + little(0, 10) +
                   little(zip64 ? 0xffffffff : begin, 4) + m.name;
      if (zip64) {
        directory += little(1, 2) + little(24, 2) + little(size, 8) +
                     little(packed_size, 8) + little(begin, 8);
      }
    }
    const std::uint64_t at = file.size();
    file += directory;
    if (zip64) {
      const std::uint64_t end = file.size();
      file += "PK\6\6" + little(44, 8) + little(45, 2) + little(45, 2) +
              little(0, 8) + little(members.size(), 8) +
              little(members.size(), 8) + little(directory.size(), 8) +
              little(at, 8);
      file += "PK\6\7" + little(0, 4) + little(end, 8) + little(1, 4);
    }
    const std::uint64_t count = zip64 ? 0xffff : members.size();
    file += "PK\5\6" + little(0, 4) + little(count, 2) + little(count, 2) +
            little(zip64 ? 0xffffffff : directory.size(), 4) +
            little(zip64 ? 0xffffffff : at, 4) + little(comment.size(), 2) +
            comment;
    return file;
  }
};

// ----------------------------------------------------------------- files ---

// A folder of this process that is gone with the test.
class Folder {
 public:
  explicit Folder(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              (name + "." + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path write(const std::string& name,
                              std::string_view bytes) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return file;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace stridewise::testing
