#include "tools/statmill/import/import_totals.h"

namespace statmill {

void ImportTotals::add(const Sample& sample, const Bucket& bucket) {
  Window* const window = window_of(sample);
  if (window == nullptr) {
    ++left_out_;
  } else {
    window->bucket.merge(bucket);
    ++window->lines;
  }
}

ImportTotals::Window* ImportTotals::window_of(const Sample& sample) {
  const int64_t time_s = *sample.time_s;
  const int64_t begin_s = time_s - (time_s % kWindow_s + kWindow_s) % kWindow_s;
  const bool is_same_series = last_name_ != nullptr && *last_name_ == sample.name;
  if (is_same_series && begin_s == last_window_ && last_ != nullptr) return last_;
  if (!is_same_series) {
    auto found = series_.find(sample.name);
    if (found == series_.end() && windows_ < kWindowsMax)
      found = series_.emplace(sample.name, Series{sample.kind}).first;
    if (found == series_.end()) return nullptr;
    last_name_ = &found->first;
    last_series_ = &found->second;
  }
  last_window_ = begin_s;
  const auto found = last_series_->windows.find(begin_s);
  if (found != last_series_->windows.end()) return last_ = &found->second;
  if (windows_ >= kWindowsMax) return last_ = nullptr;
  ++windows_;
  return last_ = &last_series_->windows[begin_s];
}

}  // namespace statmill
