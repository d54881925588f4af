// SeriesArena: the series of all shards, in lines of the cache: what a sample needs of its series, the name
// it is compared with included, mostly is in one line.
//
//   line n - 1                line n                                    n + 1 ...
//   +----------------------+  +-------------------+-------------------+
//   | pending, id, ...     |  | deltas, slots ... | name              | its rest
//   +----------------------+  +-------------------+-------------------+
// Series are called by the number of their line. Those made together stand together, whatever their shards:
// they will get samples together.
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

// add() and remove() by one thread at a time, under the caller's lock. Series are found without: whoever has
// a number has it from who added the series, under the lock of its shard, which guards the series too.
class SeriesArena {
 public:
  using Number = uint32_t;  // from 1 on

  SeriesArena() = default;
  ~SeriesArena();
  SeriesArena(const SeriesArena&) = delete;
  SeriesArena& operator=(const SeriesArena&) = delete;

  // An empty series of that name. It stays where it is.
  Number add(std::string_view name);
  void remove(Number number);  // its room goes to another one

  Series& operator[](Number number) const { return *reinterpret_cast<Series*>(line_at(number) - kLineBytes); }
  // Asks for the memory of what a sample needs.
  void prefetch(Number number) const { __builtin_prefetch(line_at(number), 1); }

 private:
  static constexpr size_t kLineBytes = 64;
  static constexpr uint32_t kFirstLinesBits =
      10;  // the first chunk has so many lines, each other twice the last
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
  // Lines one after the other, in one chunk; gives the second.
  Number room(uint32_t lines);

  static constexpr size_t kChunksMax = 32 - kFirstLinesBits;
  // Each is written once, before a number in it is given out, so that whoever has one may read it.
  std::array<std::unique_ptr<Line, FreeChunk>, kChunksMax> chunks_;
  std::array<uint32_t, kChunksMax> used_{};  // lines of each that have been given out
  uint64_t end_ = 0;                         // the line behind the last of them
  // By how many lines they have.
  std::vector<std::vector<Number>> vacant_ = std::vector<std::vector<Number>>(lines_for(kNameBytesMax) + 1);
};

}  // namespace statmill
