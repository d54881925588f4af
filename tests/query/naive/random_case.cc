#include "tests/query/naive/random_case.h"

#include <algorithm>

#include "tests/query/naive/random_series.h"

namespace statmill::naive {
namespace {

// Writes a query from the outside to the inside.
class QueryWriter {
 public:
  QueryWriter(Random& random, const Span& span) : random_(random), span_(span) {}

  std::string vector(int depth);
  bool is_rough() const { return is_rough_; }

 private:
  using Texts = std::initializer_list<const char*>;
  std::string pick(Texts texts) { return texts.begin()[random_.below(texts.size())]; }
  bool one_in(uint64_t n) { return random_.below(n) == 0; }

  std::string matchers();
  std::string shift();
  std::string range();
  std::string grouping();
  std::string number();
  std::string scalar(int depth);
  std::string selector(Texts names);
  std::string range_selector(Texts names);
  std::string exact_vector();  // numbers that no rounding moves
  std::string over_time(int depth);
  std::string rate();
  std::string subquery(int depth);
  std::string function(int depth);
  std::string aggregation(int depth);
  std::string binary(int depth);
  std::string comparison(int depth);
  std::string histogram();
  std::string labels(int depth);

  Random& random_;
  Span span_;
  bool is_rough_ = false;
};

std::string QueryWriter::matchers() {
  if (one_in(2)) return "";
  return pick({"{host=\"a\"}", "{host!=\"a\"}", "{cpu=\"\"}", "{cpu!=\"0\"}", "{host=~\"a|b\"}",
               "{cpu=~\".+\"}", "{cpu=~\"0|\"}", "{host!~\"[bc]\"}", "{cpu=\"0\",host=\"b\"}",
               "{none!=\"x\"}"});
}

std::string QueryWriter::shift() {
  std::string out;
  if (one_in(12)) {
    const auto second =
        span_.begin_s +
        static_cast<int64_t>(random_.below(static_cast<uint64_t>(span_.end_s - span_.begin_s)));
    out += one_in(2) ? " @ " + std::to_string(second) : pick({" @ start()", " @ end()"});
  }
  if (one_in(8)) out += " offset " + pick({"10s", "30s", "1m", "95s", "-20s", "5m"});
  return out;
}

std::string QueryWriter::range() {
  return pick({"10s", "20s", "30s", "45s", "1m", "1m", "2m", "5m", "5m", "10m", "15s", "1h"});
}

std::string QueryWriter::grouping() {
  return pick({"", "", " by (host) ", " by (cpu) ", " without (host) ", " without (cpu) ", " by (host, cpu) ",
               " by (none) "});
}

std::string QueryWriter::number() { return pick({"0", "1", "2", "0.5", "10", "100", "-1", "0.1", "3.25"}); }

std::string QueryWriter::scalar(int depth) {
  if (depth > 0 && one_in(8)) return "scalar(" + aggregation(depth - 1) + ")";
  if (one_in(12)) return "(time() - " + std::to_string(span_.begin_s) + ")";
  return number();
}

std::string QueryWriter::selector(Texts names) { return pick(names) + matchers() + shift(); }

std::string QueryWriter::range_selector(Texts names) {
  return pick(names) + matchers() + "[" + range() + "]" + shift();
}

std::string QueryWriter::exact_vector() {
  if (one_in(3))
    return pick({"count", "min", "max", "last", "sum"}) + "_over_time(" + range_selector({"g0", "g1"}) + ")";
  return selector({"g0", "g1"});
}

std::string QueryWriter::over_time(int depth) {
  if (depth > 0 && one_in(4)) return subquery(depth - 1);
  if (one_in(8))
    return "quantile_over_time(" + pick({"0", "0.5", "0.9", "1"}) + ", " + range_selector({"g0", "g1"}) + ")";
  if (one_in(10))
    return "predict_linear(" + range_selector({"g0", "g1"}) + ", " + pick({"0", "60", "600"}) + ")";
  if (one_in(12)) return "holt_winters(" + range_selector({"g0", "g1"}) + ", 0.5, 0.25)";
  if (one_in(6))
    return pick({"changes", "present_over_time", "absent_over_time", "last_over_time", "count_over_time",
                 "first_over_time", "sum_over_time", "max_over_time"}) +
           "(" + range_selector({"c0", "e0"}) + ")";
  return pick({"avg_over_time", "min_over_time", "max_over_time", "sum_over_time", "count_over_time",
               "stddev_over_time", "stdvar_over_time", "last_over_time", "first_over_time",
               "present_over_time", "absent_over_time", "ts_of_first_over_time", "ts_of_last_over_time",
               "ts_of_min_over_time", "ts_of_max_over_time", "mad_over_time"}) +
         "(" + range_selector({"g0", "g1", "d0"}) + ")";
}

std::string QueryWriter::rate() {
  if (one_in(4)) {
    return pick({"rate", "increase", "delta", "irate", "idelta", "deriv", "changes", "resets"}) + "(" +
           range_selector({"g0", "g1"}) + ")";
  }
  return pick({"rate", "rate", "increase", "irate", "idelta", "delta"}) + "(" + range_selector({"c0", "e0"}) +
         ")";
}

std::string QueryWriter::subquery(int depth) {
  const std::string inner = one_in(2) ? rate() : vector(depth);
  return pick({"avg", "min", "max", "sum", "count", "last", "stddev", "present"}) + "_over_time((" + inner +
         ")[" + pick({"1m", "2m", "95s", "5m"}) + ":" + pick({"10s", "30s", "20s", "", "1m"}) + "]" +
         shift() + ")";
}

std::string QueryWriter::function(int depth) {
  const std::string inner = vector(depth - 1);
  if (one_in(6)) return pick({"ceil", "floor", "round", "sgn"}) + "(" + exact_vector() + ")";
  if (one_in(6)) return "round(" + exact_vector() + ", " + pick({"0.5", "10", "0.25"}) + ")";
  if (one_in(5))
    return "clamp(" + inner + ", " + pick({"-1", "0", "5"}) + ", " + pick({"1", "50", "4"}) + ")";
  if (one_in(6)) return pick({"clamp_min", "clamp_max"}) + "(" + inner + ", " + number() + ")";
  if (one_in(6))
    return pick({"minute", "hour", "day_of_week", "day_of_month", "days_in_month", "month", "year",
                 "day_of_year"}) +
           "(" + pick({"", "timestamp(g0)", "vector(time())"}) + ")";
  if (one_in(6)) return "timestamp(" + selector({"g0", "c0", "e0", "d0"}) + ")";
  if (one_in(6)) return "absent(" + selector({"g0", "none", "c0"}) + ")";
  if (one_in(24)) return "absent(none{a=\"b\"})";
  if (one_in(3)) return pick({"sqrt(abs(", "ln(1 + abs(", "log2(1 + abs("}) + inner + "))";
  return pick({"abs", "atan", "deg", "rad", "-", "sort", "sort_desc", "tanh"}) + "(" + inner + ")";
}

std::string QueryWriter::aggregation(int depth) {
  if (one_in(8))
    return "quantile" + grouping() + "(" + pick({"0", "0.3", "0.5", "1"}) + ", " + vector(depth) + ")";
  // Which of several equal elements topk returns is open; their sum is not.
  if (one_in(8))
    return "sum(" + pick({"topk", "bottomk"}) + grouping() + "(" + pick({"1", "2", "5"}) + ", " +
           exact_vector() + "))";
  if (one_in(12)) return "limitk" + grouping() + "(2, " + selector({"g0", "c0"}) + ")";
  if (one_in(12)) return "count_values" + grouping() + "(\"v\", " + exact_vector() + ")";
  const std::string inner = one_in(6) ? "{__name__=~\"g.\"}" : vector(depth);
  return pick({"sum", "sum", "avg", "min", "max", "count", "group", "stddev", "stdvar"}) + grouping() + "(" +
         inner + ")";
}

std::string QueryWriter::comparison(int depth) {
  const std::string op = pick({" == ", " != ", " < ", " <= ", " > ", " >= "}) + (one_in(3) ? "bool " : "");
  if (one_in(3)) return number() + op + exact_vector();
  if (one_in(3)) return "g0" + op + pick({"on (host, cpu) ", ""}) + "g1";
  if (one_in(3))
    return "(" + vector(depth - 1) + ")" + pick({" and ", " or ", " unless "}) +
           pick({"", "on (host) ", "ignoring (cpu) "}) + selector({"g0", "g1", "c0"});
  return exact_vector() + op + number();
}

std::string QueryWriter::binary(int depth) {
  const std::string left = "(" + vector(depth - 1) + ")";
  if (one_in(5)) return left + " / " + pick({"2", "0.5", "100", "3"});
  if (one_in(5)) return left + pick({" + ", " - ", " * "}) + "on (host, cpu) (" + vector(depth - 1) + ")";
  if (one_in(5))
    return left + pick({" + ", " * "}) + "on (host) group_left () sum by (host) (" + vector(depth - 1) + ")";
  if (one_in(8))
    return "sum by (host) (g1) " + pick({"+", "*"}) + " on (host) group_right (none) " +
           selector({"g0", "c0"});
  if (one_in(2)) return scalar(depth - 1) + pick({" + ", " - ", " * "}) + left;
  return left + pick({" + ", " - ", " * "}) + scalar(depth - 1);
}

std::string QueryWriter::histogram() {
  const std::string source =
      pick({"rate", "increase", "buckets_over_time"}) + "(" + range_selector({"d0"}) + ")";
  const std::string inner = one_in(2) ? "sum" + grouping() + "(" + source + ")" : source;
  if (one_in(3)) {
    is_rough_ = true;
    return "histogram_quantile(" + pick({"0", "0.5", "0.9", "0.99", "1"}) + ", " + inner + ")";
  }
  if (one_in(8)) {
    const std::string window = pick({"[30s]", "[2m]"});
    const std::string op = pick({" - ", " == ", " != "});
    return pick({"histogram_count", "histogram_sum"}) + "(sum(increase(d0" + window + "))" + op +
           "on () sum(increase(d0{host=\"a\"}" + window + ")))";
  }
  if (one_in(5))
    return "histogram_avg(sum" + grouping() + "(buckets_over_time(" + range_selector({"g0", "g1", "d0"}) +
           ")))";
  return pick({"histogram_count", "histogram_sum", "histogram_avg", "histogram_stddev", "histogram_stdvar"}) +
         "(" + inner + ")";
}

std::string QueryWriter::labels(int depth) {
  const std::string inner = vector(depth - 1);
  if (one_in(2))
    return "label_join(" + inner + ", \"" + pick({"to", "cpu"}) + "\", \"-\", \"host\", \"cpu\")";
  return "label_replace(" + inner + ", \"" + pick({"to", "host"}) + "\", \"" + pick({"$1x", "y", "${1}"}) +
         "\", \"host\", \"" + pick({"(.*)", "(a|b)", "c"}) + "\")";
}

std::string QueryWriter::vector(int depth) {
  if (depth == 0) {
    if (one_in(3)) return selector({"g0", "g1", "c0", "e0", "d0"});
    return one_in(2) ? over_time(0) : rate();
  }
  switch (random_.below(9)) {
    case 0:
    case 1:
      return over_time(depth);
    case 2:
      return rate();
    case 3:
      return function(depth);
    case 4:
    case 5:
      return aggregation(depth - 1);
    case 6:
      return binary(depth);
    case 7:
      return one_in(4) ? labels(depth) : comparison(depth);
    default:
      return one_in(2) ? histogram() : selector({"g0", "g1", "c0", "e0", "d0"});
  }
}

Grid random_grid(const Span& span, Timestamp now, Random& random) {
  const Duration step = std::chrono::seconds(random.one_of<int64_t>({10, 10, 15, 30, 60, 7, 300}));
  const auto seconds = static_cast<uint64_t>(span.end_s - span.begin_s);
  Timestamp start = from_unix_seconds(span.begin_s - 60 + static_cast<int64_t>(random.below(seconds + 60)));
  if (random.below(4) != 0) start = Timestamp(start.time_since_epoch() / step * step);
  if (random.below(10) == 0) start += Duration(random.below(1000));
  // Beyond now there is nothing to agree about but silence, so only one of ten goes there.
  const auto points = static_cast<int64_t>(random.below(25));
  Timestamp end = start + points * step;
  if (random.below(10) != 0) end = std::min(end, std::max(start, now));
  return {start, end, step};
}

}  // namespace

RandomCase random_case(uint64_t seed) {
  constexpr int kDepthMax = 3;
  Random random(seed);
  const Span span = random_span(random);
  RandomCase out;
  out.series = random_series(span, random);
  out.setting.now =
      from_unix_seconds(span.end_s + static_cast<int64_t>(random.below(30))) + Duration(random.below(1000));
  out.grid = random_grid(span, out.setting.now, random);
  QueryWriter writer(random, span);
  out.query = writer.vector(static_cast<int>(random.below(kDepthMax + 1)));
  const double scale = greatest_of(out.series);
  out.nearness = writer.is_rough() ? Nearness{0.02, 0.02 * scale} : Nearness{1e-9, 1e-12 * scale};
  return out;
}

}  // namespace statmill::naive
