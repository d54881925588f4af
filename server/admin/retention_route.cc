#include "server/admin/retention_route.h"

#include <array>
#include <string>

#include "server/json.h"

namespace statmill {
namespace {

constexpr std::array<ParameterRule, 4> kRetentionParameters = {
    {{"dry_run"}, {"retention"}, {"retention.rule", true}, {"retention.host_seconds"}}};

void append_tier(std::string& out, const TierOutlook& tier, bool is_dry_run) {
  JsonObject one(out);
  one.number("step", static_cast<double>(tier.step_s));
  one.number("retention_s", static_cast<double>(tier.kept_s));
  if (tier.oldest_s) {
    one.number("oldest", static_cast<double>(*tier.oldest_s));
  } else {
    one.key("oldest").append("null");
  }
  one.count("bytes", tier.bytes);
  if (tier.are_least) one.key("at_least").append("true");
  if (!is_dry_run) return;
  one.number("then_s", static_cast<double>(tier.then_s));
  one.count("affected_series", tier.affected_series);
  one.count("dropped_bytes", tier.dropped_bytes);
}

void append_rule(std::string& out, const std::string& rule) {
  if (rule.empty()) {
    out.append("null");
  } else {
    append_json_string(out, rule);
  }
}

std::string json_of(const RetentionOutlook& outlook, bool is_dry_run) {
  std::string out;
  {
    JsonObject answer(out);
    answer.key("dry_run").append(is_dry_run ? "true" : "false");
    JsonArray classes(answer.key("classes"));
    for (const ClassOutlook& of : outlook) {
      JsonObject one(classes.element());
      append_rule(one.key("rule"), of.rule);
      if (is_dry_run) append_rule(one.key("then_rule"), of.then_rule);
      one.count("series", of.series);
      if (is_dry_run) one.count("affected_series", of.affected_series);
      JsonArray tiers(one.key("tiers"));
      for (const TierOutlook& tier : of.tiers) append_tier(tiers.element(), tier, is_dry_run);
    }
  }
  return out + "\n";
}

HttpResponse answer(const OutlookSources& sources, const Retention& next, bool is_dry_run) {
  const auto outlook = retention_outlook(sources, next);
  if (!outlook) return error_response(outlook.error());
  return {200, json_of(*outlook, is_dry_run), kJson, {}};
}

HttpResponse handle(const OutlookSources& sources, const RetentionReader& read, const Url& url) {
  InsteadValues instead;
  for (const Parameter& parameter : url.parameters) {
    if (parameter.name != "dry_run") instead[parameter.name].push_back(parameter.value);
  }
  const std::string_view dry_run = url.find("dry_run").value_or("false");
  if (dry_run != "true" && dry_run != "false")
    return error_response(400, "dry_run must be true or false, not \"" + std::string(dry_run) + "\"");
  if (dry_run == "false") {
    if (!instead.empty()) return error_response(400, instead.begin()->first + " needs dry_run=true");
    return answer(sources, sources.table.retention(), false);
  }
  const Result<Retention> next = read(instead);
  if (!next) return error_response(next.error());
  return answer(sources, *next, true);
}

}  // namespace

Route retention_route(const OutlookSources& sources, const RetentionReader& read) {
  return {"GET",
          "/admin/v1/retention",
          kRetentionParameters,
          0,
          [&sources, &read](const Url& url, std::string_view) { return handle(sources, read, url); },
          "how long series are kept; with dry_run=true also what a reload of the settings would drop",
          Lane::kStore};
}

}  // namespace statmill
