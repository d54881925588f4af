#include "tools/statmill/import/history_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/hash.h"
#include "tools/statmill/import/block_file.h"
#include "tools/statmill/import/csv_reader.h"
#include "tools/statmill/import/exposition_reader.h"
#include "tools/statmill/import/istatd_reader.h"
#include "tools/statmill/import/jsonl_reader.h"
#include "tools/statmill/import/line_file.h"
#include "tools/statmill/import/recording_history_reader.h"
#include "tools/statmill/import/rrd_reader.h"
#include "tools/statmill/import/whisper_reader.h"
#include "tools/statmill/import/xport_reader.h"

namespace statmill {
namespace {

namespace fs = std::filesystem;

struct FormatName {
  HistoryFormat format;
  std::string_view name;
};
constexpr std::array<FormatName, 9> kFormats = {{{HistoryFormat::kJsonl, "jsonl"},
                                                 {HistoryFormat::kCsv, "csv"},
                                                 {HistoryFormat::kOpenMetrics, "openmetrics"},
                                                 {HistoryFormat::kPrometheus, "prometheus"},
                                                 {HistoryFormat::kWhisper, "whisper"},
                                                 {HistoryFormat::kIstatd, "istatd"},
                                                 {HistoryFormat::kRrd, "rrd"},
                                                 {HistoryFormat::kXport, "xport"},
                                                 {HistoryFormat::kRecording, "recording"}}};

Error path_error(const std::string& path) {
  return {errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo, path + ": " + std::strerror(errno)};
}

// The first and the last bytes of a file; all of a shorter one.
Result<std::pair<std::string, std::string>> ends_of(const std::string& path, uint64_t size) {
  constexpr uint64_t kEndBytes = 512;
  auto file = BlockFile::open(path);
  if (!file) return Error(file.error()).with(path);
  const size_t bytes = std::min(kEndBytes, std::min(size, file->size()));
  std::pair<std::string, std::string> out;
  const auto first = file->read(0, bytes);
  if (!first) return Error(first.error()).with(path);
  out.first = *first;
  const auto last = file->read(file->size() - bytes, bytes);
  if (!last) return Error(last.error()).with(path);
  out.second = *last;
  return out;
}

bool is_text(std::string_view bytes) {
  return std::ranges::none_of(bytes, [](char c) { return c == '\0'; });
}

// Finds out the format by the name, and by the first and last bytes.
std::optional<HistoryFormat> format_of(const std::string& path, std::string_view first,
                                       std::string_view last) {
  constexpr std::string_view kGzip = "\x1f\x8b";
  if (path.ends_with(".wsp")) return HistoryFormat::kWhisper;
  if (first.starts_with(kIstatdMagic)) return HistoryFormat::kIstatd;
  if (first.starts_with(kGzip)) return HistoryFormat::kRecording;
  if (!is_text(first)) return std::nullopt;
  if (first.starts_with("{__name__=")) return HistoryFormat::kPrometheus;
  if (first.starts_with("{\"")) return HistoryFormat::kJsonl;
  if (first.starts_with("<?xml") && first.find("<xport>") != std::string_view::npos)
    return HistoryFormat::kXport;
  if (first.starts_with("<?xml") && first.find("rrd") != std::string_view::npos) return HistoryFormat::kRrd;
  if (last.ends_with("# EOF\n") || last.ends_with("# EOF")) return HistoryFormat::kOpenMetrics;
  if (first.starts_with("# HELP ") || first.starts_with("# TYPE ")) return HistoryFormat::kPrometheus;
  if (path.ends_with(".csv")) return HistoryFormat::kCsv;
  return std::nullopt;
}

std::string parent_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

// Adds a file of istatd to those of its counter, which come one after another.
bool joins_counter(const HistoryFile& file, std::vector<HistoryFile>& out) {
  if (file.format != HistoryFormat::kIstatd || out.empty()) return false;
  HistoryFile& before = out.back();
  if (before.format != HistoryFormat::kIstatd || before.path != parent_of(file.path)) return false;
  before.parts.push_back(file.path);
  before.bytes += file.bytes;
  before.changed_ns = std::max(before.changed_ns, file.changed_ns);
  return true;
}

// What find_history_files() has found so far.
struct Found {
  std::vector<HistoryFile> files;
  std::vector<HistoryFile> unreadable;  // apart, so that the files of a counter of istatd stay together

  Status check_count() const {
    if (files.size() + unreadable.size() <= kHistoryFilesMax) return Status::ok();
    return Error{ErrorCode::kLimit, "more than 10,000,000 files"};
  }
  Status skip(const std::string& path, const std::string& fault) {
    unreadable.push_back({.path = path, .fault = fault});
    return check_count();
  }
};

Status add_file(const std::string& path, std::string relative, std::optional<HistoryFormat> format,
                bool is_named, Found& out) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) {
    const Error error = path_error(path);
    const bool is_typo = is_named && error.code == ErrorCode::kNotFound;
    return is_typo ? Status(error) : out.skip(path, error.message);
  }
  // A pipe would block, and gives its bytes only once.
  if (!S_ISREG(about.st_mode))
    return Error{ErrorCode::kInvalid, path + ": no regular file; use - for standard input"};
  const auto size = static_cast<uint64_t>(std::max<off_t>(about.st_size, 0));
  if (!format) {
    const auto ends = ends_of(path, size);
    if (!ends) return out.skip(path, ends.error().message);
    format = format_of(path, ends->first, ends->second);
  }
  if (!format && !is_named) return Status::ok();
  if (!format) return Error{ErrorCode::kInvalid, path + ": unknown format; use --format " + format_names()};
  HistoryFile file{.path = path,
                   .format = *format,
                   .relative = std::move(relative),
                   .bytes = size,
                   .changed_ns = about.st_mtim.tv_sec * 1'000'000'000 + about.st_mtim.tv_nsec};
  if (joins_counter(file, out.files)) return Status::ok();
  if (file.format == HistoryFormat::kIstatd) {
    file.parts = {path};
    file.path = parent_of(path);
    file.relative = parent_of(file.relative);
  }
  out.files.push_back(std::move(file));
  return out.check_count();
}

// Returns the regular files below a folder, without following links to folders.
Result<std::vector<std::string>> files_below(const std::string& root, Found& out) {
  std::vector<std::string> paths;
  std::vector<std::string> folders = {root};
  while (!folders.empty()) {
    const std::string folder = std::move(folders.back());
    folders.pop_back();
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      std::error_code ignored;  // of a link that leads nowhere, and of what was deleted meanwhile
      const bool is_folder = at->is_directory(ignored) && !at->is_symlink(ignored);
      if (is_folder || at->is_regular_file(ignored))
        (is_folder ? folders : paths).push_back(at->path().string());
      if (paths.size() + folders.size() > kHistoryFilesMax)
        return Error{ErrorCode::kLimit, "more than 10,000,000 files"};
    }
    if (!error) continue;
    if (Status skipped = out.skip(folder, folder + ": " + error.message()); !skipped) return skipped.error();
  }
  return paths;
}

Status add_folder(const std::string& path, std::optional<HistoryFormat> format, Found& out) {
  auto paths = files_below(path, out);
  if (!paths) return paths.error();
  // The files of one folder come together, so those of one counter of istatd do.
  std::ranges::sort(*paths, [](const std::string& a, const std::string& b) {
    return std::pair(parent_of(a), a) < std::pair(parent_of(b), b);
  });
  const size_t root = path.ends_with('/') ? path.size() : path.size() + 1;
  for (const std::string& file : *paths) {
    if (Status added = add_file(file, file.substr(root), format, false, out); !added) return added;
  }
  return Status::ok();
}

// "a.b" for a/b, and for a/b.xml.
std::string dotted(std::string_view relative, std::string_view extension) {
  if (relative.ends_with(extension)) relative.remove_suffix(extension.size());
  std::string out(relative);
  std::ranges::replace(out, '/', '.');
  return out;
}

Result<std::unique_ptr<HistoryReader>> open_istatd(const HistoryFile& file) {
  std::vector<BlockFile> files;
  for (const std::string& path : file.parts) {
    auto opened = BlockFile::open(path);
    if (!opened) return Error(opened.error()).with(path);
    files.push_back(*std::move(opened));
  }
  return make_istatd_reader(std::move(files), dotted(file.relative, {}));
}

Result<std::unique_ptr<HistoryReader>> open_whisper(const HistoryFile& file) {
  auto opened = BlockFile::open(file.path);
  if (!opened) return opened.error();
  return make_whisper_reader(*std::move(opened), whisper_name(file.relative));
}

}  // namespace

std::string_view format_name(HistoryFormat format) {
  const auto* const at = std::ranges::find(kFormats, format, &FormatName::format);
  return at->name;
}

std::string format_names() {
  std::string out;
  for (const FormatName& one : kFormats) out.append(out.empty() ? "" : ", ").append(one.name);
  return out;
}

std::optional<HistoryFormat> parse_history_format(std::string_view name) {
  const auto* const at = std::ranges::find(kFormats, name, &FormatName::name);
  return at == kFormats.end() ? std::nullopt : std::optional(at->format);
}

Result<std::vector<HistoryFile>> find_history_files(const std::vector<std::string>& paths,
                                                    std::optional<HistoryFormat> format) {
  Found out;
  for (const std::string& path : paths) {
    if (path == "-") {
      if (format == HistoryFormat::kWhisper || format == HistoryFormat::kIstatd ||
          format == HistoryFormat::kRrd)
        return Error{ErrorCode::kInvalid, "this format needs files, not standard input"};
      if (!format) return Error{ErrorCode::kInvalid, "standard input needs --format " + format_names()};
      out.files.push_back({.path = path, .format = *format});
      continue;
    }
    std::error_code error;
    const bool is_folder = fs::is_directory(path, error);
    Status added = is_folder ? add_folder(path, format, out)
                             : add_file(path, path.substr(path.rfind('/') + 1), format, true, out);
    if (!added) return added.error();
  }
  std::ranges::sort(out.unreadable, {}, &HistoryFile::path);
  std::ranges::move(out.unreadable, std::back_inserter(out.files));
  if (out.files.empty()) return Error{ErrorCode::kInvalid, "no file of a known format"};
  return std::move(out.files);
}

Result<std::unique_ptr<HistoryReader>> open_history(const HistoryFile& file, int input, ReadPosition from) {
  if (!file.fault.empty()) return Error{ErrorCode::kIo, file.fault};
  if (file.format == HistoryFormat::kWhisper) return open_whisper(file);
  if (file.format == HistoryFormat::kIstatd) return open_istatd(file);
  if (file.format == HistoryFormat::kRrd) return make_rrd_reader(file.path, dotted(file.relative, ".xml"));
  Result<Descriptor> opened = LineFile::open(file.path, input, from);
  if (!opened) return opened.error();
  switch (file.format) {
    case HistoryFormat::kJsonl:
      return make_jsonl_reader(*std::move(opened), from);
    case HistoryFormat::kCsv:
      return make_csv_reader(*std::move(opened), file.path, from);
    case HistoryFormat::kXport:
      return make_xport_reader(*std::move(opened), dotted(file.relative, ".xml"));
    case HistoryFormat::kRecording:
      return make_recording_history_reader(*std::move(opened));
    default:
      return make_exposition_history_reader(*std::move(opened), file.format == HistoryFormat::kOpenMetrics
                                                                    ? ExpositionFormat::kOpenMetrics
                                                                    : ExpositionFormat::kText);
  }
}

uint64_t history_hash(const std::vector<HistoryFile>& files, std::string_view options) {
  std::string text(options);
  for (const HistoryFile& file : files) {
    text.append("\n").append(file.path).append("\t").append(format_name(file.format));
    text.append("\t").append(std::to_string(file.bytes)).append("\t").append(std::to_string(file.changed_ns));
    if (text.size() > (size_t{1} << 20)) text = std::to_string(hash_name(text));
  }
  return hash_name(text);
}

}  // namespace statmill
