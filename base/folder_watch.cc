#include "base/folder_watch.h"

#include <filesystem>
#include <string_view>

#include "base/hash.h"

namespace statmill {

void FolderWatch::start() {
  seen_ = look();
  is_changing_ = false;
}

bool FolderWatch::has_changed() {
  const uint64_t now = look();
  if (now != seen_) {
    seen_ = now;
    is_changing_ = true;
    return false;
  }
  return std::exchange(is_changing_, false);
}

// A sum of hashes, so the order in which the system lists files does not matter.
uint64_t FolderWatch::look() const {
  namespace fs = std::filesystem;
  uint64_t sum = 0;
  size_t files = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    if (at->path().filename().native().starts_with('.')) {
      at.disable_recursion_pending();
      continue;
    }
    if (++files > kWatchedFilesMax) break;
    std::error_code gone;  // a file may go while it is looked at
    const auto time = at->last_write_time(gone).time_since_epoch().count();
    const uintmax_t size = at->is_regular_file(gone) ? at->file_size(gone) : 0;
    const std::string state = at->path().native() + '\0' + std::to_string(time) + ' ' + std::to_string(size);
    sum += hash_name(state);
  }
  return sum;
}

}  // namespace statmill
