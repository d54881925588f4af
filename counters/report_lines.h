// ReportLines: readings as lines of what changed since the last lines that were sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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
  // The lines of a report, of the time (seconds since 1970) that the server is to count them under; empty: of
  // when they arrive. Valid until the next.
  std::string_view make(const std::vector<Reading>& readings, std::string_view time = {});
  // Where the last line ends that fits into so many bytes from `begin` on; at least one line, if there is
  // any.
  size_t end_of_lines(size_t begin, size_t bytes_max) const;
  // The lines up to byte `end` are sent: their counts are not sent again. How many lines these were.
  size_t sent(size_t end);

 private:
  struct Mark {
    size_t end = 0;                                // of the line
    std::optional<uint64_t>* last_sent = nullptr;  // of its counter, or null
    uint64_t count = 0;
    SentHistogram* histogram = nullptr;  // or null
    SentHistogram::Line line = {};       // its own
  };
  // By what an instrument is known: a name has no byte 0.
  static std::string key_of(const Reading& reading);
  void add_name(std::string_view mark, const Reading& reading);
  // What there is to say of it.
  void add_counter(const Reading& reading);
  void add_gauge(const Reading& reading);
  void add_histogram(const Reading& reading);

  std::string time_;  // behind a blank, or empty
  std::string text_;
  std::vector<Mark> marks_;
  std::unordered_map<std::string, std::optional<uint64_t>> last_sent_;  // counters by key; none: nothing yet
  std::unordered_map<std::string, SentHistogram> histograms_;
};

}  // namespace statmill
