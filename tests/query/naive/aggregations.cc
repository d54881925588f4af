#include <algorithm>
#include <cmath>

#include "server/promql/literals.h"
#include "tests/query/naive/functions.h"

namespace statmill::naive {
namespace {

Labels group_of(const promql::Aggregation& aggregation, const Labels& labels) {
  Labels group;
  for (const auto& [label, value] : labels) {
    const auto& listed = aggregation.labels;
    const bool is_listed = std::find(listed.begin(), listed.end(), label) != listed.end();
    const bool is_kept = aggregation.is_without ? !is_listed && label != promql::kNameLabel : is_listed;
    if (is_kept) group[label] = value;
  }
  return group;
}

double number_of(const Element& element) { return rounded(std::get<Quad>(element.value)); }

// k elements, NaN last.
Vector ranked(const AggregationCall& call, Vector members) {
  const std::string_view name = call.aggregation.aggregator->name;
  const auto is_before = [&](const Element& a, const Element& b) {
    if (name == "limitk") return a.labels < b.labels;
    const double x = number_of(a);
    const double y = number_of(b);
    if (std::isnan(x) || std::isnan(y)) return !std::isnan(x);
    return name == "topk" ? x > y : x < y;
  };
  std::stable_sort(members.begin(), members.end(),
                   [&](const Element& a, const Element& b) { return is_before(a, b) && !is_before(b, a); });
  const double k = call.number;
  const size_t wanted = k < 1                                      ? 0
                        : k >= static_cast<double>(members.size()) ? members.size()
                                                                   : static_cast<size_t>(k);
  members.resize(wanted);
  return members;
}

Vector counted_values(const AggregationCall& call, const Labels& group, const Vector& members) {
  std::map<std::string, double> counts;
  for (const Element& member : members) {
    std::string text;
    promql::append_plain_float(text, number_of(member));
    ++counts[text];
  }
  Vector out;
  for (const auto& [text, count] : counts) {
    Labels labels = group;
    labels[call.text] = text;
    out.push_back({labels, Quad(count)});
  }
  return out;
}

Quad sum_of(const Vector& members) {
  Quad sum = 0;
  for (const Element& member : members) sum += std::get<Quad>(member.value);
  return sum;
}

Quad variance_of(const Vector& members) {
  const Quad mean = sum_of(members) / static_cast<Quad>(members.size());
  Quad squares = 0;
  for (const Element& member : members) {
    const Quad off = std::get<Quad>(member.value) - mean;
    squares += off * off;
  }
  return squares / static_cast<Quad>(members.size());
}

// NaN counts only if there is nothing else.
Quad extreme_of(const Vector& members, bool is_max) {
  Quad best = std::get<Quad>(members.front().value);
  for (const Element& member : members) {
    const Quad value = std::get<Quad>(member.value);
    if (best != best || (is_max ? value > best : value < best)) best = value;
  }
  return best;
}

Quad number_of_group(const AggregationCall& call, const Vector& members) {
  const std::string_view name = call.aggregation.aggregator->name;
  if (name == "sum") return sum_of(members);
  if (name == "avg") return sum_of(members) / static_cast<Quad>(members.size());
  if (name == "min" || name == "max") return extreme_of(members, name == "max");
  if (name == "stdvar") return variance_of(members);
  if (name == "stddev") return std::sqrt(static_cast<long double>(variance_of(members)));
  std::vector<double> values;
  for (const Element& member : members) values.push_back(number_of(member));
  return interpolated_quantile(call.number, values);
}

// The sum or the mean of histograms.
SampleList added_up(const Vector& members, bool is_mean) {
  const Quad share = is_mean ? 1 / static_cast<Quad>(members.size()) : 1;
  SampleList out;
  for (const Element& member : members) {
    for (WeightedSample sample : std::get<SampleList>(member.value)) {
      sample.weight *= share;
      out.push_back(sample);
    }
  }
  return out;
}

}  // namespace

Vector aggregate(const AggregationCall& call, const Vector& vector) {
  const std::string_view name = call.aggregation.aggregator->name;
  std::map<Labels, Vector> groups;
  for (const Element& element : vector) groups[group_of(call.aggregation, element.labels)].push_back(element);
  Vector out;
  for (const auto& [group, members] : groups) {
    Vector numbers;
    Vector histograms;
    for (const Element& member : members) {
      (std::holds_alternative<Quad>(member.value) ? numbers : histograms).push_back(member);
    }
    if (name == "count" || name == "group") {
      out.push_back({group, name == "group" ? Quad(1) : static_cast<Quad>(members.size())});
    } else if (name == "sum" || name == "avg") {
      if (numbers.empty()) {
        out.push_back({group, added_up(histograms, name == "avg")});
      } else if (histograms.empty()) {
        out.push_back({group, number_of_group(call, numbers)});
      }
    } else if (name == "topk" || name == "bottomk" || name == "limitk") {
      for (Element& element : ranked(call, name == "limitk" ? members : numbers))
        out.push_back(std::move(element));
    } else if (name == "count_values") {
      for (Element& element : counted_values(call, group, numbers)) out.push_back(std::move(element));
    } else if (!numbers.empty()) {
      out.push_back({group, number_of_group(call, numbers)});
    }
  }
  return out;
}

}  // namespace statmill::naive
