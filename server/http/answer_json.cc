// See answer_json.h.
#include "server/http/answer_json.h"

#include "base/text.h"

namespace statmill {
namespace {

std::string_view kind_text(Kind kind) { return kind == Kind::kEvent ? "event" : "gauge"; }

// Appends `"key":`, after a comma unless an object or array has just been opened.
void append_key(std::string& out, std::string_view key) {
  if (out.back() != '{') out.push_back(',');
  append_json_string(out, key);
  out.push_back(':');
}

void append_comma(std::string& out) {
  if (out.back() != '[') out.push_back(',');
}

template <class Integer>
void append_integer(std::string& out, std::string_view key, Integer value) {
  append_key(out, key);
  out.append(std::to_string(value));
}

void append_text(std::string& out, std::string_view key, std::string_view value) {
  append_key(out, key);
  append_json_string(out, value);
}

void append_stat(std::string& out, Stat stat, const SeriesAnswer& series, const QueryAnswer& answer) {
  append_key(out, stat_name(stat));
  out.push_back('[');
  for (const Bucket& slot : series.slots) {
    append_comma(out);
    const auto value = stat_of(stat, slot, series.kind, answer.step_s, answer.event_slot_s);
    if (value) {
      append_number(out, *value);
    } else {
      out.append("null");
    }
  }
  out.push_back(']');
}

}  // namespace

std::string series_list_json(const SeriesPage& list) {
  std::string out = "{\"series\":[";
  for (const SeriesInfo& series : list.series) {
    append_comma(out);
    out.push_back('{');
    append_text(out, "name", series.name);
    append_text(out, "kind", kind_text(series.kind));
    append_integer(out, "last_s", series.last_s);
    out.push_back('}');
  }
  out.push_back(']');
  append_key(out, "truncated");
  out.append(list.truncated ? "true}\n" : "false}\n");
  return out;
}

Result<std::string> query_answer_json(const QueryAnswer& answer, std::span<const Stat> stats,
                                      size_t bytes_max) {
  std::string out = "{";
  append_integer(out, "from", answer.from_s);
  append_integer(out, "until", answer.until_s);
  append_integer(out, "step", answer.step_s);
  append_integer(out, "tier", answer.tier_s);
  append_key(out, "series");
  out.push_back('[');
  for (const SeriesAnswer& series : answer.series) {
    append_comma(out);
    out.push_back('{');
    append_text(out, "name", series.name);
    append_text(out, "kind", kind_text(series.kind));
    for (const Stat stat : stats) {
      append_stat(out, stat, series, answer);
      if (out.size() <= bytes_max) continue;
      return Error{ErrorCode::kLimit, "the answer is over " + std::to_string(bytes_max) +
                                          " bytes: ask for fewer series, stats or points"};
    }
    out.push_back('}');
  }
  out.push_back(']');
  if (answer.damaged_frames > 0) {
    append_key(out, "warnings");
    out.push_back('[');
    append_json_string(out, std::to_string(answer.damaged_frames) +
                                " stored frames are damaged; their samples are missing from this answer");
    out.push_back(']');
  }
  out.append("}\n");
  return out;
}

std::string lines_account_json(const LinesAccount& account) {
  std::string out = "{";
  append_integer(out, "received", account.received);
  append_integer(out, "accepted", account.accepted);
  append_key(out, "refused");
  out.push_back('{');
  uint64_t refused = 0;
  for (size_t i = 0; i < kRefusalCount; ++i) {
    if (account.refused[i] == 0) continue;
    append_integer(out, refusal_label(static_cast<Refusal>(i)), account.refused[i]);
    refused += account.refused[i];
  }
  out.push_back('}');
  if (refused > 0) {
    append_text(out, "error",
                std::to_string(refused) + " of " + std::to_string(account.received) + " samples refused");
    append_integer(out, "status", 400);
  }
  out.append("}\n");
  return out;
}

std::string readiness_json(const std::map<std::string, std::string>& problems) {
  if (problems.empty()) return "{\"ready\":true}\n";
  std::string out = "{\"ready\":false,\"problems\":{";
  for (const auto& [part, problem] : problems) append_text(out, part, problem);
  out.append("}}\n");
  return out;
}

}  // namespace statmill
