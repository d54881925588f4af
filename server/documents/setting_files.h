// SettingFiles: istatd's settings: named files of keys and texts, in which its page keeps users and
// dashboards.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "server/tick/document_changes.h"
#include "statmill/registry.h"

namespace statmill {

struct SettingLimits {
  size_t files_max = 4096;
  size_t file_bytes_max = size_t{1} << 20;  // as JSON: the row of a file
  size_t bytes_max = size_t{64} << 20;      // of all files in RAM
};
inline constexpr size_t kSettingNameBytesMax = 128;

// Returns ok for 1 to kSettingNameBytesMax letters, digits, `_`, `.` and `-`. Errors: kInvalid.
Status check_setting_name(std::string_view name);
// Returns ok for a key that istatd stores: without blanks and \ / : ; * ? " ' % ( ) [ ] { } ~ $ ^ # = + -.
// Errors: kInvalid.
Status check_setting_key(std::string_view key);

// Thread-safe. Lock order: its lock, then that of the changes.
class SettingFiles {
 public:
  using Settings = std::map<std::string, std::string, std::less<>>;

  // Both must outlive it.
  SettingFiles(const SettingLimits& limits, DocumentChanges& changes, Registry& registry);

  // For the server's start: puts in a file of the store. Returns false if its body is damaged.
  bool restore(const DocumentRow& row);

  // Returns nullopt if there is no such file.
  std::optional<Settings> get(std::string_view name) const;
  // Sets keys of a file, which is made if there is none; an empty text removes a key, and a file without keys
  // stays. All or nothing. Errors: kInvalid (the name, a key), kLimit, kUnavailable (the store takes no
  // ticks).
  Result<DocumentChanges::Ticket> set(std::string_view name,
                                      const std::vector<std::pair<std::string, std::string>>& changes,
                                      Timestamp now);

  size_t size() const;
  size_t bytes() const;

 private:
  struct File {
    Settings settings;
    size_t bytes = 0;  // of its body
  };

  const SettingLimits limits_;
  DocumentChanges& changes_;
  mutable Mutex mutex_;
  std::map<std::string, File, std::less<>> files_ GUARDED_BY(mutex_);
  size_t bytes_ GUARDED_BY(mutex_) = 0;
  Counter& refused_;
};

}  // namespace statmill
