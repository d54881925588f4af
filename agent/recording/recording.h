// Recording: a whole recording as pieces in memory, which are shared with what made it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace statmill {

struct Recording {
  std::vector<std::shared_ptr<const std::string>> pieces;  // one after another, they are the file
  size_t bytes = 0;                                        // of all of them

  void add(std::shared_ptr<const std::string> piece) {
    bytes += piece->size();
    pieces.push_back(std::move(piece));
  }
};

}  // namespace statmill
