// Intake: the one door for samples. Every listener hands its batches in here and has its account kept here.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "ingest/refusal_log.h"
#include "ingest/sample_sink.h"
#include "proto/batch.h"
#include "statmill/registry.h"

namespace statmill {

// What one listener took: received == accepted + refused + dropped, always (invariant C). Counts samples.
struct ListenerAccount {
  std::string listener;
  Counter& received;
  Counter& accepted;
  std::array<Counter*, kRefusalCount> refused;
  Counter& bytes;
  Counter& extra_fields;
  Counter& renamed;
  Counter& metadata;
};

// Thread-safe.
class Intake {
 public:
  // `taker` and `registry` must outlive it.
  Intake(SampleSink& taker, Registry& registry) : taker_(taker), registry_(registry) {}

  // The account of the listener called `listener` ("tcp", "udp", "http", ...), made at first use.
  ListenerAccount account(std::string_view listener);

  // Gives the batch's samples to the taker and settles the account; returns how many were accepted. Samples
  // that it refuses (for a table bad_bucket, too_old, too_new, series_limit, sender_limit, memory_limit) are
  // added to batch.refused.
  uint64_t take(Batch& batch, const ListenerAccount& account, Timestamp now);

  // The second half of that, for samples that reached the taker by another road: `accepted` of the batch.
  void settle(const Batch& batch, const ListenerAccount& account, uint64_t accepted, Timestamp now);

  const RefusalLog& refusals() const { return refusals_; }

 private:
  SampleSink& taker_;
  Registry& registry_;
  RefusalLog refusals_;
};

}  // namespace statmill
