// See report_lines.h.
#include "counters/report_lines.h"

#include <algorithm>
#include <cmath>

#include "counters/append_number.h"

namespace statmill {

std::string_view ReportLines::make(const std::vector<Reading>& readings) {
  text_.clear();
  marks_.clear();
  for (const Reading& reading : readings) {
    uint64_t* last_sent = nullptr;
    if (reading.type == Reading::Type::kCounter) {
      const auto [place, is_new] = last_sent_.try_emplace(std::string(reading.name), 0);
      last_sent = &place->second;
      // A lesser count is of a counter that was made anew.
      const uint64_t added = reading.count - (reading.count < *last_sent ? 0 : *last_sent);
      if (added == 0 && !is_new) continue;  // a silent slot of an event series says as much
      text_.append("*").append(reading.name).append(" ");
      append_number(text_, added);
    } else if (reading.type == Reading::Type::kGauge && std::isfinite(reading.level)) {
      text_.append(reading.name).append(" ");
      append_number(text_, reading.level);
    } else {
      continue;
    }
    text_.push_back('\n');
    marks_.push_back({text_.size(), last_sent, reading.count});
  }
  return text_;
}

size_t ReportLines::end_of_lines(size_t begin, size_t bytes_max) const {
  const auto by_end = [](size_t at, const Mark& mark) { return at < mark.end; };
  const auto first = std::upper_bound(marks_.begin(), marks_.end(), begin, by_end);
  if (first == marks_.end()) return begin;
  const auto beyond = std::upper_bound(first, marks_.end(), begin + bytes_max, by_end);
  return beyond == first ? first->end : std::prev(beyond)->end;
}

size_t ReportLines::sent(size_t end) {
  size_t lines = 0;
  for (const Mark& mark : marks_) {
    if (mark.end > end) break;
    if (mark.last_sent != nullptr) *mark.last_sent = mark.count;
    ++lines;
  }
  return lines;
}

}  // namespace statmill
