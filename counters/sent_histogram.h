// SentHistogram: remembers what was sent of a histogram, and formats the rest as lines.
//
// A line `%name h<g> sum index:count ...` says how many values were added to which buckets (h2.h), and their
// sum. If one line cannot hold everything, there are several; the server merges them to the same result.
//
// The sums of the lines always add up to the values of whole records. So in the end they equal the
// histogram's own sum exactly, even if readings met records in progress. The one exception: if a process is
// killed within a record, the value of one record per thread may be missing in the sum.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "statmill/registry.h"

namespace statmill {

// Not thread-safe.
class SentHistogram {
 public:
  struct Line {
    std::string text;                      // including its LF
    std::vector<Reading::Bucket> buckets;  // the buckets in the line, with their total counts once it is sent
    uint64_t sum = 0;                      // the total sum once it is sent, modulo 2^64
  };

  // Returns the lines for what `reading` has in addition to what was sent; empty if that is nothing. If any
  // bucket has shrunk, the histogram was recreated, and the lines contain all of it. While the reading's sum
  // may be incomplete, some values are held back for a later reading; a reading with a complete sum is sent
  // entirely. Lines have at most 1200 bytes, unless the name alone has almost as many.
  std::vector<Line> lines(const Reading& reading);
  // Marks a line as sent. Requires: it is from the last call of lines(), and all lines before it were sent.
  void sent(const Line& line);

 private:
  bool was_recreated(const Reading& reading) const;

  unsigned grouping_power_ = 0;
  std::vector<Reading::Bucket> buckets_;  // ascending
  uint64_t sum_ = 0;                      // modulo 2^64
};

}  // namespace statmill
