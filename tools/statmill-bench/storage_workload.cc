// Unlike the standard library's distributions, Boost's give the same numbers everywhere.
#include "tools/statmill-bench/storage_workload.h"

#include <boost/random/normal_distribution.hpp>
#include <boost/random/poisson_distribution.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <charconv>
#include <cmath>

#include "base/check.h"

namespace statmill {
namespace {

constexpr double kSilentShare = 0.2;

// Returns `value` +- `sd`, rounded to an integer.
template <class Random>
int64_t normal(Random& random, double value, double sd) {
  return std::llround(boost::random::normal_distribution<double>(value, sd)(random));
}

template <class Random>
int64_t between(Random& random, int64_t first, int64_t last) {
  return boost::random::uniform_int_distribution<int64_t>(first, last)(random);
}

Bucket single(int64_t units, int8_t scale) { return Bucket::of(Number::decimal(units, scale)); }

// Creating a Poisson distribution is slow, so there is one of each.
const boost::random::poisson_distribution<int64_t>& twenty() {
  static const boost::random::poisson_distribution<int64_t> distribution(20);
  return distribution;
}

const boost::random::poisson_distribution<int64_t>& mostly_some() {
  static const boost::random::poisson_distribution<int64_t> distribution(-std::log(kSilentShare));
  return distribution;
}

template <class Random>
int64_t draw(Random& random, boost::random::poisson_distribution<int64_t> distribution) {
  return distribution(random);
}

// Reflects a walk that leaves 0..max.
int64_t reflect(int64_t units, int64_t max) {
  units = std::abs(units);
  return units > max ? 2 * max - units : units;
}

}  // namespace

std::string_view workload_name(StorageWorkload workload) {
  switch (workload) {
    case StorageWorkload::kMix:
      return "mix";
    case StorageWorkload::kMulti10:
      return "multi10";
    case StorageWorkload::kLatency:
      return "latency";
    case StorageWorkload::kEvents:
      return "events";
    case StorageWorkload::kDoubles:
      return "doubles";
  }
  return "";
}

Kind workload_kind(StorageWorkload workload) {
  return workload == StorageWorkload::kEvents ? Kind::kEvent : Kind::kGauge;
}

StorageValues::Random::result_type StorageValues::Random::operator()() {
  state += 0x9e3779b97f4a7c15;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

StorageValues::StorageValues(StorageWorkload workload, size_t series) : workload_(workload), series_(series) {
  constexpr uint64_t kSeed = 20'261'120;
  Random seeds{kSeed};
  for (Series& s : series_) {
    s.random.state = seeds();
    s.units = between(s.random, 0, 1000);
    s.real = static_cast<double>(between(s.random, 50, 150));
  }
}

Bucket StorageValues::next(size_t series) {
  Series& s = series_[series];
  switch (workload_) {
    case StorageWorkload::kMix:
      return mix(series);
    case StorageWorkload::kMulti10:
      return multi10(s);
    case StorageWorkload::kLatency:
      return latency(s);
    case StorageWorkload::kDoubles:
      return doubles(s);
    case StorageWorkload::kEvents:
      break;
  }
  const int64_t total = draw(s.random, mostly_some());
  return total == 0 ? Bucket() : single(total, 0);
}

Bucket StorageValues::mix(size_t series) {
  Series& s = series_[series];
  switch (series % kMixClasses) {
    case 0:
      return walk(s);
    case 1:
      return single(normal(s.random, 100'00, 500), 2);
    case 2:
      return single(draw(s.random, twenty()), 0);
    case 3:
      s.units += normal(s.random, 1000, 60);
      return single(s.units, 0);
    case 4:
      if (between(s.random, 1, 300) == 1) s.units = between(s.random, 0, 1000);
      return single(s.units, 0);
    default:
      s.units = reflect(s.units + normal(s.random, 0, 15), 100'0);
      return single(s.units, 1);
  }
}

Bucket StorageValues::walk(Series& s) {
  s.units += normal(s.random, 0, 25);
  return single(s.units, 2);
}

Bucket StorageValues::multi10(Series& s) {
  Bucket bucket;
  for (int i = 0; i < 10; ++i) bucket.merge(walk(s));
  return bucket;
}

Bucket StorageValues::latency(Series& s) {
  Bucket bucket;
  for (int64_t left = between(s.random, 15, 24); left > 0; --left) {
    const double exponent = boost::random::normal_distribution<double>(0, 0.5)(s.random);
    bucket.merge(single(std::llround(10'000 * std::exp(exponent)), 3));
  }
  return bucket;
}

// Goes through the text form: one in ten ends in a zero, and is a digit shorter.
Bucket StorageValues::doubles(Series& s) {
  s.real += boost::random::normal_distribution<double>(0, 0.25)(s.random);
  std::array<char, 32> text;
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), s.real, std::chars_format::general, 17);
  Number number;
  SM_CHECK(error == std::errc{});
  SM_CHECK(parse_number({text.data(), end}, number).is_accepted());
  return Bucket::of(number);
}

}  // namespace statmill
