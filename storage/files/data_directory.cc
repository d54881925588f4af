#include "storage/files/data_directory.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "base/number_text.h"
#include "base/text.h"
#include "storage/files/files.h"

namespace statmill {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "statmill store ";
constexpr std::string_view kSteps = "steps ";
constexpr size_t kFormatBytesMax = 4096;
constexpr std::string_view kKeptForever = "100y";
constexpr const char* kDatabase = "db";

Error failed(std::string_view what, int error) {
  return {ErrorCode::kIo, std::string(what) + ": " + std::generic_category().message(error)};
}

std::string steps_text(const Tiers& tiers) {
  std::string out;
  for (const Tier& tier : tiers) {
    if (!out.empty()) out += ',';
    out += format_duration(std::chrono::seconds(tier.step_s));
  }
  return out;
}

struct Version {
  uint16_t major = 0;
  uint16_t minor = 0;

  auto operator<=>(const Version&) const = default;
  std::string text() const { return std::to_string(major) + '.' + std::to_string(minor); }
};
Version own_version() { return {kFormatMajor, kFormatMinor}; }
constexpr Version kOldest = {kFormatMajorOldest, 0};

// The content of a FORMAT file, which must outlive this.
struct Format {
  Version version;
  std::string_view steps;
};

// Parses "2.1". A version without a minor one has minor version 0.
std::optional<Version> parse_version(std::string_view text) {
  const size_t point = text.find('.');
  const auto major = parse_as<uint16_t>(text.substr(0, point));
  const auto minor =
      point == text.npos ? std::optional<uint16_t>(0) : parse_as<uint16_t>(text.substr(point + 1));
  if (!major || !minor) return std::nullopt;
  return Version{*major, *minor};
}

std::string format_text(std::string_view steps) {
  return std::string(kMagic) + own_version().text() + '\n' + std::string(kSteps).append(steps) + '\n';
}

// Returns whether matters(name) is true for any file of the directory. A missing directory has no files.
template <class Predicate>
Result<bool> holds(const fs::path& directory, Predicate matters) {
  std::error_code error;
  for (fs::directory_iterator i(directory, error), end; !error && i != end; i.increment(error)) {
    if (matters(i->path().filename())) return true;
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return failed("list " + directory.string(), error.value());
  }
  return false;
}

Error other_version(std::string_view text, const std::optional<Version>& version) {
  std::string message = "it has format version " + std::string(text) + ", this program reads " +
                        kOldest.text() + " to " + own_version().text();
  if (version > own_version())
    message += "; use the later statmill that wrote it, or restore an older backup";
  return {ErrorCode::kVersion, std::move(message)};
}

Result<Format> parse_format_file(std::string_view text) {
  const std::vector<std::string_view> lines = split(text, '\n');
  if (lines.size() < 2 || !lines[0].starts_with(kMagic) || !lines[1].starts_with(kSteps)) {
    return Error{ErrorCode::kInvalid, "its file FORMAT is not statmill's"};
  }
  const std::string_view words = lines[0].substr(kMagic.size());
  const auto version = parse_version(words);
  if (!version || *version < kOldest || *version > own_version()) return other_version(words, version);
  return Format{*version, lines[1].substr(kSteps.size())};
}

Status check_format(std::string_view text, const Tiers& tiers) {
  const auto format = parse_format_file(text);
  if (!format) return format.error();
  if (format->steps != steps_text(tiers)) {
    return Error{ErrorCode::kInvalid, "it was created with tier steps " + std::string(format->steps) +
                                          ", but the configured steps are " + steps_text(tiers) +
                                          "; retention may change, steps may not"};
  }
  return Status::ok();
}

Status check_directory(const fs::path& directory, const Tiers& tiers) {
  const auto text = read_format(directory.string());
  if (!text) return text.error();
  if (Status format = check_format(*text, tiers); !format) return format;
  // RocksDB would treat a database without its file CURRENT as new and delete what it finds.
  const fs::path database = directory / kDatabase;
  std::error_code error;
  if (fs::exists(database / "CURRENT", error)) return Status::ok();
  const Result<bool> data = holds(database, [](const fs::path& name) {
    return name.extension() == ".sst" || name.extension() == ".log";
  });
  if (!data) return data.error();
  if (*data) return Error{ErrorCode::kCorrupt, "its database has lost the file CURRENT"};
  return Status::ok();
}

Status make_format(const fs::path& directory, const Tiers& tiers) {
  const Result<bool> taken = holds(directory, [](const fs::path& name) {
    return name != "lost+found" && name != unfinished_file(kFormatFile);
  });
  if (!taken) return taken.error();
  if (*taken)
    return Error{ErrorCode::kInvalid, "it has files, but no file FORMAT: not a data directory of statmill"};
  return write_whole_file(directory / kFormatFile, format_text(steps_text(tiers)));
}

}  // namespace

Status raise_format(const std::string& directory) {
  const auto text = read_format(directory);
  if (!text) return text.error();
  const auto format = parse_format_file(*text);
  if (!format) return format.error();
  if (format->version == own_version()) return Status::ok();
  if (Status s = write_whole_file(fs::path(directory) / kFormatFile, format_text(format->steps)); !s)
    return s;
  return sync_path(directory);
}

std::string database_path(const std::string& directory) { return (fs::path(directory) / kDatabase).string(); }

Result<std::string> read_format(const std::string& directory) {
  auto text = read_whole_file(fs::path(directory) / kFormatFile, kFormatBytesMax);
  if (text) return text;
  if (text.error().code != ErrorCode::kNotFound) return text.error();
  return Error{ErrorCode::kNotFound, "it has no file FORMAT: not a data directory of statmill"};
}

Result<Tiers> tiers_of_format(std::string_view text) {
  const auto format = parse_format_file(text);
  if (!format) return format.error();
  std::string tiers;
  for (const std::string_view step : split(format->steps, ',')) {
    if (!tiers.empty()) tiers += ',';
    tiers.append(step).append(":").append(kKeptForever);
  }
  return Tiers::parse(tiers);
}

Result<std::string> prepare_data_directory(const std::string& path, const Tiers& tiers) {
  std::error_code error;
  const fs::path directory = fs::absolute(path, error).lexically_normal();
  if (const auto created = create_data_directory(directory); !created) return created.error();
  const bool exists = fs::exists(directory / kFormatFile, error);
  if (error) return failed("look for its file FORMAT", error.value());
  if (Status ready = exists ? check_directory(directory, tiers) : make_format(directory, tiers); !ready) {
    return ready.error();
  }
  fs::create_directory(directory / kDatabase, error);
  if (error) return failed("create db", error.value());
  // RocksDB syncs its files, but a power cut could still remove the directories above them.
  if (Status synced = sync_path(directory); !synced) return synced.error();
  if (Status synced = sync_path(directory / ".."); !synced) return synced.error();
  return (directory / kDatabase).string();
}

}  // namespace statmill
