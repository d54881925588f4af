// ImportTotals: what the server must have after an import: the samples of each series, added up by weeks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/text_map.h"
#include "proto/sample.h"
#include "storage/bucket.h"

namespace statmill {

// Confined to one thread. Cost: a few ns for a sample of the series and the week of the one before, else a
// look-up.
class ImportTotals {
 public:
  // Whole slots of every tier of an hour or less.
  static constexpr int64_t kWindow_s = 7 * 86'400;
  static constexpr size_t kWindowsMax = 2'000'000;  // about 400 MB with names of 60 bytes

  struct Window {
    Bucket bucket;
    uint64_t lines = 0;  // samples that were added; a bucket of many counts as one
  };
  struct Series {
    Kind kind = Kind::kGauge;
    std::map<int64_t, Window> windows = {};  // by their start, unix seconds
  };

  // Adds a sample, whose bucket is `bucket`. Only the total of events and counters counts.
  void add(const Sample& sample, const Bucket& bucket);

  const TextMap<Series>& series() const { return series_; }
  size_t windows() const { return windows_; }
  // Samples that are in no window, since there were kWindowsMax.
  uint64_t left_out() const { return left_out_; }

 private:
  Window* window_of(const Sample& sample);

  TextMap<Series> series_;
  size_t windows_ = 0;
  uint64_t left_out_ = 0;
  // Those of the last sample.
  const std::string* last_name_ = nullptr;
  Series* last_series_ = nullptr;
  int64_t last_window_ = 0;
  Window* last_ = nullptr;
};

}  // namespace statmill
