// Functions that say how Graphite draws a series. They change no values.
#include <utility>

#include "server/graphite/attime.h"
#include "server/graphite/functions/common.h"

namespace statmill::graphite {
namespace {

Result<Value> run_drawing(Call& call) { return Value(call.take(0)); }

struct Marked {
  std::string after = ")";
  std::string tag_value = "1";
};

Result<Value> marked(Call& call, const Marked& mark) {
  const std::string function(call.function().name);
  SeriesList list = call.take(0);
  for (Series& series : list) {
    set_tag(series, function, mark.tag_value);
    series.name = function + "(" + series.name + mark.after;
  }
  return Value(std::move(list));
}

Result<Value> run_marking(Call& call) { return marked(call, {}); }

Result<Value> run_dashed(Call& call) {
  return marked(call, {", " + general_text(call.number(1)) + ")", number_text(call.number(1))});
}

Result<Value> run_stacked(Call& call) {
  if (call.has(1)) return Value(call.take(0));
  return marked(call, {.tag_value = "__DEFAULT__"});
}

Result<Value> run_area_between(Call& call) {
  SeriesList list = call.take(0);
  if (list.size() != 2) return call.error("it needs exactly two series");
  const std::string name = "areaBetween(" + list[1].path + ")";
  set_tag(list[1], "areaBetween", "1");
  list[0].tags = list[1].tags;
  list[0].name = list[1].name = name;
  return Value(std::move(list));
}

Result<Value> run_threshold(Call& call) {
  SeriesList out;
  out.push_back(constant_line(call, call.number(0)));
  if (call.has(1)) out.back().name = call.text(1);
  return Value(std::move(out));
}

Result<Value> run_vertical_line(Call& call) {
  const auto time = parse_attime(call.text(0), call.now_s(), call.zone());
  if (!time) return call.error(time.error().message);
  if (*time < call.range().from_s || *time > call.range().until_s)
    return call.error("the time is outside of the range");
  Series grid;
  grid.start_s = grid.end_s = *time;
  SeriesList out;
  out.push_back(new_series(call, call.has(1) ? call.text(1) : "verticalLine", grid, {1, 1}));
  return Value(std::move(out));
}

}  // namespace

std::span<const Function> graph_functions() {
  static const Function kFunctions[] = {
      {"alpha", "Graph", "seriesList! alpha:float!", "Has no effect here.", run_drawing, Passing::kAll},
      {"areaBetween", "Graph", "seriesList!", "Names two series so; has no other effect here.",
       run_area_between, Passing::kAll},
      {"color", "Graph", "seriesList! theColor:string!", "Has no effect here.", run_drawing, Passing::kAll},
      {"dashed", "Graph", "seriesList! dashLength:integer=5",
       "Names the series so; has no other effect here.", run_dashed, Passing::kAll},
      {"drawAsInfinite", "Graph", "seriesList!", "Names the series so; has no other effect here.",
       run_marking, Passing::kAll},
      {"lineWidth", "Graph", "seriesList! width:float!", "Has no effect here.", run_drawing, Passing::kAll},
      {"secondYAxis", "Graph", "seriesList!", "Names the series so; has no other effect here.", run_marking,
       Passing::kAll},
      {"stacked", "Graph", "seriesList! stack:string",
       "Names the series so; has no other effect here, so the values are not added up.", run_stacked,
       Passing::kAll},
      {"threshold", "Graph", "value:float! label:string color:string", "A line at a value, with a name.",
       run_threshold},
      {"verticalLine", "Graph", "ts:date! label:string color:string", "Two values of 1 at a time.",
       run_vertical_line},
  };
  return kFunctions;
}

}  // namespace statmill::graphite
