// Only the buckets of the values and their exact total are known. So each line gets a sum that is possible
// for its buckets, and the sums of all lines add up to the total.
//
// If a reading met records in progress, the total is only known to lie between two numbers. Then enough
// values are held back for the next reading that their buckets have room for the difference: whatever the
// true total turns out to be, the remaining sum is possible for the values that were held back.
#include "counters/sent_histogram.h"

#include <algorithm>
#include <utility>

#include "counters/append_number.h"

namespace statmill {
namespace {

__extension__ typedef unsigned __int128 Uint128;  // holds the sum of 2^48 values of 64 bits

constexpr size_t kLineBytesMax = 1200;  // fits into any datagram, see ReportSocket::bytes_max()
constexpr size_t kHeadBytesMax = 1 + sizeof(" h16 ") + 39;   // mark, grouping power, sum and LF
constexpr uint64_t kLineCountMax = (uint64_t{1} << 48) - 1;  // a server accepts no more in a bucket

using Buckets = std::vector<Reading::Bucket>;

bool is_below(const Reading::Bucket& bucket, uint32_t index) { return bucket.index < index; }

uint64_t count_of(const Buckets& buckets, uint32_t index) {
  const auto place = std::lower_bound(buckets.begin(), buckets.end(), index, is_below);
  return place == buckets.end() || place->index != index ? 0 : place->count;
}

void append_digits(std::string& out, Uint128 value) {
  if (value >= 10) append_digits(out, value / 10);
  out.push_back(static_cast<char>('0' + static_cast<int>(value % 10)));
}

// The possible sums of some values: `least` to `least + room`.
struct Range {
  Uint128 least = 0;
  Uint128 room = 0;

  void add(unsigned grouping_power, uint32_t index, uint64_t count) {
    const uint64_t lower = h2::lower_bound(grouping_power, index);
    least += Uint128{count} * lower;
    room += Uint128{count} * (h2::upper_bound(grouping_power, index) - lower);
  }
};

// Returns the possible sums of the values in `buckets` that are not sent.
Range range_of(unsigned grouping_power, const Buckets& buckets, const Buckets& sent_buckets) {
  Range range;
  for (const Reading::Bucket& bucket : buckets)
    range.add(grouping_power, bucket.index, bucket.count - count_of(sent_buckets, bucket.index));
  return range;
}

// A line without its sum.
struct Draft {
  std::string cells;  // " index:count" for each bucket
  Buckets buckets;    // see SentHistogram::Line
  uint64_t count = 0;
  Range range;

  // Adds as many of the unsent values of a bucket as fit and returns their number; 0 if the line is full.
  uint64_t add(unsigned grouping_power, const Reading::Bucket& bucket, uint64_t sent,
               size_t cells_bytes_max) {
    const uint64_t added = std::min(bucket.count - sent, kLineCountMax - count);
    const size_t size = cells.size();
    cells.push_back(' ');
    append_number(cells, bucket.index);
    cells.push_back(':');
    append_number(cells, added);
    if (added == 0 || (size != 0 && cells.size() > cells_bytes_max)) {
      cells.resize(size);
      return 0;
    }
    buckets.push_back({bucket.index, sent + added});
    count += added;
    range.add(grouping_power, bucket.index, added);
    return added;
  }
};

// Distributes the values in `buckets` that are not sent to drafts.
std::vector<Draft> drafts_of(const Reading& reading, const Buckets& buckets, const Buckets& sent_buckets) {
  const size_t head = std::min(kLineBytesMax, kHeadBytesMax + reading.name.size());
  std::vector<Draft> drafts;
  for (const Reading::Bucket& bucket : buckets) {
    uint64_t sent = count_of(sent_buckets, bucket.index);
    while (sent < bucket.count) {
      const uint64_t added =
          drafts.empty() ? 0 : drafts.back().add(reading.grouping_power, bucket, sent, kLineBytesMax - head);
      if (added == 0) drafts.emplace_back();
      sent += added;
    }
  }
  return drafts;
}

// By how much the sum of some values exceeds the least possible sum: `from` to `until`, both at most their
// room.
struct Excess {
  Uint128 from = 0;
  Uint128 until = 0;
};

// Returns the smallest possible excess if the true sum is between `sum` and `sum + missing_max`, modulo 2^64.
// If the process was killed within a record, or is not one of ours, none may be possible: then returns the
// nearest.
Excess excess_of(uint64_t sum, uint64_t missing_max, Uint128 least, Uint128 room) {
  const uint64_t above = sum - static_cast<uint64_t>(least);
  if (above <= room) return {above, std::min(room, Uint128{above} + missing_max)};
  const uint64_t below = -above;
  if (below <= missing_max) return {0, std::min(room, Uint128{missing_max - below})};
  return below < above - room ? Excess{0, 0} : Excess{room, room};
}

// Removes unsent values from `buckets` until those removed have room for `wanted`, and returns that room.
// Starts with the buckets that have the most unsent values, so that no rare value waits for long.
Uint128 hold_back(unsigned grouping_power, Uint128 wanted, const Buckets& sent_buckets, Buckets& buckets) {
  struct Unsent {
    Reading::Bucket* bucket;
    uint64_t count;
    uint64_t width;  // the largest difference between two of its values
  };
  std::vector<Unsent> all;
  for (Reading::Bucket& bucket : buckets) {
    const uint64_t width =
        h2::upper_bound(grouping_power, bucket.index) - h2::lower_bound(grouping_power, bucket.index);
    const uint64_t count = bucket.count - count_of(sent_buckets, bucket.index);
    if (width != 0 && count != 0) all.push_back({&bucket, count, width});
  }
  std::sort(all.begin(), all.end(), [](const Unsent& a, const Unsent& b) { return a.count > b.count; });
  Uint128 room = 0;
  for (const Unsent& unsent : all) {
    if (room >= wanted) break;
    const Uint128 needed = (wanted - room + unsent.width - 1) / unsent.width;
    const uint64_t held = needed < unsent.count ? static_cast<uint64_t>(needed) : unsent.count;
    unsent.bucket->count -= held;
    room += Uint128{held} * unsent.width;
  }
  return room;
}

// Returns the part of the excess that the values sent now get: proportional to their room, and such that the
// values held back have room for the rest, whatever it is. Requires: excess.until - excess.from <= room_held.
Uint128 sent_part_of(const Excess& excess, Uint128 room_sent, Uint128 room_held) {
  if (room_sent == 0) return 0;
  const Uint128 middle = excess.from + (excess.until - excess.from) / 2;
  const double part = static_cast<double>(room_sent) / static_cast<double>(room_sent + room_held);
  const Uint128 least = excess.until > room_held ? excess.until - room_held : 0;
  return std::clamp(static_cast<Uint128>(part * static_cast<double>(middle)), least,
                    std::min(excess.from, room_sent));
}

// Returns one line's share of the excess that is sent: proportional to its room, and such that the other
// lines have room for the rest. Requires: over_least <= room_of_all, which includes this line's `room`.
Uint128 share_of(Uint128 over_least, Uint128 room_of_all, Uint128 room) {
  if (room == 0) return 0;
  const double part = static_cast<double>(over_least) / static_cast<double>(room_of_all);
  const Uint128 others = room_of_all - room;
  return std::clamp(static_cast<Uint128>(part * static_cast<double>(room)),
                    over_least > others ? over_least - others : 0, std::min(over_least, room));
}

std::string line_text(const Reading& reading, Uint128 sum, const std::string& cells) {
  std::string text = "%";
  text.append(reading.name).append(" h");
  append_number(text, reading.grouping_power);
  text.push_back(' ');
  append_digits(text, sum);
  return text.append(cells).append("\n");
}

}  // namespace

bool SentHistogram::was_recreated(const Reading& reading) const {
  if (reading.grouping_power != grouping_power_) return true;
  return std::any_of(buckets_.begin(), buckets_.end(), [&](const Reading::Bucket& bucket) {
    return bucket.count > count_of(reading.buckets, bucket.index);
  });
}

std::vector<SentHistogram::Line> SentHistogram::lines(const Reading& reading) {
  if (was_recreated(reading)) *this = {};
  grouping_power_ = reading.grouping_power;
  Range all = range_of(reading.grouping_power, reading.buckets, buckets_);
  const Excess excess = excess_of(reading.sum - sum_, reading.sum_missing_max, all.least, all.room);
  Buckets to_send = reading.buckets;
  const Uint128 room_held = hold_back(reading.grouping_power, excess.until - excess.from, buckets_, to_send);
  Uint128 room = all.room - room_held;
  Uint128 over_least = sent_part_of(excess, room, room_held);
  std::vector<Line> lines;
  uint64_t sum_sent = sum_;
  for (Draft& draft : drafts_of(reading, to_send, buckets_)) {
    const Uint128 share = share_of(over_least, room, draft.range.room);
    over_least -= share;
    room -= draft.range.room;
    const Uint128 sum = draft.range.least + share;
    sum_sent += static_cast<uint64_t>(sum);
    lines.push_back({line_text(reading, sum, draft.cells), std::move(draft.buckets), sum_sent});
  }
  return lines;
}

void SentHistogram::sent(const Line& line) {
  for (const Reading::Bucket& bucket : line.buckets) {
    const auto place = std::lower_bound(buckets_.begin(), buckets_.end(), bucket.index, is_below);
    if (place != buckets_.end() && place->index == bucket.index) {
      place->count = bucket.count;
    } else {
      buckets_.insert(place, bucket);
    }
  }
  sum_ = line.sum;
}

}  // namespace statmill
