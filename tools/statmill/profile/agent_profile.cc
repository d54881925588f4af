#include "tools/statmill/profile/agent_profile.h"

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "tools/statmill/parse_json.h"

namespace statmill {
namespace {

namespace json = boost::json;

constexpr double kNsPerSecond = 1e9;

// A selector of PromQL: {"host.agent.program_cpu_ns",host="web1"}[60000ms]
std::string selector(std::string_view path, std::string_view host, Duration window) {
  std::string quoted;
  for (const char c : host) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return "{\"" + std::string(path) + "\",host=\"" + quoted + "\"}[" + std::to_string(window.count()) + "ms]";
}

std::string label(const json::object& labels, std::string_view name) {
  const json::value* const found = labels.if_contains(name);
  const json::string* const text = found != nullptr ? found->if_string() : nullptr;
  return text != nullptr ? std::string(*text) : std::string();
}

// One series of an answer: {"metric":{...},"value":[time,"0.25"]}
struct Figure {
  std::string collector;
  std::string program;
  double value = 0;
};

std::optional<Figure> figure_of(const json::value& series) {
  const json::object* const object = series.if_object();
  if (object == nullptr) return std::nullopt;
  const json::value* const metric = object->if_contains("metric");
  const json::value* const value = object->if_contains("value");
  if (metric == nullptr || !metric->is_object() || value == nullptr || !value->is_array() ||
      value->get_array().size() != 2 || !value->get_array()[1].is_string())
    return std::nullopt;
  const std::string number(value->get_array()[1].get_string());
  char* end = nullptr;
  const double parsed = std::strtod(number.c_str(), &end);
  if (number.empty() || *end != '\0') return std::nullopt;
  const json::object& labels = metric->get_object();
  return Figure{label(labels, "collector"), label(labels, "program"), parsed};
}

std::optional<std::vector<Figure>> figures_of(std::string_view answer) {
  boost::system::error_code error;
  const json::value root = parse_json(answer, error);
  if (error) return std::nullopt;
  const json::value* const list = root.find_pointer("/data/result", error);
  if (list == nullptr || !list->is_array()) return std::nullopt;
  std::vector<Figure> out;
  for (const json::value& series : list->get_array()) {
    std::optional<Figure> figure = figure_of(series);
    if (!figure) return std::nullopt;
    out.push_back(std::move(*figure));
  }
  return out;
}

}  // namespace

// One request, so that all figures are of the same time. The labels tell them apart.
UrlParameters agent_profile_request(std::string_view host, Duration window) {
  return {{"query", "sum by (collector) (rate(" + selector("host.agent.collector_cpu_ns", host, window) +
                        ")) or sum by (collector, program) (rate(" +
                        selector("host.agent.program_cpu_ns", host, window) + "))"}};
}

Result<Profile> parse_agent_profile(std::string_view answer, std::string_view host, Duration window) {
  const std::optional<std::vector<Figure>> figures = figures_of(answer);
  if (!figures)
    return Error{ErrorCode::kCorrupt,
                 "the server's answer is not as expected: is it a statmilld of this version?"};
  if (figures->empty())
    return Error{ErrorCode::kNotFound, "no figures of the agent of " + std::string(host) + " in the last " +
                                           format_duration(window) +
                                           ": `statmill agents` lists those that send"};
  Profile out{.of = "agent of " + std::string(host),
              .seconds = std::chrono::duration<double>(window).count(),
              .parts = {{"collector", {}}}};
  Profile::Part programs{"program", {}};
  for (const Figure& figure : *figures) {
    const double cpu = std::max(0.0, figure.value / kNsPerSecond);
    out.cpu += cpu;
    if (figure.program.empty()) {
      out.parts[0].rows.push_back({.name = figure.collector, .cpu = cpu});
    } else {
      programs.rows.push_back({.name = figure.collector + "/" + figure.program, .cpu = cpu});
    }
  }
  if (!programs.rows.empty()) out.parts.push_back(std::move(programs));
  finish_profile(out);
  return out;
}

}  // namespace statmill
