#include "server/query/ops/histogram_columns.h"

#include <algorithm>

namespace statmill {

Presence presence_of(const Histograms& histograms) {
  Presence present(histograms.size());
  for (size_t i = 0; i < histograms.size(); ++i) {
    if (!histograms.buckets[i].is_empty()) present.set(i);
  }
  return present;
}

const Presence& presence_of(const SeriesValues& series, Presence& storage) {
  if (!series.histograms) return series.numbers.present;
  storage = presence_of(*series.histograms);
  return storage;
}

bool merge_histograms(Histograms& histograms, const Histograms& other) {
  for (size_t i = 0; i < histograms.size(); ++i) {
    if (other.buckets[i].is_empty()) continue;
    if (histograms.buckets[i].is_empty()) histograms.seconds[i] = other.seconds[i];
    if (histograms.seconds[i] != other.seconds[i]) return false;
    histograms.buckets[i].merge(other.buckets[i]);
    histograms.histograms[i].merge(other.histograms[i]);
  }
  return true;
}

size_t memory_bytes_of(const SeriesValues& series) {
  size_t bytes = sizeof(series) + series.numbers.size() * 9 + series.labels.memory_bytes();
  if (series.histograms) {
    bytes += series.histograms->size() * (sizeof(Bucket) + sizeof(SparseHistogram) + sizeof(double));
    for (const SparseHistogram& histogram : series.histograms->histograms) bytes += histogram.memory_bytes();
  }
  return bytes;
}

void add_note(std::vector<std::string>& notes, std::string_view text) {
  if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.emplace_back(text);
}

}  // namespace statmill
