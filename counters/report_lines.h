// ReportLines: formats readings as lines with what changed since the lines that were sent before. Names are
// spelled so that every port of the server stores them as they are.
#pragma once

#include <chrono>
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

// Not thread-safe.
class ReportLines {
 public:
  // Returns the lines of a report: first those with unit and help of families that no report has had since
  // the last resend_families(). The lines have no time. The result is valid until the next call.
  std::string_view make(const std::vector<Reading>& readings);
  // Returns the end of the last line that fits into `bytes_max` bytes from `begin` on. Returns the end of at
  // least one line if there is any.
  size_t end_of_lines(size_t begin, size_t bytes_max) const;
  // Marks the lines up to byte `end` as sent, so that their counts are not sent again. Returns how many they
  // are.
  size_t sent(size_t end);
  // Makes the next report contain all families again if an hour has passed since the last such report. Call
  // it before make(); `now` is a steady time.
  void resend_families_hourly(std::chrono::nanoseconds now);
  void resend_families() { families_.clear(); }

 private:
  // The exemplar of an instrument that was sent last: shared cells have it until there is another.
  struct SentExemplar {
    uint64_t value = 0;
    int64_t time_ms = -1;
    bool operator==(const SentExemplar&) const = default;
  };
  struct Mark {
    size_t end = 0;                                // the end of the line
    std::optional<uint64_t>* last_sent = nullptr;  // of its counter; null for other instruments
    uint64_t count = 0;
    SentHistogram* histogram = nullptr;  // null for other instruments
    SentHistogram::Line line = {};       // of the histogram
    bool* is_family_sent = nullptr;      // null for instruments
    SentExemplar* exemplar = nullptr;    // null unless the line is one with an exemplar
    SentExemplar as_sent = {};
  };
  struct Family {
    uint64_t report = 0;  // the last one that had its line
    bool is_sent = false;
  };
  // Identifies an instrument. Names contain no zero byte, so the key of an instance is unique.
  static std::string key_of(const Reading& reading);
  void add_name(std::string_view mark, const Reading& reading);
  void add_family(const Reading& reading);
  // Append the lines for one reading, if it has changed. Require: is_plain_in_lines() or name_in_lines() of
  // its name.
  void add(const Reading& reading);
  void add_counter(const Reading& reading);
  void add_gauge(const Reading& reading);
  void add_histogram(const Reading& reading);
  // Appends the line of its exemplar, after those of its values, unless it was sent. Its name is not spelled
  // as in plain lines.
  void add_exemplar(const Reading& reading);

  std::string text_;
  std::vector<Mark> marks_;
  std::unordered_map<std::string, std::optional<uint64_t>> last_sent_;  // of counters, by key
  std::unordered_map<std::string, SentHistogram> histograms_;
  std::unordered_map<std::string, SentExemplar> exemplars_;  // by key
  std::unordered_map<std::string, Family> families_;         // by kind and path, as in their lines
  uint64_t reports_ = 0;                                     // calls of make()
  std::optional<std::chrono::nanoseconds> families_begun_;
};

}  // namespace statmill
