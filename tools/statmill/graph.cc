#include <algorithm>
#include <boost/program_options/value_semantic.hpp>

#include "base/text.h"
#include "tools/statmill/chart/chart.h"
#include "tools/statmill/chart/legend.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"

namespace statmill {
namespace {

constexpr std::string_view kGraphText =
    "Draws series over a range of time as one chart, by name or by pattern (* ? [a-z] {one,two}). The line "
    "is\n"
    "--stat, the dots around it reach from the minimum to the maximum of the samples. Times are local and "
    "like\n"
    "those of `statmill query`. In a pipe the chart has no colors and 100 columns.";

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

Result<UrlParameters> graph_parameters(const CommandLine& line, const Environment& environment,
                                       const Drawing& drawing) {
  UrlParameters out;
  for (const std::string& name : line.operands()) out.emplace_back("series", name);
  for (const char* option : {"from", "until"}) {
    const Result<int64_t> time_s = parse_time(line.text(option), environment.now);
    if (!time_s) return Error(time_s.error()).with(std::string("--") + option);
    out.emplace_back(option, line.text(option));
  }
  if (line.has("step")) {
    if (const Status step = check_step(line.text("step")); !step) return Error(step.error()).with("--step");
    out.emplace_back("step", line.text("step"));
  } else {
    out.emplace_back("max_points", std::to_string(points_of_chart(drawing.columns)));
  }
  const std::string stats = chart_stats(line.text("stat"));
  if (stats.empty())
    return Error{ErrorCode::kInvalid, "--stat \"" + line.text("stat") + "\" is not one statistic"};
  out.emplace_back("stats", stats);
  return out;
}

Outcome drawn(const QueryResult& result, const std::string& stat, const Drawing& drawing,
              const Environment& environment) {
  Outcome out;
  for (const std::string& warning : result.warnings) out.messages += "statmill: warning: " + warning + "\n";
  if (result.series.empty()) {
    out.messages += "statmill: no series matches\n";
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
  draw_chart_page(screen, {0, 0, screen.rows(), screen.columns()}, page, environment.zone);
  out.output = as_lines(screen, drawing.in_color);
  return out;
}

}  // namespace

Outcome run_graph(std::span<const std::string> arguments, const Environment& environment) {
  namespace po = boost::program_options;
  Usage usage{.synopsis = "graph [OPTION]... NAME_OR_PATTERN...", .text = kGraphText, .operands_min = 1};
  const auto text = [] { return po::value<std::string>(); };
  usage.options.add_options()                                                           //
      ("from", text()->default_value("-1h")->value_name("TIME"), "begin of the range")  //
      ("until", text()->default_value("now")->value_name("TIME"), "end of the range")   //
      ("step", text()->value_name("DURATION"),
       "duration of a point, such as 5m, or seconds; default: it fits the width")  //
      ("stat", text()->default_value("avg")->value_name("STAT"),
       "count, sum, avg, stddev, min, max, rate; for distributions also p50, p99.9 and so on")  //
      ("columns", text()->value_name("COUNT"), "width; default: the terminal's")                //
      ("rows", text()->value_name("COUNT"), "height of the chart; default: 18")                 //
      ("color", text()->default_value("auto")->value_name("WHEN"),
       "auto (in a terminal, if NO_COLOR is not set), always or never");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.outcome()) return *line.outcome();
  const Result<Drawing> drawing = parse_drawing(line, environment);
  if (!drawing) return outcome_of(drawing.error());
  const Result<UrlParameters> parameters = graph_parameters(line, environment, *drawing);
  if (!parameters) return outcome_of(parameters.error());
  const Result<HttpAnswer> answer = line.client().get("/api/v1/query", *parameters);
  if (!answer) return outcome_of(answer.error());
  if (answer->status != 200) return query_outcome(*answer);
  const Result<QueryResult> result = parse_query_result(answer->body, {});
  if (!result) return outcome_of(result.error());
  return drawn(*result, line.text("stat"), *drawing, environment);
}

}  // namespace statmill
