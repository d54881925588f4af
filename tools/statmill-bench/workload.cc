// See workload.h.
#include "tools/statmill-bench/workload.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <numeric>

namespace statmill {
namespace {

constexpr uint32_t kSeed = 20'261'120;
constexpr int64_t kPassSeconds = 10;

enum class Shape { kWalk, kCounter, kConstant, kSpikes };

// 20 neighbours hold the mix: 10 walks, 5 counters, 3 constants, 2 with spikes.
Shape shape_of(size_t series) {
  const size_t i = series % 20;
  if (i < 10) return Shape::kWalk;
  if (i < 15) return Shape::kCounter;
  return i < 18 ? Shape::kConstant : Shape::kSpikes;
}

void append_integer(std::string& out, int64_t value) {
  std::array<char, 24> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  out.append(text.data(), end);
}

// `hundredths` >= 0 as "12.34".
void append_decimal(std::string& out, int64_t hundredths) {
  append_integer(out, hundredths / 100);
  const int64_t rest = hundredths % 100;
  out.push_back('.');
  out.push_back(static_cast<char>('0' + rest / 10));
  out.push_back(static_cast<char>('0' + rest % 10));
}

// The next value of a series; `state` is what it was.
void append_value(std::string& out, Shape shape, int64_t& state, std::minstd_rand& random) {
  const auto below = [&](int64_t limit) { return static_cast<int64_t>(random()) % limit; };
  switch (shape) {
    case Shape::kWalk:
      state = std::max<int64_t>(0, state + below(101) - 50);
      return append_decimal(out, state);
    case Shape::kCounter:
      state += below(1000);
      return append_integer(out, state);
    case Shape::kConstant:
      return append_integer(out, state);
    case Shape::kSpikes:
      return append_integer(out, below(50) == 0 ? state * 100 : state);
  }
}

}  // namespace

std::string series_name(size_t series) {
  static constexpr std::array<const char*, 10> kFields = {"user", "nice",    "system", "idle",  "iowait",
                                                          "irq",  "softirq", "steal",  "guest", "guest_nice"};
  const size_t within = series % kSeriesPerHost;
  std::array<char, 64> text;
  const int n =
      std::snprintf(text.data(), text.size(), "servers.host%05zu.cpu.%zu.%s", series / kSeriesPerHost,
                    within / kFields.size(), kFields[within % kFields.size()]);
  return {text.data(), static_cast<size_t>(n)};
}

Workload::Workload(const WorkloadOptions& options)
    : options_(options), random_(kSeed), order_(options.series) {
  for (size_t i = 0; i < options_.series; ++i) {
    names_.push_back(series_name(i));
    states_.push_back(1000 + static_cast<int64_t>(random_() % 9000));
  }
  std::iota(order_.begin(), order_.end(), size_t{0});
}

std::vector<Stream> Workload::next(size_t passes) {
  std::vector<Stream> out(options_.connections);
  for (const size_t end = pass_ + passes; pass_ < end; ++pass_) {
    if (options_.is_shuffled) std::shuffle(order_.begin(), order_.end(), random_);
    for (const size_t i : order_) {
      Stream& stream = out[i / kSeriesPerHost % options_.connections];
      stream.bytes.append(names_[i]).push_back(' ');
      if (options_.first_time_s) {
        append_integer(stream.bytes, *options_.first_time_s + static_cast<int64_t>(pass_) * kPassSeconds);
        stream.bytes.push_back(' ');
      }
      append_value(stream.bytes, shape_of(i), states_[i], random_);
      stream.bytes.push_back('\n');
      ++stream.samples;
    }
  }
  return out;
}

std::vector<Stream> make_workload(const WorkloadOptions& options) {
  return Workload(options).next(options.passes);
}

}  // namespace statmill
