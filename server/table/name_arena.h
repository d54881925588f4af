// NameArena: where the names of all series live, and the search over them.
//
// Names stand one after the other in blocks of 32 KiB, a separator around each, so that a search runs through
// plain memory: it looks for the longest literal of the pattern, and only names that hold it are matched.
// Beyond its bytes a name costs three (figures: tests/server/table/name_arena_test.cc).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/glob.h"

namespace statmill {

// One writer at a time (add, remove: under the caller's lock); any number of searches beside it, without
// lock.
class NameArena {
 public:
  using Visit = std::function<bool(std::string_view name)>;

  NameArena();
  ~NameArena();
  NameArena(const NameArena&) = delete;
  NameArena& operator=(const NameArena&) = delete;

  // Gives the name where it stands for as long as the arena lives. Requires: 1 to kNameBytesMax bytes.
  std::string_view add(std::string_view name);

  // The name, as add() gave it, is not visited any more. It stays where it is and goes on taking its space.
  // False: no such name, or removed before. Cost: a look at each block's address, 1 us at 1 M names.
  bool remove(std::string_view name);

  // Calls `visit` for each name that matches, once, in no order, until it returns false. Names added or
  // removed meanwhile may be visited or not. Cost: at 1 M names of 33 bytes 2 to 4 ms and 15 to 40 ns for
  // each name that has the literal.
  void search(const Glob& glob, const Visit& visit) const;

  size_t ram_bytes() const;
  // What removed names take; a start without them gives it back.
  size_t dead_bytes() const { return dead_bytes_.load(std::memory_order_relaxed); }

 private:
  class Block;
  struct Probe;  // an alternative of a glob, ready to be looked for
  Block& block_for(size_t size);

  std::vector<std::unique_ptr<Block>> blocks_;  // the writer's
  // The searches' way from block to block begins here. Released by the writer when a block is made, acquired
  // by searches.
  std::atomic<Block*> first_{nullptr};
  // Written by the writer, read by anyone for figures: relaxed.
  std::atomic<size_t> block_count_{0};
  std::atomic<size_t> dead_bytes_{0};
};

}  // namespace statmill
