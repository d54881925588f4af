#include "tools/statmill-bench/query_data.h"

#include <algorithm>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <cmath>
#include <numeric>
#include <random>
#include <string_view>

#include "base/text.h"

namespace statmill {
namespace {

constexpr uint32_t kSeed = 20'261'120;

// Unlike the standard library's distributions, Boost's give the same numbers everywhere.
int32_t between(std::minstd_rand& random, int32_t first, int32_t last) {
  return boost::random::uniform_int_distribution<int32_t>(first, last)(random);
}

// In hundredths.
int32_t next_value(Kind kind, int32_t before, std::minstd_rand& random) {
  switch (kind) {
    case Kind::kGauge:
      return std::max(0, before + between(random, -50, 50));
    case Kind::kEvent:
    case Kind::kCounter:
      return 100 * between(random, 0, 40);
    case Kind::kDistribution:
      break;
  }
  constexpr double kSigma = 0.5;
  const double exponent = boost::random::normal_distribution<double>(0, kSigma)(random);
  return static_cast<int32_t>(std::lround(1000 * std::exp(exponent)));
}

std::string_view mark_of(Kind kind) {
  if (kind == Kind::kGauge) return "";
  return kind == Kind::kEvent ? "*" : "%";
}

}  // namespace

std::string QueryName::canonical() const {
  std::string out = metric;
  for (const auto& [name, value] : labels) out.append(";").append(name).append("=").append(value);
  return out;
}

std::string QueryName::prometheus() const {
  if (labels.empty()) return metric;
  std::string out = metric;
  char separator = '{';
  for (const auto& [name, value] : labels) {
    out.append(1, separator).append(name).append("=\"").append(value).append("\"");
    separator = ',';
  }
  return out + "}";
}

QueryData::QueryData(QueryDataOptions options) : options_(std::move(options)) {
  std::minstd_rand random(kSeed);
  names_.reserve(options_.series);
  values_.reserve(index(options_.series, 0));
  for (size_t i = 0; i < options_.series; ++i) {
    names_.push_back(options_.name(i).canonical());
    int32_t value = between(random, 1000, 9000);
    for (size_t k = 0; k < options_.slots * options_.samples_per_slot; ++k) {
      value = next_value(options_.kind, value, random);
      values_.push_back(value);
    }
  }
}

double QueryData::sum() const {
  return static_cast<double>(std::accumulate(values_.begin(), values_.end(), int64_t{0})) / 100;
}

double QueryData::sum_of_slot(size_t slot) const {
  int64_t sum = 0;
  for (size_t i = 0; i < options_.series; ++i) {
    const int32_t* const first = &values_[index(i, slot)];
    sum = std::accumulate(first, first + options_.samples_per_slot, sum);
  }
  return static_cast<double>(sum) / 100;
}

Stream QueryData::stream(size_t first, size_t end) const {
  Stream out;
  for (size_t slot = first; slot < end; ++slot) {
    const std::string time = " " + std::to_string(time_s(slot)) + " ";
    for (size_t i = 0; i < options_.series; ++i) {
      for (size_t k = 0; k < options_.samples_per_slot; ++k) {
        out.bytes.append(mark_of(options_.kind)).append(names_[i]).append(time);
        append_number(out.bytes, value(i, slot, k));
        out.bytes.push_back('\n');
        ++out.samples;
      }
    }
  }
  out.pass_ends.push_back(out.bytes.size());
  return out;
}

void QueryData::append_prometheus(std::string& out, size_t series, int64_t per_s) const {
  const std::string name = options_.name(series).prometheus() + " ";
  double total = 0;
  for (size_t slot = 0; slot < options_.slots; ++slot) {
    const std::string time = " " + std::to_string(time_s(slot) * per_s) + "\n";
    for (size_t k = 0; k < options_.samples_per_slot; ++k) {
      total += value(series, slot, k);
      append_number(out.append(name), options_.kind == Kind::kEvent ? total : value(series, slot, k));
      out.append(time);
    }
  }
}

}  // namespace statmill
