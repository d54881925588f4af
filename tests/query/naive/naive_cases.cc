#include "tests/query/naive/naive_cases.h"

namespace statmill::naive {
namespace {

const std::vector<Case> kSelectors = {
    {"y", {"__name__=y host=a: 0.6", "__name__=y host=b: -3"}},
    {"y", {"__name__=y host=a: 0.5", "__name__=y host=b: 3"}, 50},  // the slot that begins at T is not in
    {"y", {"__name__=y host=a: 0.6", "__name__=y host=b: -3"}, 51},
    {"y", {}, 0},
    {"y", {"__name__=y host=a: 0.6", "__name__=y host=b: -3"}, 350},  // [50, 350)
    {"y", {}, 351},
    {"many", {"__name__=many: 4"}, 20},  // the mean of the slot
    {"c", {"__name__=c: 2"}, 30},        // the total
    {"c", {"__name__=c: 10"}},
    {"e", {"__name__=e: 5"}, 50},
    {"e", {"__name__=e: 10"}, 3600},  // events are silent, not absent
    {"d{host=\"a\"}", {"__name__=d host=a: 2"}, 20},
    {"y offset 10s", {"__name__=y host=a: 0.5", "__name__=y host=b: 3"}},
    {"y offset -10s", {"__name__=y host=a: 0.6", "__name__=y host=b: -3"}, 50},
    {"y{host=\"a\"} @ 1700000120", {"__name__=y host=a: 0.2"}},
    {"y{host=\"a\"} @ end() offset 20s", {"__name__=y host=a: 0.4"}},
    {"x{cpu=\"1\"}", {"__name__=x cpu=1 host=a: 10"}},
    {"x{host=~\"b|c\"}", {"__name__=x cpu=0 host=b: 0"}},
    {"x{host!=\"a\",none=\"\"}", {"__name__=x cpu=0 host=b: 0"}},
    {"{__name__=~\"[cy]\",host!~\"b\"}", {"__name__=c: 10", "__name__=y host=a: 0.6"}},
    {"{__name__=\"y\",host=~\"\"}", {}},  // expressions are anchored
};

const std::vector<Case> kOverTime = {
    {"avg_over_time(many[40s])", {"3.66666666667"}, 40},  // of six samples, not of three means
    {"avg_over_time(many[1s])", {"4"}, 20},               // rounded up to a slot
    {"sum_over_time(many[40s])", {"22"}, 40},
    {"count_over_time(many[1m])", {"6"}},
    {"min_over_time(many[1m])", {"1"}},
    {"max_over_time(many[1m])", {"8"}},
    {"stdvar_over_time(many[20s])", {"6.16"}, 20},
    {"stddev_over_time(y{host=\"a\"}[1m])", {"host=a: 0.170782512766"}},
    {"present_over_time(many[1m])", {"1"}},
    {"first_over_time(many[1m])", {"__name__=many: 2"}},
    {"last_over_time(many[1m])", {"__name__=many: 6"}},
    {"ts_of_first_over_time(many[50s]) - 1700000100", {"10"}},
    {"ts_of_last_over_time(many[1m]) - 1700000100", {"30"}},
    {"ts_of_min_over_time(many[1m]) - 1700000100", {"0"}},
    {"ts_of_max_over_time(many[1m]) - 1700000100", {"10"}},
    {"ts_of_max_over_time(x{cpu=\"1\"}[1m]) - 1700000100", {"cpu=1 host=a: 50"}},
    {"quantile_over_time(0.5, x{cpu=\"0\"}[1m])", {"cpu=0 host=a: 6", "cpu=0 host=b: 2.5"}},
    {"quantile_over_time(2, many[1m])", {"inf"}},
    {"quantile_over_time(0.5, d[1m])", {"host=a: 3", "host=b: 100"}},  // nearest rank of samples
    {"mad_over_time(x{host=\"a\",cpu=\"0\"}[50s])", {"cpu=0 host=a: 6"}},
    {"changes(y[1m])", {"host=a: 5", "host=b: 1"}},
    {"changes(c[1m])", {"4"}},
    {"changes(e[10m])", {"3"}},
    {"resets(y[1m])", {"host=a: 0", "host=b: 1"}},
    {"resets(c[1m])", {"increments are kept, not values"}},
    {"deriv(x{host=\"b\"}[1m])", {"cpu=0 host=b: -0.1"}},
    {"deriv(x{host=\"b\"}[1s])", {}},
    {"predict_linear(x{host=\"b\"}[1m], 25)", {"cpu=0 host=b: -3"}},  // 5 at 5 s, 0 at 55 s, -3 at 85 s
    {"holt_winters(y{host=\"a\"}[1m], 0.5, 0.5)", {"host=a: 0.6"}},
    {"double_exponential_smoothing(x{host=\"a\",cpu=\"0\"}[30s], 0.5, 0.5)", {"cpu=0 host=a: 3.5"}, 30},
    {"holt_winters(many[1m], 1, 0.5)", {"a factor is not between 0 and 1"}},
    {"sum_over_time(c[1m])", {"25"}},  // 2 2 5 6 10: running totals
    {"count_over_time(e[1m])", {"6"}},
    {"max_over_time(e[1m])", {"10"}},
    {"min_over_time(d[1m])", {"host=a: 1", "host=b: 100"}},
    {"sum_over_time(d[30s])", {"host=a: 10", "host=b: 100"}, 30},
    {"avg_over_time(d[30s])", {"host=a: 2.5", "host=b: 100"}, 30},
    {"absent_over_time(many[10s])", {"1"}},
    {"absent_over_time(none{a=\"b\",c=~\"d\"}[10s])", {"a=b: 1"}},
    {"absent_over_time(many[40s])", {}},
    {"sum_over_time(y{host=\"a\"}[15s])", {"host=a: 1.1"}},  // two slots
    {"sum_over_time(y{host=\"a\"}[20s] offset 10s)", {"host=a: 0.9"}},
};

const std::vector<Case> kRates = {
    {"increase(c[1m])", {"10"}},
    {"rate(c[1m])", {"0.166666666667"}},
    {"rate(c[5m])", {"0.0333333333333"}},  // by the range, however young the series is
    {"rate(c[10s])", {}, 30},              // silence is unknown
    {"rate(c[10s])", {"0"}, 20},
    {"increase(e[20s])", {"0"}, 30},
    {"rate(e[10m])", {"0"}, 7200},
    {"increase(c[30s])", {"8"}},
    {"increase(c[25s])", {"8"}},
    {"delta(c[1m])", {"9.6"}},  // of totals 2 and 10: 8 of 50 s, extended to 60
    {"idelta(c[1m])", {"4"}},
    {"irate(c[1m])", {"0.4"}},
    {"irate(c[30s])", {"0"}, 30},
    {"irate(c[20s])", {}, 30},
    {"irate(c[40s])", {"0.15"}, 40},  // 3 in 20 s
    {"irate(e[1m])", {"0.5"}},
    // 10 s apart, the first and the last 5 s from the edges, and not below zero: 31 of 50 s, extended by 1.6
    // and 5.
    {"increase(x{host=\"a\",cpu=\"0\"}[1m])", {"cpu=0 host=a: 35.1"}},
    {"rate(x{host=\"b\"}[1m])", {"cpu=0 host=b: 0.2"}},  // resets: 0 at the end of 5 4 3 2 1, so 10 of 50 s
    {"delta(x{host=\"b\"}[1m])", {"cpu=0 host=b: -6"}},
    {"delta(x{cpu=\"1\"}[1m])", {"cpu=1 host=a: 0"}},
    {"delta(many[1m])", {"5.66666666667"}},  // 2 4 6 at 5, 15, 35 s: 4 of 30 s, extended by 5 and 7.5
    {"irate(y{host=\"b\"}[1m])", {"host=b: -0.3"}},
    {"idelta(y{host=\"b\"}[1m])", {"host=b: -6"}},
    {"histogram_count(increase(d[1m]))", {"host=a: 5", "host=b: 2"}},
    {"histogram_sum(rate(d[1m]))", {"host=a: 0.333333333333", "host=b: 6.66666666667"}},
};

const std::vector<Case> kHistograms = {
    {"histogram_avg(sum(increase(d[1m])))", {"60"}},  // 420 of 7
    {"histogram_count(sum(rate(d[1m])))", {"0.116666666667"}},
    {"histogram_stddev(increase(d{host=\"b\"}[1m]))", {"host=b: 100"}},
    {"histogram_stdvar(increase(d{host=\"b\"}[1m]))", {"host=b: 10000"}},
    {"histogram_min(sum(buckets_over_time(d[1m])))", {"1"}},
    {"histogram_max(sum(buckets_over_time(d[1m])))", {"300"}},
    {"histogram_quantile(0.5, sum(rate(d[1m])))", {"4"}},
    {"histogram_quantile(0.99, sum(rate(d[1m])))", {"300"}},
    {"histogram_fraction(3, 100, sum(rate(d[1m])))", {"0.428571428571"}},
    {"histogram_avg(sum(buckets_over_time(x{cpu=\"0\"}[1m])))", {"6.5"}},  // 78 of 12
    {"histogram_count(buckets_over_time(d[1m]) * 2)", {"host=a: 10", "host=b: 4"}},
    {"histogram_quantile(0.5, le_bucket)", {"1.25"}},  // rank 5 of 4, 8, 10
    {"histogram_quantile(0.2, rate(le_bucket[1m]))", {"0.5"}},
    {"histogram_quantile(0.95, le_bucket)", {"2"}},
    {"histogram_fraction(0.5, 2, le_bucket)", {"0.6"}},
    {"histogram_fraction(0, 0.5, le_bucket)", {"0.2"}},
    {"histogram_quantiles(le_bucket, \"q\", 0.5, 1)", {"q=0.5: 1.25", "q=1.0: 2"}},
    {"histogram_quantile(0.5, y)", {}},
    {"histogram_count(y)", {}},
    {"histogram_sum(d)", {}},  // a bare distribution is its mean
    {"rate(d[1m])", {"the answer is a histogram or a string"}},
};

const std::vector<Case> kValues = {
    {"abs(y{host=\"b\"})", {"host=b: 3"}},
    {"-y{host=\"b\"}", {"host=b: 3"}},
    {"ceil(y)", {"host=a: 1", "host=b: -3"}},
    {"floor(y)", {"host=a: 0", "host=b: -3"}},
    {"round(y)", {"host=a: 1", "host=b: -3"}},
    {"round(y, 0.25)", {"host=a: 0.5", "host=b: -3"}},
    {"round(vector(-2.5))", {"-2"}},
    {"sqrt(vector(2.25))", {"1.5"}},
    {"sqrt(vector(-1))", {"nan"}},
    {"exp(vector(0))", {"1"}},
    {"ln(vector(1))", {"0"}},
    {"log2(vector(8))", {"3"}},
    {"log10(vector(0.01))", {"-2"}},
    {"sgn(y)", {"host=a: 1", "host=b: -1"}},
    {"sgn(vector(0))", {"0"}},
    {"clamp(y, -1, 0.5)", {"host=a: 0.5", "host=b: -1"}},
    {"clamp(y, 1, -1)", {}},
    {"clamp_min(y, 0)", {"host=a: 0.6", "host=b: 0"}},
    {"clamp_max(y, 0)", {"host=a: 0", "host=b: -3"}},
    {"sin(vector(0)) + cos(vector(0)) + tan(vector(0))", {"1"}},
    {"asin(vector(1)) * 2 - pi()", {"0"}},
    {"acos(vector(1)) + atan(vector(0))", {"0"}},
    {"sinh(vector(0)) + cosh(vector(0)) + tanh(vector(0))", {"1"}},
    {"asinh(vector(0)) + acosh(vector(1)) + atanh(vector(0))", {"0"}},
    {"deg(vector(pi()))", {"180"}},
    {"rad(vector(180)) - pi()", {"0"}},
    {"time() - 1700000100", {"60"}},
    {"scalar(y{host=\"a\"}) + 1", {"1.6"}},
    {"scalar(y)", {"nan"}},
    {"vector(1 + 2 * 3 ^ 2)", {"19"}},
    {"year()", {"2023"}},  // Tuesday, 14 November 2023, 22:16 UTC
    {"month()", {"11"}},
    {"day_of_month()", {"14"}},
    {"day_of_week()", {"2"}},
    {"day_of_year()", {"318"}},
    {"days_in_month()", {"30"}},
    {"hour()", {"22"}},
    {"minute()", {"16"}},
    {"days_in_month(vector(1709164800))", {"29"}},
    {"absent(y)", {}},
    {"absent(none{a=\"b\"})", {"a=b: 1"}},
    {"absent(none{a=\"b\",a=\"c\",d!=\"e\"})", {"1"}},
    {"absent(sum(none))", {"1"}},
    {"timestamp(y{host=\"a\"}) - 1700000100", {"host=a: 50"}},
    {"timestamp(y{host=\"a\"} + 1) - 1700000100", {"host=a: 60"}},
    {"label_replace(y, \"to\", \"<$1>\", \"host\", \"(a)\")",
     {"__name__=y host=a to=<a>: 0.6", "__name__=y host=b: -3"}},
    {"label_replace(y{host=\"a\"}, \"host\", \"\", \"host\", \".*\")", {"__name__=y: 0.6"}},
    {"label_replace(y{host=\"a\"}, \"to\", \"${1}0\", \"host\", \"(.)\")", {"__name__=y host=a to=a0: 0.6"}},
    {"label_replace(y, \"host\", \"c\", \"\", \"\")",
     {"vector cannot contain metrics with the same labelset"}},
    {"label_join(x{cpu=\"1\"}, \"to\", \"-\", \"host\", \"cpu\", \"none\")",
     {"__name__=x cpu=1 host=a to=a-1-: 10"}},
    {"sort(y)", {"__name__=y host=a: 0.6", "__name__=y host=b: -3"}},
    {"sort_desc(y)", {"__name__=y host=a: 0.6", "__name__=y host=b: -3"}},
    {"sort_by_label(y, \"host\")", {"__name__=y host=a: 0.6", "__name__=y host=b: -3"}},
    {"sort_by_label_desc(y, \"host\")", {"__name__=y host=a: 0.6", "__name__=y host=b: -3"}},
    {"start_timestamp(y)", {"the start of a counter is not stored"}},
    {"abs({__name__=~\"c|e\"})", {"vector cannot contain metrics with the same labelset"}},
    {"info(y)", {"experimental, and other series are not joined by it"}},
};

const std::vector<Case> kAggregations = {
    {"sum(x)", {"42"}},
    {"sum by (host) (x)", {"host=a: 42", "host=b: 0"}},
    {"sum without (cpu) (x)", {"host=a: 42", "host=b: 0"}},
    {"sum by (__name__, none) (x)", {"__name__=x: 42"}},
    {"avg(x)", {"14"}},
    {"avg(avg_over_time(many[1m]))", {"3.66666666667"}},
    {"min(x)", {"0"}},
    {"max by (cpu) (x)", {"cpu=0: 32", "cpu=1: 10"}},
    {"count(x)", {"3"}},
    {"count(none)", {}},
    {"group by (host) (x)", {"host=a: 1", "host=b: 1"}},
    {"stdvar(y)", {"3.24"}},
    {"stddev(y)", {"1.8"}},
    {"quantile(0.5, x)", {"10"}},
    {"quantile by (host) (0.25, x)", {"host=a: 15.5", "host=b: 0"}},
    {"topk(2, x)", {"__name__=x cpu=0 host=a: 32", "__name__=x cpu=1 host=a: 10"}},
    {"bottomk by (cpu) (1, x)", {"__name__=x cpu=0 host=b: 0", "__name__=x cpu=1 host=a: 10"}},
    {"topk(0, x)", {}},
    {"limitk(1, x)", {"__name__=x cpu=0 host=a: 32"}},
    {"count_values(\"v\", x)", {"v=0: 1", "v=10: 1", "v=32: 1"}},
    {"count_values by (host) (\"v\", x)", {"host=a v=10: 1", "host=a v=32: 1", "host=b v=0: 1"}},
    {"limit_ratio(0.5, x)", {"experimental, and its choice of series is not that of Prometheus"}},
    {"count(rate(d[1m]))", {"2"}},
    {"histogram_count(avg(increase(d[1m])))", {"3.5"}},
    {"max(rate(d[1m]))", {}},
};

const std::vector<Case> kOperators = {
    {"1 / 4", {"0.25"}},
    {"-7 % 3", {"-1"}},
    {"2 ^ 3 ^ 2", {"512"}},
    {"1 atan2 1 - pi() / 4", {"0"}},
    {"1 < bool 2", {"1"}},
    {"y * 2", {"host=a: 1.2", "host=b: -6"}},
    {"6 / y{host=\"b\"}", {"host=b: -2"}},
    {"y > 0", {"__name__=y host=a: 0.6"}},
    {"0 < y", {"__name__=y host=a: 0.6"}},
    {"y > bool 0", {"host=a: 1", "host=b: 0"}},
    {"y == 0.6", {"__name__=y host=a: 0.6"}},
    {"y + y", {"host=a: 1.2", "host=b: -6"}},
    {"y + x", {}},
    {"y * on (host) x{cpu=\"0\"}", {"host=a: 19.2", "host=b: -0"}},
    {"x{cpu=\"0\"} - ignoring (cpu) y", {"host=a: 31.4", "host=b: 3"}},
    {"x * on (host) group_left y", {"cpu=0 host=a: 19.2", "cpu=0 host=b: -0", "cpu=1 host=a: 6"}},
    {"y * on (host) group_right x", {"cpu=0 host=a: 19.2", "cpu=0 host=b: -0", "cpu=1 host=a: 6"}},
    {"y < on (host) group_right x",
     {"__name__=x cpu=0 host=a: 0.6", "__name__=x cpu=0 host=b: -3", "__name__=x cpu=1 host=a: 0.6"}},
    {"y{host=\"a\"} * on () group_left (cpu) x{cpu=\"1\"}", {"cpu=1 host=a: 6"}},
    {"y * on (host) x", {"many-to-many matching not allowed: matching labels must be unique on one side"}},
    {"x * on (host) y", {"multiple matches for labels: many-to-one matching must be explicit"}},
    {"x > on (host) group_left y",
     {"__name__=x cpu=0 host=a: 32", "__name__=x cpu=0 host=b: 0", "__name__=x cpu=1 host=a: 10"}},
    {"y >= bool on (host) x{cpu=\"0\"}", {"host=a: 0", "host=b: 0"}},
    {"y and on (host) x{host=\"a\"}", {"__name__=y host=a: 0.6"}},
    {"y unless on (host) x{host=\"a\"}", {"__name__=y host=b: -3"}},
    {"y or x{cpu=\"1\"}", {"__name__=x cpu=1 host=a: 10", "__name__=y host=a: 0.6", "__name__=y host=b: -3"}},
    {"y or on (host) x", {"__name__=y host=a: 0.6", "__name__=y host=b: -3"}},
    {"y / (y - y)", {"host=a: inf", "host=b: -inf"}},
    {"vector(0) / 0 == 1", {}},
    {"increase(d[1m]) + increase(d[1m])", {"the answer is a histogram or a string"}},
    {"histogram_sum(increase(d[1m]) + increase(d[1m]))", {"host=a: 40", "host=b: 800"}},
    {"histogram_sum(sum(increase(d[1m])) - on () increase(d{host=\"a\"}[1m]))", {"400"}},
    {"histogram_sum(increase(d[1m]) - increase(d[1m]))", {}},
    {"histogram_count(increase(d[1m]) == increase(d[1m]))", {"host=a: 5", "host=b: 2"}},
    {"increase(d[1m]) != bool rate(d[1m])", {"host=a: 1", "host=b: 1"}},
};

const std::vector<Case> kSubqueries = {
    {"sum_over_time(y{host=\"a\"}[30s:10s])", {"host=a: 1.5"}},  // at 40, 50, 60: 0.4, 0.5, 0.6
    {"count_over_time(y{host=\"a\"}[25s:10s])", {"host=a: 3"}},
    {"count_over_time(y{host=\"a\"}[25s:10s])", {"host=a: 2"}, 58},  // at 40, 50
    {"last_over_time(y{host=\"a\"}[30s:10s] offset 20s)", {"__name__=y host=a: 0.4"}},
    {"max_over_time(rate(c[10s])[1m:10s])", {"0.4"}},
    {"max_over_time(sum(x)[1m:])", {"42"}},  // every minute, at the end only
    {"increase(c[1m:10s])", {"9.6"}},        // 2 2 2 5 6 10 at 10 to 60 s, 8 of 50 s, extended by 10
    {"ts_of_max_over_time(y{host=\"a\"}[1m:10s]) - 1700000100", {"host=a: 60"}},
    {"absent_over_time(none{a=\"b\"}[1m:10s])", {"1"}},
    {"sum_over_time(y{host=\"a\"}[20s:10s] @ 1700000130)", {"host=a: 0.5"}},
};

}  // namespace

std::vector<Case> naive_cases() {
  std::vector<Case> out;
  for (const auto* cases : {&kSelectors, &kOverTime, &kRates, &kHistograms, &kValues, &kAggregations,
                            &kOperators, &kSubqueries}) {
    out.insert(out.end(), cases->begin(), cases->end());
  }
  return out;
}

}  // namespace statmill::naive
