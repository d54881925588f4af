// NameArena: stores the text of names, and searches them.
//
// Names lie one after another in blocks of 32 KiB with a separator around each, so a search scans plain
// memory: it looks for the longest literal of the pattern and matches only the names that contain it. A name
// costs three bytes more than its own length (measured in tests/server/names/name_arena_test.cc).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/glob.h"

namespace statmill {

// add() and remove() need the caller's lock: one writer at a time. Any number of threads may search at the
// same time, without a lock.
class NameArena {
 public:
  using Number = uint32_t;
  using Visit = std::function<bool(std::string_view name)>;
  using IsCancelled = std::function<bool()>;

  NameArena();
  ~NameArena();
  NameArena(const NameArena&) = delete;
  NameArena& operator=(const NameArena&) = delete;

  // Copies the name. Requires: 1 to kNameBytesMax bytes.
  Number add(std::string_view name);

  // Hides a name from later searches; its bytes keep their space. Returns false if it was removed before.
  // Requires: add() has returned the number.
  bool remove(Number number);

  // Calls `visit` once for each name that matches, in no order, until it returns false; the text is valid as
  // long as the arena. Looks at `is_cancelled` before every block, and ends if it returns true. Returns
  // whether the search came to its end. Names that are added or removed during the search may be visited or
  // not. Cost at 1 M names of 33 bytes: 2 to 4 ms, plus 15 to 40 ns for each name that contains the literal.
  bool search(const Glob& glob, const Visit& visit, const IsCancelled& is_cancelled = {}) const;

  size_t ram_bytes() const;
  // Bytes that removed names occupy.
  size_t dead_bytes() const { return dead_bytes_.load(std::memory_order_relaxed); }

 private:
  class Block;
  struct Probe;  // one alternative of a glob, prepared for a search
  Block& block_for(size_t size);

  std::vector<std::unique_ptr<Block>> blocks_;  // used by the writer only
  // The head of the list of blocks that searches follow. The writer releases it when it creates the first
  // block; searches acquire it.
  std::atomic<Block*> first_{nullptr};
  // The writer changes these, any thread reads them for metrics: relaxed.
  std::atomic<size_t> block_count_{0};
  std::atomic<size_t> dead_bytes_{0};
};

}  // namespace statmill
