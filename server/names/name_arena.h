// NameArena: stores the text of names, and searches them.
//
// Names lie one after another in blocks of 32 KiB with a separator around each, so a search scans plain
// memory: it looks for the longest literal of the pattern and matches only the names that contain it. A name
// costs three bytes more than its own length (measured in tests/server/names/name_arena_test.cc).
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

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

  // The text of a name, removed or not; valid as long as the arena. Requires: the thread has the number from
  // the one that added the name.
  std::string_view name(Number number) const;
  // For the writer: moves a number, at first 0, to the next name that is not removed, which may be its own.
  // Returns false if there is none yet.
  bool skip_removed(Number& number) const;

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

  // Chunk k has 2^k blocks. An element is written once, before add() returns a number in it.
  static constexpr size_t kChunksMax = 20;
  std::unique_ptr<Block>& slot(size_t block) const {
    const auto chunk = static_cast<size_t>(std::bit_width(block + 1)) - 1;
    return blocks_[chunk][block + 1 - (size_t{1} << chunk)];
  }
  std::array<std::unique_ptr<std::unique_ptr<Block>[]>, kChunksMax> blocks_;
  // The head of the list of blocks that searches follow. The writer releases it when it creates the first
  // block; searches acquire it.
  std::atomic<Block*> first_{nullptr};
  // The writer changes these, any thread reads them for metrics: relaxed.
  std::atomic<size_t> block_count_{0};
  std::atomic<size_t> dead_bytes_{0};
};

}  // namespace statmill
