// MetricsText: what a decoder of OTLP passes on, as text.
#pragma once

#include <string>

#include "base/hex_bytes.h"
#include "proto/otlp/metrics.h"

namespace statmill {

class MetricsText final : public OtlpVisitor {
 public:
  const std::string& text() const { return text_; }

  void begin_resource(const OtlpAttributes& resource) override { text_ += "resource" + of(resource) + "\n"; }
  void end_resource() override { text_ += "end\n"; }
  void begin_scope(std::string_view scope) override {
    text_ += "scope " + std::to_string(scope.size()) + "\n";
  }
  void begin_metric(const OtlpMetric& metric) override {
    text_.append(metric.name).append("|").append(metric.unit).append("|").append(metric.description);
    text_ += " type " + std::to_string(static_cast<int>(metric.type)) + " temporality " +
             std::to_string(static_cast<int>(metric.temporality)) +
             (metric.is_monotonic ? " monotonic\n" : "\n");
  }
  void add_number(const OtlpPoint& point, const OtlpNumber& number) override {
    add(point);
    if (number.real) text_ += " real " + std::to_string(*number.real);
    if (number.integer) text_ += " integer " + std::to_string(*number.integer);
    text_ += "\n";
  }
  void add_histogram(const OtlpPoint& point, const OtlpHistogram& histogram) override {
    add(point);
    const ForeignHistogram& h = histogram.histogram;
    if (histogram.verdict.is_refused()) text_.append(" ").append(refusal_label(histogram.verdict.reason()));
    text_ += " count " + std::to_string(h.count);
    const auto extreme = [this](const char* name, const std::optional<Number>& value) {
      if (value) text_ += name + std::to_string(value->value());
    };
    extreme(" sum ", h.sum);
    extreme(" min ", h.min);
    extreme(" max ", h.max);
    if (h.is_exponential)
      text_ += " scale " + std::to_string(h.scale) + " zero " + std::to_string(h.zero_threshold);
    for (const double bound : h.bounds) text_ += " <" + std::to_string(bound);
    for (const SentBucket& bucket : h.buckets) {
      const BucketNumber number = bucket.number >= kFirstExponential / 2 ? bucket.number - kFirstExponential
                                  : bucket.number <= -kFirstExponential / 2
                                      ? bucket.number + kFirstExponential
                                      : bucket.number;
      text_ += " " + std::string(bucket.number < 0 ? "-" : "") + "[" + std::to_string(number) +
               "]:" + std::to_string(bucket.count);
    }
    text_ += "\n";
  }
  void add_summary(const OtlpPoint& point, const OtlpSummary& summary) override {
    add(point);
    text_ += " count " + std::to_string(summary.count) + " sum " + std::to_string(summary.sum);
    for (const OtlpQuantile& one : summary.quantiles)
      text_ += " " + std::to_string(one.quantile) + "=" + std::to_string(one.value);
    text_ += summary.has_all ? "\n" : " and more\n";
  }
  void add_exemplar(const OtlpExemplar& exemplar) override {
    text_ += "#" + of(exemplar.attributes) + " " + std::to_string(exemplar.time_ns);
    if (exemplar.number.real) text_ += " real " + std::to_string(*exemplar.number.real);
    if (exemplar.number.integer) text_ += " integer " + std::to_string(*exemplar.number.integer);
    text_ += " trace " + hex_of_bytes(exemplar.trace_id) + " span " + hex_of_bytes(exemplar.span_id) + "\n";
  }

 private:
  static std::string of(const OtlpAttributes& attributes) {
    std::string out;
    for (const LabelView& label : attributes.labels)
      out.append(" ").append(label.name).append("=").append(label.value);
    return attributes.has_all ? out : out + " and more";
  }
  void add(const OtlpPoint& point) {
    text_ += "-" + of(point.attributes) + " " + std::to_string(point.start_ns) + ".." +
             std::to_string(point.time_ns);
    if (point.has_no_value) text_ += " no value";
    if (point.exemplars > 0) text_ += " exemplars " + std::to_string(point.exemplars);
  }

  std::string text_;
};

}  // namespace statmill
