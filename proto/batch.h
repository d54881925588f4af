// Batch: the samples parsed from one read, and the counts of all its lines.
//
// A sample's name is a view into the read buffer if the parser left it unchanged, else into the batch's text.
// Invariant C starts here: between parser calls, received == samples.size() + sum of refused.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "proto/exemplar.h"
#include "proto/family.h"
#include "proto/line_sender.h"
#include "proto/sample.h"
#include "proto/series_handle.h"
#include "proto/text_arena.h"

namespace statmill {

struct Metadata {
  std::string_view key;
  std::string_view text;
};

// A refused line or sample, kept so that an operator can find its sender.
struct RefusedLine {
  Refusal reason{};
  LineSender sender;
  std::string_view text;     // the line, without LF; if the table refused a sample, the series' name
  bool is_accepted = false;  // of another kind than its series, but accepted: see Batch::accept_other_kind()
};

// Ready-made buckets with stable addresses. clear() keeps the memory for the next batch.
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

  static constexpr size_t kRefusedLinesMax = 16;  // the batch keeps its first ones and counts all

  std::vector<Sample> samples;
  std::vector<Metadata> metadata;  // `#key value` lines, in order; not samples
  struct Family {
    FamilyText text;
    LineSender sender;
  };
  std::vector<Family> families;     // `$m` lines, in order; not samples
  std::vector<Exemplar> exemplars;  // not samples; their texts are valid as long as those of samples
  // Exemplars that the table has, or would have if they were larger than others.
  uint64_t exemplars_accepted = 0;
  std::array<uint64_t, kExemplarRefusalCount> exemplars_refused{};  // by those who read them
  uint64_t received = 0;        // samples; a refused line counts as one, a fan-out as one per name
  uint64_t extra_fields = 0;    // accepted lines whose fields after the seventh were ignored
  uint64_t renamed = 0;         // accepted lines whose name lost a leading ~
  uint64_t other_kinds = 0;     // accepted samples of another kind than their series
  uint64_t skipped_fields = 0;  // strings of accepted points, which no series can have
  std::array<uint64_t, kRefusalCount> refused{};
  std::vector<RefusedLine> refused_lines;  // at most kRefusedLinesMax
  // The rule of the port that received the samples; nullopt: the rule of the table. clear() keeps it.
  std::optional<OtherKind> other_kind;
  std::vector<RefusedLine>
      refused_new_names;  // samples that would have made a series; at most kRefusedLinesMax
  // A sample of an event series counts for a counter series as well, and the other way round. clear() keeps
  // it.
  bool joins_sums = false;
  // By sample, if their sender keeps them: where the table found the series of its name last. The table
  // replaces those that are none or no longer right. A handle of another name adds the sample to the series
  // of that name, or refuses it with kEmptyName. Empty: handles are not wanted.
  std::vector<SeriesHandle> handles;
  // Returns the name of samples[index], whose `name` is empty because it has a handle. The text is valid
  // until clear(); it is empty if there is no name.
  std::function<std::string_view(size_t index)> late_name;
  // Indices of all samples that the table refuses, in no order, if they are wanted. clear() keeps the wish.
  bool wants_refused_samples = false;
  std::vector<uint32_t> refused_samples;

  // Sets the sender of everything added from now on; clear() keeps it. Initially the server itself.
  void set_sender(const LineSender& sender) {
    if (senders_.back().sender != sender) add_sender(sender);
  }
  // Returns the current sender.
  const LineSender& sender() const { return senders_.back().sender; }
  // Returns the sender of samples[index].
  const LineSender& sender_of(size_t index) const;

  // Returns whether the next refused line is kept.
  bool shows_refused() const { return refused_lines.size() < kRefusedLinesMax; }
  // Counts a line that its parser refuses, and keeps it if fewer than kRefusedLinesMax are
  // kept. `line` must stay valid until clear().
  void refuse(Refusal reason, std::string_view line) { refuse(reason, line, sender()); }
  void refuse(Refusal reason, std::string_view line, const LineSender& sender);
  // Counts samples[index] as refused by the table; `received` already includes it. Call it once per sample.
  void refuse_sample(size_t index, Refusal reason);
  void refuse_all_samples(Refusal reason);
  // Returns the name of samples[index], and keeps it there.
  std::string_view name_of(size_t index) {
    if (samples[index].name.empty() && late_name) samples[index].name = late_name(index);
    return samples[index].name;
  }
  // Counts samples[index], which the table accepts although its series is of another kind, and keeps it among
  // refused_lines if there is room.
  void accept_other_kind(size_t index);
  // Removes samples; the others keep their order and their senders. Requires: `indices` ascend, and there are
  // no handles. Cost: moves the samples after the first removed one.
  void remove_samples(std::span<const uint32_t> indices);
  // Returns whether there are any, also those that are refused.
  bool has_exemplars() const {
    return !exemplars.empty() || exemplars_refused != std::array<uint64_t, kExemplarRefusalCount>{};
  }
  void refuse_exemplar(ExemplarRefusal reason) { ++exemplars_refused[static_cast<size_t>(reason)]; }
  // Adds an exemplar, or refuses it for its value or labels. `exemplar.labels` is not used.
  void add_exemplar(Exemplar exemplar, std::span<const LabelView> labels);
  // Returns a bucket that stays valid until clear().
  ReadyBucket& new_ready_bucket() { return ready_buckets_.add(); }
  // Keeps cells until clear().
  std::span<const HistogramCell> keep(std::vector<HistogramCell> cells) {
    return cells_.emplace_back(std::move(cells));
  }
  // Copies a text, which stays valid until clear().
  std::string_view keep(std::string_view text) { return kept_.keep(text); }
  // Returns `size` bytes for the caller to write, valid until clear().
  char* room(size_t size) { return kept_.room(size); }
  // Returns what the next room() returns for any size up to `size`, without using it up.
  char* spare(size_t size) { return kept_.spare(size); }
  void clear() {
    samples.clear();
    metadata.clear();
    families.clear();
    exemplars.clear();
    exemplars_accepted = 0;
    exemplars_refused.fill(0);
    received = extra_fields = renamed = other_kinds = skipped_fields = 0;
    refused.fill(0);
    refused_lines.clear();
    refused_new_names.clear();
    refused_samples.clear();
    handles.clear();
    senders_.front() = {0, senders_.back().sender};
    senders_.resize(1);
    kept_.clear();
    ready_buckets_.clear();
    cells_.clear();
  }

 private:
  struct SenderOf {
    size_t begin = 0;  // index of its first sample; its samples end where the next sender's begin
    LineSender sender;
  };
  void add_sender(const LineSender& sender);

  std::vector<SenderOf> senders_ = std::vector<SenderOf>(1);  // never empty, sorted by `begin`
  TextArena kept_;
  ReadyBuckets ready_buckets_;
  std::vector<std::vector<HistogramCell>> cells_;  // growing does not move the cells themselves
};

}  // namespace statmill
