#include "server/prometheus/remote_write_intake.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/stage.h"
#include "proto/prometheus/labels_name.h"
#include "proto/prometheus/series_name.h"
#include "proto/prometheus/snappy_block.h"

namespace statmill {
namespace {

// So many samples are added together, so that a long body holds up no tick.
constexpr size_t kPieceSamples = 2000;

// Nearly all values are integers, whose decimals cost nothing.
Number number_of(double value) {
  constexpr double kLimit = 1e15;
  if (std::abs(value) < kLimit) {
    const auto integer = static_cast<int64_t>(value);
    if (static_cast<double>(integer) == value) return Number::decimal(integer, 0);
  }
  return Number::shortest(value);
}

// Adds a piece, and returns where its samples are.
class PieceSink final : public SampleSink {
 public:
  PieceSink(RemoteTable& table, std::span<const RemoteValue> values, uint64_t ended)
      : table_(table), values_(values), ended_(ended) {}

  uint64_t apply(Batch& batch, Timestamp now) override {
    const RemoteTable::Added added = table_.add(values_, batch, now);
    ticket_ = added.ticket;
    return added.accepted + ended_;
  }
  RemoteTable::Ticket ticket() const { return ticket_; }

 private:
  RemoteTable& table_;
  const std::span<const RemoteValue> values_;
  const uint64_t ended_;
  RemoteTable::Ticket ticket_ = 0;
};

}  // namespace

uint64_t RemoteAccount::refused_in_all() const { return received - accepted; }

std::string RemoteAccount::reasons() const {
  std::vector<std::pair<uint64_t, std::string_view>> counts;
  for (size_t i = 0; i < refused.size(); ++i) {
    const auto reason = static_cast<Refusal>(i);
    const uint64_t count = refused[i] - (reason == Refusal::kNotFinite ? without_value : 0);
    if (count > 0) counts.emplace_back(count, refusal_label(reason));
  }
  std::stable_sort(counts.begin(), counts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string out;
  for (const auto& [count, label] : counts)
    out.append(out.empty() ? "" : ", ").append(std::to_string(count)).append(" ").append(label);
  return out;
}

class RemoteWriteIntake::Collector final : public RemoteWriteVisitor {
 public:
  Collector(const RemoteWriteIntake& intake, Timestamp now) : intake_(intake), now_(now) {
    batch_.set_sender(LineSender::http());
  }

  void begin_series(const RemoteSeries& series) override {
    if (values_.size() >= kPieceSamples || batch_.received >= kPieceSamples) submit();
    clues_ = {series.type, false};
    shown_ = {};
    for (const LabelView& label : series.labels) {
      if (label.name == kNameLabel) shown_ = label.value;
      if (label.name == "le") clues_.has_le = true;
    }
    name_ = {};
    verdict_ = series.has_all_labels ? read_series_name(series.labels, batch_, name_)
                                     : Verdict<Refusal>(Refusal::kTagLimit);
    if (series.exemplars > 0) intake_.exemplars_.add(series.exemplars);
    if (series.histograms > 0) refuse_histograms(series.histograms);
  }

  void add_sample(const RemoteSample& sample) override {
    if (values_.size() >= 2 * kPieceSamples) split();
    if (verdict_.is_refused()) return batch_.refuse(verdict_.reason(), shown_);
    if (is_stale_marker(sample.value)) {
      ++batch_.received;
      ++ended_;
      intake_.stale_.add();
      return;
    }
    if (!std::isfinite(sample.value)) {
      if (std::isnan(sample.value)) ++account_.without_value;
      return batch_.refuse(Refusal::kNotFinite, name_);
    }
    values_.push_back({name_, {number_of(sample.value), sample.time_ms, sample.start_ms}, clues_});
  }

  void add_family(const RemoteFamily& family) override { intake_.types_.note(family.name, family.type); }

  // Adds what has been collected.
  void submit() {
    if (batch_.received == 0 && values_.empty()) return;
    PieceSink sink(intake_.table_, values_, ended_);
    account_.accepted += intake_.intake_.submit(batch_, intake_.account_, now_, sink);
    account_.received += batch_.received;
    for (size_t i = 0; i < kRefusalCount; ++i) account_.refused[i] += batch_.refused[i];
    account_.ticket = sink.ticket();
    batch_.clear();
    values_.clear();
    ended_ = 0;
  }
  const RemoteAccount& account() const { return account_; }

 private:
  // In the middle of a series with many samples.
  void split() {
    const std::string name(name_);
    submit();
    if (verdict_.is_accepted()) name_ = batch_.keep(name);
  }
  void refuse_histograms(uint64_t count) {
    intake_.histograms_.add(count);
    for (uint64_t i = 0; i < count; ++i) batch_.refuse(Refusal::kUnsupported, shown_);
  }

  const RemoteWriteIntake& intake_;
  const Timestamp now_;
  Batch batch_;
  std::vector<RemoteValue> values_;
  uint64_t ended_ = 0;  // stale markers of the piece
  RemoteAccount account_;
  // These are about the series whose samples come.
  Verdict<Refusal> verdict_ = kAccepted;
  std::string_view name_;
  std::string_view shown_;  // its __name__, for refusals
  SeriesClues clues_;
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
  collector.submit();
  if (!decoded) return decoded.error();
  return collector.account();
}

}  // namespace statmill
