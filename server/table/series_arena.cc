#include "server/table/series_arena.h"

#include <cstring>

#include "base/check.h"
#include "server/table/idle_series.h"

namespace statmill {

SeriesArena::~SeriesArena() {
  for (Number number = first(); number != 0;) {
    const Number next = after(number);
    (*this)[number].~Series();
    number = next;
  }
}

SeriesArena::Number SeriesArena::add(std::string_view name) {
  SM_CHECK(name.size() <= kNameBytesMax);
  auto& reusable = removed_[lines_for(name.size())];
  Number number = 0;
  if (reusable.empty()) {
    number = allocate_lines(lines_for(name.size()));
    new (&(*this)[number]) Series;
  } else {
    number = reusable.back();
    reusable.pop_back();
    (*this)[number].row = Series::kUnindexed;
  }
  Series& series = (*this)[number];
  series.name_size = static_cast<uint16_t>(name.size());
  if (!name.empty()) std::memcpy(reinterpret_cast<char*>(&series + 1), name.data(), name.size());
  return number;
}

void SeriesArena::remove(Number number) {
  Series& series = (*this)[number];
  const uint16_t name_size = series.name_size;  // kept, because the number of lines is computed from it
  removed_[lines_for(name_size)].push_back(number);
  series.~Series();
  Series& removed = *new (&series) Series;
  removed.name_size = name_size;
  removed.row = Series::kRemoved;
}

SeriesArena::Number SeriesArena::after(Number number) const {
  const size_t chunk = chunk_of(number - 1);
  const uint64_t next = number + lines_for((*this)[number].name_size);
  if (next - 1 - begin_of(chunk) < used_[chunk]) return static_cast<Number>(next);
  if (chunk + 1 == kChunksMax || used_[chunk + 1] == 0) return 0;
  return static_cast<Number>(begin_of(chunk + 1) + 1);
}

SeriesArena::Number SeriesArena::allocate_lines(uint32_t lines) {
  size_t chunk = chunk_of(end_);
  if (chunk_of(end_ + lines - 1) != chunk) end_ = begin_of(++chunk);
  SM_CHECK(end_ + lines <= SeriesPlace::kNumberMax);
  if (chunks_[chunk] == nullptr) {
    const uint64_t bytes = (begin_of(chunk + 1) - begin_of(chunk)) * kLineBytes;
    chunks_[chunk].reset(static_cast<Line*>(::operator new (bytes, std::align_val_t{alignof(Line)})));
  }
  const auto number = static_cast<Number>(end_ + 1);
  end_ += lines;
  used_[chunk] = static_cast<uint32_t>(end_ - begin_of(chunk));
  return number;
}

}  // namespace statmill
