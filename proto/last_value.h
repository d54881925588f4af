// LastValue: what a series of a sender that repeats itself had last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/hash.h"
#include "proto/number.h"

namespace statmill {

struct LastValue {
  Hash128 name;  // of the canonical name; the seed says which sender, if several have a series of one name
  Number value;  // finite; the sum of a histogram
  int64_t time_ms = 0;
  int64_t start_ms = 0;  // since when the counter counts; 0: unknown
  int64_t seen_s = 0;    // when a sample of it came last
  bool is_counter = false;
  uint32_t time_ns = 0;  // by how much the time is past time_ms: 0..999,999
  // For a cumulative histogram, whose is_counter is true, this is what it had counted, as its reader encodes
  // it. For a gauge it says which slots have a sample (ingest/late_slots.h). nullptr: it is neither.
  std::shared_ptr<const std::string> histogram = nullptr;

  // RAM that the text takes, about 80 bytes more than its length.
  static size_t bytes_of(const std::shared_ptr<const std::string>& text) {
    constexpr size_t kOwnBytes = 80;  // the string, the counts of its users, two headers of malloc
    return text ? kOwnBytes + text->size() : 0;
  }
  size_t histogram_bytes() const { return bytes_of(histogram); }
  bool operator==(const LastValue& other) const;
};

}  // namespace statmill
