// SysReader: reads small files and directories under /sys, or under a test's directory.
//
// A file is opened for each reading: a descriptor that stays open does not see a device that comes back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"

namespace statmill {

// Confined to one thread, except waits_for().
class SysReader {
 public:
  static constexpr size_t kFileBytesMax = 4096;  // a page, which is all that the kernel writes into one
  static constexpr size_t kNamesMax = 4096;      // of one directory

  explicit SysReader(std::string root);
  SysReader(const SysReader&) = delete;
  SysReader& operator=(const SysReader&) = delete;

  // Returns the text of root/file without blanks and line ends around it, valid until the next call; nullopt
  // if the file is not there, is not readable or is empty. Blocks for as long as the device behaves so.
  std::optional<std::string_view> text(std::string_view file);
  // The text as a whole number; nullopt if it is none.
  std::optional<uint64_t> count(std::string_view file);
  std::optional<int64_t> number(std::string_view file);
  // Returns the names in root/directory that start with `prefix`, ascending, without "." and "..", and of a
  // directory with more than kNamesMax only those that come first; nullopt if the directory is not readable.
  std::optional<std::vector<std::string>> names(std::string_view directory, std::string_view prefix = {});
  // Returns the last part of the path that the symbolic link root/file points to; empty if there is none.
  std::string link_target(std::string_view file);

  // Returns "PATH: Permission denied" of the first file that could not be read for lack of rights since
  // forget_refused(); empty if there was none.
  const std::string& refused() const { return refused_; }
  void forget_refused() { refused_.clear(); }

  // Returns the path of the file that another thread reads now; empty if it reads none. Thread-safe.
  std::string waits_for() const;

 private:
  void set_waits_for(std::string_view path);
  void note_refusal();

  const std::string root_;
  std::string path_;
  std::string text_;
  std::string refused_;

  mutable Mutex mutex_;
  std::string waits_for_ GUARDED_BY(mutex_);
};

}  // namespace statmill
