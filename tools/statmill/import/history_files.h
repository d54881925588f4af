// The files that an import reads, and which format each has.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/statmill/import/history_reader.h"

namespace statmill {

enum class HistoryFormat : uint8_t {
  kJsonl,
  kCsv,
  kOpenMetrics,
  kPrometheus,  // the text format 0.0.4, and `promtool tsdb dump`
  kWhisper,
  kIstatd,
  kRrd,    // the XML of `rrdtool dump`
  kXport,  // that of `rrdtool xport`
  kRecording,
};

// "jsonl", ...
std::string_view format_name(HistoryFormat format);
// All names, for messages.
std::string format_names();
std::optional<HistoryFormat> parse_history_format(std::string_view name);

struct HistoryFile {
  std::string path;  // "-" is standard input; of istatd: the folder of a counter
  HistoryFormat format{};
  std::string relative = {};            // the path below the folder that was asked for, or the file's name
  std::vector<std::string> parts = {};  // of istatd: the files of the counter
  uint64_t bytes = 0;                   // 0 if unknown
  int64_t changed_ns = 0;
  std::string fault = {};  // why the file, or the folder, cannot be read; then it has no format
};

inline constexpr size_t kHistoryFilesMax = 10'000'000;

// Returns the files at the paths, and those below the paths that are folders, ordered by path: the same list
// each time. After them come the files and folders that cannot be read, with their faults. `format` is that
// of all; nullopt: found out by each file's name and first bytes. Below folders, files that are of no known
// format are left out. Links to folders are not followed. Errors: kNotFound (a path of the arguments),
// kInvalid (no format, no file), kLimit.
Result<std::vector<HistoryFile>> find_history_files(const std::vector<std::string>& paths,
                                                    std::optional<HistoryFormat> format);

// Opens a file at a position that its reader had. `input` is the descriptor of standard input. Errors: kIo
// (or it has a fault), kCorrupt, kVersion.
Result<std::unique_ptr<HistoryReader>> open_history(const HistoryFile& file, int input, ReadPosition from);

// A hash of what decides the samples of an import.
uint64_t history_hash(const std::vector<HistoryFile>& files, std::string_view options);

}  // namespace statmill
