#include "server/prometheus/remote_write_intake.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/process_hash.h"
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
  Collector(const RemoteWriteIntake& intake, size_t message_bytes, Timestamp now)
      : intake_(intake), pieces_(intake.table_, intake.intake_, intake.account_, now, LineSender::http()) {
    constexpr size_t kSeriesBytes = 200;  // a series with few labels takes about so many
    pieces_.expect(message_bytes / kSeriesBytes);
  }

  // The labels are read only if they are not those of a series that is known, or if their name is needed.
  Status begin_series1(std::string_view labels, RemoteSeries) override {
    if (pieces_.is_full()) submit();
    series_ = {};
    series_.labels = labels;
    series_.labels_hash = process_hash().wide(labels);
    series_.is_read = false;
    return damage_;
  }

  void begin_series(const RemoteSeries& series) override {
    if (pieces_.is_full()) submit();
    series_ = read(series);
    note_texts(series);
  }

  void add_histogram(const NativeHistogram& native) override {
    if (pieces_.is_full() || buckets_ >= kPieceBuckets) split();
    if (!read_labels()) return;
    const Verdict<Refusal> verdict = series_.verdict;
    if (native.is_end && verdict.is_accepted()) return add({{}, native.time_ms, 0}, SentAs::kEnd);
    if (verdict.is_refused() && verdict.reason() == Refusal::kReplica) return refuse(series_);
    if (verdict.is_refused() || native.verdict.is_refused()) {
      intake_.histograms_.add();
      // Once a NaN was observed, the sum stays one.
      if (native.verdict.is_refused() && native.verdict.reason() == Refusal::kNotFinite)
        return pieces_.refuse_nan(series_.shown);
      return pieces_.batch().refuse(verdict.is_refused() ? verdict.reason() : native.verdict.reason(),
                                    series_.shown);
    }
    const ForeignHistogram& kept = histograms_.emplace_back(native.histogram);
    buckets_ += kept.buckets.size() + kept.bounds.size();
    TimedValue at{*kept.sum, native.time_ms, native.start_ms};
    // It counts since some time after the one before.
    if (native.is_reset && at.start_ms == 0) at.start_ms = at.time_ms - 1;
    add(at, SentAs::kHistogram, &kept);
  }

  void add_sample(const RemoteSample& sample) override {
    if (pieces_.size() >= 2 * RemotePieces::kPieceSamples) split();
    if (series_.verdict.is_refused()) return refuse(series_);
    if (is_stale_marker(sample.value)) return add({{}, sample.time_ms, 0}, SentAs::kEnd);
    if (!std::isfinite(sample.value)) return refuse_value(sample.value);
    add({number_of(sample.value), sample.time_ms, sample.start_ms}, SentAs::kByClues);
  }

  void add_exemplar(const RemoteExemplar& exemplar) override {
    if (pieces_.has_many_exemplars()) split();
    if (!read_labels()) return;
    Batch& batch = pieces_.batch();
    if (series_.verdict.is_refused()) return batch.refuse_exemplar(ExemplarRefusal::kSeries);
    batch.add_exemplar({series_.name, exemplar.time_ms, true, exemplar.value, {}}, exemplar.labels);
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
  // The labels that could not be read: what follows them is not added.
  const Status& damage() const { return damage_; }

 private:
  // The series whose samples come.
  struct Series {
    Verdict<Refusal> verdict = kAccepted;
    std::string_view name;   // canonical
    std::string_view shown;  // its __name__, for refusals
    SeriesClues clues;
    std::string_view labels;  // as they were sent, and their hash: of series that may be known
    Hash128 labels_hash = LastValueTable::kNoLabels;
    bool is_read = true;       // if not, only the labels are known, and the verdict says nothing
    bool may_be_known = true;  // the next time
  };

  Series read(const RemoteSeries& series) {
    Series out;
    out.clues = {series.type, false};
    const ReplicaOptions& replicas = intake_.replicas_.options();
    const LabelView* cluster = nullptr;
    const LabelView* replica = nullptr;
    for (const LabelView& label : series.labels) {
      if (is_label(label, kNameLabel)) out.shown = label.value;
      if (is_label(label, "le")) out.clues.has_le = true;
      if (is_label(label, replicas.cluster_label)) cluster = &label;
      if (is_label(label, replicas.replica_label)) replica = &label;
    }
    if (!series.has_all_labels) {
      out.verdict = Refusal::kTagLimit;
    } else if (cluster != nullptr && replica != nullptr) {
      // A cluster is remembered also if its series have no valid names.
      out.verdict = std::max(cluster->value.size(), replica->value.size()) > kNameBytesMax
                        ? Verdict<Refusal>(Refusal::kNameTooLong)
                        : choose(cluster->value, replica->value);
      if (out.verdict.is_accepted())
        out.verdict = read_series_name(labels_without(*replica, series.labels), pieces_.batch(), out.name);
    } else {
      out.verdict = read_series_name(series.labels, pieces_.batch(), out.name);
    }
    out.may_be_known = cluster == nullptr || replica == nullptr;
    return out;
  }

  // Reads the labels of the series whose samples come. Returns false if they are damaged.
  bool read_labels() {
    if (!series_.is_read) series_ = read_encoded(series_.labels, series_.labels_hash);
    return !is_damaged();
  }
  Series read_encoded(std::string_view labels, const Hash128& hash) {
    if (Status s = read_labels_.read(labels); !s) {
      damage_ = std::move(s);
      return {};
    }
    RemoteSeries series;
    series.labels = read_labels_.all();
    series.has_all_labels = read_labels_.has_all();
    Series out = read(series);
    // That of a replica is not remembered, since which one is elected is asked each time.
    if (!out.may_be_known) return out;
    out.labels = labels;
    out.labels_hash = hash;
    return out;
  }
  bool is_damaged() const { return !damage_; }
  void add(const TimedValue& at, SentAs sent, const ForeignHistogram* histogram = nullptr) {
    RemoteValue value{series_.name, at, series_.clues, sent};
    value.histogram = histogram;
    value.labels = series_.labels;
    value.labels_hash = series_.labels_hash;
    pieces_.add(value);
  }
  void refuse_value(double value) {
    if (!read_labels()) return;
    if (series_.verdict.is_refused()) return refuse(series_);
    if (std::isnan(value)) return pieces_.refuse_nan(series_.name);
    pieces_.batch().refuse(Refusal::kNotFinite, series_.name);
  }
  // In the middle of a series with many samples or exemplars.
  void split() {
    const std::string name(series_.name);
    submit();
    if (!name.empty()) series_.name = pieces_.batch().keep(name);
  }
  // 2.0 says help and unit of each series. Those of one family come together, and refer to the same text.
  void note_texts(const RemoteSeries& series) {
    if (series.help.empty() && series.unit.empty()) return;
    if (series.help.data() == help_ && series_.shown == family_) return;
    help_ = series.help.data();
    family_ = series_.shown;
    note_family({family_of(series_.shown, series.type), series.type, series.unit, series.help},
                intake_.types_, pieces_.batch());
  }
  void submit() {
    if (is_damaged()) pieces_.values().clear();
    read_last_ = {};
    intake_.table_.find_labels(pieces_.values());
    read_names(pieces_.values());
    // Equal labels had a name when they came first.
    pieces_.submit([this](const RemoteValue& value) { return read_of(value).name; });
    histograms_.clear();
    buckets_ = 0;
  }
  // Reads the labels of a value, unless they are those that were read last for the piece.
  const Series& read_of(const RemoteValue& value) {
    if (read_last_.labels.data() != value.labels.data()) {
      read_last_ = read_encoded(value.labels, value.labels_hash);
      read_last_.labels = value.labels;
    }
    return read_last_;
  }
  // Reads the names of values that need one, counts stale markers, and removes what is refused.
  void read_names(std::vector<RemoteValue>& values) {
    size_t kept = 0;
    for (RemoteValue& value : values) {
      if (value.needs_name()) {
        const Series& series = read_of(value);
        if (is_damaged()) break;
        if (series.verdict.is_refused()) {
          refuse(series);
          continue;
        }
        value.name = series.name;
        value.clues = series.clues;
        value.labels_hash = series.labels_hash;
      }
      if (value.sent == SentAs::kEnd) intake_.stale_.add();
      if (&values[kept] != &value) values[kept] = value;
      ++kept;
    }
    values.resize(kept);
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
  void refuse(const Series& series) {
    Batch& batch = pieces_.batch();
    if (series.verdict.reason() != Refusal::kReplica)
      return batch.refuse(series.verdict.reason(), series.shown);
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
  Series series_;
  Series read_last_;  // for a value of the piece
  Status damage_ = Status::ok();
  RemoteLabels read_labels_;       // of the series that was read last
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
  Collector collector(*this, message->size(), now);
  const InStage stage(Stage::kParse);
  const Status decoded = decode_remote_write(version, *message, collector);
  const RemoteAccount& account = collector.finish();
  if (!decoded) return decoded.error();
  if (!collector.damage()) return collector.damage().error();
  return account;
}

}  // namespace statmill
