// LineChunks: lines on their way from a relay, in batches of bounded size that end where a line does.
#pragma once

#include <cstddef>
#include <vector>

#include "agent/batch_builder.h"
#include "proto/sample.h"

namespace statmill {

// Thread-compatible.
class LineChunks {
 public:
  static constexpr size_t kTextBytesMax =
      48 * 1024;  // of a batch; no line that append_line() makes is longer

  // Appends a line. Requires: append_line()'s.
  void add(const Sample& sample);

  size_t memory_bytes() const { return batches_.size() * kBatchBytes; }
  // By how much that grows at most when lines of so many bytes are added.
  static size_t growth(size_t text_bytes) { return text_bytes + kBatchBytes; }
  // The batches, oldest first; none is left.
  std::vector<LineBatch> take();
  // The same of those that no line will be added to.
  std::vector<LineBatch> take_full();

 private:
  static constexpr size_t kBatchBytes = kTextBytesMax + 4096;  // with the line that was one too many

  std::vector<LineBatch> batches_;
};

}  // namespace statmill
