#include "storage/codec/histogram_window.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "storage/codec/histogram_codec.h"

namespace statmill {
namespace {

void merge(SlotHistogram& to, const SlotHistogram& from) { to.histogram.merge(from.histogram); }

}  // namespace

void HistogramWindow::add(Slot slot, const SparseHistogram& histogram) {
  SM_CHECK(!histogram.is_empty());
  const bool is_open = !newest_.is_empty();
  if (is_open && slot == newest_slot_) return newest_.merge(histogram);
  if ((is_open && slot < newest_slot_) || (encoded_count_ > 0 && slot < encoded_end_)) {
    late_.add({slot, histogram}, merge);
    late_bytes_ += histogram.memory_bytes();
    return;
  }
  close();
  newest_slot_ = slot;
  newest_ = histogram;
}

void HistogramWindow::close() {
  if (newest_.is_empty()) return;
  if (encoded_.size() >= marks_[0].offset + kMarkBytes) {
    marks_[1] = marks_[0];
    marks_[0] = {encoded_.size(), encoded_end_ - 1, encoded_count_};
  }
  if (encoded_count_++ == 0) {
    encoded_first_ = newest_slot_;
  } else {
    Writer(encoded_).varint(static_cast<uint64_t>(newest_slot_ - encoded_end_));
  }
  encode_histogram(encoded_, newest_);
  encoded_end_ = newest_slot_ + 1;
  newest_ = {};
}

std::optional<HistogramWindow::Run> HistogramWindow::run() const {
  SM_CHECK(newest_.is_empty() && encoded_count_ > 0);
  if (!late_.is_empty()) return std::nullopt;
  return Run{encoded_first_, encoded_count_, encoded_};
}

std::vector<SlotHistogram> HistogramWindow::histograms(Slot begin, Slot end) const {
  std::vector<SlotHistogram> out;
  const auto is_inside = [=](Slot slot) { return slot >= begin && slot < end; };
  const auto mark = std::ranges::find_if(marks_, [=](const Mark& at) { return at.slot < begin; });
  const Mark from = mark == marks_.end() || mark->count == 0 ? Mark{0, encoded_first_, 0} : *mark;
  Reader in(std::string_view(encoded_).substr(from.offset));
  Slot slot = from.slot;
  for (uint64_t i = from.count; i < encoded_count_; ++i) {
    if (i > 0) slot += static_cast<Slot>(in.varint()) + 1;
    if (slot >= end) break;
    if (slot < begin) {
      SM_CHECK(skip_histogram(in));
      continue;
    }
    auto histogram = decode_histogram(in);
    SM_CHECK(histogram.has_value());
    out.push_back({slot, std::move(*histogram)});
  }
  if (!newest_.is_empty() && is_inside(newest_slot_)) out.push_back({newest_slot_, newest_});
  std::vector<SlotHistogram> late = late_.ordered(merge);
  std::erase_if(late, [&](const SlotHistogram& h) { return !is_inside(h.slot); });
  merge_into(out, late);
  return out;
}

size_t HistogramWindow::memory_bytes() const {
  return encoded_.capacity() + newest_.memory_bytes() + late_.capacity() * sizeof(SlotHistogram) +
         late_bytes_;
}

}  // namespace statmill
