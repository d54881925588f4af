// ProgramUsers: what the programs collector accepts of each user, so that no user can fill its limits alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "base/clock.h"

namespace statmill {

struct ProgramUserLimits {
  size_t files_max = 256;
  size_t items_max = size_t{1} << 16;  // in all files of a user
  double names_per_minute = 10'000;    // new ones; as many may come at once after a minute without
};

// Confined to one thread. Cost: about 50 bytes per user who has files, or had some in the last minute.
class ProgramUsers {
 public:
  explicit ProgramUsers(ProgramUserLimits limits) : limits_(limits) {}

  // Counts one more file of the user. Returns false if the user has too many.
  bool add_file(uint32_t user, SteadyTime now);
  // Counts `now` items of a file in place of `before`. Returns false, and changes nothing, if the user would
  // have too many. Requires: add_file() returned true for the file.
  bool change_items(uint32_t user, size_t before, size_t now);
  // Counts one more new name. Returns false if the user has had too many lately. Requires: the user has a
  // file.
  bool add_name(uint32_t user, SteadyTime now);
  // Requires: add_file() returned true for the file; `items` is what change_items() counted last.
  void remove_file(uint32_t user, size_t items);
  // Forgets users without files whose past no longer matters. Cost: one step per user.
  void forget_idle(SteadyTime now);

 private:
  struct User {
    size_t files = 0;
    size_t items = 0;
    double names = 0;  // that may come at once, at the time `counted`
    SteadyTime counted;
  };
  // Returns how many new names the user may have at once.
  double names_at(const User& user, SteadyTime now) const;

  const ProgramUserLimits limits_;
  std::unordered_map<uint32_t, User> users_;
};

}  // namespace statmill
