#include "server/promql/targets_route.h"

#include <array>
#include <string>

#include "base/time_text.h"
#include "server/json.h"
#include "server/promql/prometheus_json.h"
#include "server/promql/prometheus_parameters.h"

namespace statmill {
namespace {

constexpr std::array<ParameterRule, 2> kParameters = {{{"state"}, {"scrapePool"}}};

void append_labels(std::string& out, const LabelPairs& labels) {
  JsonObject object(out);
  for (const auto& [name, value] : labels) object.text(name, value);
}

std::string seconds(Duration time) {
  std::string out;
  append_number(out, static_cast<double>(time.count()) / 1000);
  return out;
}

void append_target(std::string& out, const ScrapeState& state) {
  const ScrapeTarget& target = *state.target;
  const bool is_known = state.at != Timestamp{};
  JsonObject object(out);
  append_labels(object.key("discoveredLabels"), target.labels);
  append_labels(object.key("labels"), target.labels);
  object.text("scrapePool", target.label("job"));
  object.text("scrapeUrl", target.url());
  object.text("globalUrl", target.url());
  object.text("lastError", state.fault);
  object.text("lastScrape", is_known ? iso_time(unix_seconds(state.at)) : "0001-01-01T00:00:00Z");
  object.key("lastScrapeDuration").append(seconds(state.took));
  object.text("health", !is_known ? "unknown" : state.fault.empty() ? "up" : "down");
  object.text("scrapeInterval", format_duration(target.interval));
  object.text("scrapeTimeout", format_duration(target.timeout));
}

void append_targets(std::string& out, const ScrapeBoard* board, std::string_view pool, bool wants_active) {
  JsonArray list(out);
  if (board == nullptr || !wants_active) return;
  for (const ScrapeState& state : board->states()) {
    if (pool.empty() || pool == state.target->label("job")) append_target(list.element(), state);
  }
}

HttpResponse handle(const ScrapeBoard* board, const Url& url) {
  const auto state = url.find("state").value_or("any");
  if (state != "active" && state != "dropped" && state != "any")
    return prometheus_error(PrometheusError::kBadData, "state must be active, dropped or any");
  const auto pool = url.find("scrapePool").value_or("");
  std::string data;
  {
    JsonObject object(data);
    append_targets(object.key("activeTargets"), board, pool, state != "dropped");
    object.key("droppedTargets").append("[]");
  }
  return prometheus_answer(data);
}

}  // namespace

Route targets_route(const ScrapeBoard* board) {
  return prometheus_route(
      "/prometheus/api/v1/targets", kParameters,
      [board](const Url& url, QueryControl&, BodySink&) { return handle(board, url); },
      "what is scraped, and how the last scrape went");
}

}  // namespace statmill
