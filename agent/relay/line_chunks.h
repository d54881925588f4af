// LineChunks: the lines that a relay is about to send, in batches of bounded size that end at a line's end.
#pragma once

#include <cstddef>
#include <vector>

#include "agent/batch_builder.h"
#include "proto/exemplar.h"
#include "proto/family.h"

namespace statmill {

// Thread-compatible.
class LineChunks {
 public:
  static constexpr size_t kTextBytesMax = 48 * 1024;  // per batch; append_line() never makes a longer line

  // Append a line. Require: what append_line() and append_family_line() require.
  void add(const Sample& sample);
  void add(const FamilyText& family);
  void add(const Exemplar& exemplar);

  size_t memory_bytes() const { return batches_.size() * kBatchBytes; }
  // An upper bound for the growth of memory_bytes() when lines of `text_bytes` bytes in total are added.
  static size_t growth(size_t text_bytes) { return text_bytes + kBatchBytes; }
  // Removes and returns all batches, oldest first.
  std::vector<LineBatch> drain();
  // Removes and returns the batches that are full.
  std::vector<LineBatch> drain_full();

 private:
  template <class AppendLine>
  void add_line(const AppendLine& append);

  static constexpr size_t kBatchBytes = kTextBytesMax + 4096;  // with the line that exceeds the limit

  std::vector<LineBatch> batches_;
};

}  // namespace statmill
