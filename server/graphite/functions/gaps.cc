// Functions that put values where a series has none.
#include <algorithm>
#include <utility>

#include "server/graphite/functions/common.h"

namespace statmill::graphite {
namespace {

Result<Value> run_transform_null(Call& call) {
  const double value = call.number(1);
  SeriesList list = call.take(0);
  std::vector<bool> is_replaced;  // by row; empty: all
  if (call.has(2)) {
    const SeriesList reference = std::get<SeriesList>(call.at(2));
    for (const Series& series : reference) {
      if (series.values.size() > is_replaced.size()) is_replaced.resize(series.values.size());
      for (size_t i = 0; i < series.values.size(); ++i)
        if (!is_none(series.values[i])) is_replaced[i] = true;
    }
    if (reference.empty()) is_replaced.clear();
  }
  const bool has_reference = !is_replaced.empty();
  for (Series& series : list) {
    if (Status s = call.work(series.values.size()); !s) return s.error();
    set_tag(series, "transformNull", float_text(value));
    if (has_reference) set_tag(series, "referenceSeries", "1");
    series.rename("transformNull(" + series.name + "," + general_text(value) +
                  (has_reference ? ",referenceSeries)" : ")"));
    for (size_t i = 0; i < series.values.size(); ++i) {
      const bool may = !has_reference || (i < is_replaced.size() && is_replaced[i]);
      if (is_none(series.values[i]) && may) series.values[i] = value;
    }
  }
  return Value(std::move(list));
}

// Fills the gaps of a series that are at most `limit` values long: value k of the gap [begin, end).
template <class Fill>
void fill_gaps(std::vector<double>& values, double limit, bool fills_end, const Fill& fill) {
  size_t last = values.size();  // the newest value before the gap
  for (size_t i = 0; i <= values.size(); ++i) {
    const bool is_end = i == values.size();
    if (!is_end && is_none(values[i])) continue;
    const bool has_gap = last < i && i - last > 1;
    if (has_gap && static_cast<double>(i - last - 1) <= limit && (!is_end || fills_end)) {
      for (size_t k = last + 1; k < i; ++k) values[k] = fill(last, k, i);
    }
    last = i;
  }
}

Result<Value> run_keep_last_value(Call& call) {
  const double limit = call.number(1);
  SeriesList list = call.take(0);
  for (Series& series : list) {
    if (Status s = call.work(series.values.size()); !s) return s.error();
    series.rename("keepLastValue(" + series.name + ")");
    fill_gaps(series.values, limit, true, [&](size_t last, size_t, size_t) { return series.values[last]; });
  }
  return Value(std::move(list));
}

Result<Value> run_interpolate(Call& call) {
  const double limit = call.number(1);
  SeriesList list = call.take(0);
  for (Series& series : list) {
    if (Status s = call.work(series.values.size()); !s) return s.error();
    series.rename("interpolate(" + series.name + ")");
    const std::vector<double>& values = series.values;
    fill_gaps(series.values, limit, false, [&](size_t last, size_t k, size_t next) {
      const auto share = static_cast<double>(k - last);
      return values[last] + share * (values[next] - values[last]) / static_cast<double>(next - last);
    });
  }
  return Value(std::move(list));
}

}  // namespace

std::span<const Function> gap_functions() {
  static const Function kFunctions[] = {
      {"interpolate", "Transform", "seriesList! limit:intOrInf=inf",
       "Fills gaps of at most `limit` values with a straight line.", run_interpolate},
      {"keepLastValue", "Transform", "seriesList! limit:intOrInf=inf",
       "Fills gaps of at most `limit` values with the value before.", run_keep_last_value},
      {"transformNull", "Transform", "seriesList! default:float=0 referenceSeries:seriesList",
       "Replaces what is missing by a constant; with reference series only where one of them has a value.",
       run_transform_null},
  };
  return kFunctions;
}

}  // namespace statmill::graphite
