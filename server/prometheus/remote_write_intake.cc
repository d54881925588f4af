#include "server/prometheus/remote_write_intake.h"

#include <cmath>
#include <string>

#include "base/stage.h"
#include "proto/prometheus/labels_name.h"
#include "proto/prometheus/series_name.h"
#include "proto/prometheus/snappy_block.h"
#include "server/prometheus/family_description.h"

namespace statmill {
namespace {

// Returns the name of a series without what its type adds to that of its family.
std::string_view family_of(std::string_view name, FamilyType type) {
  const bool is_histogram = type == FamilyType::kHistogram || type == FamilyType::kGaugeHistogram;
  if (!is_histogram && type != FamilyType::kSummary) return name;
  for (const std::string_view suffix : {"_bucket", "_sum", "_count"}) {
    if (name.size() > suffix.size() && name.ends_with(suffix))
      return name.substr(0, name.size() - suffix.size());
  }
  return name;
}

}  // namespace

class RemoteWriteIntake::Collector final : public RemoteWriteVisitor {
 public:
  Collector(const RemoteWriteIntake& intake, Timestamp now)
      : intake_(intake), pieces_(intake.table_, intake.intake_, intake.account_, now, LineSender::http()) {}

  void begin_series(const RemoteSeries& series) override {
    if (pieces_.is_full()) pieces_.submit();
    clues_ = {series.type, false};
    shown_ = {};
    for (const LabelView& label : series.labels) {
      if (label.name == kNameLabel) shown_ = label.value;
      if (label.name == "le") clues_.has_le = true;
    }
    name_ = {};
    verdict_ = series.has_all_labels ? read_series_name(series.labels, pieces_.batch(), name_)
                                     : Verdict<Refusal>(Refusal::kTagLimit);
    note_texts(series);
    if (series.exemplars > 0) intake_.exemplars_.add(series.exemplars);
    if (series.histograms > 0) refuse_histograms(series.histograms);
  }

  void add_sample(const RemoteSample& sample) override {
    if (pieces_.size() >= 2 * RemotePieces::kPieceSamples) split();
    if (verdict_.is_refused()) return pieces_.batch().refuse(verdict_.reason(), shown_);
    if (is_stale_marker(sample.value)) {
      intake_.stale_.add();
      return pieces_.add({name_, {{}, sample.time_ms, 0}, {}, SentAs::kEnd});
    }
    if (std::isnan(sample.value)) return pieces_.refuse_nan(name_);
    if (!std::isfinite(sample.value)) return pieces_.batch().refuse(Refusal::kNotFinite, name_);
    pieces_.add({name_, {number_of(sample.value), sample.time_ms, sample.start_ms}, clues_});
  }

  void add_family(const RemoteFamily& family) override {
    if (pieces_.is_full()) pieces_.submit();
    note_family({family.name, family.type, family.unit, family.help}, intake_.types_, pieces_.batch());
  }

  // Adds what has been collected.
  const RemoteAccount& finish() {
    pieces_.submit();
    return pieces_.account();
  }

 private:
  // In the middle of a series with many samples.
  void split() {
    const std::string name(name_);
    pieces_.submit();
    if (verdict_.is_accepted()) name_ = pieces_.batch().keep(name);
  }
  // 2.0 says help and unit of each series. Those of one family come together, and refer to the same text.
  void note_texts(const RemoteSeries& series) {
    if (series.help.empty() && series.unit.empty()) return;
    if (series.help.data() == help_ && shown_ == family_) return;
    help_ = series.help.data();
    family_ = shown_;
    note_family({family_of(shown_, series.type), series.type, series.unit, series.help}, intake_.types_,
                pieces_.batch());
  }
  void refuse_histograms(uint64_t count) {
    intake_.histograms_.add(count);
    for (uint64_t i = 0; i < count; ++i) pieces_.batch().refuse(Refusal::kUnsupported, shown_);
  }

  const RemoteWriteIntake& intake_;
  RemotePieces pieces_;
  // These are about the series whose samples come.
  Verdict<Refusal> verdict_ = kAccepted;
  std::string_view name_;
  std::string_view shown_;  // its __name__, for refusals
  SeriesClues clues_;
  // The series whose texts were noted last: views of the message.
  std::string_view family_;
  const char* help_ = nullptr;
};

RemoteWriteIntake::RemoteWriteIntake(RemoteTable& table, FamilyTypes& types, Intake& intake,
                                     Registry& registry)
    : table_(table),
      types_(types),
      intake_(intake),
      account_(intake.account("remote_write")),
      stale_(registry.counter("statmill.remote_stale_markers", "Stale markers of remote_write.")),
      exemplars_(registry.counter("statmill.remote_exemplars_dropped",
                                  "Exemplars of remote_write, which are not kept.")),
      histograms_(registry.counter("statmill.remote_histograms_refused",
                                   "Native histograms of remote_write, which are refused.")) {}

Result<RemoteAccount> RemoteWriteIntake::submit(RemoteWriteVersion version, std::string_view body,
                                                Timestamp now) const {
  account_.bytes.add(body.size());
  const Result<std::string> message = decode_snappy(body, kRemoteMessageBytesMax);
  if (!message) return message.error();
  Collector collector(*this, now);
  const InStage stage(Stage::kParse);
  const Status decoded = decode_remote_write(version, *message, collector);
  const RemoteAccount& account = collector.finish();
  if (!decoded) return decoded.error();
  return account;
}

}  // namespace statmill
