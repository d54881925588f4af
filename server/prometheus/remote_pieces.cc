#include "server/prometheus/remote_pieces.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "proto/refusal_counts.h"

namespace statmill {
namespace {

// Adds a piece, and returns where its samples are.
class PieceSink final : public SampleSink {
 public:
  PieceSink(RemoteTable& table, std::span<RemoteValue> values, const RemoteTable::NameOf& name_of,
            uint64_t added_nothing)
      : table_(table), values_(values), name_of_(name_of), added_nothing_(added_nothing) {}

  uint64_t apply(Batch& batch, Timestamp now) override {
    const RemoteTable::Added added = table_.add(values_, batch, now, name_of_);
    ticket_ = added.ticket;
    return added.accepted + added_nothing_;
  }
  RemoteTable::Ticket ticket() const { return ticket_; }

 private:
  RemoteTable& table_;
  const std::span<RemoteValue> values_;
  const RemoteTable::NameOf& name_of_;
  const uint64_t added_nothing_;
  RemoteTable::Ticket ticket_ = 0;
};

}  // namespace

Number number_of(double value) {
  // Nearly all values are integers, whose decimals cost nothing.
  constexpr double kLimit = 1e15;
  if (std::abs(value) < kLimit) {
    const auto integer = static_cast<int64_t>(value);
    if (static_cast<double>(integer) == value) return Number::decimal(integer, 0);
  }
  return Number::shortest(value);
}

uint64_t RemoteAccount::refused_in_all() const { return received - accepted; }

uint64_t RemoteAccount::refused_for_good() const {
  return refused_in_all() - without_value - refused[static_cast<size_t>(Refusal::kReplica)];
}

std::string RemoteAccount::reasons() const {
  auto counts = refused;
  counts[static_cast<size_t>(Refusal::kReplica)] = 0;
  counts[static_cast<size_t>(Refusal::kNotFinite)] -= without_value;
  return refusals_text(counts);
}

RemotePieces::RemotePieces(RemoteTable& table, Intake& intake, const ListenerAccount& account, Timestamp now,
                           const LineSender& sender)
    : table_(table), intake_(intake), listener_(account), now_(now) {
  batch_.set_sender(sender);
}

void RemotePieces::submit(const RemoteTable::NameOf& name_of) {
  const bool has_samples = batch_.received > 0 || !values_.empty();
  if (!has_samples && batch_.families.empty() && !batch_.has_exemplars()) return;
  PieceSink sink(table_, values_, name_of, added_nothing_);
  account_.accepted += intake_.submit(batch_, listener_, now_, sink);
  account_.received += batch_.received;
  for (size_t i = 0; i < kRefusalCount; ++i) account_.refused[i] += batch_.refused[i];
  account_.exemplars += batch_.exemplars_accepted;
  account_.ticket = sink.ticket();
  batch_.clear();
  values_.clear();
  added_nothing_ = 0;
}

}  // namespace statmill
