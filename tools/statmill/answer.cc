#include "tools/statmill/answer.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cctype>
#include <limits>

#include "base/number_text.h"
#include "base/text.h"
#include "tools/statmill/answer_document.h"
#include "tools/statmill/parse_json.h"

namespace statmill {
namespace {

namespace json = boost::json;
using Document = AnswerDocument;

bool is_plain_name(std::string_view name) {
  return !name.empty() && (std::isdigit(static_cast<unsigned char>(name.front())) == 0) &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == ':'; });
}

// Returns labels as PromQL writes them: up{job="a"}, or {"cpu.idle", job="a"}.
std::string labels_text(Document& document, const json::value& labels) {
  std::string name;
  std::string rest;
  const json::object* object = labels.if_object();
  if (object == nullptr) return document.text(json::value());  // notes the failure
  const auto separate = [&] { rest.append(rest.empty() ? "" : ", "); };
  for (const auto& [key, value] : *object) {
    const std::string text = document.text(value);
    if (key == "__name__" && is_plain_name(text)) {
      name = text;
    } else {
      separate();
      if (key != "__name__")
        rest.append(is_plain_name(key) ? std::string(key) : json::serialize(json::value(key))).append("=");
      rest.append(json::serialize(value));
    }
  }
  return rest.empty() && !name.empty() ? name : name + "{" + rest + "}";
}

// Returns the names of the fields that are arrays, in their order.
std::vector<std::string> array_names(const json::value& series) {
  std::vector<std::string> out;
  const json::object* object = series.if_object();
  if (object == nullptr) return out;
  for (const auto& [key, value] : *object) {
    if (value.is_array()) out.emplace_back(key);
  }
  return out;
}

void flatten(const json::value& v, const std::string& path,
             std::vector<std::pair<std::string, std::string>>& out) {
  const json::object* object = v.if_object();
  if (object == nullptr) {
    out.emplace_back(path, scalar_text(v));
    return;
  }
  // Boost.JSON's parser limits the depth to 32 levels.
  for (const auto& [key, inner] : *object)
    flatten(inner, path.empty() ? std::string(key) : path + "." + std::string(key), out);
}

template <class Number, class NumberOf>
Result<ResultOf<Number>> result_of(Document& document, const std::vector<std::string>& stats,
                                   const NumberOf& number_of) {
  ResultOf<Number> out;
  out.from_s = document.integer(document.field(document.root(), "from"));
  out.until_s = document.integer(document.field(document.root(), "until"));
  out.step_s = document.integer(document.field(document.root(), "step"));
  if (document.failed() || out.step_s <= 0 || out.until_s < out.from_s) return not_understood("answer");
  const auto slots = static_cast<size_t>((out.until_s - out.from_s) / out.step_s);
  for (const json::value& s : document.array(document.field(document.root(), "series"))) {
    SeriesOf<Number>& series = out.series.emplace_back();
    const json::value* labels = document.optional(s, "labels");
    const json::value* kind = document.optional(s, "kind");
    series.name =
        labels != nullptr ? labels_text(document, *labels) : document.text(document.field(s, "name"));
    if (labels == nullptr || kind != nullptr) series.kind = document.text(document.field(s, "kind"));
    if (const json::value* unit = document.optional(s, "unit")) series.unit = document.text(*unit);
    for (const std::string& stat : stats.empty() ? array_names(s) : stats) {
      auto& column = series.columns.emplace_back(stat, std::vector<std::optional<Number>>()).second;
      for (const json::value& v : document.array(document.field(s, stat))) column.push_back(number_of(v));
      if (column.size() != slots) return not_understood("answer");
    }
  }
  for (const auto& [name, texts] : {std::pair("warnings", &out.warnings), std::pair("infos", &out.infos)}) {
    const json::value* found = document.optional(document.root(), name);
    if (found == nullptr) continue;
    for (const json::value& t : document.array(*found)) texts->push_back(document.text(t));
  }
  if (document.failed()) return not_understood("answer");
  return out;
}

}  // namespace

Result<QueryResult> parse_query_result(std::string_view text, const std::vector<std::string>& stats) {
  Document document(text);
  return result_of<double>(document, stats, [&](const json::value& v) { return document.number_or_null(v); });
}

Result<QueryTexts> parse_query_texts(std::string_view text, const std::vector<std::string>& stats) {
  Document document(text, LongNumbers::kTexts);
  return result_of<std::string>(document, stats,
                                [&](const json::value& v) { return document.number_text_or_null(v); });
}

Result<SeriesListing> parse_series_listing(std::string_view text) {
  Document document(text);
  SeriesListing out;
  for (const json::value& s : document.array(document.field(document.root(), "series"))) {
    out.series.push_back({.name = document.text(document.field(s, "name")),
                          .kind = document.text(document.field(s, "kind")),
                          .unit = document.text(document.field(s, "unit")),
                          .help = document.text(document.field(s, "help")),
                          .retention = document.text(document.field(s, "retention")),
                          .first_s = document.integer(document.field(s, "first_s")),
                          .last_s = document.integer(document.field(s, "last_s"))});
  }
  out.truncated = document.boolean(document.field(document.root(), "truncated"));
  if (document.failed()) return not_understood("list of series");
  return out;
}

Result<Selection> parse_selection(std::string_view text) {
  Document document(text);
  Selection out;
  out.count = static_cast<uint64_t>(document.integer(document.field(document.root(), "count")));
  for (const json::value& s : document.array(document.field(document.root(), "series"))) {
    out.series.push_back(s.is_string() ? document.text(s)
                                       : document.text(document.field(s, "from")) + " " +
                                             document.text(document.field(s, "to")));
  }
  out.truncated = document.boolean(document.field(document.root(), "truncated"));
  if (document.failed()) return not_understood("selection");
  return out;
}

Result<LinesOutcome> parse_lines_outcome(std::string_view text) {
  Document document(text);
  LinesOutcome out;
  out.accepted = static_cast<uint64_t>(document.integer(document.field(document.root(), "accepted")));
  const json::object* refused = document.field(document.root(), "refused").if_object();
  if (document.failed() || refused == nullptr) return not_understood("answer");
  for (const auto& [reason, count] : *refused) {
    out.refused.emplace_back(reason, static_cast<uint64_t>(document.integer(count)));
  }
  if (document.failed()) return not_understood("answer");
  return out;
}

Result<std::vector<Reject>> parse_rejects(std::string_view text) {
  Document document(text);
  std::vector<Reject> out;
  for (const json::value& r : document.array(document.field(document.root(), "rejects"))) {
    out.push_back({document.integer(document.field(r, "time")), document.text(document.field(r, "listener")),
                   document.text(document.field(r, "sender")), document.text(document.field(r, "reason")),
                   static_cast<uint64_t>(document.integer(document.field(r, "bytes"))),
                   document.text(document.field(r, "line")), document.boolean(document.field(r, "truncated")),
                   document.boolean(document.field(r, "accepted"))});
  }
  if (document.failed()) return not_understood("answer");
  return out;
}

Result<Cardinality> parse_cardinality(std::string_view text) {
  Document document(text);
  const auto count = [&](const json::value& of, std::string_view name) {
    return static_cast<uint64_t>(document.integer(document.field(of, name)));
  };
  const auto hitters = [&](std::string_view name, std::string_view key) {
    const json::value& of = document.field(document.root(), name);
    Hitters out;
    for (const json::value& hitter : document.array(document.field(of, "top")))
      out.top.emplace_back(document.text(document.field(hitter, key)), count(hitter, "count"));
    out.missed = count(of, "missed");
    return out;
  };
  const json::value& root = document.root();
  Hitters labels;
  for (const json::value& key : document.array(document.field(root, "keys")))
    labels.top.emplace_back(document.text(document.field(key, "key")), count(key, "values"));
  Cardinality out{count(root, "series"),
                  count(root, "active_series"),
                  count(root, "series_limit"),
                  count(root, "series_per_sender_limit"),
                  count(root, "new_in_last_minute"),
                  count(root, "refused"),
                  hitters("prefixes", "prefix"),
                  std::move(labels),
                  hitters("refused_by_sender", "sender"),
                  hitters("refused_by_prefix", "prefix")};
  if (document.failed()) return not_understood("answer");
  return out;
}

Result<KnownAgents> parse_agents(std::string_view text) {
  Document document(text);
  const auto count = [&](std::string_view name) {
    return static_cast<uint64_t>(document.integer(document.field(document.root(), name)));
  };
  KnownAgents out{count("known"), count("connected"), {}};
  for (const json::value& a : document.array(document.field(document.root(), "agents"))) {
    const auto text_of = [&](std::string_view name) { return document.text(document.field(a, name)); };
    const auto number = [&](std::string_view name) {
      const json::value& value = document.field(a, name);
      return value.is_null() ? std::string("-") : scalar_text(value);
    };
    out.agents.push_back({.host = text_of("host"),
                          .id = text_of("id"),
                          .is_connected = document.boolean(document.field(a, "connected")),
                          .seen_s = document.integer(document.field(a, "seen")),
                          .peer = text_of("peer"),
                          .version = text_of("version"),
                          .clock_ms = number("clock_difference_ms"),
                          .durable = number("durable"),
                          .lag_s = number("lag_s"),
                          .lines_lost = number("lines_lost"),
                          .lines_refused = number("lines_refused"),
                          .gaps = number("gaps"),
                          .spool_bytes = number("spool_bytes"),
                          .troubles = number("collectors_not_ok")});
  }
  if (document.failed()) return not_understood("list of agents");
  return out;
}

Result<ForgottenAgent> parse_forgotten_agent(std::string_view text) {
  Document document(text);
  ForgottenAgent out{document.text(document.field(document.root(), "id")),
                     document.text(document.field(document.root(), "host"))};
  if (document.failed()) return not_understood("answer");
  return out;
}

Result<uint64_t> parse_count(std::string_view text, std::string_view field) {
  Document document(text);
  const int64_t count = document.integer(document.field(document.root(), field));
  if (document.failed() || count < 0) return not_understood("answer");
  return static_cast<uint64_t>(count);
}

Result<ScrubReport> parse_scrub_report(std::string_view text) {
  Document document(text);
  const auto count = [&](const json::value& of, std::string_view name) {
    return static_cast<uint64_t>(document.integer(document.field(of, name)));
  };
  ScrubReport out;
  out.files = count(document.root(), "files");
  out.file_bytes = count(document.root(), "file_bytes");
  out.series = count(document.root(), "series");
  out.journal_rows = count(document.root(), "journal_rows");
  out.journal_entries = count(document.root(), "journal_entries");
  out.activity_rows = count(document.root(), "activity_rows");
  out.exemplars = count(document.root(), "exemplars");
  for (const json::value& t : document.array(document.field(document.root(), "tiers"))) {
    out.tiers.push_back({.name = document.text(document.field(t, "name")),
                         .rows = count(t, "rows"),
                         .frames = count(t, "frames"),
                         .buckets = count(t, "buckets"),
                         .histograms = count(t, "histograms"),
                         .bytes = count(t, "bytes")});
  }
  for (const json::value& f : document.array(document.field(document.root(), "faults")))
    out.add_fault(document.text(document.field(f, "where")), document.text(document.field(f, "what")));
  out.fault_count = count(document.root(), "fault_count");
  if (document.failed()) return not_understood("answer");
  return out;
}

Result<std::vector<std::pair<std::string, std::string>>> flatten_object(std::string_view text) {
  const Document document(text);
  if (document.failed() || !document.root().is_object()) return not_understood("status");
  std::vector<std::pair<std::string, std::string>> out;
  flatten(document.root(), "", out);
  return out;
}

std::string json_output(std::string_view body) {
  std::string out;
  out.reserve(body.size() + 1);
  const auto append_escape = [&out](unsigned code) {
    out.append("\\u00").append({kHexDigits[code >> 4], kHexDigits[code & 15]});
  };
  for (size_t i = 0; i < body.size(); ++i) {
    const auto byte = static_cast<unsigned char>(body[i]);
    const auto next = static_cast<unsigned char>(i + 1 < body.size() ? body[i + 1] : '\0');
    if (byte == 0xc2 && 0x80 <= next && next < 0xa0) {  // C1, U+0080 to U+009F
      append_escape(next);
      ++i;
    } else if (byte == 0x7f) {
      append_escape(byte);
    } else if (byte < 0x20 && byte != '\n') {
      out.push_back(' ');  // only white space between values is valid JSON
    } else {
      out.push_back(body[i]);
    }
  }
  if (!out.ends_with('\n')) out.push_back('\n');
  return out;
}

std::string error_text(const HttpAnswer& answer) {
  Document document(answer.body);
  const std::string said = document.text(document.field(document.root(), "error"));
  return document.failed() ? "the server answered with status " + std::to_string(answer.status) : said;
}

}  // namespace statmill
