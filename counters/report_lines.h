// ReportLines: readings as lines of what changed since the last lines that were sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "counters/sent_histogram.h"
#include "statmill/registry.h"

namespace statmill {

// Confined to a thread.
class ReportLines {
 public:
  // The lines of a report. Valid until the next.
  std::string_view make(const std::vector<Reading>& readings);
  // Where the last line ends that fits into so many bytes from `begin` on; at least one line, if there is
  // any.
  size_t end_of_lines(size_t begin, size_t bytes_max) const;
  // The lines up to byte `end` are sent: their counts are not sent again. How many lines these were.
  size_t sent(size_t end);

 private:
  struct Mark {
    size_t end = 0;                 // of the line
    uint64_t* last_sent = nullptr;  // of its counter, or null
    uint64_t count = 0;
    SentHistogram* histogram = nullptr;  // or null
    SentHistogram::Line line = {};       // its own
  };
  // What there is to say of it.
  void add_counter(const Reading& reading);
  void add_gauge(const Reading& reading);
  void add_histogram(const Reading& reading);

  std::string text_;
  std::vector<Mark> marks_;
  std::unordered_map<std::string, uint64_t> last_sent_;  // counters by name
  std::unordered_map<std::string, SentHistogram> histograms_;
};

}  // namespace statmill
