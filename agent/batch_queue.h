// BatchQueue: batches on their way out, in memory, within a bound; knows which line comes next.
//
// What a connection took counts as sent line by line: a line is sent once all its bytes are handed over. When
// the connection ends inside a line, the next one begins with that line again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>

#include "agent/batch_builder.h"

namespace statmill {

// Confined to one thread.
class BatchQueue {
 public:
  explicit BatchQueue(size_t bytes_max) : bytes_max_(bytes_max) {}

  // Adds a batch. When that would go over the bound, the oldest batches are dropped whole: of one that is
  // partly sent, what is left, but for the end of a line already begun. With no room even so, the new one is
  // dropped.
  void push(LineBatch batch);

  bool empty() const { return batches_.empty(); }
  // Bytes to send next, of one batch. Requires: !empty(). Valid until the next call that is not const.
  std::string_view next() const { return std::string_view(batches_.front().text).substr(position_); }
  // The connection took the first `bytes` of next().
  void took(size_t bytes);
  // The connection is gone: next() begins with the first line not taken whole.
  void rewind_to_line();

  uint64_t lines_sent() const { return lines_sent_; }
  uint64_t lines_dropped() const { return lines_dropped_; }
  size_t bytes() const { return bytes_; }

 private:
  static size_t cost(const LineBatch& batch) { return batch.text.size() + sizeof(LineBatch); }
  // Whether next() begins inside a line.
  bool inside_line() const;
  bool drop_oldest();  // false: nothing to drop
  void cut_to_begun_line();
  void pop();

  const size_t bytes_max_;
  std::deque<LineBatch> batches_;
  size_t bytes_ = 0;             // sum of cost(); <= bytes_max_
  size_t position_ = 0;          // in the oldest batch: what was taken
  uint64_t position_lines_ = 0;  // LFs before position_
  uint64_t lines_sent_ = 0;
  uint64_t lines_dropped_ = 0;
};

}  // namespace statmill
