#include "server/prometheus/remote_write_intake.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/stage.h"
#include "proto/prometheus/labels_name.h"
#include "proto/prometheus/series_name.h"
#include "proto/prometheus/snappy_block.h"
#include "proto/sample.h"
#include "server/prometheus/family_description.h"

namespace statmill {
namespace {

// So many buckets of histograms are added together at most, so that they hold up no tick.
constexpr size_t kPieceBuckets = 100'000;

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
    if (pieces_.is_full()) submit();
    clues_ = {series.type, false};
    shown_ = {};
    const ReplicaOptions& replicas = intake_.replicas_.options();
    const LabelView* cluster = nullptr;
    const LabelView* replica = nullptr;
    for (const LabelView& label : series.labels) {
      if (is_label(label, kNameLabel)) shown_ = label.value;
      if (is_label(label, "le")) clues_.has_le = true;
      if (is_label(label, replicas.cluster_label)) cluster = &label;
      if (is_label(label, replicas.replica_label)) replica = &label;
    }
    name_ = {};
    if (!series.has_all_labels) {
      verdict_ = Refusal::kTagLimit;
    } else if (cluster != nullptr && replica != nullptr) {
      // A cluster is remembered also if its series have no valid names.
      verdict_ = std::max(cluster->value.size(), replica->value.size()) > kNameBytesMax
                     ? Verdict<Refusal>(Refusal::kNameTooLong)
                     : choose(cluster->value, replica->value);
      if (verdict_.is_accepted())
        verdict_ = read_series_name(labels_without(*replica, series.labels), pieces_.batch(), name_);
    } else {
      verdict_ = read_series_name(series.labels, pieces_.batch(), name_);
    }
    note_texts(series);
  }

  void add_histogram(const NativeHistogram& native) override {
    if (pieces_.is_full() || buckets_ >= kPieceBuckets) split();
    if (native.is_end && verdict_.is_accepted()) {
      intake_.stale_.add();
      return pieces_.add({name_, {{}, native.time_ms, 0}, {}, SentAs::kEnd});
    }
    if (verdict_.is_refused() && verdict_.reason() == Refusal::kReplica) return refuse();
    if (verdict_.is_refused() || native.verdict.is_refused()) {
      intake_.histograms_.add();
      // Once a NaN was observed, the sum stays one.
      if (native.verdict.is_refused() && native.verdict.reason() == Refusal::kNotFinite)
        return pieces_.refuse_nan(shown_);
      return pieces_.batch().refuse(verdict_.is_refused() ? verdict_.reason() : native.verdict.reason(),
                                    shown_);
    }
    const ForeignHistogram& kept = histograms_.emplace_back(native.histogram);
    buckets_ += kept.buckets.size() + kept.bounds.size();
    TimedValue at{*kept.sum, native.time_ms, native.start_ms};
    // It counts since some time after the one before.
    if (native.is_reset && at.start_ms == 0) at.start_ms = at.time_ms - 1;
    RemoteValue value{name_, at, {}, SentAs::kHistogram};
    value.histogram = &kept;
    pieces_.add(value);
  }

  void add_sample(const RemoteSample& sample) override {
    if (pieces_.size() >= 2 * RemotePieces::kPieceSamples) split();
    if (verdict_.is_refused()) return refuse();
    if (is_stale_marker(sample.value)) {
      intake_.stale_.add();
      return pieces_.add({name_, {{}, sample.time_ms, 0}, {}, SentAs::kEnd});
    }
    if (std::isnan(sample.value)) return pieces_.refuse_nan(name_);
    if (!std::isfinite(sample.value)) return pieces_.batch().refuse(Refusal::kNotFinite, name_);
    pieces_.add({name_, {number_of(sample.value), sample.time_ms, sample.start_ms}, clues_});
  }

  void add_exemplar(const RemoteExemplar& exemplar) override {
    if (pieces_.has_many_exemplars()) split();
    Batch& batch = pieces_.batch();
    if (verdict_.is_refused()) return batch.refuse_exemplar(ExemplarRefusal::kSeries);
    batch.add_exemplar({name_, exemplar.time_ms, true, exemplar.value, {}}, exemplar.labels);
  }

  void add_family(const RemoteFamily& family) override {
    if (pieces_.is_full()) submit();
    note_family({family.name, family.type, family.unit, family.help}, intake_.types_, pieces_.batch());
  }

  // Adds what has been collected.
  const RemoteAccount& finish() {
    submit();
    return pieces_.account();
  }

 private:
  // In the middle of a series with many samples or exemplars.
  void split() {
    const std::string name(name_);
    submit();
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
  void submit() {
    pieces_.submit();
    histograms_.clear();
    buckets_ = 0;
  }
  // All series of a request are of one replica, as a rule.
  Verdict<Refusal> choose(std::string_view cluster, std::string_view replica) {
    if (cluster != cluster_ || replica != replica_ || cluster_.data() == nullptr) {
      choice_ = intake_.replicas_.choose(cluster, replica);
      cluster_ = cluster;
      replica_ = replica;
    }
    return choice_.verdict;
  }
  std::span<const LabelView> labels_without(const LabelView& one, std::span<const LabelView> labels) {
    labels_.clear();
    for (const LabelView& label : labels) {
      if (&label != &one) labels_.push_back(label);
    }
    return labels_;
  }
  // A replica that is not elected goes on sending, so only its first sample of a minute is shown.
  void refuse() {
    Batch& batch = pieces_.batch();
    if (verdict_.reason() != Refusal::kReplica) return batch.refuse(verdict_.reason(), shown_);
    if (std::exchange(choice_.is_shown, false)) {
      const ReplicaOptions& labels = intake_.replicas_.options();
      const std::string text = labels.cluster_label + "=" + std::string(cluster_) + ";" +
                               labels.replica_label + "=" + std::string(replica_);
      return batch.refuse(Refusal::kReplica, batch.keep(text));
    }
    ++batch.received;
    ++batch.refused[static_cast<size_t>(Refusal::kReplica)];
  }

  const RemoteWriteIntake& intake_;
  RemotePieces pieces_;
  // These are of the piece.
  std::deque<ForeignHistogram> histograms_;
  size_t buckets_ = 0;
  // These are about the series whose samples come.
  Verdict<Refusal> verdict_ = kAccepted;
  std::string_view name_;
  std::string_view shown_;  // its __name__, for refusals
  SeriesClues clues_;
  std::vector<LabelView> labels_;  // without that of the replica
  // What was chosen last, for these views of the message.
  std::string_view cluster_;
  std::string_view replica_;
  ReplicaChoice::Choice choice_{kAccepted};
  // The series whose texts were noted last: views of the message.
  std::string_view family_;
  const char* help_ = nullptr;
};

RemoteWriteIntake::RemoteWriteIntake(RemoteTable& table, FamilyTypes& types, ReplicaChoice& replicas,
                                     Intake& intake, Registry& registry)
    : table_(table),
      types_(types),
      replicas_(replicas),
      intake_(intake),
      account_(intake.account("remote_write")),
      stale_(registry.counter("statmill.remote_stale_markers", "Stale markers of remote_write.")),
      histograms_(
          registry.counter("statmill.remote_histograms_refused",
                           "Native histograms of remote_write that were refused when they were read.")) {}

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
