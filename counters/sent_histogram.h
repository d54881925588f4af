// SentHistogram: what of a histogram was sent, and the lines of what was not.
//
// A line, `%name h<g> sum index:count ...`, tells how many values were added to which buckets (h2.h), and
// what they add up to. What is too much for one is told by several: a server merges them to what one would
// say.
//
// What the lines tell always adds up to the values of records, so that in the end it is the histogram's own
// sum to the last digit, wherever the readings met records halfway. The one exception is a process that was
// killed within a record: of each of its threads the sum of one record may be missing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "statmill/registry.h"

namespace statmill {

// Confined to a thread.
class SentHistogram {
 public:
  struct Line {
    std::string text;                      // with its LF
    std::vector<Reading::Bucket> buckets;  // those that it tells of, with all that is told once it is sent
    uint64_t sum = 0;                      // that is told once it is sent, modulo 2^64
  };

  // What `reading` has more than what was sent; none when that is nothing. A histogram that has less in any
  // bucket was made anew: all of it. While the reading's sum may lack something, some values are held back
  // for a later reading: what a reading that lacks nothing has is told whole. Lines have 1200 bytes at most,
  // unless a name alone has nearly as many.
  std::vector<Line> lines(const Reading& reading);
  // Requires: a line of the last lines(), and those before it are sent.
  void sent(const Line& line);

 private:
  bool was_made_anew(const Reading& reading) const;

  unsigned grouping_power_ = 0;
  std::vector<Reading::Bucket> buckets_;  // ascending
  uint64_t sum_ = 0;                      // modulo 2^64
};

}  // namespace statmill
