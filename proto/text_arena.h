// TextArena: memory for texts that live as long as a batch. clear() keeps chunks for the next batch, so
// batches of similar size need no allocation after the first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace statmill {

class TextArena {
 public:
  static constexpr size_t kChunkBytes = 16384;  // longer texts have a chunk of their own
  static constexpr size_t kChunksKept = 256;    // by clear(): a sender may need many once, and never again

  // Returns `size` uninitialized bytes, valid until clear().
  char* room(size_t size) {
    char* const begin = spare(size);
    at_ += size;
    return begin;
  }
  // Returns what the next room() returns for any size up to `size`, without using it up. For callers that
  // know the final size only later, or write a little too much.
  char* spare(size_t size) {
    if (size > static_cast<size_t>(end_ - at_)) next_chunk(size);
    return at_;
  }

  std::string_view keep(std::string_view text) {
    char* const begin = room(text.size());
    std::copy(text.begin(), text.end(), begin);
    return {begin, text.size()};
  }

  size_t chunks() const { return chunks_.size(); }
  // Invalidates all texts; keeps the first kChunksKept chunks.
  void clear() {
    if (chunks_.size() > kChunksKept) chunks_.resize(kChunksKept);
    used_ = 0;
    at_ = end_ = nullptr;
  }

 private:
  struct Chunk {
    std::unique_ptr<char[]> bytes;
    size_t size = 0;
  };

  void next_chunk(size_t size) {
    while (used_ < chunks_.size() && chunks_[used_].size < size) ++used_;
    if (used_ == chunks_.size()) {
      const size_t chunk_size = std::max(size, kChunkBytes);
      chunks_.push_back({std::make_unique_for_overwrite<char[]>(chunk_size), chunk_size});
    }
    at_ = chunks_[used_].bytes.get();
    end_ = at_ + chunks_[used_++].size;
  }

  std::vector<Chunk> chunks_;
  size_t used_ = 0;     // chunks that hold texts or were too small
  char* at_ = nullptr;  // the free part of the last chunk used
  char* end_ = nullptr;
};

}  // namespace statmill
