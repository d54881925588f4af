#include "server/otlp/otlp_intake.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <string>
#include <vector>

#include "base/hex_bytes.h"
#include "base/stage.h"
#include "base/text.h"
#include "proto/otlp/metrics.h"
#include "server/otlp/otlp_names.h"
#include "server/otlp/otlp_units.h"
#include "server/prometheus/family_description.h"

namespace statmill {
namespace {

// So many buckets of histograms are added together at most, so that they hold up no tick.
constexpr size_t kPieceBuckets = 100'000;
constexpr uint64_t kNsPerMs = 1'000'000;

TimedValue at_time(const OtlpPoint& point, Number value) {
  TimedValue out{value, static_cast<int64_t>(point.time_ns / kNsPerMs),
                 static_cast<int64_t>(point.start_ns / kNsPerMs),
                 static_cast<uint32_t>(point.time_ns % kNsPerMs)};
  // A start in the same millisecond is a known one, too.
  if (point.start_ns < point.time_ns) out.start_ms = std::min(out.start_ms, out.time_ms - 1);
  return out;
}

Number number_of(int64_t value) {
  if (-Number::kMantissaMax <= value && value <= Number::kMantissaMax) return Number::decimal(value, 0);
  return Number::shortest(static_cast<double>(value));
}

std::string quantile_text(double quantile) {
  std::string text;
  append_number(text, quantile);
  return text;
}

}  // namespace

class OtlpIntake::Collector final : public OtlpVisitor {
 public:
  Collector(const OtlpIntake& intake, Timestamp now)
      : intake_(intake),
        now_(now),
        pieces_(intake.table_, intake.intake_, intake.account_, now, LineSender::http()),
        infos_(intake.table_, intake.intake_, intake.account_, now, LineSender::http()) {}

  void begin_resource(const OtlpAttributes& resource) override {
    names_.begin_resource(resource);
    if (names_.has_info()) add_info();
  }
  void end_resource() override {}
  void begin_scope(std::string_view scope) override { names_.begin_scope(scope); }
  // Its texts are views into the message.
  void begin_metric(const OtlpMetric& metric) override {
    metric_ = metric;
    if (metric.unit.empty() && metric.description.empty()) return;
    if (pieces_.is_full()) submit();
    const std::string unit = unit_of_ucum(metric.unit);
    note_family({metric.name, family_type(), unit, metric.description, kind_of_series()}, intake_.families_,
                pieces_.batch());
  }

  void add_number(const OtlpPoint& point, const OtlpNumber& number) override {
    if (!begin_point(point)) return;
    if (point.has_no_value) return end({metric_.name}, point);
    if (!number.real && !number.integer) return refuse(Refusal::kBadValue);
    const auto sent = sent_number();
    if (!sent) return refuse(Refusal::kBadType);
    std::string_view name;
    if (!read_name({metric_.name}, point, name)) return;
    if (number.integer) return add({name, at_time(point, number_of(*number.integer)), {}, *sent});
    add_real({name, at_time(point, {}), {}, *sent}, *number.real);
  }

  void add_histogram(const OtlpPoint& point, const OtlpHistogram& histogram) override {
    if (!begin_point(point)) return;
    if (point.has_no_value) return end({metric_.name}, point);
    if (metric_.temporality == OtlpTemporality::kUnspecified) return refuse(Refusal::kBadType);
    if (histogram.verdict.is_refused()) return refuse(histogram.verdict.reason());
    std::string_view name;
    if (!read_name({metric_.name}, point, name)) return;
    const ForeignHistogram& kept = histograms_.emplace_back(histogram.histogram);
    buckets_ += kept.buckets.size() + kept.bounds.size();
    RemoteValue value{name, at_time(point, kept.sum.value_or(Number())), {}, SentAs::kHistogramAmount};
    if (metric_.temporality == OtlpTemporality::kCumulative) value.sent = SentAs::kHistogram;
    value.histogram = &kept;
    add(value);
  }

  // Each of its values is a sample.
  void add_summary(const OtlpPoint& point, const OtlpSummary& summary) override {
    if (!begin_point(point)) return;
    if (point.has_no_value) return end_summary(point, summary);
    if (!summary.has_all) return refuse(Refusal::kOutOfRange);
    std::string_view name;
    if (!read_name({metric_.name, "_count"}, point, name)) return;
    const auto count = std::min(summary.count, static_cast<uint64_t>(Number::kMantissaMax));
    add({name, at_time(point, Number::decimal(static_cast<int64_t>(count), 0)), {}, SentAs::kCounter});
    if (!read_name({metric_.name, "_sum"}, point, name)) return;
    add_real({name, at_time(point, {}), {}, SentAs::kCounter}, summary.sum);
    for (const OtlpQuantile& one : summary.quantiles) {
      if (!read_name({metric_.name, {}, quantile_text(one.quantile)}, point, name)) return;
      // Without samples, a quantile is NaN.
      if (std::isnan(one.value)) {
        accept_nothing();
      } else {
        add_real({name, at_time(point, {}), {}, SentAs::kGauge}, one.value);
      }
    }
  }

  void add_exemplar(const OtlpExemplar& exemplar) override {
    if (pieces_.has_many_exemplars()) {
      const std::string name(point_.name);
      submit();
      point_.name = pieces_.batch().keep(name);
    }
    Batch& batch = pieces_.batch();
    if (point_.name.empty()) return batch.refuse_exemplar(ExemplarRefusal::kSeries);
    const OtlpNumber& number = exemplar.number;
    if (!number.real && !number.integer) return batch.refuse_exemplar(ExemplarRefusal::kBadForm);
    const double value = number.real ? *number.real : static_cast<double>(*number.integer);
    const bool has_time = exemplar.time_ns != 0;
    const int64_t time_ms = has_time ? static_cast<int64_t>(exemplar.time_ns / kNsPerMs) : point_.time_ms;
    if (exemplar.trace_id.size() + exemplar.span_id.size() > kExemplarCharactersMax / 2)
      return batch.refuse_exemplar(ExemplarRefusal::kLabels);
    const std::string trace = hex_of_bytes(exemplar.trace_id);
    const std::string span = hex_of_bytes(exemplar.span_id);
    std::vector<LabelView> labels = {{"trace_id", trace}, {"span_id", span}};
    labels.insert(labels.end(), exemplar.attributes.labels.begin(), exemplar.attributes.labels.end());
    // The ids lead to the trace, which has the attributes, too.
    if (encode_exemplar_labels(labels).refusal) labels.resize(2);
    batch.add_exemplar({point_.name, time_ms, has_time, value, {}}, labels);
  }

  OtlpAccount finish() {
    submit();
    infos_.submit();
    const RemoteAccount& account = pieces_.account();
    return {points_, std::min(points_, account.refused_in_all()), account.reasons(),
            std::max(account.ticket, infos_.account().ticket)};
  }

 private:
  // Returns false if the point is refused.
  bool begin_point(const OtlpPoint& point) {
    ++points_;
    if (pieces_.is_full() || buckets_ >= kPieceBuckets) submit();
    point_ = {{}, static_cast<int64_t>(point.time_ns / kNsPerMs)};
    if (point.time_ns != 0 || point.has_no_value) return true;
    refuse(Refusal::kBadTime);
    return false;
  }
  // What tells apart metrics of one name.
  FamilyType family_type() const {
    const Kind kind = kind_of_series();
    if (kind == Kind::kDistribution) return FamilyType::kHistogram;
    return adds_up(kind) ? FamilyType::kCounter : FamilyType::kGauge;
  }
  // The kind of the series that have the metric's name: of a summary, those of its quantiles.
  Kind kind_of_series() const {
    if (metric_.type == OtlpType::kHistogram || metric_.type == OtlpType::kExponentialHistogram)
      return Kind::kDistribution;
    const auto sent = metric_.type == OtlpType::kSum ? sent_number() : std::nullopt;
    if (sent == SentAs::kAmount) return Kind::kEvent;
    return sent == SentAs::kCounter ? Kind::kCounter : Kind::kGauge;
  }
  // How the numbers of the metric are sent; nullopt: nobody knows.
  std::optional<SentAs> sent_number() const {
    if (metric_.type == OtlpType::kGauge) return SentAs::kGauge;
    switch (metric_.temporality) {
      case OtlpTemporality::kDelta:
        return SentAs::kAmount;
      case OtlpTemporality::kCumulative:
        return metric_.is_monotonic ? SentAs::kCounter : SentAs::kGauge;
      case OtlpTemporality::kUnspecified:
        break;
    }
    return std::nullopt;
  }
  bool read_name(const OtlpNames::Parts& parts, const OtlpPoint& point, std::string_view& name) {
    const auto verdict = names_.name(parts, point.attributes, pieces_.batch(), name);
    if (verdict.is_refused()) refuse(verdict.reason());
    return verdict.is_accepted();
  }
  void refuse(Refusal reason) { pieces_.batch().refuse(reason, metric_.name); }
  void accept_nothing() {
    pieces_.accept();
    intake_.without_value_.add();
  }
  // The sender says that the series has no value from the point's time on.
  void end(const OtlpNames::Parts& series, const OtlpPoint& point) {
    intake_.without_value_.add();
    if (point.time_ns == 0) return pieces_.accept();
    add_end(series, point);
  }
  // The Collector names the quantiles of a summary that ends.
  void end_summary(const OtlpPoint& point, const OtlpSummary& summary) {
    end({metric_.name, "_count"}, point);
    if (point.time_ns == 0) return;
    add_end({metric_.name, "_sum"}, point);
    for (const OtlpQuantile& one : summary.quantiles)
      add_end({metric_.name, {}, quantile_text(one.quantile)}, point);
  }
  void add_end(const OtlpNames::Parts& series, const OtlpPoint& point) {
    std::string_view name;
    if (!read_name(series, point, name)) return;
    RemoteValue value{name, at_time(point, {}), {}, SentAs::kEnd};
    value.sender = names_.sender();
    pieces_.add(value);
  }
  void add(RemoteValue value) {
    if (metric_.is_monotonic && value.sent == SentAs::kAmount && value.value.value.value() < 0)
      return refuse(Refusal::kOutOfRange);
    value.sender = names_.sender();
    pieces_.add(value);
    point_.name = value.name;
  }
  void add_real(RemoteValue value, double real) {
    if (!std::isfinite(real)) return pieces_.batch().refuse(Refusal::kNotFinite, value.name);
    value.value.value = statmill::number_of(real);
    add(value);
  }
  // It has no time of its own, so it has that of its receipt.
  void add_info() {
    std::string_view name;
    const auto verdict = names_.info_name(infos_.batch(), name);
    if (verdict.is_refused()) {
      infos_.batch().refuse(verdict.reason(), "target_info");
    } else {
      RemoteValue value{
          name, {Number::decimal(1, 0), now_.time_since_epoch().count(), 0}, {}, SentAs::kGauge};
      value.sender = names_.sender();
      infos_.add(value);
    }
    if (infos_.is_full()) infos_.submit();
  }
  void submit() {
    pieces_.submit();
    histograms_.clear();
    buckets_ = 0;
  }

  const OtlpIntake& intake_;
  const Timestamp now_;
  RemotePieces pieces_;
  RemotePieces infos_;  // refused ones are no points of the sender
  OtlpNames names_;
  OtlpMetric metric_;
  // The point whose exemplars follow.
  struct {
    std::string_view name;  // of its series, kept by the batch; empty if there is none
    int64_t time_ms = 0;
  } point_;
  uint64_t points_ = 0;
  // These are of the piece.
  std::deque<ForeignHistogram> histograms_;
  size_t buckets_ = 0;
};

OtlpIntake::OtlpIntake(RemoteTable& table, Intake& intake, Registry& registry)
    : table_(table),
      intake_(intake),
      account_(intake.account("otlp")),
      without_value_(registry.counter("statmill.otlp_points_without_value",
                                      "Points of OpenTelemetry that say that there is no value now.")) {}

Result<OtlpAccount> OtlpIntake::submit(std::string_view message, size_t bytes, Timestamp now) const {
  account_.bytes.add(bytes);
  Collector collector(*this, now);
  const InStage stage(Stage::kParse);
  const Status decoded = decode_otlp_metrics(message, collector);
  const OtlpAccount account = collector.finish();
  if (!decoded) return decoded.error();
  return account;
}

}  // namespace statmill
