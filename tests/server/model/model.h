// Model: computes what statmill should answer in the naive way: it keeps every accepted sample in a list and
// computes every answer from scratch. It shares only plain types with the product.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/int128.h"
#include "proto/sample.h"

namespace statmill::model {

// One sample. Values are in hundredths, so that sums are exact integers.
struct Sample {
  std::string name;
  Kind kind = Kind::kGauge;
  int64_t time_s = 0;
  std::vector<int64_t> hundredths;  // one value, or all values of a bucket that the sender made
  bool is_alone = false;            // the finest tier may have dropped the other samples of its time
};

inline std::string decimal(Int128 value, int digits) {
  const bool negative = value < 0;
  auto rest = static_cast<uint64_t>(negative ? -value : value);
  std::string text = std::to_string(rest);
  while (text.size() <= static_cast<size_t>(digits)) text.insert(0, "0");
  text.insert(text.size() - static_cast<size_t>(digits), ".");
  return (negative ? "-" : "") + text;
}

// Formats a gauge, an event or a counter as a line of the protocol.
inline std::string line_of(const Sample& s) {
  int64_t sum = 0;
  Int128 squares = 0;
  for (const int64_t h : s.hundredths) {
    sum += h;
    squares += static_cast<Int128>(h) * h;
  }
  const std::string mark = s.kind == Kind::kEvent ? "*" : s.kind == Kind::kCounter ? "$c " : "";
  std::string line = mark + s.name + " " + std::to_string(s.time_s) + " " + decimal(sum, 2);
  if (s.hundredths.size() > 1) {
    const auto [min, max] = std::minmax_element(s.hundredths.begin(), s.hundredths.end());
    line += " " + decimal(squares, 4) + " " + decimal(*min, 2) + " " + decimal(*max, 2) + " " +
            std::to_string(s.hundredths.size());
  }
  return line;
}

// Identifies a bucket of a histogram: sign, power of two and 32nd part of that power's range. For numbers
// that are not tiny.
using Range = std::tuple<int, int, int>;
inline Range range_of(double value) {
  int power = 0;
  const double fraction = std::frexp(std::abs(value), &power);  // 0, or from a half to one
  if (value == 0) return {0, 0, 0};
  return {value < 0 ? -1 : 1, power, static_cast<int>(std::floor((2 * fraction - 1) * 32))};
}

struct Answer {
  int64_t count = 0;
  double sum = 0;
  double avg = 0;
  double stddev = 0;
  double min = 0;
  double max = 0;
  double rate = 0;  // of a counter
};

class Model {
 public:
  static constexpr int64_t kSlotS = 10;

  // The first sample of a series determines its kind.
  void add(const Sample& sample) {
    Series& series = series_.try_emplace(sample.name, Series{sample.kind, {}}).first->second;
    series.samples.push_back(sample);
    const int64_t slot_s = sample.time_s / kSlotS * kSlotS;
    series.first_s = std::min(series.first_s, slot_s);
    series.last_s = std::max(series.last_s, slot_s);
  }
  void remove(const std::string& name) {
    series_.erase(name);
    forget_families(name);
  }
  using Families = std::set<std::pair<std::string, Kind>>;
  // Removes a series whose data are all past their retention, and its families but for some.
  void expire(const std::string& name, const Families& kept) {
    std::map<std::pair<std::string, Kind>, std::string> families = families_;
    remove(name);
    for (auto& [family, texts] : families) {
      if (kept.contains(family)) families_.insert_or_assign(family, texts);
    }
  }
  void rename(const std::string& from, const std::string& to) {
    auto node = series_.extract(from);
    node.key() = to;
    const auto family = families_.find({from, node.mapped().kind});
    if (family != families_.end()) families_.insert({{to, node.mapped().kind}, family->second});
    series_.insert(std::move(node));
    forget_families(from);
  }
  // Stores unit and help of a family. The names of the model have no tags, so a path has one series.
  void note(const std::string& path, Kind kind, const std::string& unit_and_help) {
    families_.insert_or_assign({path, kind}, unit_and_help);
  }
  // Erases the samples in [from_s, until_s). Removes the series if it would have none left.
  void erase(const std::string& name, int64_t from_s, int64_t until_s) {
    const auto is_in = [&](int64_t time_s) { return from_s <= time_s && time_s < until_s; };
    Series& series = series_.at(name);
    if (is_in(series.first_s) && is_in(series.last_s)) return remove(name);
    std::erase_if(series.samples, [&](const Sample& s) { return is_in(s.time_s); });
    if (is_in(series.first_s)) series.first_s = until_s;
    if (is_in(series.last_s)) series.last_s = from_s - kSlotS;
    forget_families(name);
  }

  // Returns whether the totals of some slots in [from_s, until_s) may be in two parts, which count as two
  // slots.
  bool has_parts(const std::string& name, int64_t from_s, int64_t until_s) const {
    return std::ranges::any_of(series_.at(name).samples, [&](const Sample& s) {
      return s.is_alone && s.time_s >= from_s && s.time_s < until_s;
    });
  }

  Kind kind(const std::string& name) const { return series_.at(name).kind; }
  const auto& series() const { return series_; }
  const auto& families() const { return families_; }

  // Returns the answer for [from_s, until_s), or nullopt if there are no data. The totals of amounts are
  // those of slots of `slot_s`.
  std::optional<Answer> answer(const std::string& name, int64_t from_s, int64_t until_s, int64_t now_s,
                               int64_t slot_s = kSlotS) const {
    return adds_up(kind(name)) ? amounts_answer(name, from_s, until_s, now_s, slot_s)
                               : answer_of(observations(name, from_s, until_s), 100);
  }

  // Returns the values in [from_s, until_s), in hundredths, in no order.
  std::vector<int64_t> observations(const std::string& name, int64_t from_s, int64_t until_s) const {
    std::vector<int64_t> out;
    for (const Sample& s : series_.at(name).samples) {
      if (s.time_s >= from_s && s.time_s < until_s)
        out.insert(out.end(), s.hundredths.begin(), s.hundredths.end());
    }
    return out;
  }

 private:
  struct Series {
    Kind kind = Kind::kGauge;
    std::vector<Sample> samples;
    int64_t first_s = INT64_MAX;  // the first slot; of events: from it on, silent slots count as 0
    int64_t last_s = INT64_MIN;   // the last slot
  };

  void forget_families(const std::string& path) {
    const auto known = series_.find(path);
    std::erase_if(families_, [&](const auto& family) {
      const auto& [of_path, kind] = family.first;
      return of_path == path && (known == series_.end() || known->second.kind != kind);
    });
  }

  // Requires: number = value / unit.
  static std::optional<Answer> answer_of(const std::vector<int64_t>& values, double unit) {
    if (values.empty()) return std::nullopt;
    Int128 sum = 0;
    Answer a;
    a.min = a.max = static_cast<double>(values[0]) / unit;
    for (const int64_t v : values) {
      sum += v;
      a.min = std::min(a.min, static_cast<double>(v) / unit);
      a.max = std::max(a.max, static_cast<double>(v) / unit);
    }
    a.count = static_cast<int64_t>(values.size());
    const auto n = static_cast<long double>(values.size());
    const long double mean = static_cast<long double>(sum) / n;
    long double m2 = 0;
    for (const int64_t v : values) m2 += (v - mean) * (v - mean);
    a.avg = static_cast<double>(mean / unit);
    a.stddev = values.size() < 2 ? 0 : static_cast<double>(std::sqrt(m2 / (n - 1)) / unit);
    a.sum =
        static_cast<double>(static_cast<long double>(sum) / 100.0L);  // for events and counters, their total
    return a;
  }

  // The slot under way counts with the part of it that has passed, one second at least.
  std::optional<Answer> amounts_answer(const std::string& name, int64_t from_s, int64_t until_s,
                                       int64_t now_s, int64_t slot_s) const {
    std::map<int64_t, int64_t> totals = rates(name, from_s, until_s, now_s, slot_s);
    std::vector<int64_t> values;
    for (const auto& [slot, total] : totals) values.push_back(total);
    std::optional<Answer> a = answer_of(values, 100.0 * static_cast<double>(slot_s));
    const int64_t passed_s = std::max<int64_t>(now_s % slot_s, 1);
    const int64_t passed_until_s = now_s / slot_s * slot_s + passed_s;
    if (!a) return a;
    const auto open = totals.find(now_s / slot_s);
    const bool has_open = open != totals.end();
    const int64_t length_s = a->count * slot_s - (has_open ? slot_s - passed_s : 0);
    // The rate of a counter is over all time that has passed, and over slots that lie ahead and have samples.
    a->rate = a->sum / static_cast<double>(std::max(std::min(until_s, passed_until_s) - from_s, length_s));
    if (!has_open) return a;
    a->avg = a->sum / static_cast<double>(length_s);
    // The others see the rate so far.
    const double unit = 100.0 * static_cast<double>(slot_s) * static_cast<double>(passed_s);
    for (auto& [slot, total] : totals) total *= slot == open->first ? slot_s : passed_s;
    values.clear();
    for (const auto& [slot, total] : totals) values.push_back(total);
    const Answer so_far = *answer_of(values, unit);
    a->min = so_far.min;
    a->max = so_far.max;
    a->stddev = so_far.stddev;
    return a;
  }

  // Returns the totals of the slots. Slots without events count as zero, from the series'
  // first slot to the present one; those without increments of a counter are absent.
  std::map<int64_t, int64_t> rates(const std::string& name, int64_t from_s, int64_t until_s, int64_t now_s,
                                   int64_t slot_s) const {
    std::map<int64_t, int64_t> totals;
    const int64_t first = series_.at(name).first_s / slot_s;
    for (const Sample& s : series_.at(name).samples) {
      const int64_t slot = s.time_s / slot_s;
      if (s.time_s < from_s || s.time_s >= until_s) continue;
      for (const int64_t h : s.hundredths) totals[slot] += h;
    }
    if (kind(name) == Kind::kCounter) return totals;
    for (int64_t slot = std::max(first, from_s / slot_s); slot <= now_s / slot_s && slot * slot_s < until_s;
         ++slot) {
      totals.try_emplace(slot, 0);
    }
    return totals;
  }

  std::map<std::pair<std::string, Kind>, std::string> families_;
  std::map<std::string, Series> series_;
};

}  // namespace statmill::model
