// SeriesArena: stores the series of all shards in cache lines. The fields that a sample needs, and the name
// it is compared with, are mostly in one line.
//
//   line n - 1                line n                                    n + 1 ...
//   +----------------------+  +-------------------+-------------------+
//   | pending, id, ...     |  | deltas, slots ... | name              | rest of the name
//   +----------------------+  +-------------------+-------------------+
// The number of a series is the number of its line n. Series that are created together are neighbours,
// whatever their shards, because they will receive samples together.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

#include "proto/sample.h"
#include "server/table/series.h"

namespace statmill {

// All functions but the last two need the caller's lock: one thread at a time. Looking up a series by its
// number needs no lock of the arena: a thread reads the number under the lock of the series' shard, where the
// thread that added the series put it. That lock also guards the series.
class SeriesArena {
 public:
  using Number = uint32_t;  // starts at 1

  SeriesArena() = default;
  ~SeriesArena();
  SeriesArena(const SeriesArena&) = delete;
  SeriesArena& operator=(const SeriesArena&) = delete;

  // Adds a series without samples. It is never moved in memory.
  Number add(std::string_view name);
  // Destroys the series; its memory is used again for a name of about the same length.
  void remove(Number number);

  // The bytes that a series with a name of this size occupies.
  static constexpr size_t bytes_for(size_t name_size) { return lines_for(name_size) * kLineBytes; }

  // The first series, and the one after another, by number; removed ones are included. 0 if there is none.
  Number first() const { return used_[0] == 0 ? 0 : 1; }
  Number after(Number number) const;

  Series& operator[](Number number) const { return *reinterpret_cast<Series*>(line_at(number) - kLineBytes); }
  // Prefetches the fields that a sample needs.
  void prefetch(Number number) const { __builtin_prefetch(line_at(number), 1); }

 private:
  static constexpr size_t kLineBytes = 64;
  // The first chunk has 2^kFirstLinesBits lines, each other one twice as many as the one before.
  static constexpr uint32_t kFirstLinesBits = 10;
  struct alignas(kLineBytes) Line {
    std::array<char, kLineBytes> bytes;
  };
  struct FreeChunk {
    void operator()(Line* lines) const { ::operator delete (lines, std::align_val_t{alignof(Line)}); }
  };

  static constexpr size_t chunk_of(uint64_t line) {
    return static_cast<size_t>(std::bit_width((line >> kFirstLinesBits) + 1)) - 1;
  }
  static constexpr uint64_t begin_of(size_t chunk) { return ((uint64_t{1} << chunk) - 1) << kFirstLinesBits; }
  static constexpr uint32_t lines_for(size_t name_size) {
    return 1 + static_cast<uint32_t>((sizeof(Series) - Series::kColdBytes + name_size + kLineBytes - 1) /
                                     kLineBytes);
  }
  char* line_at(Number number) const {
    const size_t chunk = chunk_of(number);
    return chunks_[chunk].get()[number - begin_of(chunk)].bytes.data();
  }
  // Allocates consecutive lines of one chunk; returns the number of the second.
  Number allocate_lines(uint32_t lines);

  static constexpr size_t kChunksMax = 32 - kFirstLinesBits;
  // Each is written once, before add() returns a number in it, so a thread that has a number may read it.
  std::array<std::unique_ptr<Line, FreeChunk>, kChunksMax> chunks_;
  std::array<uint32_t, kChunksMax> used_{};  // allocated lines of each chunk
  uint64_t end_ = 0;                         // the line after the last allocated one
  // Removed series, by the number of lines they occupy.
  std::vector<std::vector<Number>> removed_ = std::vector<std::vector<Number>>(lines_for(kNameBytesMax) + 1);
};

}  // namespace statmill
