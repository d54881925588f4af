#include "tools/statmill-bench/workload.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <numeric>
#include <string_view>

namespace statmill {
namespace {

constexpr uint32_t kWorkloadSeed = 20'261'120;

enum class Shape { kWalk, kCounter, kConstant, kSpikes };

// Each 20 neighbours have the same mix: 10 walks, 5 counters, 3 constants, 2 with spikes.
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

// Formats `hundredths` >= 0 as "12.34".
void append_decimal(std::string& out, int64_t hundredths) {
  append_integer(out, hundredths / 100);
  const int64_t rest = hundredths % 100;
  out.push_back('.');
  out.push_back(static_cast<char>('0' + rest / 10));
  out.push_back(static_cast<char>('0' + rest % 10));
}

// Returns the next value of a series in hundredths. `state` is the previous value.
int64_t next_value(Shape shape, int64_t& state, std::minstd_rand& random) {
  const auto below = [&](int64_t limit) { return static_cast<int64_t>(random()) % limit; };
  switch (shape) {
    case Shape::kWalk:
      state = std::max<int64_t>(0, state + below(101) - 50);
      return state;
    case Shape::kCounter:
      state += below(1000);
      return state * 100;
    case Shape::kConstant:
      return state * 100;
    case Shape::kSpikes:
      return below(50) == 0 ? state * 10'000 : state * 100;
  }
  return 0;
}

void append_value(std::string& out, Shape shape, int64_t hundredths) {
  if (shape == Shape::kWalk) return append_decimal(out, hundredths);
  append_integer(out, hundredths / 100);
}

struct Line {
  std::string_view name;
  Shape shape;
  int64_t hundredths;
  std::optional<int64_t> time_s;
};

void append_time(Stream& stream, const Line& line) {
  stream.time_offsets.push_back(stream.bytes.size());
  append_integer(stream.bytes, *line.time_s);
}

// A point with one field, whose series has the name of the line.
void append_point(Stream& stream, const Line& line) {
  std::string& out = stream.bytes;
  const size_t dot = line.name.rfind('.');
  out.append(line.name.substr(0, dot)).append(" ").append(line.name.substr(dot + 1)).push_back('=');
  append_value(out, line.shape, line.hundredths);
  if (line.time_s) {
    out.push_back(' ');
    append_time(stream, line);
    out.append("000000000");  // nanoseconds
  }
  out.push_back('\n');
  ++stream.samples;
}

void append_line(Stream& stream, LineDialect dialect, const Line& line) {
  if (dialect == LineDialect::kInflux) return append_point(stream, line);
  std::string& out = stream.bytes;
  const bool is_distribution = dialect == LineDialect::kDistribution;
  if (is_distribution) out.push_back('%');
  out.append(line.name).push_back(dialect == LineDialect::kStatsd ? ':' : ' ');
  if ((dialect == LineDialect::kIstatd || is_distribution) && line.time_s) {
    append_time(stream, line);
    out.push_back(' ');
  }
  append_value(out, line.shape, line.hundredths);
  if (dialect == LineDialect::kGraphite) {
    out.append(line.time_s ? " " : " -1");
    if (line.time_s) append_time(stream, line);
  }
  if (dialect == LineDialect::kStatsd) {
    out.append(line.time_s ? "|g|T" : "|g");
    if (line.time_s) append_time(stream, line);
  }
  out.push_back('\n');
  ++stream.samples;
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
    : options_(options), random_(kWorkloadSeed), values_(options.series), order_(options.series) {
  for (size_t i = 0; i < options_.series; ++i) {
    names_.push_back(series_name(i));
    states_.push_back(1000 + static_cast<int64_t>(random_() % 9000));
  }
  std::iota(order_.begin(), order_.end(), size_t{0});
}

std::vector<Stream> Workload::next(size_t passes) {
  std::vector<Stream> out(options_.connections);
  for (size_t i = 0; i < passes; ++i) append_pass(out);
  return out;
}

void Workload::append_pass(std::vector<Stream>& streams) {
  std::optional<int64_t> time_s = options_.first_time_s;
  if (time_s) *time_s += static_cast<int64_t>(pass_) * kPassSeconds;
  if (options_.is_shuffled) std::shuffle(order_.begin(), order_.end(), random_);
  for (const size_t i : order_) {
    const Shape shape = shape_of(i);
    values_[i] = next_value(shape, states_[i], random_);
    append_line(streams[i / kSeriesPerHost % options_.connections], options_.dialect,
                {names_[i], shape, values_[i], time_s});
  }
  for (Stream& stream : streams) stream.pass_ends.push_back(stream.bytes.size());
  ++pass_;
}

std::vector<Stream> make_workload(const WorkloadOptions& options) {
  return Workload(options).next(options.passes);
}

}  // namespace statmill
