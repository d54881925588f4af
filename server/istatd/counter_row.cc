#include "server/istatd/counter_row.h"

#include <algorithm>
#include <cmath>

namespace statmill::istatd {
namespace {

constexpr double kLambda = 0.9;  // of istatd's tier "ret-7d"

double squares_of(const Bucket& bucket) {
  if (!bucket.is_decimal()) return bucket.m2() + bucket.sum() * bucket.mean();
  const Bucket::Decimal d = bucket.decimal();
  return static_cast<double>(static_cast<long double>(d.sum_of_squares) / std::pow(10.0L, 2 * d.scale));
}

// Sets the mean and the deviation, which the sums decide.
void complete(CounterRow& row) {
  row.avg = row.count > 0 ? row.sum / row.count : 0;
  const double m2 = row.sumsq - row.sum * row.avg;
  row.sdev = row.count > 1 && m2 > 0 ? std::sqrt(m2 / (row.count - 1)) : 0;
}

}  // namespace

CounterRow row_of(int64_t time_s, const Bucket& bucket) {
  return {.time_s = time_s,
          .count = static_cast<double>(bucket.count()),
          .min = bucket.min(),
          .max = bucket.max(),
          .sum = bucket.sum(),
          .sumsq = squares_of(bucket),
          .avg = bucket.mean(),
          .sdev = bucket.stddev()};
}

std::vector<CounterRow> merged_rows(std::span<const CounterRow> rows, int64_t interval_s,
                                    std::optional<uint64_t> slots) {
  std::vector<CounterRow> out;
  for (const CounterRow& row : rows) {
    const int64_t time_s = row.time_s - row.time_s % interval_s;
    if (out.empty() || out.back().time_s != time_s) {
      out.push_back(row);
      out.back().time_s = time_s;
      continue;
    }
    CounterRow& to = out.back();
    to.count += row.count;
    to.sum += row.sum;
    to.sumsq += row.sumsq;
    to.min = std::min(to.min, row.min);
    to.max = std::max(to.max, row.max);
  }
  for (CounterRow& row : out) {
    if (slots && row.count < static_cast<double>(*slots)) {
      row.count = static_cast<double>(*slots);
      row.min = std::min(row.min, 0.0);
      row.max = std::max(row.max, 0.0);
    }
    complete(row);
  }
  return out;
}

CounterRow trailing_mean(std::span<const CounterRow> weeks) {
  CounterRow mean = weeks.front();
  for (const CounterRow& week : weeks.subspan(1)) {
    const auto mix = [](double& old, double now) { old = kLambda * old + (1 - kLambda) * now; };
    mean.time_s = week.time_s;
    mix(mean.count, week.count);
    mix(mean.min, week.min);
    mix(mean.max, week.max);
    mix(mean.sum, week.sum);
    mix(mean.sumsq, week.sumsq);
  }
  const double avg = mean.count > 0 ? mean.sum / mean.count : 0;
  mean.count = std::max(std::round(mean.count), 1.0);
  complete(mean);
  mean.avg = avg;
  return mean;
}

}  // namespace statmill::istatd
