#include "tools/statmill/retention_answer.h"

#include <chrono>

#include "base/csv_text.h"
#include "base/text.h"
#include "base/time_text.h"
#include "tools/statmill/answer_document.h"
#include "tools/statmill/chart/axis.h"
#include "tools/statmill/chart/units.h"
#include "tools/statmill/table.h"

namespace statmill {
namespace {

std::string text_of_seconds(int64_t seconds) {
  return seconds == 0 ? "-" : format_duration(std::chrono::seconds(seconds));
}

// Returns what begins texts of bytes.
std::string mark_of(const KeptTier& tier) { return tier.are_least ? ">= " : ""; }

std::string text_of_bytes(uint64_t bytes) {
  return unit_text(static_cast<double>(bytes), {.kind = Unit::Kind::kBytes});
}

// Returns the glob of a rule: its times are in other columns.
std::string glob_of(const std::string& rule) {
  return rule.empty() ? "(no rule)" : rule.substr(0, rule.find_first_of(" \t"));
}

KeptTier parse_tier(AnswerDocument& document, const boost::json::value& tier, bool is_dry_run) {
  const auto count = [&](std::string_view field) {
    return static_cast<uint64_t>(document.integer(document.field(tier, field)));
  };
  KeptTier out;
  out.step_s = document.integer(document.field(tier, "step"));
  out.retention_s = document.integer(document.field(tier, "retention_s"));
  if (const boost::json::value& oldest = document.field(tier, "oldest"); !oldest.is_null())
    out.oldest_s = document.integer(oldest);
  out.bytes = count("bytes");
  if (const auto* least = document.optional(tier, "at_least")) out.are_least = document.boolean(*least);
  if (!is_dry_run) return out;
  out.then_s = document.integer(document.field(tier, "then_s"));
  out.affected_series = count("affected_series");
  out.dropped_bytes = count("dropped_bytes");
  return out;
}

}  // namespace

Result<KeptClasses> parse_kept_classes(std::string_view json) {
  AnswerDocument document(json);
  KeptClasses out;
  out.is_dry_run = document.boolean(document.field(document.root(), "dry_run"));
  for (const boost::json::value& of : document.array(document.field(document.root(), "classes"))) {
    KeptClass& one = out.classes.emplace_back();
    if (const boost::json::value& rule = document.field(of, "rule"); !rule.is_null())
      one.rule = document.text(rule);
    one.series = static_cast<uint64_t>(document.integer(document.field(of, "series")));
    if (out.is_dry_run)
      one.affected_series = static_cast<uint64_t>(document.integer(document.field(of, "affected_series")));
    for (const boost::json::value& tier : document.array(document.field(of, "tiers")))
      one.tiers.push_back(parse_tier(document, tier, out.is_dry_run));
  }
  if (document.failed()) return not_understood("answer about retention");
  return out;
}

std::string kept_table(const KeptClasses& kept, const Zone& zone) {
  std::vector<int64_t> times;
  for (const KeptClass& of : kept.classes) {
    for (const KeptTier& tier : of.tiers) {
      if (tier.oldest_s) times.push_back(*tier.oldest_s);
    }
  }
  std::vector<TextTable::Column> columns = {{"rule"},
                                            {"series", Align::kRight},
                                            {"tier", Align::kRight},
                                            {kept.is_dry_run ? "kept now" : "kept", Align::kRight}};
  if (kept.is_dry_run) columns.push_back({"then", Align::kRight});
  columns.push_back({title_of("oldest sample", times, zone)});
  columns.push_back({"about", Align::kRight});
  if (kept.is_dry_run) {
    columns.push_back({"affected", Align::kRight});
    columns.push_back({"dropped", Align::kRight});
  }
  TextTable table(columns);
  for (const KeptClass& of : kept.classes) {
    bool is_first = true;
    for (const KeptTier& tier : of.tiers) {
      std::vector<std::string> cells = {is_first ? glob_of(of.rule) : "",
                                        is_first ? std::to_string(of.series) : "",
                                        text_of_seconds(tier.step_s), text_of_seconds(tier.retention_s)};
      if (kept.is_dry_run) cells.push_back(text_of_seconds(tier.then_s));
      cells.push_back(tier.oldest_s ? local_text(*tier.oldest_s, zone) : "-");
      cells.push_back(mark_of(tier) + text_of_bytes(tier.bytes));
      if (kept.is_dry_run) {
        cells.push_back(std::to_string(tier.affected_series));
        cells.push_back(tier.affected_series == 0 ? "-" : mark_of(tier) + text_of_bytes(tier.dropped_bytes));
      }
      table.add(std::move(cells));
      is_first = false;
    }
  }
  return table.text();
}

std::string kept_csv(const KeptClasses& kept) {
  std::string out = "rule,series,step,retention_s,oldest,unix,bytes";
  out += kept.is_dry_run ? ",then_s,affected_series,dropped_bytes\n" : "\n";
  for (const KeptClass& of : kept.classes) {
    for (const KeptTier& tier : of.tiers) {
      append_csv_text(out, of.rule);
      for (const int64_t number : {static_cast<int64_t>(of.series), tier.step_s, tier.retention_s})
        out.append(",").append(std::to_string(number));
      out.append(",").append(tier.oldest_s ? iso_time(*tier.oldest_s) : "");
      out.append(",").append(tier.oldest_s ? std::to_string(*tier.oldest_s) : "");
      out.append(",").append(std::to_string(tier.bytes));
      if (kept.is_dry_run) {
        out.append(",").append(std::to_string(tier.then_s));
        out.append(",").append(std::to_string(tier.affected_series));
        out.append(",").append(std::to_string(tier.dropped_bytes));
      }
      out.push_back('\n');
    }
  }
  return out;
}

std::string dropped_text(const KeptClasses& kept) {
  uint64_t series = 0;
  uint64_t bytes = 0;
  bool are_least = false;
  for (const KeptClass& of : kept.classes) {
    series += of.affected_series;
    for (const KeptTier& tier : of.tiers) {
      bytes += tier.dropped_bytes;
      are_least = are_least || tier.are_least;
    }
  }
  if (series == 0) return "nothing would be dropped";
  return (are_least ? "at least " : "about ") + text_of_bytes(bytes) + " of " + std::to_string(series) +
         " series would be dropped, for good";
}

}  // namespace statmill
