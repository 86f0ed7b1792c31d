// The index of a model in several .safetensors files: JSON that names the file of each
// tensor.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "io/containers/directory.hpp"
#include "io/containers/json.hpp"
#include "io/containers/names.hpp"
#include "io/containers/safetensors.hpp"

namespace stridewise {
namespace {

namespace fs = std::filesystem;

struct Wanted {
  std::string name;
  std::size_t shard = 0;
};

// A file beside the index, or in a folder beside it. What leads elsewhere is none, and what
// is spelled in two ways could be read any number of times.
bool is_shard_name(std::string_view text) {
  const fs::path path(text);
  return !text.empty() && path.is_relative() &&
         text.find('\0') == std::string_view::npos &&
         path.lexically_normal().native() == text &&
         std::ranges::none_of(
             path, [](const fs::path& part) { return part == ".."; });
}

// {"metadata": {...}, "weight_map": {"a.weight": "model-00001.safetensors"}}; other keys
// mean nothing.
class IndexSink : public JsonSink {
 public:
  bool begin_object() override {
    if (depth_ == 1 && name_ == "weight_map") {
      if (std::exchange(mapped_, true)) return stop("weight_map comes twice");
      in_map_ = true;
    } else if (in_map_) {
      return not_a_file();
    }
    ++depth_;
    return true;
  }
  bool end_object() override {
    --depth_;
    if (depth_ == 1) in_map_ = false;
    return true;
  }
  bool begin_array() override {
    if (in_map_) return not_a_file();
    ++depth_;
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool key(std::string& name) override {
    name_ = std::move(name);
    return true;
  }
  bool text(std::string& value) override {
    if (!in_map_) return true;
    if (!is_shard_name(value)) {
      return stop(
          fmt::format("the file {} of the tensor {} does not lie "
                      "beside the index",
                      quoted_name(value), quoted_name(name_)));
    }
    if (!is_safetensors(value)) {
      return stop(
          fmt::format("the file {} of the tensor {} is no .safetensors "
                      "file",
                      quoted_name(value), quoted_name(name_)));
    }
    const auto [known, added] = numbers_.try_emplace(value, shards.size());
    if (added) shards.emplace_back(value);
    wanted.push_back({std::move(name_), known->second});
    return true;
  }
  bool number(std::int64_t /*value*/) override { return plain(); }
  bool other() override { return plain(); }

  [[nodiscard]] bool mapped() const { return mapped_; }

  std::vector<Wanted> wanted;
  std::vector<fs::path> shards;

 private:
  bool plain() { return in_map_ ? not_a_file() : true; }
  bool not_a_file() {
    return stop(fmt::format("weight_map has no file for the tensor {}",
                            quoted_name(name_)));
  }

  int depth_ = 0;
  bool in_map_ = false;
  bool mapped_ = false;
  std::string name_;
  std::map<std::string, std::size_t, std::less<>> numbers_;
};

// Moves what the index wants of a shard to where the index has it.
Result<void> take_shard(const fs::path& path, std::size_t shard,
                        std::span<const Wanted> wanted,
                        std::span<const std::size_t> places,
                        std::vector<ContainedTensor>& tensors) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return unexpected(file.error());
  Result<Directory> directory = read_safetensors(file->bytes());
  if (!directory) {
    directory.error().message =
        fmt::format("{}: {}", path.string(), directory.error().message);
    return unexpected(directory.error());
  }
  for (const std::size_t place : places) {
    const std::size_t k =
        position_of(wanted[place].name, directory->tensors, directory->by_name);
    if (k == directory->tensors.size()) {
      return fail(ErrorCode::mismatch,
                  fmt::format("the index has the tensor {} in {}, which does "
                              "not hold it",
                              quoted_name(wanted[place].name), path.string()));
    }
    // It is not moved: the shard's names stay sorted for the next one.
    tensors[place] = directory->tensors[k];
    tensors[place].file = static_cast<std::int32_t>(shard);
  }
  return {};
}

}  // namespace

Result<Directory> read_index(std::span<const std::byte> file,
                             const fs::path& folder) {
  if (file.size() > longest_safetensors_header) {
    return fail(ErrorCode::io,
                fmt::format("an index of {} bytes; {} are the most",
                            file.size(), longest_safetensors_header));
  }
  IndexSink sink;
  const std::string_view text(reinterpret_cast<const char*>(file.data()),
                              file.size());
  if (auto read = read_json(text, sink); !read) {
    return unexpected(read.error());
  }
  if (!sink.mapped()) {
    return fail(ErrorCode::io, "an index without a weight_map");
  }
  std::vector<std::vector<std::size_t>> places(sink.shards.size());
  for (std::size_t k = 0; k < sink.wanted.size(); ++k) {
    places[sink.wanted[k].shard].push_back(k);
  }
  Directory directory;
  directory.tensors.resize(sink.wanted.size());
  for (std::size_t shard = 0; shard < sink.shards.size(); ++shard) {
    if (auto taken = take_shard(folder / sink.shards[shard], shard, sink.wanted,
                                places[shard], directory.tensors);
        !taken) {
      return unexpected(taken.error());
    }
  }
  directory.shards = std::move(sink.shards);
  if (auto indexed = index_names(directory); !indexed) {
    return unexpected(indexed.error());
  }
  return directory;
}

}  // namespace stridewise
