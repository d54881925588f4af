#include "server/report/limits_report.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "proto/name_prefix.h"
#include "server/json.h"
#include "server/names/search_words.h"

namespace statmill {
namespace {

HeavyHitters count_prefixes(const Table& table, size_t parts) {
  HeavyHitters prefixes(kPrefixesCounted);
  const auto glob = Glob::parse("*");
  SM_CHECK(glob);
  table.search(*glob, [&](std::string_view name) {
    prefixes.add(name_prefix(name, parts));
    return true;
  });
  return prefixes;
}

// [{"key":"pod","values":1000}], the labels with most values first.
void write_keys(std::string& out, const std::map<std::string, size_t>& value_counts) {
  std::vector<std::pair<std::string, size_t>> keys(value_counts.begin(), value_counts.end());
  std::stable_sort(keys.begin(), keys.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  keys.resize(std::min(keys.size(), kKeysShown));
  JsonArray list(out);
  for (const auto& [key, values] : keys) {
    JsonObject one(list.element());
    one.text("key", key);
    one.count("values", values);
  }
}

// {"top":[{"sender":"10.0.0.7","count":3}],"missed":0}. Entries below `missed` are left out: senders that are
// not listed may have as many.
void write_hitters(std::string& out, std::string_view what, const HeavyHitters& hitters, size_t most) {
  JsonObject object(out);
  {
    JsonArray top(object.key("top"));
    for (const auto& [key, count] : hitters.top(most)) {
      if (count < hitters.missed()) break;
      JsonObject one(top.element());
      one.text(what, key);
      one.count("count", count);
    }
  }
  object.count("missed", hitters.missed());
}

}  // namespace

std::string rejects_json(const RefusalLog& refusals) {
  std::string out;
  {
    JsonObject answer(out);
    JsonArray rejects(answer.key("rejects"));
    for (const RefusalRecord& record : refusals.records()) {
      JsonObject one(rejects.element());
      one.number("time", static_cast<double>(unix_seconds(record.time)));
      one.text("listener", record.listener);
      one.text("sender", record.sender.text());
      one.text("reason", refusal_label(record.reason));
      one.key("accepted").append(record.is_accepted ? "true" : "false");
      one.count("bytes", record.text_bytes);
      one.text("line", visible_text(record.text));
      one.key("truncated").append(record.text.size() < record.text_bytes ? "true" : "false");
    }
  }
  return out + "\n";
}

std::vector<Reports::Refused> refused_lines_with(const RefusalLog& refusals,
                                                 const std::vector<std::string>& words, size_t limit) {
  std::vector<Reports::Refused> out;
  for (const RefusalRecord& record : refusals.records()) {
    if (out.size() == limit) break;
    if (record.is_accepted) continue;
    const auto has = [&](const std::string& word) {
      return place_word(record.text, word).place != WordPlace::kNone;
    };
    if (!std::ranges::all_of(words, has)) continue;
    out.push_back(
        {std::string(refusal_label(record.reason)), record.sender.text(), visible_text(record.text)});
  }
  return out;
}

std::string cardinality_json(const CardinalitySources& s, size_t parts) {
  const HeavyHitters by_sender = s.refusals.by_sender();
  std::string out;
  {
    JsonObject answer(out);
    answer.count("series", s.table.series_count());
    answer.count("active_series", s.table.active_count());
    answer.count("series_limit", s.table.limits().series_max);
    answer.count("series_per_sender_limit", s.table.limits().sender_series_max);
    answer.count("new_in_last_minute", s.new_series.last_minute(s.table.series_created()));
    answer.count("name_bytes", s.table.name_bytes());
    write_hitters(answer.key("prefixes"), "prefix", count_prefixes(s.table, parts), kPrefixesShown);
    write_keys(answer.key("keys"), s.table.names()->value_counts());
    answer.count("refused", by_sender.total());
    write_hitters(answer.key("refused_by_sender"), "sender", by_sender, kSendersShown);
    write_hitters(answer.key("refused_by_prefix"), "prefix", s.refusals.by_prefix(), kPrefixesShown);
  }
  return out + "\n";
}

}  // namespace statmill
