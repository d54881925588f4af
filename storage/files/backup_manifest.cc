//
//   statmill backup 1
//   statmill store 2.0             the two lines of FORMAT
//   steps 10s,5m,1h
//   1f2e3d4c 123456 000012.sst     for each file: CRC32C, bytes, name
//   end 57 deadbeef                number of files; CRC32C of all lines before
#include "storage/files/backup_manifest.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>

#include "base/hash.h"
#include "base/number_text.h"
#include "base/text.h"

namespace statmill {
namespace {

constexpr std::string_view kFirstWords = "statmill backup ";
constexpr std::string_view kVersion = "1";
constexpr std::string_view kEnd = "end ";
constexpr size_t kFormatLines = 2;
constexpr size_t kNameBytesMax = 255;
constexpr size_t kChecksumDigits = 8;
constexpr uint64_t kFileBytesMax = std::numeric_limits<int64_t>::max();

std::optional<BackupManifest::File> parse_file(std::string_view line) {
  const std::vector<std::string_view> words = split(line, ' ');
  if (words.size() != 3 || !is_backup_file_name(words[2])) return std::nullopt;
  const auto crc = parse_as<uint32_t>(words[0], 16);
  const auto bytes = parse_as<uint64_t>(words[1]);
  if (!crc || words[0].size() != kChecksumDigits || !bytes || *bytes > kFileBytesMax) return std::nullopt;
  return BackupManifest::File{std::string(words[2]), {*bytes, *crc}};
}

Error corrupt(std::string_view what) {
  return {ErrorCode::kCorrupt, "its file BACKUP is damaged: " + std::string(what)};
}

// Returns the lines before the last one if its checksum and count match them.
Result<std::vector<std::string_view>> checked_lines(std::string_view text) {
  if (!text.starts_with(kFirstWords)) return Error{ErrorCode::kInvalid, "its file BACKUP is not statmill's"};
  const std::string_view version = text.substr(kFirstWords.size());
  if (!version.starts_with(std::string(kVersion) + "\n")) {
    return Error{ErrorCode::kVersion,
                 "it has backup version " +
                     std::string(version.substr(0, std::min<size_t>(version.find('\n'), 16))) +
                     ", this program reads " + std::string(kVersion)};
  }
  const size_t end = text.rfind("\n" + std::string(kEnd));
  if (end == std::string_view::npos || !text.ends_with('\n')) return corrupt("it is cut short");
  const std::string_view body = text.substr(0, end + 1);
  std::vector<std::string_view> lines = split(body.substr(0, end), '\n');
  const size_t files = lines.size() - std::min(lines.size(), 1 + kFormatLines);
  if (text.substr(end + 1) !=
      std::string(kEnd) + std::to_string(files) + " " + hex_digits(crc32c(body)) + "\n") {
    return corrupt("wrong checksum");
  }
  if (lines.size() < 1 + kFormatLines) return corrupt("it is cut short");
  return lines;
}

}  // namespace

bool is_backup_file_name(std::string_view name) {
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' ||
           c == '-' || c == '_';
  };
  return !name.empty() && name.size() <= kNameBytesMax && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), is_plain);
}

Status check_manifest(const BackupManifest& manifest) {
  const std::string text = manifest.text();
  const bool is_good = !manifest.files.empty() && text.size() <= kBackupManifestBytesMax &&
                       static_cast<bool>(BackupManifest::parse(text));
  return is_good ? Status::ok() : Status(Error{ErrorCode::kInvalid, "what the server has is no store"});
}

uint64_t BackupManifest::bytes() const {
  uint64_t bytes = 0;
  for (const File& file : files) bytes += file.sum.bytes;
  return bytes;
}

std::string BackupManifest::text() const {
  std::string text = std::string(kFirstWords) + std::string(kVersion) + "\n" + format;
  for (const File& file : files)
    text += hex_digits(file.sum.crc32c) + " " + std::to_string(file.sum.bytes) + " " + file.name + "\n";
  const std::string sum = hex_digits(crc32c(text));
  return text + std::string(kEnd) + std::to_string(files.size()) + " " + sum + "\n";
}

Result<BackupManifest> BackupManifest::parse(std::string_view text) {
  const auto lines = checked_lines(text);
  if (!lines) return lines.error();
  BackupManifest manifest;
  for (size_t i = 1; i <= kFormatLines; ++i) manifest.format.append((*lines)[i]).append("\n");
  std::set<std::string_view> names;
  for (size_t i = 1 + kFormatLines; i < lines->size(); ++i) {
    const auto file = parse_file((*lines)[i]);
    if (!file) return corrupt("line " + std::to_string(i + 1) + " is malformed");
    if (!names.insert((*lines)[i].substr((*lines)[i].rfind(' '))).second)
      return corrupt("line " + std::to_string(i + 1) + " repeats a file name");
    manifest.files.push_back(*file);
  }
  return manifest;
}

Result<BackupManifest> read_backup_manifest(const std::string& directory) {
  const auto text =
      read_whole_file(std::filesystem::path(directory) / kBackupManifest, kBackupManifestBytesMax);
  if (text) return BackupManifest::parse(*text);
  if (text.error().code != ErrorCode::kNotFound) return text.error();
  return Error{ErrorCode::kNotFound, "it has no file BACKUP: not a backup, or an unfinished one"};
}

}  // namespace statmill
