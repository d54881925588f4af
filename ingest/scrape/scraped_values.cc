#include "ingest/scrape/scraped_values.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/text.h"
#include "proto/prometheus/series_name.h"

namespace statmill {
namespace {

constexpr std::string_view kExported = "exported_";

// Joins the labels of samples and of their target.
class Joiner {
 public:
  explicit Joiner(const ScrapeTarget& target, SameLabel same = SameLabel::kRename)
      : target_(target), same_(same) {}

  // The result is valid until the next call.
  std::span<const LabelView> join(std::string_view metric, std::span<const LabelView> labels) {
    labels_.clear();
    renamed_.clear();
    labels_.push_back({kNameLabel, metric});
    for (const LabelView& label : labels) {
      if (!has(target_.labels, label.name)) labels_.push_back(label);
    }
    for (const auto& [name, value] : target_.labels) labels_.push_back({name, value});
    for (const LabelView& label : labels) {
      if (same_ == SameLabel::kRename && has(target_.labels, label.name) && !label.value.empty())
        renamed_.emplace_back(exported(label.name, labels), label.value);
    }
    for (const auto& [name, value] : renamed_) labels_.push_back({name, value});
    std::sort(labels_.begin(), labels_.end(),
              [](const LabelView& a, const LabelView& b) { return a.name < b.name; });
    return labels_;
  }

 private:
  static bool has(const LabelPairs& labels, std::string_view name) {
    return std::any_of(labels.begin(), labels.end(), [&](const LabelPair& one) { return one.first == name; });
  }
  static bool has(std::span<const LabelView> labels, std::string_view name) {
    return std::any_of(labels.begin(), labels.end(), [&](const LabelView& one) { return one.name == name; });
  }
  // A name that neither the sample nor the target has.
  std::string exported(std::string_view name, std::span<const LabelView> labels) const {
    std::string out(name);
    do {
      out.insert(0, kExported);
    } while (has(labels, out) || has(target_.labels, out) || has(renamed_, out));
    return out;
  }

  const ScrapeTarget& target_;
  const SameLabel same_;
  std::vector<LabelView> labels_;
  LabelPairs renamed_;
};

bool is_described(const ExpositionFamily& family) {
  return family.type != FamilyType::kUnknown || !family.help.empty() || !family.unit.empty();
}

std::string_view family_name(const ExpositionReader& reader) {
  const ExpositionFamily& family = reader.family();
  return family.type == FamilyType::kCounter ? reader.sample().name : family.name;
}

void add(const ScrapeTarget& target, const ExpositionReader& reader, Timestamp at, Joiner& joiner,
         ScrapeVisitor& visitor) {
  const ExpositionSample& sample = reader.sample();
  if (!target.wants(sample.name)) return;
  ScrapedValue value;
  Batch& batch = visitor.batch();
  const auto verdict = read_series_name(joiner.join(sample.name, sample.labels), batch, value.name);
  if (verdict.is_refused()) return batch.refuse(verdict.reason(), reader.line());
  if (sample.special) return batch.refuse(Refusal::kNotFinite, value.name);
  value.value = sample.value;
  value.time_ms = sample.time_ms.value_or(at.time_since_epoch().count());
  value.has_own_time = sample.time_ms.has_value();
  value.type = reader.family().type;
  value.has_le = std::any_of(sample.labels.begin(), sample.labels.end(),
                             [](const LabelView& label) { return label.name == "le"; });
  visitor.add(value);
  if (sample.has_bad_exemplar) batch.refuse_exemplar(ExemplarRefusal::kBadForm);
  if (sample.exemplar) {
    const ExpositionExemplar& exemplar = *sample.exemplar;
    batch.add_exemplar({value.name,
                        exemplar.time_ms.value_or(value.time_ms),
                        exemplar.time_ms.has_value(),
                        exemplar.value.value(),
                        {}},
                       exemplar.labels);
  }
}

}  // namespace

uint64_t read_scraped(const ScrapeTarget& target, std::string_view text, ExpositionFormat format,
                      Timestamp at, ScrapeVisitor& visitor, SameLabel same) {
  ExpositionReader reader(text, format);
  Joiner joiner(target, same);
  uint64_t values = 0;
  bool is_new_family = false;
  for (;;) {
    switch (reader.next()) {
      case ExpositionReader::Item::kSample:
        if (is_new_family && target.wants(reader.sample().name) && is_described(reader.family()))
          visitor.add_family(reader.family(), family_name(reader));
        is_new_family = false;
        ++values;
        add(target, reader, at, joiner, visitor);
        break;
      case ExpositionReader::Item::kMetadata:
        is_new_family = true;
        break;
      case ExpositionReader::Item::kFault:
        ++values;
        visitor.batch().refuse(reader.fault(), reader.line());
        break;
      case ExpositionReader::Item::kEnd:
        return values;
    }
  }
}

bool is_whole(std::string_view text, ExpositionFormat format) {
  if (format != ExpositionFormat::kOpenMetrics) return text.empty() || text.back() == '\n';
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  return text == "# EOF" || text.ends_with("\n# EOF");
}

Result<ExpositionFormat> exposition_format(std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find(';'));
  if (type == "application/openmetrics-text") return ExpositionFormat::kOpenMetrics;
  if (type.empty() || type == "text/plain") return ExpositionFormat::kText;
  return Error{ErrorCode::kInvalid, "answers with " + visible_text(type) + ", which is no text of metrics"};
}

void add_report(const ScrapeTarget& target, std::string_view metric, const Number& value, Timestamp at,
                ScrapeVisitor& visitor) {
  ScrapedValue out;
  Joiner joiner(target);
  const auto verdict = read_series_name(joiner.join(metric, {}), visitor.batch(), out.name);
  if (verdict.is_refused()) return visitor.batch().refuse(verdict.reason(), metric);
  out.value = value;
  out.time_ms = at.time_since_epoch().count();
  out.type = FamilyType::kGauge;
  visitor.add(out);
}

void add_reports(const ScrapeTarget& target, const ScrapeReport& report, Timestamp at,
                 ScrapeVisitor& visitor) {
  add_report(target, "up", Number::decimal(report.is_up ? 1 : 0, 0), at, visitor);
  add_report(target, "scrape_duration_seconds", Number::decimal(report.took.count(), 3), at, visitor);
  add_report(target, "scrape_samples_scraped", Number::decimal(static_cast<int64_t>(report.values), 0), at,
             visitor);
}

}  // namespace statmill
