// Batch: the samples parsed from one read, with the account of every line that was in it.
//
// Names are views into the read buffer where they could be left as they were, else into the batch's own text.
// Invariant C starts here: received == samples.size() + sum of refused, at any moment between parser calls.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "proto/line_sender.h"
#include "proto/sample.h"
#include "proto/text_arena.h"

namespace statmill {

struct Metadata {
  std::string_view key;
  std::string_view text;
};

// A line or sample that was not taken, for whoever looks for its sender.
struct RefusedLine {
  Refusal reason{};
  LineSender sender;
  std::string_view text;  // the line, without LF; of a sample that the table refused, the series' name
};

// Ready-made buckets where they do not move; memory is kept for the next batch, as the samples' is.
class ReadyBuckets {
 public:
  ReadyBucket& add() {
    if (count_ == blocks_.size() * kBlock) blocks_.push_back(std::make_unique<ReadyBucket[]>(kBlock));
    ReadyBucket& bucket = blocks_[count_ / kBlock][count_ % kBlock];
    ++count_;
    return bucket = {};
  }
  void clear() { count_ = 0; }

 private:
  static constexpr size_t kBlock = 64;
  std::vector<std::unique_ptr<ReadyBucket[]>> blocks_;
  size_t count_ = 0;
};

struct Batch {
  Batch() = default;
  Batch(const Batch&) = delete;  // its samples point into it
  Batch& operator=(const Batch&) = delete;

  static constexpr size_t kRefusedLinesMax = 16;  // kept of one batch, the first; all are counted

  std::vector<Sample> samples;
  std::vector<Metadata> metadata;  // `#key value` lines, in order; not samples
  uint64_t received = 0;           // samples asked for: a refused line counts as one, a fan-out as many
  uint64_t extra_fields = 0;       // lines taken whose fields after the seventh were ignored
  uint64_t renamed = 0;            // lines taken whose name lost the ~ in front of it
  std::array<uint64_t, kRefusalCount> refused{};
  std::vector<RefusedLine> refused_lines;      // at most kRefusedLinesMax
  std::vector<RefusedLine> refused_new_names;  // likewise: samples that would have made a series

  // What is added from now on comes from there, over clear() too. The server itself unless set.
  void set_sender(const LineSender& sender) {
    if (senders_.back().sender != sender) add_sender(sender);
  }
  // Whose turn it is.
  const LineSender& sender() const { return senders_.back().sender; }
  // Who sent samples[index].
  const LineSender& sender_of(size_t index) const;

  // A line that its parser does not take. `line` must outlive the batch's use.
  void refuse(Refusal reason, std::string_view line) { refuse(reason, line, sender()); }
  void refuse(Refusal reason, std::string_view line, const LineSender& sender);
  // The table does not take samples[index], which has been received. To be called once for each.
  void refuse_sample(size_t index, Refusal reason);
  void refuse_all_samples(Refusal reason);
  // Takes samples out; the others keep their order and their senders. Requires: `indices` ascend. Cost: the
  // samples behind the first of them move.
  void remove_samples(std::span<const uint32_t> indices);
  // What a sample may point at, for as long as the batch lives.
  ReadyBucket& new_ready_bucket() { return ready_buckets_.add(); }
  // Cells that do.
  std::span<const HistogramCell> keep(std::vector<HistogramCell> cells) {
    return cells_.emplace_back(std::move(cells));
  }
  // Text that lives as long as the batch.
  std::string_view keep(std::string_view text) { return kept_.keep(text); }
  // The same, for `size` bytes that the caller writes.
  char* room(size_t size) { return kept_.room(size); }
  char* spare(size_t size) { return kept_.spare(size); }  // what room() will give for up to so many
  void clear() {
    samples.clear();
    metadata.clear();
    received = extra_fields = renamed = 0;
    refused.fill(0);
    refused_lines.clear();
    refused_new_names.clear();
    senders_.front() = {0, senders_.back().sender};
    senders_.resize(1);
    kept_.clear();
    ready_buckets_.clear();
    cells_.clear();
  }

 private:
  struct SenderOf {
    size_t begin = 0;  // the first of its samples; they end where those of the next begin, and may be none
    LineSender sender;
  };
  void add_sender(const LineSender& sender);

  std::vector<SenderOf> senders_ = std::vector<SenderOf>(1);  // never empty, by `begin`
  TextArena kept_;
  ReadyBuckets ready_buckets_;
  std::vector<std::vector<HistogramCell>> cells_;  // each stays where it is when this grows
};

}  // namespace statmill
