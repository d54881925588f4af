// The hot path is inline in batch.h; these functions run once per sender or
// refused line, never per accepted sample.
#include "proto/batch.h"

#include <algorithm>
#include <cmath>

namespace statmill {
namespace {

bool is_new_series_limit(Refusal reason) {
  return reason == Refusal::kSeriesLimit || reason == Refusal::kNameLimit || reason == Refusal::kSenderLimit;
}

}  // namespace

void Batch::add_sender(const LineSender& sender) {
  if (senders_.back().begin == samples.size()) {
    senders_.back().sender = sender;
  } else {
    senders_.push_back({samples.size(), sender});
  }
}

const LineSender& Batch::sender_of(size_t index) const {
  const auto next = std::upper_bound(senders_.begin(), senders_.end(), index,
                                     [](size_t i, const SenderOf& s) { return i < s.begin; });
  return std::prev(next)->sender;
}

void Batch::refuse(Refusal reason, std::string_view line, const LineSender& sender) {
  ++received;
  ++refused[static_cast<size_t>(reason)];
  if (refused_lines.size() < kRefusedLinesMax) refused_lines.push_back({reason, sender, line, false});
}

void Batch::refuse_sample(size_t index, Refusal reason) {
  ++refused[static_cast<size_t>(reason)];
  if (wants_refused_samples) refused_samples.push_back(static_cast<uint32_t>(index));
  const auto keep_in = [&](std::vector<RefusedLine>& lines) {
    if (lines.size() < kRefusedLinesMax) {
      lines.push_back({reason, sender_of(index), name_of(index), false});
    }
  };
  keep_in(refused_lines);
  if (is_new_series_limit(reason)) keep_in(refused_new_names);
}

void Batch::add_exemplar(Exemplar exemplar, std::span<const LabelView> labels) {
  if (!std::isfinite(exemplar.value)) return refuse_exemplar(ExemplarRefusal::kValue);
  const EncodedLabels encoded = encode_exemplar_labels(labels);
  if (encoded.refusal) return refuse_exemplar(*encoded.refusal);
  exemplar.labels = keep(encoded.text);
  exemplars.push_back(exemplar);
}

void Batch::refuse_all_samples(Refusal reason) {
  for (size_t i = 0; i < samples.size(); ++i) refuse_sample(i, reason);
}

void Batch::accept_other_kind(size_t index) {
  ++other_kinds;
  if (refused_lines.size() == kRefusedLinesMax) return;
  refused_lines.push_back({Refusal::kKindMismatch, sender_of(index), name_of(index), true});
}

void Batch::remove_samples(std::span<const uint32_t> indices) {
  if (indices.empty()) return;
  size_t kept = indices.front();
  size_t removed = 0;
  auto sender = senders_.begin();
  for (size_t i = kept; i < samples.size(); ++i) {
    for (; sender != senders_.end() && sender->begin <= i; ++sender) sender->begin -= removed;
    if (removed < indices.size() && indices[removed] == i) {
      ++removed;
    } else {
      samples[kept++] = samples[i];
    }
  }
  for (; sender != senders_.end(); ++sender) sender->begin -= removed;
  samples.resize(kept);
}

}  // namespace statmill
