// Files that have a name before they are finished: where the system knows no nameless
// files, and for the moment in which one file replaces another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace stridewise {

// A name that no other program makes, in a folder. It is removed when this ends, or by
// remove_unfinished_files(), unless the file was renamed. Move-only.
class UnfinishedName {
 public:
  UnfinishedName() = default;
  // Not yet of a file. Removes what killed programs left in the folder.
  explicit UnfinishedName(const std::filesystem::path& folder);
  UnfinishedName(UnfinishedName&& other) noexcept;
  UnfinishedName& operator=(UnfinishedName&& other) noexcept;
  UnfinishedName(const UnfinishedName&) = delete;
  UnfinishedName& operator=(const UnfinishedName&) = delete;
  ~UnfinishedName();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool empty() const { return path_.empty(); }
  // The file has another name now.
  void release();

 private:
  std::filesystem::path path_;
  int slot_ = -1;
};

// Says that a file is in work, so that no other program takes it for left behind.
void mark_unfinished(int descriptor);

}  // namespace stridewise
