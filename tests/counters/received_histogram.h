// ReceivedHistogram: parses the lines of one histogram and merges them as a server does.
#pragma once

#include <cstdint>
#include <map>
#include <sstream>
#include <string>

#include "statmill/h2.h"
#include "statmill/registry.h"

namespace statmill {

__extension__ typedef unsigned __int128 Uint128;

class ReceivedHistogram {
 public:
  // Adds lines including their LF. Returns false if a line is too long or not a histogram, or if its sum is
  // impossible for its buckets.
  bool add(const std::string& lines) {
    std::istringstream in(lines);
    bool is_good = true;
    for (std::string line; std::getline(in, line);) is_good = is_good && line.size() < 1200 && add_line(line);
    return is_good;
  }
  const std::map<uint32_t, uint64_t>& buckets() const { return buckets_; }
  Uint128 sum() const { return sum_; }

 private:
  bool add_line(const std::string& line) {
    std::istringstream in(line);
    std::string name;
    std::string form;
    std::string digits;
    in >> name >> form >> digits;
    if (name != "%h" || form.front() != 'h' || digits.empty()) return false;
    const auto g = static_cast<unsigned>(std::stoul(form.substr(1)));
    Uint128 sum = 0;
    for (const char digit : digits) sum = sum * 10 + static_cast<unsigned>(digit - '0');
    Uint128 least = 0;
    Uint128 most = 0;
    uint64_t all = 0;
    uint32_t index = 0;
    char colon = 0;
    uint32_t next = 0;
    for (uint64_t count = 0; in >> index >> colon >> count; next = index + 1) {
      if (colon != ':' || count == 0 || index < next) return false;
      buckets_[index] += count;
      all += count;
      least += Uint128{count} * h2::lower_bound(g, index);
      most += Uint128{count} * h2::upper_bound(g, index);
    }
    sum_ += sum;
    return in.eof() && 0 < all && all < uint64_t{1} << 48 && least <= sum && sum <= most;
  }

  std::map<uint32_t, uint64_t> buckets_;
  Uint128 sum_ = 0;
};

inline std::map<uint32_t, uint64_t> buckets_of(const Reading& reading) {
  std::map<uint32_t, uint64_t> buckets;
  for (const Reading::Bucket& bucket : reading.buckets) buckets[bucket.index] = bucket.count;
  return buckets;
}

}  // namespace statmill
