#include <algorithm>
#include <boost/program_options/value_semantic.hpp>

#include "base/text.h"
#include "tools/statmill/chart/chart.h"
#include "tools/statmill/chart/legend.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/expression.h"
#include "tools/statmill/options.h"
#include "tools/statmill/similar.h"

namespace statmill {
namespace {

constexpr std::string_view kGraphText =
    "Draws series over a range of time as one chart, by name or by pattern (* ? [a-z] {one,two}). The line "
    "is\n"
    "--stat, the dots around it reach from the minimum to the maximum of the samples. With --expr the line "
    "is\n"
    "the value of an expression; if --stat is given, too, the expression must be a selector or have "
    "buckets.\n"
    "Times are local and like those of `statmill query`. In a pipe the chart has no colors and 100 columns.";

constexpr const char* kStatDefault = "avg";

// The column of the answer that the line shows.
std::string line_column(const CommandLine& line) {
  if (line.has("stat")) return line.text("stat");
  return line.has("expr") ? "value" : kStatDefault;
}

constexpr int64_t kColumnsMax = 1000;
constexpr int64_t kRowsMax = 500;
constexpr int kColumnsInPipe = 100;
constexpr int kRowsDefault = 18;

struct Drawing {
  int rows = 0;  // height of the chart with its axes
  int columns = 0;
  bool in_color = false;
};

Result<Drawing> parse_drawing(const CommandLine& line, const Environment& environment) {
  const TerminalSize size = environment.terminal.value_or(TerminalSize{0, kColumnsInPipe});
  Drawing out{kRowsDefault, size.columns, environment.terminal.has_value() && environment.wants_color};
  if (line.has("columns")) {
    const Result<int64_t> columns = parse_integer(line.text("columns"), kChartColumnsMin, kColumnsMax);
    if (!columns) return Error(columns.error()).with("--columns");
    out.columns = static_cast<int>(*columns);
  }
  if (line.has("rows")) {
    const Result<int64_t> rows = parse_integer(line.text("rows"), kChartRowsMin, kRowsMax);
    if (!rows) return Error(rows.error()).with("--rows");
    out.rows = static_cast<int>(*rows);
  }
  out.columns = std::max(out.columns, kChartColumnsMin);
  const std::string color = line.text("color");
  if (color != "auto" && color != "always" && color != "never")
    return Error{ErrorCode::kInvalid, "--color \"" + color + "\" is not auto, always or never"};
  if (color != "auto") out.in_color = color == "always";
  return out;
}

Result<UrlParameters> graph_parameters(const CommandLine& line, const Drawing& drawing) {
  UrlParameters out;
  if (line.has("expr")) out.emplace_back("expr", line.text("expr"));
  for (const std::string& name : line.operands()) out.emplace_back("series", name);
  if (const Status range = add_range(line, out); !range) return range.error();
  if (!line.has("step")) out.emplace_back("max_points", std::to_string(points_of_chart(drawing.columns)));
  if (line.has("expr") && !line.has("stat")) return out;
  const std::string stat = line_column(line);
  const std::string stats = chart_stats(stat);
  if (stats.empty()) return Error{ErrorCode::kInvalid, "--stat \"" + stat + "\" is not one statistic"};
  out.emplace_back("stats", stats);
  return out;
}

Outcome drawn(const QueryResult& result, const std::string& stat, const Drawing& drawing,
              const CommandLine& line) {
  Outcome out;
  for (const std::string& warning : result.warnings) out.messages += "statmill: warning: " + warning + "\n";
  for (const std::string& info : result.infos) out.messages += "statmill: note: " + info + "\n";
  if (result.series.empty()) {
    out.messages += no_series_message(line.client(), line.operands());
    return out;
  }
  const size_t shown = std::min(result.series.size(), kChartLinesMax);
  if (shown < result.series.size()) {
    out.messages += "statmill: " + std::to_string(result.series.size() - shown) + " of " +
                    std::to_string(result.series.size()) +
                    " series are not drawn, those with the lowest maxima\n";
  }
  const ChartPage page = chart_page(result, stat, {.in_color = drawing.in_color});
  Screen screen(drawing.rows + static_cast<int>(page.legend.size()) + 2, drawing.columns);
  draw_chart_page(screen, {0, 0, screen.rows(), screen.columns()}, page, line.zone());
  out.output = as_lines(screen, drawing.in_color);
  return out;
}

}  // namespace

Outcome run_graph(std::span<const std::string> arguments, const Environment& environment) {
  namespace po = boost::program_options;
  Usage usage{.synopsis = "graph [OPTION]... NAME_OR_PATTERN... | --expr EXPR",
              .text = kGraphText,
              .operands_min = 1,
              .operands_option = "expr",
              .has_times = true};
  const auto text = [] { return po::value<std::string>(); };
  usage.options.add_options()                                                           //
      ("expr", text()->value_name("EXPR"), kExpressionText)                             //
      ("from", text()->default_value("-1h")->value_name("TIME"), "begin of the range")  //
      ("until", text()->default_value("now")->value_name("TIME"), "end of the range")   //
      ("step", text()->value_name("DURATION"),
       "duration of a point, such as 5m, or seconds; default: it fits the width")  //
      ("stat", text()->value_name("STAT"),
       "count, sum, avg, stddev, min, max, rate; for distributions also p50, p99.9 and so on; default: avg, "
       "or the value of an expression")                                           //
      ("columns", text()->value_name("COUNT"), "width; default: the terminal's")  //
      ("rows", text()->value_name("COUNT"), "height of the chart; default: 18")   //
      ("color", text()->default_value("auto")->value_name("WHEN"),
       "auto (in a terminal, if NO_COLOR is not set), always or never");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.outcome()) return *line.outcome();
  const Result<Drawing> drawing = parse_drawing(line, environment);
  if (!drawing) return outcome_of(drawing.error());
  const Result<UrlParameters> parameters = graph_parameters(line, *drawing);
  if (!parameters) return outcome_of(parameters.error());
  const Result<HttpAnswer> answer = line.client().get("/api/v1/query", *parameters);
  if (!answer) return outcome_of(answer.error());
  if (answer->status != 200)
    return line.has("expr") ? expression_outcome(*answer, line.text("expr")) : query_outcome(*answer, line);
  const Result<QueryResult> result = parse_query_result(answer->body, {});
  if (!result) return outcome_of(result.error());
  // A result that is a bucket has no value, but the average of each.
  const bool has_average = !result->series.empty() && !result->series.front().columns.empty() &&
                           result->series.front().columns.front().first == kStatDefault;
  const std::string column = line_column(line);
  return drawn(*result, column == "value" && has_average ? kStatDefault : column, *drawing, line);
}

}  // namespace statmill
