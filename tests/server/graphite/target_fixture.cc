#include "tests/server/graphite/target_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <utility>

#include "base/glob.h"
#include "base/text.h"
#include "server/graphite/target_parser.h"

namespace statmill::graphite {
namespace {

constexpr int kSlots = 200;

std::vector<double> values_of(int count, const std::function<double(int)>& value) {
  std::vector<double> out;
  for (int i = 0; i < count; ++i) out.push_back(value(i));
  return out;
}

bool path_matches(const std::string& pattern, const std::string& name) {
  if (name.find(';') != std::string::npos) return pattern == name;
  const auto glob = Glob::parse(pattern);
  return glob && glob->matches(name) && std::ranges::count(pattern, '.') == std::ranges::count(name, '.');
}

std::map<std::string, std::string, std::less<>> tags_of(const std::string& name) {
  std::map<std::string, std::string, std::less<>> out;
  const auto parts = split(name, ';');
  out["name"] = parts.front();
  for (size_t i = 1; i < parts.size(); ++i) {
    const size_t equals = parts[i].find('=');
    out[std::string(parts[i].substr(0, equals))] = parts[i].substr(equals + 1);
  }
  return out;
}

// A sample for each value.
std::shared_ptr<const SlotColumns> buckets_of(const std::vector<double>& values) {
  auto out = std::make_shared<SlotColumns>(0, values.size(), Parts{.extremes = true});
  for (size_t i = 0; i < values.size(); ++i) {
    if (!is_none(values[i])) out->add(i, Bucket::of(statmill::Number::of(values[i])), Combine::kMerge);
  }
  return out;
}

bool tags_match(const std::string& expression, const std::map<std::string, std::string, std::less<>>& tags) {
  const size_t equals = expression.find('=');
  if (equals == std::string::npos || equals == 0) return false;
  const bool is_not = expression[equals - 1] == '!';
  const auto own = tags.find(expression.substr(0, equals - (is_not ? 1 : 0)));
  return ((own == tags.end() ? "" : own->second) == expression.substr(equals + 1)) != is_not;
}

}  // namespace

MemorySource MemorySource::with_series() {
  MemorySource out;
  const auto add = [&](const std::string& name, const std::function<double(int)>& value) {
    out.stored[name].values = values_of(kSlots, value);
  };
  add("host.a.cpu", [](int i) { return i * 7 % 10 + 1; });
  add("host.b.cpu", [](int i) { return i % 5 == 3 ? kNoValue : i * 3 % 8 + 0.5; });
  add("host.c.cpu", [](int i) { return 20 - i % 6; });
  add("host.a.mem", [](int i) { return 1000 + 10 * i; });
  add("host.b.mem", [](int i) { return i % 7 == 5 ? kNoValue : 2000 - 5 * i; });
  add("counter.total", [](int i) { return i % 4 * 5 + 100; });
  add("empty.x", [](int) { return kNoValue; });
  add("neg.x", [](int i) { return (i % 5 - 2) * 1.5; });
  add("zero.x", [](int) { return 0; });
  add("host10.x", [](int) { return 1; });
  add("host9.x", [](int) { return 2; });
  add("disk.used;dc=x;host=a", [](int i) { return i % 3; });
  add("disk.used;dc=y;host=b", [](int i) { return i % 4; });
  add("disk.free;dc=y;host=b", [](int i) { return i % 2; });
  out.stored["coarse.x"] = {60, values_of(34, [](int i) { return i * 10; })};
  return out;
}

Result<SeriesList> MemorySource::fetch(const FetchRequest& request) {
  requests.push_back(request);
  SeriesList out;
  for (const auto& [name, from] : stored) {
    const auto tags = tags_of(name);
    const bool is_found = request.path.empty()
                              ? std::ranges::all_of(request.tag_expressions,
                                                    [&](const auto& one) { return tags_match(one, tags); })
                              : path_matches(request.path, name);
    if (!is_found) continue;
    Series series;
    series.name = name;
    series.path = request.text;
    series.tags = tags;
    series.step_s = from.step_s;
    series.start_s = request.from_s / from.step_s * from.step_s + from.step_s;
    series.end_s = request.until_s / from.step_s * from.step_s + from.step_s;
    for (int64_t time_s = series.start_s; time_s < series.end_s; time_s += from.step_s) {
      const auto i = static_cast<size_t>(time_s / from.step_s);
      series.values.push_back(i < from.values.size() ? from.values[i] : kNoValue);
    }
    if (request.keeps_buckets) series.buckets = buckets_of(series.values);
    out.push_back(std::move(series));
  }
  return out;
}

const std::vector<FixtureEvent>& fixture_events() {
  static const std::vector<FixtureEvent> kEvents = {
      {999, {"deploy"}},   {1000, {"deploy", "web"}}, {1010, {"deploy", "db"}},  {1010, {"web", "deploy"}},
      {1010, {"restart"}}, {1057, {"web"}},           {1059, {"web", "deploy"}}, {1061, {"deploy"}}};
  return kEvents;
}

std::vector<int64_t> MemorySource::event_times(const EventRequest& request) {
  std::vector<int64_t> out;
  for (const FixtureEvent& event : fixture_events()) {
    const bool has_tags = std::ranges::all_of(request.tags, [&](const std::string& tag) {
      return std::ranges::find(event.tags, tag) != event.tags.end();
    });
    if (has_tags && event.time_s >= request.from_s && event.time_s < request.until_s)
      out.push_back(event.time_s);
  }
  return out;
}

EvaluationOptions fixture_options() { return {.range = {kFrom_s, kUntil_s}, .now_s = kNow_s}; }

std::string text_of(const SeriesList& list) {
  std::string out;
  for (const Series& series : list) {
    out += series.name + " " + std::to_string(series.start_s) + " " + std::to_string(series.step_s) + ":";
    for (const double value : series.values) {
      out += ' ';
      if (is_none(value)) {
        out += '-';
      } else {
        // Twelve digits: the sums of other implementations differ in the last ones.
        std::array<char, 40> text{};
        std::snprintf(text.data(), text.size(), "%.12g", value == 0 ? 0.0 : value);
        out += text.data();
      }
    }
    out += '\n';
  }
  return out;
}

std::string computed(std::string_view target, const EvaluationOptions& options) {
  MemorySource source = MemorySource::with_series();
  QueryControl control;
  const auto tree = parse_target(target);
  if (!tree) return "error: " + tree.error().message + "\n";
  const auto list = Evaluation(source, control, options).evaluate(*tree);
  return list ? text_of(*list) : "error: " + list.error().message + "\n";
}

std::vector<ExpectedTarget> expected_targets(const std::string& group) {
  std::ifstream file(std::string(STATMILL_SOURCE_TREE "/tests/server/graphite/targets/") + group + ".txt");
  EXPECT_TRUE(file) << group;
  std::vector<ExpectedTarget> out;
  std::string differs;
  std::string text;
  for (size_t line = 1; std::getline(file, text); ++line) {
    constexpr std::string_view kDiffers = "# differs: ";
    if (text.starts_with(kDiffers)) {
      differs = text.substr(kDiffers.size());
    } else if (text.starts_with("  ")) {
      out.back().result += text.substr(2) + "\n";
    } else if (!text.empty() && text.front() != '#') {
      out.push_back({text, {}, std::exchange(differs, {}), line});
    }
  }
  return out;
}

}  // namespace statmill::graphite
