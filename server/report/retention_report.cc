#include "server/report/retention_report.h"

#include "proto/kind_text.h"
#include "server/json.h"

namespace statmill {

std::string retention_json(const Table& table, const std::string& name) {
  const Retention& retention = table.retention();
  const auto series = table.summary(name);
  const RetentionClass kept = series ? series->retention : retention.class_of(name);
  std::string out;
  {
    JsonObject report(out);
    report.text("name", name);
    if (kept == kDefaultRetention) {
      report.key("rule").append("null");
    } else {
      report.text("rule", retention.rule(kept));
    }
    {
      JsonArray tiers(report.key("tiers"));
      const auto write = [&tiers](const Tier& tier) {
        JsonObject one(tiers.element());
        one.number("step", static_cast<double>(tier.step_s));
        one.number("retention_s", static_cast<double>(tier.retention_s));
      };
      const Tiers& of = retention.tiers(kept);
      if (of.keep_detail()) write(of.detail());
      for (const Tier& tier : of) write(tier);
    }
    if (series && series->last_slot != Series::kNoSlot) {
      const auto step_s = static_cast<double>(table.tiers().finest().step_s);
      report.text("kind", kind_text(series->kind));
      report.number("since", static_cast<double>(series->first_slot) * step_s);
      report.number("last", static_cast<double>(series->last_slot) * step_s);
    }
  }
  out.push_back('\n');
  return out;
}

}  // namespace statmill
