// The zip format: members, then a directory of them, then where that directory is. Sizes
// beyond 32 bits stand in extra fields and in an end of their own ("ZIP64").
// SPDX-License-Identifier: Apache-2.0
#include "io/containers/zip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "io/containers/bytes.hpp"
#include "io/containers/directory.hpp"
#include "io/containers/inflate.hpp"

namespace stridewise {
namespace {

constexpr std::uint32_t local_magic = 0x04034b50;
constexpr std::uint32_t entry_magic = 0x02014b50;
constexpr std::uint32_t end_magic = 0x06054b50;
constexpr std::uint32_t end64_magic = 0x06064b50;
constexpr std::uint32_t locator_magic = 0x07064b50;
constexpr std::size_t local_bytes = 30;
constexpr std::size_t entry_bytes = 46;
constexpr std::size_t end_bytes = 22;
constexpr std::size_t end64_bytes = 56;
constexpr std::size_t locator_bytes = 20;
constexpr std::size_t longest_comment = 0xffff;
constexpr std::uint16_t extra64 = 1;
constexpr std::uint32_t in_extra = 0xffffffff;  // the number stands in extra64

constexpr std::uint16_t flag_encrypted = 1 << 0;
constexpr std::uint16_t flag_sizes_follow = 1
                                            << 3;  // the bytes, not the header
constexpr std::uint16_t flag_strong = 1 << 6;

unexpected<Error> bad_archive(std::string message) {
  return fail(ErrorCode::io, "no sound zip archive: " + std::move(message));
}

// Where the directory lies.
struct Location {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t entries = 0;
};

// The last end whose comment goes on to the end of the file.
std::optional<std::size_t> find_end(std::span<const std::byte> archive) {
  if (archive.size() < end_bytes) return std::nullopt;
  const std::size_t last = archive.size() - end_bytes;
  const std::size_t first = last - std::min(last, longest_comment);
  for (std::size_t at = last + 1; at-- > first;) {
    ByteReader reader(archive.subspan(at));
    if (reader.u32() != end_magic) continue;
    reader.skip(16);
    if (reader.u16() == last - at) return at;
  }
  return std::nullopt;
}

// Reads the end for sizes beyond 32 bits, if there is one before `end`, and moves `end` to
// where it begins.
Result<bool> read_end64(std::span<const std::byte> archive, std::size_t& end,
                        Location& place) {
  if (end < locator_bytes + end64_bytes) return false;
  ByteReader locator(archive.subspan(end - locator_bytes));
  if (locator.u32() != locator_magic) return false;
  locator.skip(4);
  const std::uint64_t at = locator.u64();
  if (at > end - locator_bytes - end64_bytes) {
    return bad_archive("its ZIP64 end lies outside");
  }
  ByteReader reader(archive.subspan(static_cast<std::size_t>(at)));
  if (reader.u32() != end64_magic)
    return bad_archive("its ZIP64 end is missing");
  reader.skip(8 + 2 + 2);
  const std::uint32_t disk = reader.u32();
  const std::uint32_t directory_disk = reader.u32();
  const std::uint64_t here = reader.u64();
  place.entries = reader.u64();
  place.bytes = reader.u64();
  place.offset = reader.u64();
  if (disk != 0 || directory_disk != 0 || here != place.entries) {
    return bad_archive("it is one of several parts");
  }
  end = static_cast<std::size_t>(at);
  return true;
}

Result<Location> find_directory(std::span<const std::byte> archive) {
  const std::optional<std::size_t> found = find_end(archive);
  if (!found) return bad_archive("its end is missing");
  std::size_t end = *found;
  Location place;
  const Result<bool> large = read_end64(archive, end, place);
  if (!large) return unexpected(large.error());
  if (!*large) {
    ByteReader reader(archive.subspan(end));
    reader.skip(4);
    const std::uint16_t disk = reader.u16();
    const std::uint16_t directory_disk = reader.u16();
    const std::uint16_t here = reader.u16();
    place.entries = reader.u16();
    place.bytes = reader.u32();
    place.offset = reader.u32();
    if (disk != 0 || directory_disk != 0 || here != place.entries) {
      return bad_archive("it is one of several parts");
    }
  }
  if (place.bytes > end || place.offset != end - place.bytes) {
    return bad_archive("its directory does not lie where its end says");
  }
  if (place.entries > place.bytes / entry_bytes) {
    return bad_archive(fmt::format("{} members in a directory of {} bytes",
                                   place.entries, place.bytes));
  }
  return place;
}

// Replaces the numbers that stand in the extra field. False: it lacks one.
bool read_extra64(std::string_view extra,
                  std::initializer_list<std::uint64_t*> numbers) {
  if (std::ranges::none_of(numbers,
                           [](const auto* n) { return *n == in_extra; })) {
    return true;
  }
  ByteReader reader(std::as_bytes(std::span(extra)));
  while (reader.left() > 0 && !reader.ended()) {
    const std::uint16_t id = reader.u16();
    const std::string_view field = reader.text(reader.u16());
    if (id != extra64 || reader.ended()) continue;
    ByteReader values(std::as_bytes(std::span(field)));
    for (std::uint64_t* number : numbers) {
      if (*number == in_extra) *number = values.u64();
    }
    return !values.ended();
  }
  return false;
}

struct Sizes {
  std::uint64_t bytes = 0;
  std::uint64_t packed = 0;
  friend bool operator==(const Sizes&, const Sizes&) = default;
};

unexpected<Error> bad_entry(std::string_view name, std::string_view what) {
  return bad_archive(fmt::format("the member {} {}", quoted_name(name), what));
}

// What stands before a member's bytes must say the same of it, and tells where they begin.
Result<void> read_local(std::span<const std::byte> archive, std::uint64_t begin,
                        std::uint64_t end, ZipEntry& entry) {
  if (begin > end || end - begin < local_bytes) {
    return bad_entry(entry.name, "lies outside");
  }
  ByteReader reader(archive.subspan(static_cast<std::size_t>(begin),
                                    static_cast<std::size_t>(end - begin)));
  const std::uint32_t magic = reader.u32();
  reader.skip(2);
  const std::uint16_t flags = reader.u16();
  const std::uint16_t method = reader.u16();
  reader.skip(4);
  const std::uint32_t checksum = reader.u32();
  Sizes sizes;
  sizes.packed = reader.u32();
  sizes.bytes = reader.u32();
  const std::uint16_t name_bytes = reader.u16();
  const std::uint16_t extra_bytes = reader.u16();
  const std::string_view name = reader.text(name_bytes);
  const std::string_view extra = reader.text(extra_bytes);
  if (reader.ended() || magic != local_magic || name != entry.name ||
      method != entry.method) {
    return bad_entry(entry.name, "is not where the directory has it");
  }
  const Sizes told{static_cast<std::uint64_t>(entry.bytes),
                   static_cast<std::uint64_t>(entry.packed_bytes)};
  if ((flags & flag_sizes_follow) == 0 &&
      (!read_extra64(extra, {&sizes.bytes, &sizes.packed}) || sizes != told ||
       checksum != entry.checksum)) {
    return bad_entry(entry.name, "has another size than the directory says");
  }
  if (told.packed > reader.left()) {
    return bad_entry(entry.name, "goes on into the directory");
  }
  entry.offset = static_cast<std::int64_t>(begin + reader.position());
  return {};
}

// The next member of the directory, and where its header begins.
Result<std::uint64_t> read_entry(ByteReader& reader, ZipEntry& entry) {
  const std::uint32_t magic = reader.u32();
  reader.skip(4);
  const std::uint16_t flags = reader.u16();
  entry.method = reader.u16();
  reader.skip(4);
  entry.checksum = reader.u32();
  Sizes sizes;
  sizes.packed = reader.u32();
  sizes.bytes = reader.u32();
  const std::uint16_t name_bytes = reader.u16();
  const std::uint16_t extra_bytes = reader.u16();
  const std::uint16_t comment_bytes = reader.u16();
  reader.skip(8);
  std::uint64_t begin = reader.u32();
  entry.name = reader.text(name_bytes);
  const std::string_view extra = reader.text(extra_bytes);
  reader.skip(comment_bytes);
  if (reader.ended() || magic != entry_magic) {
    return bad_archive("its directory ends too soon");
  }
  if (!read_extra64(extra, {&sizes.bytes, &sizes.packed, &begin}) ||
      !fits(sizes.bytes) || !fits(sizes.packed)) {
    return bad_entry(entry.name, "has a size that is not told");
  }
  entry.bytes = static_cast<std::int64_t>(sizes.bytes);
  entry.packed_bytes = static_cast<std::int64_t>(sizes.packed);
  entry.encrypted = (flags & (flag_encrypted | flag_strong)) != 0;
  return begin;
}

// A size that cannot be is a lie, which would cost memory later.
Result<void> check_sizes(const ZipEntry& entry) {
  if (entry.encrypted) return {};
  if (entry.method == zip_stored && entry.bytes != entry.packed_bytes) {
    return bad_entry(entry.name, "is stored in another size than its own");
  }
  if (entry.method == zip_deflated &&
      entry.bytes / most_inflated > entry.packed_bytes) {
    return bad_entry(entry.name,
                     fmt::format("promises {} bytes of {} deflated ones",
                                 entry.bytes, entry.packed_bytes));
  }
  return {};
}

}  // namespace

Result<std::vector<ZipEntry>> read_zip(std::span<const std::byte> archive) {
  const Result<Location> place = find_directory(archive);
  if (!place) return unexpected(place.error());
  ByteReader reader(archive.subspan(static_cast<std::size_t>(place->offset),
                                    static_cast<std::size_t>(place->bytes)));
  std::vector<ZipEntry> entries(static_cast<std::size_t>(place->entries));
  std::vector<std::pair<std::uint64_t, std::size_t>> begins;
  begins.reserve(entries.size());
  for (std::size_t k = 0; k < entries.size(); ++k) {
    ZipEntry& entry = entries[k];
    const Result<std::uint64_t> begin = read_entry(reader, entry);
    if (!begin) return unexpected(begin.error());
    begins.emplace_back(*begin, k);
    if (auto sizes = check_sizes(entry); !sizes) {
      return unexpected(sizes.error());
    }
    if (auto local = read_local(archive, *begin, place->offset, entry);
        !local) {
      return unexpected(local.error());
    }
  }
  if (reader.left() != 0)
    return bad_archive("its directory has more than its members");
  std::ranges::sort(begins);
  std::int64_t end = 0;
  for (const auto& [begin, k] : begins) {
    if (begin < static_cast<std::uint64_t>(end)) {
      return bad_entry(entries[k].name, "lies upon another one");
    }
    end = entries[k].offset + entries[k].packed_bytes;
  }
  return entries;
}

}  // namespace stridewise
