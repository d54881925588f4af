#include <boost/program_options/value_semantic.hpp>

#include "base/text.h"
#include "tools/statmill/answer.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/expression.h"
#include "tools/statmill/options.h"
#include "tools/statmill/similar.h"
#include "tools/statmill/table.h"

namespace statmill {
namespace {

constexpr std::string_view kQueryText =
    "Prints series over a range of time, by name or by pattern (* ? [a-z] {one,two}). A TIME is\n"
    "-6h (before now), 14:30, yesterday, \"2026-11-20 14:30\", with a zone as in 2026-11-20T14:30Z, now, or\n"
    "unix seconds. The range includes its begin and excludes its end, but `now` includes the current "
    "second.\n"
    "With --expr it prints what a PromQL expression evaluates to; each row is at the end of a step then.";

constexpr const char* kStatsDefault = "avg,min,max";

// Returns the request's parameters. Errors: kInvalid for texts that the server would not understand either.
Result<UrlParameters> query_parameters(const CommandLine& line) {
  UrlParameters out;
  if (line.has("expr")) out.emplace_back("expr", line.text("expr"));
  for (const std::string& name : line.operands()) out.emplace_back("series", name);
  if (const Status range = add_range(line, out); !range) return range.error();
  if (line.has("max-points")) {
    const Result<int64_t> points = parse_integer(line.text("max-points"), 1, 1'000'000);
    if (!points) return Error(points.error()).with("--max-points");
    out.emplace_back("max_points", std::to_string(*points));
  }
  if (line.has("stats")) {
    out.emplace_back("stats", line.text("stats"));
  } else if (!line.has("expr")) {
    out.emplace_back("stats", kStatsDefault);
  }
  return out;
}

Outcome print(const CommandLine& line, const std::string& body, Format format,
              const std::vector<std::string>& stats) {
  const Result<QueryTexts> result = parse_query_texts(body, stats);
  if (!result) return outcome_of(result.error());
  Outcome out;
  if (format == Format::kTable) out.output = query_table(*result, line.zone());
  if (format == Format::kCsv) out.output = query_csv(*result);
  if (format == Format::kJson) out.output = json_output(body);
  for (const std::string& warning : result->warnings) out.messages += "statmill: warning: " + warning + "\n";
  for (const std::string& info : result->infos) out.messages += "statmill: note: " + info + "\n";
  if (result->series.empty()) out.messages += no_series_message(line.client(), line.operands());
  return out;
}

// Returns the columns to print: those of an answer to an expression if it is empty.
std::vector<std::string> columns_of(const CommandLine& line) {
  if (line.has("expr")) return {};
  std::vector<std::string> stats;
  const std::string list = line.has("stats") ? line.text("stats") : kStatsDefault;
  for (const std::string_view stat : split(list, ',')) stats.emplace_back(stat);
  return stats;
}

}  // namespace

Outcome run_query(std::span<const std::string> arguments, const Environment& environment) {
  namespace po = boost::program_options;
  Usage usage{.synopsis = "query [OPTION]... NAME_OR_PATTERN... | --expr EXPR",
              .text = kQueryText,
              .operands_min = 1,
              .operands_option = "expr",
              .has_times = true};
  usage.options.add_options()                                                                             //
      ("expr", po::value<std::string>()->value_name("EXPR"), kExpressionText)                             //
      ("from", po::value<std::string>()->default_value("-1h")->value_name("TIME"), "begin of the range")  //
      ("until", po::value<std::string>()->default_value("now")->value_name("TIME"), "end of the range")   //
      ("step", po::value<std::string>()->value_name("DURATION"),
       "duration of a row, such as 5m, or seconds; default: the server chooses")(
          "max-points", po::value<std::string>()->value_name("COUNT"),
          "choose a step with at most this many rows")  //
      ("stats", po::value<std::string>()->value_name("LIST"),
       "count, sum, avg, stddev, min, max, rate; for distributions also p50, p99.9 and so on; default: "
       "avg,min,max, or the value of an expression")  //
      ("format", po::value<std::string>()->default_value("table")->value_name("FORM"), "table, json or csv");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.outcome()) return *line.outcome();
  const Result<Format> format = parse_format(line.text("format"));
  if (!format) return outcome_of(format.error());
  const Result<UrlParameters> parameters = query_parameters(line);
  if (!parameters) return outcome_of(parameters.error());
  const Result<HttpAnswer> answer = line.client().get("/api/v1/query", *parameters);
  if (!answer) return outcome_of(answer.error());
  if (answer->status != 200)
    return line.has("expr") ? expression_outcome(*answer, line.text("expr")) : query_outcome(*answer, line);
  return print(line, answer->body, *format, columns_of(line));
}

}  // namespace statmill
