// FolderWatch: says when files of a folder have changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace statmill {

inline constexpr size_t kWatchedFilesMax = 10'000;  // in a folder; the watch ignores further files

// Confined to one thread.
class FolderWatch {
 public:
  explicit FolderWatch(std::string folder) : folder_(std::move(folder)) { start(); }

  // Forgets what has changed so far.
  void start();
  // Returns true once after files came, went, or got another size or time, and were the same at the call
  // before: so a change of many files is one change, and complete. Hidden files are left out. Cost: a look
  // at each file, no bytes are read.
  bool has_changed();

 private:
  uint64_t look() const;

  const std::string folder_;
  uint64_t seen_ = 0;  // the last result of look()
  bool is_changing_ = false;
};

}  // namespace statmill
