#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

#include "tests/query/naive/functions.h"

namespace statmill::naive {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Quad weight_of(const SampleList& samples) {
  Quad sum = 0;
  for (const WeightedSample& sample : samples) sum += sample.weight;
  return sum;
}

Quad sum_of(const SampleList& samples) {
  Quad sum = 0;
  for (const WeightedSample& sample : samples) sum += sample.value * sample.weight;
  return sum;
}

Quad variance_of(const SampleList& samples) {
  const Quad mean = sum_of(samples) / weight_of(samples);
  Quad squares = 0;
  for (const WeightedSample& sample : samples)
    squares += (sample.value - mean) * (sample.value - mean) * sample.weight;
  return squares / weight_of(samples);
}

double fraction_between(const SampleList& samples, double lower, double upper) {
  if (std::isnan(lower) || std::isnan(upper)) return kNaN;
  if (lower >= upper) return 0;
  Quad inside = 0;
  for (const WeightedSample& sample : samples) {
    if (sample.value > lower && sample.value <= upper) inside += sample.weight;
  }
  return rounded(inside / weight_of(samples));
}

std::optional<PointValue> of_samples(const FunctionCall& call, const SampleList& samples) {
  const auto is_less = [](const auto& a, const auto& b) { return a.value < b.value; };
  if (call.name == "histogram_count") return weight_of(samples);
  if (call.name == "histogram_sum") return sum_of(samples);
  if (call.name == "histogram_avg") return sum_of(samples) / weight_of(samples);
  if (call.name == "histogram_stdvar") return variance_of(samples);
  if (call.name == "histogram_stddev") return std::sqrt(static_cast<long double>(variance_of(samples)));
  if (call.name == "histogram_quantile") return nearest_rank(call.numbers[0], samples);
  if (call.name == "histogram_fraction") return fraction_between(samples, call.numbers[0], call.numbers[1]);
  if (samples.empty()) return std::nullopt;
  if (call.name == "histogram_min") return std::min_element(samples.begin(), samples.end(), is_less)->value;
  if (call.name == "histogram_max") return std::max_element(samples.begin(), samples.end(), is_less)->value;
  return std::nullopt;
}

// A histogram of counters with the label le: upper edge -> count of all below it.
using ClassicBuckets = std::map<double, double>;

std::optional<double> edge_of(const Labels& labels) {
  const std::string text = value_or_empty(labels, "le");
  char* end = nullptr;
  const double edge = std::strtod(text.c_str(), &end);
  return text.empty() || *end != '\0' ? std::nullopt : std::optional(edge);
}

// As Prometheus 2.42: linear within the bucket, the edge below if it is the last one, 0 below the first.
double classic_quantile(double q, ClassicBuckets buckets) {
  if (buckets.empty() || !std::isinf(buckets.rbegin()->first) || buckets.size() < 2) return kNaN;
  double least = 0;
  for (auto& [edge, count] : buckets) least = count = std::max(count, least);  // counts never go down
  const double all = buckets.rbegin()->second;
  if (all == 0 || std::isnan(q)) return kNaN;
  if (q < 0) return -kInfinity;
  if (q > 1) return kInfinity;
  double rank = q * all;
  const auto last = std::prev(buckets.end());
  const auto found = std::find_if(buckets.begin(), last, [&](const auto& b) { return b.second >= rank; });
  if (found == last) return std::prev(last)->first;
  if (found == buckets.begin() && found->first <= 0) return found->first;
  const bool is_first = found == buckets.begin();
  const double begin = is_first ? 0 : std::prev(found)->first;
  const double below = is_first ? 0 : std::prev(found)->second;
  return begin + (found->first - begin) * ((rank - below) / (found->second - below));
}

// As Prometheus 3: linear within the bucket; the first one begins at 0 if its edge is positive.
double classic_rank(double value, const ClassicBuckets& buckets) {
  double begin = buckets.begin()->first > 0 ? 0 : -kInfinity;
  double below = 0;
  for (const auto& [edge, count] : buckets) {
    if (value <= begin) return below;
    if (value < edge) {
      if (std::isinf(begin)) return count;
      return below + (count - below) * ((value - begin) / (edge - begin));
    }
    begin = edge;
    below = count;
  }
  return below;
}

double classic_fraction(double lower, double upper, const ClassicBuckets& buckets) {
  const double all = buckets.rbegin()->second;
  if (!std::isinf(buckets.rbegin()->first) || all == 0 || std::isnan(lower) || std::isnan(upper)) return kNaN;
  if (lower >= upper) return 0;
  return (std::min(classic_rank(upper, buckets), all) - std::min(classic_rank(lower, buckets), all)) / all;
}

}  // namespace

Vector histogram_function(const FunctionCall& call, const Vector& vector) {
  Vector out;
  std::map<Labels, ClassicBuckets> classic;
  for (const Element& element : vector) {
    Labels labels = without_name(element.labels);
    if (const auto* samples = std::get_if<SampleList>(&element.value)) {
      if (const auto value = of_samples(call, *samples)) out.push_back({labels, *value});
      continue;
    }
    const std::optional<double> edge = edge_of(labels);
    const bool takes_classic = call.name == "histogram_quantile" || call.name == "histogram_fraction";
    if (!takes_classic || !edge) continue;
    labels.erase("le");
    classic[labels][*edge] += rounded(std::get<Quad>(element.value));
  }
  for (const auto& [labels, buckets] : classic) {
    const double value = call.name == "histogram_quantile"
                             ? classic_quantile(call.numbers[0], buckets)
                             : classic_fraction(call.numbers[0], call.numbers[1], buckets);
    out.push_back({labels, Quad(value)});
  }
  return out;
}

}  // namespace statmill::naive
