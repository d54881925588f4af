// See sent_histogram.h. Values are known by their buckets, and the sum of all of them exactly: so each line
// has a sum that its own buckets can have, and those of all lines add up to what was added.
#include "counters/sent_histogram.h"

#include <algorithm>
#include <utility>

#include "counters/append_number.h"

namespace statmill {
namespace {

__extension__ typedef unsigned __int128 Uint128;  // what 2^48 values of 64 bits add up to

constexpr size_t kLineBytesMax = 1200;  // fits into any datagram, ReportSocket::bytes_max()
constexpr size_t kHeadBytesMax = 1 + sizeof(" h16 ") + 39;  // beside the name and the cells: mark, g, sum, LF
constexpr uint64_t kLineCountMax = (uint64_t{1} << 48) - 1;  // a server takes no more for one bucket

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

// A line of which the sum is not known yet.
struct Draft {
  std::string cells;  // " index:count" of each
  Buckets buckets;    // see SentHistogram::Line
  uint64_t count = 0;
  Uint128 least = 0;  // that the values may add up to
  Uint128 room = 0;   // by how much it may be more

  // Adds so many of the values that are not sent as the line may have; how many. 0: it is full.
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
    const uint64_t lower = h2::lower_bound(grouping_power, bucket.index);
    buckets.push_back({bucket.index, sent + added});
    count += added;
    least += Uint128{added} * lower;
    room += Uint128{added} * (h2::upper_bound(grouping_power, bucket.index) - lower);
    return added;
  }
};

std::vector<Draft> drafts_of(const Reading& reading, const Buckets& sent_buckets) {
  const size_t head = std::min(kLineBytesMax, kHeadBytesMax + reading.name.size());
  std::vector<Draft> drafts;
  for (const Reading::Bucket& bucket : reading.buckets) {
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

// By how much the values add up to more than their least, 0 to `room`, when they add up to `sum` modulo 2^64:
// the least that is possible. None may be: a value that a thread was adding when the histogram was read is in
// its bucket and not in the sum, or the other way, and one that overflows adds more than its bucket can hold;
// then the nearest.
Uint128 sum_over_least(uint64_t sum, Uint128 least, Uint128 room) {
  const uint64_t above = sum - static_cast<uint64_t>(least);
  if (above <= room) return above;
  const uint64_t below = -above;
  return below < above - room ? 0 : room;
}

// A line's share of that: in proportion to its room, and so that what it leaves has room in the others.
// Requires: over_least <= room of all, which has this line's `room` in it.
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

bool SentHistogram::was_made_anew(const Reading& reading) const {
  if (reading.grouping_power != grouping_power_) return true;
  return std::any_of(buckets_.begin(), buckets_.end(), [&](const Reading::Bucket& bucket) {
    return bucket.count > count_of(reading.buckets, bucket.index);
  });
}

std::vector<SentHistogram::Line> SentHistogram::lines(const Reading& reading) {
  if (was_made_anew(reading)) *this = {};
  grouping_power_ = reading.grouping_power;
  std::vector<Draft> drafts = drafts_of(reading, buckets_);
  Uint128 least = 0;
  Uint128 room = 0;
  for (const Draft& draft : drafts) {
    least += draft.least;
    room += draft.room;
  }
  Uint128 over_least = sum_over_least(reading.sum - sum_, least, room);
  std::vector<Line> lines;
  uint64_t sum_told = sum_;
  for (Draft& draft : drafts) {
    const Uint128 share = share_of(over_least, room, draft.room);
    over_least -= share;
    room -= draft.room;
    const Uint128 sum = draft.least + share;
    sum_told += static_cast<uint64_t>(sum);
    lines.push_back({line_text(reading, sum, draft.cells), std::move(draft.buckets), sum_told});
  }
  // What one report tells too much or too little, the next ones make up for, as far as their buckets have
  // room. But what overflowed would be told of values that have nothing to do with it.
  if (reading.overflows != 0 && !lines.empty()) lines.back().sum = reading.sum;
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
