// RemotePieces: collects the samples of a body that has cumulative counters, and adds them to the table in
// pieces, so that a long body holds up no tick.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "ingest/intake.h"
#include "proto/batch.h"
#include "server/prometheus/remote_table.h"

namespace statmill {

// The outcome of one body: received == accepted + sum of refused.
struct RemoteAccount {
  uint64_t received = 0;  // a native histogram counts as one
  uint64_t accepted = 0;
  std::array<uint64_t, kRefusalCount> refused{};
  uint64_t exemplars = 0;      // that are accepted; they are not among `received`
  uint64_t without_value = 0;  // NaNs: refused as not_finite, which a sender cannot avoid
  RemoteTable::Ticket ticket = 0;

  uint64_t refused_in_all() const;
  // Those that a sender can help: without NaNs, and without samples of a replica that is not elected.
  uint64_t refused_for_good() const;
  // Returns the reasons of these and their counts, most first: "3 too_old, 1 bad_name".
  std::string reasons() const;
};

// Returns the number of a finite double: a decimal, if it is the shortest text of one.
Number number_of(double value);

// Confined to one thread.
class RemotePieces {
 public:
  static constexpr size_t kPieceSamples = 2000;

  // All must outlive it. Samples without a sender are of `sender`.
  RemotePieces(RemoteTable& table, Intake& intake, const ListenerAccount& account, Timestamp now,
               const LineSender& sender);

  // Keeps names until the next submit(), and counts what is refused.
  Batch& batch() { return batch_; }
  // The name must stay valid until the next submit().
  void add(const RemoteValue& value) { values_.push_back(value); }
  // Counts a sample that is accepted and adds nothing.
  void accept() {
    ++batch_.received;
    ++added_nothing_;
  }
  // Counts a sample that has no value.
  void refuse_nan(std::string_view name) {
    ++account_.without_value;
    batch_.refuse(Refusal::kNotFinite, name);
  }
  // Allocates memory for so many values at once, or for those of one piece if these are fewer.
  void expect(size_t values) { values_.reserve(values < kPieceSamples ? values : kPieceSamples); }
  // Those that are not added yet.
  std::vector<RemoteValue>& values() { return values_; }
  // Samples that are not added yet.
  size_t size() const { return values_.size(); }
  // Returns true if it is time for a submit().
  bool is_full() const {
    return values_.size() >= kPieceSamples || batch_.received >= kPieceSamples ||
           batch_.families.size() >= kPieceSamples || has_many_exemplars();
  }
  bool has_many_exemplars() const { return batch_.exemplars.size() >= kPieceSamples; }
  // Requires: no value needs a name. `name_of` is that of RemoteTable::add().
  void submit(const RemoteTable::NameOf& name_of = {});

  // What has been submitted.
  const RemoteAccount& account() const { return account_; }

 private:
  RemoteTable& table_;
  Intake& intake_;
  const ListenerAccount& listener_;
  const Timestamp now_;
  Batch batch_;
  std::vector<RemoteValue> values_;
  uint64_t added_nothing_ = 0;  // accepted samples of the piece
  RemoteAccount account_;
};

}  // namespace statmill
