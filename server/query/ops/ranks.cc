#include "server/query/ops/ranks.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "server/query/ops/groups.h"

namespace statmill {

Ranks::Ranks(const plan::Rank& node, const Numbers& counts) : node_(node), limits_(counts.size()) {
  for (size_t i = 0; i < counts.size(); ++i) {
    const double count = counts.value(i);
    if (count >= 1) limits_[i] = static_cast<size_t>(std::min(count, kCountMax));
  }
}

// NaN comes last in any order.
bool Ranks::is_ahead(const Entry& a, const Entry& b) const {
  if (node_.function != plan::RankFunction::kFirst) {
    const bool is_a_nan = std::isnan(a.value);
    const bool is_b_nan = std::isnan(b.value);
    if (is_a_nan != is_b_nan) return is_b_nan;
    if (!is_a_nan && a.value != b.value) {
      return node_.function == plan::RankFunction::kTop ? a.value > b.value : a.value < b.value;
    }
  }
  return series_[a.series].labels < series_[b.series].labels;
}

void Ranks::offer(Heap& heap, size_t limit, const Entry& entry) {
  const auto ahead = [this](const Entry& a, const Entry& b) { return is_ahead(a, b); };
  if (heap.size() == limit) {
    if (limit == 0 || !is_ahead(entry, heap.front())) return;
    std::pop_heap(heap.begin(), heap.end(), ahead);
    Series& loser = series_[heap.back().series];
    if (--loser.uses == 0) {
      loser.labels = {};
      free_series_.push_back(heap.back().series);
    }
    heap.pop_back();
  } else {
    held_bytes_ += sizeof(Entry);
  }
  heap.push_back(entry);
  std::push_heap(heap.begin(), heap.end(), ahead);
  ++series_[entry.series].uses;
}

void Ranks::add(SeriesValues series) {
  if (series.histograms) return;
  const auto [found, is_new] =
      by_key_.try_emplace(group_labels(series.labels, node_.grouping).key(), groups_.size());
  if (is_new) {
    groups_.push_back({std::vector<Heap>(limits_.size())});
    held_bytes_ += limits_.size() * sizeof(Heap);
  }
  std::vector<Heap>& heaps = groups_[found->second].heaps;
  uint32_t id = 0;
  if (free_series_.empty()) {
    id = static_cast<uint32_t>(series_.size());
    series_.emplace_back();
  } else {
    id = free_series_.back();
    free_series_.pop_back();
  }
  series_[id] = {std::move(series.labels), 1};  // in use until all points were offered
  const Numbers& numbers = series.numbers;
  for (size_t i = numbers.present.next(0); i < numbers.size(); i = numbers.present.next(i + 1)) {
    Entry entry{.value = numbers.value(i), .integer = 0, .scale = numbers.scale, .series = id};
    if (!numbers.is_real()) entry.integer = numbers.integers[i];
    offer(heaps[i], limits_[i], entry);
  }
  if (--series_[id].uses == 0) {
    series_[id].labels = {};
    free_series_.push_back(id);
  }
}

void Ranks::copy(const Entry& entry, size_t point, std::optional<Numbers>& numbers) const {
  // All entries of a series have one scale, that of its column.
  if (!numbers) {
    numbers = entry.scale == Numbers::kReal ? Numbers::of_reals(limits_.size())
                                            : Numbers::of_decimals(limits_.size(), entry.scale);
  }
  numbers->present.set(point);
  if (numbers->is_real()) {
    numbers->reals[point] = entry.value;
  } else {
    numbers->integers[point] = entry.integer;
  }
}

Status Ranks::finish(const std::function<Status(SeriesValues)>& take) {
  for (Group& group : groups_) {
    std::vector<uint32_t> order;
    std::unordered_map<uint32_t, std::optional<Numbers>> chosen;
    for (size_t point = 0; point < group.heaps.size(); ++point) {
      Heap& heap = group.heaps[point];
      std::sort(heap.begin(), heap.end(), [this](const Entry& a, const Entry& b) { return is_ahead(a, b); });
      for (const Entry& entry : heap) {
        std::optional<Numbers>& numbers = chosen[entry.series];
        if (!numbers) order.push_back(entry.series);
        copy(entry, point, numbers);
      }
    }
    for (const uint32_t series : order) {
      if (Status status = take({series_[series].labels, std::move(*chosen[series])}); !status) return status;
    }
  }
  return Status::ok();
}

}  // namespace statmill
