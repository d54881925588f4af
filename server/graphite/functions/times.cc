// Functions that shift, cut or regroup time.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "server/graphite/attime.h"
#include "server/graphite/functions/common.h"
#include "server/graphite/time_zone.h"

namespace statmill::graphite {
namespace {

constexpr int64_t kDay_s = 86'400;

// A shift without a sign goes back.
std::string shift_text(const std::string& text) {
  return !text.empty() && text.front() >= '0' && text.front() <= '9' ? "-" + text : text;
}

// How much more to shift, so that local times of day stay as they are: if all of the range has one offset
// from UTC, and all of the shifted range another one.
int64_t zone_shift(const Call& call, const RequestRange& shifted) {
  const auto east = [&](int64_t time_s) { return call.zone()(time_s).east_s; };
  const RequestRange& range = call.range();
  if (east(range.from_s) != east(range.until_s) || east(shifted.from_s) != east(shifted.until_s)) return 0;
  return east(range.from_s) - east(shifted.from_s);
}

Result<Value> run_time_shift(Call& call) {
  const std::string text = shift_text(call.text(1));
  const int64_t shift_s = *parse_time_offset(text);
  RequestRange range{call.range().from_s + shift_s, call.range().until_s + shift_s};
  if (call.flag(3)) {
    const int64_t more_s = zone_shift(call, range);
    range = {range.from_s + more_s, range.until_s + more_s};
  }
  const SeriesList list = call.take(0);
  if (list.empty()) return Value(SeriesList());
  auto shifted = call.first_in(range);
  if (!shifted) return shifted.error();
  for (Series& series : *shifted) {
    set_tag(series, "timeShift", text);
    series.name = "timeShift(" + series.name + ", \"" + text + "\")";
    series.end_s = call.flag(2) ? list.front().end_s : series.end_s - series.start_s + list.front().start_s;
    series.start_s = list.front().start_s;
  }
  return Value(*std::move(shifted));
}

Result<Value> run_time_stack(Call& call) {
  const std::string text = shift_text(call.text(1));
  const int64_t shift_s = *parse_time_offset(text);
  const int64_t begin = call.integer(2);
  const int64_t end = call.integer(3);
  constexpr int64_t kShiftsMax = 1000;
  if (std::abs(begin) > kShiftsMax || std::abs(end) > kShiftsMax)
    return call.error("the shifts are from -1000 to 1000");
  const SeriesList list = call.take(0);
  SeriesList out;
  if (list.empty()) return Value(std::move(out));
  for (int64_t i = begin; i < end; ++i) {
    const int64_t moved_s = i * shift_s;
    auto shifted = call.first_in({call.range().from_s + moved_s, call.range().until_s + moved_s});
    if (!shifted) return shifted.error();
    for (Series& series : *shifted) {
      set_tag(series, "timeShiftUnit", text);
      set_tag(series, "timeShift", std::to_string(i));
      series.rename("timeShift(" + series.name + ", " + text + ", " + std::to_string(i) + ")");
      series.start_s = list.front().start_s;
      series.end_s = list.front().end_s;
      out.push_back(std::move(series));
    }
  }
  return Value(std::move(out));
}

Result<Value> run_time_slice(Call& call) {
  const auto begin = parse_attime(call.text(1), call.now_s(), call.zone());
  if (!begin) return call.error(begin.error().message);
  const auto end = parse_attime(call.text(2), call.now_s(), call.zone());
  if (!end) return call.error(end.error().message);
  SeriesList list = call.take(0);
  for (Series& series : list) {
    if (Status s = call.work(series.values.size()); !s) return s.error();
    set_tag(series, "timeSliceStart", std::to_string(*begin));
    set_tag(series, "timeSliceEnd", std::to_string(*end));
    series.name =
        "timeSlice(" + series.name + ", " + std::to_string(*begin) + ", " + std::to_string(*end) + ")";
    int64_t time_s = series.start_s;
    for (double& value : series.values) {
      if (time_s < *begin || time_s > *end) value = kNoValue;
      time_s += series.step_s;
    }
  }
  return Value(std::move(list));
}

Result<int64_t> interval_of(const Call& call) {
  const int64_t interval_s = *parse_time_offset(call.text(1));
  if (interval_s <= 0) return call.error("the interval is not above 0");
  return interval_s;
}

// The summaries of the values in each interval from `begin_s` on.
struct Summarized {
  std::vector<double> values;
  int64_t end_s = 0;
};
struct Intervals {
  int64_t begin_s = 0;
  int64_t end_s = 0;
  int64_t length_s = 1;
};

Result<Summarized> summarized(Call& call, const Series& series, const Summary& summary,
                              const Intervals& intervals) {
  const auto [begin_s, end_s, length_s] = intervals;
  const double count = std::ceil(static_cast<double>(end_s - begin_s) / static_cast<double>(length_s));
  if (Status s = call.check_points(count); !s) return s.error();
  if (Status s = call.hold_memory(static_cast<size_t>(std::max(count, 0.0)) * sizeof(double)); !s)
    return s.error();
  const double whole = static_cast<double>(length_s) / static_cast<double>(series.step_s);
  const std::span<const double> values = series.values;
  const auto time_of = [&](size_t i) { return series.start_s + static_cast<int64_t>(i) * series.step_s; };
  Summarized out;
  size_t i = 0;
  for (out.end_s = begin_s; out.end_s < end_s; out.end_s += length_s) {
    size_t first = i;
    double present = 0;
    for (; i < values.size() && time_of(i) < out.end_s + length_s; ++i) {
      if (time_of(i) <= out.end_s) first = i;
      if (time_of(i) >= out.end_s && !is_none(values[i])) ++present;
    }
    if (Status s = call.work(i - first + 1); !s) return s.error();
    const bool is_enough = present > 0 && present / whole >= series.x_files_factor;
    out.values.push_back(is_enough ? summary.of(values.subspan(first, i - first)) : kNoValue);
  }
  return out;
}

Result<Value> run_summarize(Call& call) {
  const auto interval = interval_of(call);
  if (!interval) return interval.error();
  const auto summary = parse_summary(call.text(2));
  const bool from_start = call.flag(3);
  SeriesList out;
  for (Series& series : call.take(0)) {
    Intervals intervals{series.start_s, series.end_s, *interval};
    if (!from_start) {
      intervals.begin_s -= series.start_s % *interval;
      intervals.end_s += *interval - series.end_s % *interval;
    }
    auto result = summarized(call, series, *summary, intervals);
    if (!result) return result.error();
    set_tag(series, "summarize", call.text(1));
    set_tag(series, "summarizeFunction", call.text(2));
    std::string name = "summarize(" + series.name + ", \"" + call.text(1) + "\", \"" + call.text(2) + "\"" +
                       (from_start ? ", true)" : ")");
    Series made = copy_of(series, std::move(name), std::move(result->values));
    made.start_s = intervals.begin_s;
    made.end_s = from_start ? result->end_s : intervals.end_s;
    made.step_s = *interval;
    out.push_back(std::move(made));
  }
  return Value(std::move(out));
}

// The begin of the unit that a time is in, in a zone: "days", "weeks", "weeks3" (from Wednesday on).
std::optional<int64_t> aligned_time(std::string_view unit, int64_t time_s, const Zone& zone) {
  const int64_t east_s = zone(time_s).east_s;
  const auto local = std::chrono::sys_seconds(std::chrono::seconds(time_s + east_s));
  const auto day = std::chrono::floor<std::chrono::days>(local);
  const std::chrono::year_month_day date(day);
  const auto begin_of = [&](std::chrono::sys_days at) {
    return unix_time(at.time_since_epoch().count() * kDay_s, zone);
  };
  if (unit.starts_with("s")) return time_s;
  if (unit.starts_with("min")) return time_s - (time_s + east_s) % 60;
  if (unit.starts_with("h")) return time_s - (time_s + east_s) % 3600;
  if (unit.starts_with("d")) return begin_of(day);
  if (unit.starts_with("mon")) return begin_of(std::chrono::sys_days(date.year() / date.month() / 1));
  if (unit.starts_with("y")) return begin_of(std::chrono::sys_days(date.year() / 1 / 1));
  if (!unit.starts_with("w")) return std::nullopt;
  const char last = unit.back();
  const int64_t first_day = last >= '1' && last <= '7' ? last - '0' : 1;
  const int64_t weekday = std::chrono::weekday(day).iso_encoding();
  return begin_of(day - std::chrono::days((weekday - first_day + 7) % 7));
}

Result<Value> run_smart_summarize(Call& call) {
  const auto interval = interval_of(call);
  if (!interval) return interval.error();
  const auto summary = parse_summary(call.text(2));
  SeriesList list = call.take(0);
  // "true" and "false" are from older versions of Graphite, where they had no effect, either.
  if (call.has(3) && call.text(3) != "true" && call.text(3) != "false") {
    const auto from = aligned_time(call.text(3), call.range().from_s, call.zone());
    if (!from)
      return call.error("alignTo is seconds, minutes, hours, days, weeks, months or years, not " +
                        call.text(3));
    auto aligned = call.first_in({*from, call.range().until_s});
    if (!aligned) return aligned.error();
    list = *std::move(aligned);
  }
  SeriesList out;
  for (Series& series : list) {
    auto result = summarized(call, series, *summary, {series.start_s, series.end_s, *interval});
    if (!result) return result.error();
    set_tag(series, "smartSummarize", call.text(1));
    set_tag(series, "smartSummarizeFunction", call.text(2));
    std::string name =
        "smartSummarize(" + series.name + ", \"" + call.text(1) + "\", \"" + call.text(2) + "\")";
    Series made = copy_of(series, std::move(name), std::move(result->values));
    made.end_s = result->end_s;
    made.step_s = *interval;
    out.push_back(std::move(made));
  }
  return Value(std::move(out));
}

// Values are rates per second: each adds its rate times the seconds that it shares with an interval.
Result<std::vector<double>> hits_of(Call& call, const Series& series, const Intervals& intervals) {
  const auto [begin_s, end_s, length_s] = intervals;
  const auto count = (end_s - begin_s) / length_s;
  if (count < 1) return std::vector<double>();
  if (Status s = call.check_points(static_cast<double>(count)); !s) return s.error();
  if (Status s = call.hold_memory(static_cast<size_t>(count) * sizeof(double)); !s) return s.error();
  std::vector<double> out(static_cast<size_t>(count), kNoValue);
  for (size_t i = 0; i < series.values.size(); ++i) {
    if (is_none(series.values[i])) continue;
    const int64_t from_s = series.start_s + static_cast<int64_t>(i) * series.step_s;
    // What is after the last interval counts in it, as in Graphite.
    const int64_t first = std::max<int64_t>((from_s - begin_s) / length_s, 0);
    const int64_t until_s = from_s + series.step_s;
    const int64_t last = std::min((until_s - 1 - begin_s) / length_s, count - 1);
    for (int64_t k = std::min(first, count - 1); k <= last; ++k) {
      if (Status s = call.work(1); !s) return s.error();
      const int64_t interval_begin_s = begin_s + k * length_s;
      const int64_t shared_s =
          std::min(until_s, interval_begin_s + length_s) - std::max(from_s, interval_begin_s);
      double& sum = out[static_cast<size_t>(k)];
      sum = (is_none(sum) ? 0 : sum) + series.values[i] * static_cast<double>(shared_s);
    }
  }
  return out;
}

Result<Value> run_hitcount(Call& call) {
  const auto interval = interval_of(call);
  if (!interval) return interval.error();
  SeriesList list = call.take(0);
  if (call.flag(2)) {
    const std::string_view unit = *interval >= kDay_s ? "d"
                                  : *interval >= 3600 ? "h"
                                  : *interval >= 60   ? "min"
                                                      : "s";
    auto aligned =
        call.first_in({*aligned_time(unit, call.range().from_s, call.zone()), call.range().until_s});
    if (!aligned) return aligned.error();
    list = *std::move(aligned);
    for (Series& series : list)
      series.end_s = series.start_s + ((series.end_s - series.start_s) / *interval + 1) * *interval;
  }
  SeriesList out;
  for (Series& series : list) {
    const int64_t count = (series.end_s - series.start_s + *interval - 1) / *interval;
    const Intervals intervals{series.end_s - count * *interval, series.end_s, *interval};
    auto values = hits_of(call, series, intervals);
    if (!values) return values.error();
    set_tag(series, "hitcount", call.text(1));
    std::string name =
        "hitcount(" + series.name + ", \"" + call.text(1) + "\"" + (call.flag(2) ? ", true)" : ")");
    Series made = copy_of(series, std::move(name), *std::move(values));
    made.start_s = intervals.begin_s;
    made.step_s = *interval;
    out.push_back(std::move(made));
  }
  return Value(std::move(out));
}

}  // namespace

std::span<const Function> time_functions() {
  static const Function kFunctions[] = {
      {"hitcount", "Transform", "seriesList! intervalString:interval! alignToInterval:boolean=false",
       "How many events there were in each interval, from values that are rates per second.", run_hitcount},
      {"smartSummarize", "Transform", "seriesList! intervalString:interval! func:aggFunc=sum alignTo:string",
       "A summary of each interval; the intervals begin at `from`, or at the begin of its minute, hour, day, "
       "week, "
       "month or year.",
       run_smart_summarize},
      {"summarize", "Transform",
       "seriesList! intervalString:interval! func:aggFunc=sum alignToFrom:boolean=false",
       "A summary of each interval; the intervals are multiples of their length, or begin at `from`.",
       run_summarize},
      {"timeShift", "Transform",
       "seriesList! timeShift:interval! resetEnd:boolean=true alignDst:boolean=false",
       "The values of another time in place of those of the range.", run_time_shift},
      {"timeSlice", "Transform", "seriesList! startSliceAt:date! endSliceAt:date=now",
       "Removes the values outside of a time.", run_time_slice},
      {"timeStack", "Transform",
       "seriesList! timeShiftUnit:interval=1d timeShiftStart:integer=0 timeShiftEnd:integer=7",
       "The series once for each shift, as timeShift() has them.", run_time_stack},
  };
  return kFunctions;
}

}  // namespace statmill::graphite
