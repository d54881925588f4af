#include "storage/files/log_tail.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/number_text.h"

namespace statmill {
namespace {

constexpr std::string_view kEnding = ".log";
constexpr size_t kBlockBytes = 32768;
constexpr size_t kHeaderBytes = 7;  // masked crc32c u32, length u16, type u8; little-endian
constexpr uint8_t kFull = 1;
constexpr uint8_t kFirst = 2;
constexpr uint8_t kLast = 4;
constexpr uint64_t kLogBytesMax = uint64_t{4} << 30;

uint32_t byte_at(std::string_view bytes, size_t i) { return static_cast<uint8_t>(bytes[i]); }

uint32_t unmasked(uint32_t masked) {
  const uint32_t rotated = masked - 0xa282ead8U;
  return (rotated >> 17) | (rotated << 15);
}

struct Record {
  uint8_t type = 0;
  size_t size = 0;  // with its header
};

// Returns the valid record that begins at `at`, or nullopt.
std::optional<Record> record_at(std::string_view bytes, size_t at) {
  const size_t block_left = std::min(kBlockBytes - at % kBlockBytes, bytes.size() - at);
  if (block_left < kHeaderBytes) return std::nullopt;
  const auto type = static_cast<uint8_t>(byte_at(bytes, at + 6));
  const size_t length = byte_at(bytes, at + 4) | byte_at(bytes, at + 5) << 8;
  if (type < kFull || type > kLast || length > block_left - kHeaderBytes) return std::nullopt;
  const uint32_t masked = byte_at(bytes, at) | byte_at(bytes, at + 1) << 8 | byte_at(bytes, at + 2) << 16 |
                          byte_at(bytes, at + 3) << 24;
  if (crc32c(bytes.substr(at + 6, length + 1)) != unmasked(masked)) return std::nullopt;
  return Record{type, kHeaderBytes + length};
}

// Returns where the valid records from the start end.
size_t end_of_valid(std::string_view bytes) {
  size_t at = 0;
  while (at < bytes.size()) {
    const size_t block_left = kBlockBytes - at % kBlockBytes;
    if (block_left < kHeaderBytes) {  // the rest of a block is zeros
      at = std::min(at + block_left, bytes.size());
      continue;
    }
    const auto record = record_at(bytes, at);
    if (!record) break;
    at += record->size;
  }
  return at;
}

}  // namespace

LogEnd inspect_log(std::string_view bytes) {
  const size_t sound = end_of_valid(bytes);
  if (sound == bytes.size()) return LogEnd::kWhole;
  for (size_t at = sound + 1; at < bytes.size(); ++at) {
    const auto record = record_at(bytes, at);
    if (record && (record->type == kFull || record->type == kFirst)) return LogEnd::kDamaged;
  }
  return LogEnd::kTorn;
}

Result<LogEnd> inspect_newest_log(rocksdb::FileSystem& file_system, const std::string& directory) {
  const auto failed = [&](const rocksdb::IOStatus& status) {
    return Error{ErrorCode::kIo, status.ToString()}.with("read the log in " + directory);
  };
  std::vector<std::string> names;
  if (const auto s = file_system.GetChildren(directory, {}, &names, nullptr); !s.ok()) return failed(s);
  std::pair<uint64_t, std::string> newest;
  for (const std::string& name : names) {
    if (!name.ends_with(kEnding)) continue;
    const auto number = parse_as<uint64_t>(std::string_view(name).substr(0, name.size() - kEnding.size()));
    if (number) newest = std::max(newest, {*number, name});
  }
  if (newest.second.empty()) return LogEnd::kWhole;
  const std::string path = directory + "/" + newest.second;
  uint64_t size = 0;
  if (const auto s = file_system.GetFileSize(path, {}, &size, nullptr); !s.ok()) return failed(s);
  if (size > kLogBytesMax) return LogEnd::kDamaged;  // our logs are smaller
  std::unique_ptr<rocksdb::FSSequentialFile> file;
  if (const auto s = file_system.NewSequentialFile(path, {}, &file, nullptr); !s.ok()) return failed(s);
  std::string buffer(size, '\0');
  rocksdb::Slice read;
  if (const auto s = file->Read(size, {}, &read, buffer.data(), nullptr); !s.ok()) return failed(s);
  return inspect_log(read.ToStringView());
}

uint64_t log_bytes(rocksdb::FileSystem& file_system, const std::string& directory) {
  std::vector<std::string> names;
  if (!file_system.GetChildren(directory, {}, &names, nullptr).ok()) return 0;
  uint64_t bytes = 0;
  for (const std::string& name : names) {
    uint64_t size = 0;
    if (name.ends_with(kEnding) && file_system.GetFileSize(directory + "/" + name, {}, &size, nullptr).ok())
      bytes += size;
  }
  return bytes;
}

}  // namespace statmill
