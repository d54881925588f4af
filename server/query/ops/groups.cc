#include "server/query/ops/groups.h"

#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "base/quotient.h"
#include "server/query/ops/column_sum.h"
#include "server/query/ops/histogram_arithmetic.h"
#include "server/query/ops/histogram_columns.h"
#include "server/query/ops/sample_functions.h"

namespace statmill {
namespace {

using plan::GroupFunction;

// Count, mean and squared deviations per point. Decimals are exact in Buckets, so their order does not
// matter.
class Deviations {
 public:
  void resize(size_t points) {
    buckets_.resize(points);
    not_finite_.reset(points);
  }

  void add(const Numbers& numbers) {
    for (size_t i = numbers.present.next(0); i < numbers.size(); i = numbers.present.next(i + 1)) {
      add_at(i, numbers);
    }
  }

  Numbers result(const Presence& present, bool is_root) const {
    Numbers numbers = Numbers::of_reals(present.size());
    for (size_t i = present.next(0); i < present.size(); i = present.next(i + 1)) {
      if (not_finite_[i]) {
        numbers.set(i, std::nan(""));
        continue;
      }
      const double variance = buckets_[i].m2() / static_cast<double>(buckets_[i].count());
      numbers.set(i, is_root ? std::sqrt(variance) : variance);
    }
    return numbers;
  }

 private:
  void add_at(size_t i, const Numbers& numbers) {
    if (!numbers.is_real()) return add_decimal(i, numbers.integers[i], numbers.scale);
    const double v = numbers.reals[i];
    if (!std::isfinite(v)) {
      not_finite_.set(i);
      return;
    }
    // Times, for one, are integers so large that squared differences of doubles lose half of their digits.
    if (std::abs(v) < static_cast<double>(kEveryIntegerIsADouble) && v == std::trunc(v))
      return add_decimal(i, static_cast<int64_t>(v), 0);
    buckets_[i].merge(Bucket::from_real(1, {.sum = v, .m2 = 0, .min = v, .max = v}));
  }

  void add_decimal(size_t i, int64_t v, int8_t scale) {
    buckets_[i].merge(Bucket::from_decimal(
        1, {.sum = v, .sum_of_squares = Int128{v} * v, .min = v, .max = v, .scale = scale}));
  }

  std::vector<Bucket> buckets_;
  Presence not_finite_;
};

Numbers quantiles(std::vector<Numbers>& members, const Presence& present, const Numbers& parameter) {
  Numbers result = Numbers::of_reals(present.size());
  std::vector<double> values;
  for (size_t i = present.next(0); i < present.size(); i = present.next(i + 1)) {
    values.clear();
    for (const Numbers& member : members) {
      if (member.present[i]) values.push_back(member.value(i));
    }
    result.set(i, interpolated_quantile(parameter.value(i), values));
  }
  return result;
}

Numbers counts_of(const ColumnCount& counts) {
  Numbers numbers = Numbers::of_decimals(counts.size(), 0);
  numbers.present = counts.present();
  for (size_t i = 0; i < counts.size(); ++i) numbers.integers[i] = static_cast<int64_t>(counts[i]);
  return numbers;
}

Numbers ones_where(Presence present) {
  Numbers numbers = Numbers::of_decimals(present.size(), 0);
  for (size_t i = present.next(0); i < present.size(); i = present.next(i + 1)) numbers.integers[i] = 1;
  numbers.present = std::move(present);
  return numbers;
}

}  // namespace

class Groups::Group {
 public:
  Group(SeriesLabels labels, GroupFunction function, size_t points)
      : labels_(std::move(labels)), function_(function), counts_(points), sum_(0), points_(points) {
    if (function == GroupFunction::kSum || function == GroupFunction::kAvg) sum_ = ColumnSum(points);
    if (function == GroupFunction::kMin) extreme_.emplace(ColumnExtreme::Kind::kMin, points);
    if (function == GroupFunction::kMax) extreme_.emplace(ColumnExtreme::Kind::kMax, points);
    if (function == GroupFunction::kStddev || function == GroupFunction::kStdvar) deviations_.resize(points);
  }

  // The bytes of histograms.
  size_t histogram_bytes() const { return histograms_ ? histograms_->memory_bytes() : 0; }

  void add(SeriesValues series) {
    if (series.histograms) {
      add_histograms(*series.histograms);
      return;
    }
    counts_.add(series.numbers.present);
    switch (function_) {
      case GroupFunction::kSum:
      case GroupFunction::kAvg:
        sum_.add(series.numbers);
        break;
      case GroupFunction::kMin:
      case GroupFunction::kMax:
        extreme_->add(std::move(series.numbers));
        break;
      case GroupFunction::kStddev:
      case GroupFunction::kStdvar:
        deviations_.add(series.numbers);
        break;
      case GroupFunction::kQuantile:
        members_.push_back(std::move(series.numbers));
        break;
      case GroupFunction::kCount:
      case GroupFunction::kGroup:
      case GroupFunction::kCountValues:
        break;
    }
  }

  // One more series has a value at a point.
  void count_at(const Presence& present) { counts_.add(present); }

  // Leaves out the points that have both numbers and histograms. Call it once, before the results.
  void leave_out_mixed(QueryNotes& notes) {
    if (!histograms_) return;
    mixed_ = histograms_->present();
    const Presence numbers = counts_.present();
    for (size_t w = 0; w < mixed_.words().size(); ++w) mixed_.words()[w] &= numbers.words()[w];
    if (mixed_.count() > 0) add_note(notes.warnings, "numbers and histograms are not summed");
  }

  void warn(QueryNotes& notes) const {
    if (histograms_ && histograms_->has_left_out()) add_note(notes.warnings, kOtherSeconds);
    if (left_out_histograms_) add_note(notes.warnings, "histograms have only sums, averages and counts");
  }

  SeriesValues number_result(const Numbers& parameter) {
    Numbers result = numbers(parameter);
    for (size_t i = mixed_.next(0); i < mixed_.size(); i = mixed_.next(i + 1)) result.remove(i);
    return {labels_, std::move(result)};
  }

  // Without a point if there are none.
  SeriesValues histogram_result() {
    if (!histograms_) return {{}, Numbers::of_reals(points_)};
    const bool is_mean = function_ == GroupFunction::kAvg;
    Histograms result = is_mean ? histograms_->take_mean() : histograms_->take_sum();
    for (size_t i = mixed_.next(0); i < mixed_.size(); i = mixed_.next(i + 1)) remove_point(result, i);
    return {labels_, {}, std::move(result)};
  }

 private:
  void add_histograms(const Histograms& histograms) {
    if (function_ == GroupFunction::kCount || function_ == GroupFunction::kGroup) {
      count_at(presence_of(histograms));
    } else if (function_ != GroupFunction::kSum && function_ != GroupFunction::kAvg) {
      left_out_histograms_ = true;
    } else {
      if (!histograms_) histograms_.emplace(points_);
      histograms_->add(histograms);
    }
  }

  Numbers numbers(const Numbers& parameter) {
    switch (function_) {
      case GroupFunction::kSum:
        return sum_.sum(counts_);
      case GroupFunction::kAvg:
        return sum_.mean(counts_);
      case GroupFunction::kMin:
      case GroupFunction::kMax:
        return extreme_->take();
      case GroupFunction::kStddev:
      case GroupFunction::kStdvar:
        return deviations_.result(counts_.present(), function_ == GroupFunction::kStddev);
      case GroupFunction::kQuantile:
        return quantiles(members_, counts_.present(), parameter);
      case GroupFunction::kGroup:
        return ones_where(counts_.present());
      case GroupFunction::kCount:
      case GroupFunction::kCountValues:
        break;
    }
    return counts_of(counts_);
  }

  SeriesLabels labels_;
  const GroupFunction function_;
  bool left_out_histograms_ = false;
  ColumnCount counts_;
  ColumnSum sum_;
  const size_t points_;
  std::optional<ColumnExtreme> extreme_;
  Deviations deviations_;
  std::vector<Numbers> members_;
  std::optional<HistogramSum> histograms_;
  Presence mixed_;  // points with numbers and histograms; of size 0 if there are no histograms
};

SeriesLabels group_labels(const SeriesLabels& labels, const plan::Grouping& grouping) {
  SeriesLabels group = labels;
  if (!grouping.is_without) {
    group.keep_only(grouping.labels);
    return group;
  }
  group.remove(kMetricName);
  for (const std::string& label : grouping.labels) group.remove(label);
  return group;
}

std::string plain_number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 400> text{};  // the largest doubles have 309 digits, the smallest 324 after the point
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr;
  return {text.data(), end};
}

Groups::Groups(const plan::Group& node, size_t points) : node_(node), points_(points) {}
Groups::~Groups() = default;

Groups::Group& Groups::group_of(SeriesLabels labels) {
  const auto [found, is_new] = by_key_.try_emplace(labels.key(), groups_.size());
  if (is_new) {
    groups_.push_back(std::make_unique<Group>(std::move(labels), node_.function, points_));
    const bool is_deviation =
        node_.function == GroupFunction::kStddev || node_.function == GroupFunction::kStdvar;
    held_bytes_ += points_ * (is_deviation ? 64 : 32);
  }
  return *groups_[found->second];
}

void Groups::add(SeriesValues series) {
  if (node_.function == GroupFunction::kCountValues) {
    count_values(series);
    return;
  }
  Group& group = group_of(group_labels(series.labels, node_.grouping));
  if (node_.function == GroupFunction::kQuantile) held_bytes_ += points_ * sizeof(double);
  const size_t before = group.histogram_bytes();
  group.add(std::move(series));
  held_bytes_ += group.histogram_bytes() - before;
}

void Groups::count_values(const SeriesValues& series) {
  if (series.histograms) return;
  const SeriesLabels labels = group_labels(series.labels, node_.grouping);
  std::map<std::string, Presence> where;
  const Numbers& numbers = series.numbers;
  for (size_t i = numbers.present.next(0); i < numbers.size(); i = numbers.present.next(i + 1)) {
    where.try_emplace(plain_number_text(numbers.value(i)), points_).first->second.set(i);
  }
  for (const auto& [text, present] : where) {
    SeriesLabels with_value = labels;
    with_value.set(node_.label, text);
    group_of(std::move(with_value)).count_at(present);
  }
}

size_t Groups::memory_bytes() const { return held_bytes_; }

Status Groups::finish(const Numbers& parameter, QueryNotes& notes,
                      const std::function<Status(SeriesValues)>& take) {
  const auto take_values = [&take](SeriesValues result) {
    return has_values(result) ? take(std::move(result)) : Status::ok();
  };
  for (const std::unique_ptr<Group>& group : groups_) {
    group->leave_out_mixed(notes);
    group->warn(notes);
    if (Status status = take_values(group->number_result(parameter)); !status) return status;
    if (Status status = take_values(group->histogram_result()); !status) return status;
  }
  return Status::ok();
}

}  // namespace statmill
