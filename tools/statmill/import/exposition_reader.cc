#include "tools/statmill/import/exposition_reader.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text_map.h"
#include "proto/batch.h"
#include "proto/prometheus/series_name.h"
#include "tools/statmill/import/counter_steps.h"

namespace statmill {
namespace {

constexpr size_t kExpositionBytes = size_t{256} << 10;  // of lines that are read at once
constexpr size_t kFamiliesMax = 100'000;                // whose types are remembered
constexpr std::string_view kDumpHead = "{__name__=\"";

int64_t floor_seconds_of(int64_t ms) { return ms / 1000 - (ms % 1000 < 0 ? 1 : 0); }

class ExpositionHistoryReader final : public HistoryReader {
 public:
  ExpositionHistoryReader(Descriptor file, ExpositionFormat format)
      : lines_(std::move(file), kLineBytesMax, {}), format_(format) {}

  Result<bool> read(HistorySink& sink) override {
    const Result<bool> filled = fill(sink);
    if (!filled || !*filled) return filled;
    ExpositionReader reader(text_, format_);
    batch_.clear();
    while (true) {
      const auto item = reader.next();
      const uint64_t number = first_line_ + reader.line_number() - 1;
      bool goes_on = true;
      if (item == ExpositionReader::Item::kEnd) return true;
      if (item == ExpositionReader::Item::kMetadata) note(reader.family());
      if (item == ExpositionReader::Item::kFault)
        goes_on = sink.refuse(number, refusal_label(reader.fault()));
      if (item == ExpositionReader::Item::kSample) goes_on = pass_on(reader.sample(), number, sink);
      if (!goes_on) return false;
    }
  }
  uint64_t bytes() const override { return lines_.position().offset; }

 private:
  // Reads lines into `text_`. Returns false at the end.
  Result<bool> fill(HistorySink& sink) {
    text_.clear();
    first_line_ = lines_.position().line + 1;
    while (text_.size() < kExpositionBytes) {
      const auto line = lines_.next();
      if (!line) return line.error();
      if (!line->has_value()) return !text_.empty();
      std::string_view text = (*line)->text;
      if ((*line)->is_too_long && !sink.refuse(lines_.position().line, refusal_label(Refusal::kLineTooLong)))
        return false;
      if (text == "# EOF") text = {};  // another dump may follow
      if (text.starts_with(kDumpHead)) {
        // As Prometheus 3 writes a name in quotes.
        text.remove_prefix(kDumpHead.size());
        text_.append("{\"");
      }
      text_.append(text).append("\n");
    }
    return true;
  }

  void note(const ExpositionFamily& family) {
    if (family.type == FamilyType::kUnknown) return;
    const auto found = types_.find(family.name);
    if (found != types_.end()) found->second = family.type;
    if (found == types_.end() && types_.size() < kFamiliesMax) types_.emplace(family.name, family.type);
  }

  FamilyType type_of(std::string_view name) const {
    if (const auto found = types_.find(name); found != types_.end()) return found->second;
    for (const std::string_view suffix : {"_total", "_bucket", "_sum", "_count", "_created"}) {
      if (!name.ends_with(suffix)) continue;
      const auto found = types_.find(name.substr(0, name.size() - suffix.size()));
      if (found != types_.end()) return found->second;
    }
    return FamilyType::kUnknown;
  }

  bool pass_on(const ExpositionSample& read, uint64_t number, HistorySink& sink) {
    labels_.assign(read.labels.begin(), read.labels.end());
    labels_.push_back({kNameLabel, read.name});
    Sample sample;
    std::optional<Number> step;
    const auto accept = [&]() -> Verdict<Refusal> {
      if (!read.time_ms) return Refusal::kBadTime;
      if (read.special) return Refusal::kNotFinite;
      if (const auto v = read_series_name(labels_, batch_, sample.name); v.is_refused()) return v;
      const auto is_le = [](const LabelView& label) { return label.name == "le"; };
      const bool has_le = std::ranges::any_of(labels_, is_le);
      sample.value = read.value;
      if (!is_cumulative(read.name, has_le, type_of(read.name))) return kAccepted;
      sample.kind = Kind::kCounter;
      return counters_.count(sample.name, *read.time_ms, read.value, step);
    };
    if (const auto verdict = accept(); verdict.is_refused())
      return sink.refuse(number, refusal_label(verdict.reason()));
    if (sample.kind == Kind::kCounter && !step) return true;
    if (step) sample.value = *step;
    sample.time_s = floor_seconds_of(*read.time_ms);
    return sink.add(sample);
  }

  LineFile lines_;
  const ExpositionFormat format_;
  std::string text_;
  uint64_t first_line_ = 1;  // of the text
  TextMap<FamilyType> types_;
  std::vector<LabelView> labels_;
  Batch batch_;  // keeps the names of the text
  CounterSteps counters_;
};

}  // namespace

std::unique_ptr<HistoryReader> make_exposition_history_reader(Descriptor file, ExpositionFormat format) {
  return std::make_unique<ExpositionHistoryReader>(std::move(file), format);
}

}  // namespace statmill
