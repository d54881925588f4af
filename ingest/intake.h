// Intake: the single entry for samples. Every listener submits its batches here; the intake passes them to
// the sink and counts them per listener.
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

// Counters of one listener. For samples, received == accepted + refused after each batch (invariant C).
// Datagrams that the kernel drops are not counted here: see DatagramReceiver::Services.
struct ListenerAccount {
  std::string listener;
  Counter& received;
  Counter& accepted;
  std::array<Counter*, kRefusalCount> refused;
  Counter& bytes;
  Counter& extra_fields;
  Counter& renamed;
  Counter& other_kinds;
  Counter& skipped_fields;
  Counter& metadata;
};

// Thread-safe.
class Intake {
 public:
  // `sink` and `registry` must outlive it.
  Intake(SampleSink& sink, Registry& registry) : sink_(sink), registry_(registry) {}

  // Returns the account of a listener ("tcp", "udp", "http", ...); registers its counters at the first call.
  ListenerAccount account(std::string_view listener);

  // Passes the batch to the sink, counts it in `account` and returns how many samples the sink accepted. The
  // sink adds the samples that it refuses to batch.refused (a table refuses with bad_bucket, too_old,
  // too_new, series_limit, name_limit, sender_limit, memory_limit or kind_mismatch).
  uint64_t submit(Batch& batch, const ListenerAccount& account, Timestamp now) {
    return submit(batch, account, now, sink_);
  }
  // The same with another sink.
  uint64_t submit(Batch& batch, const ListenerAccount& account, Timestamp now, SampleSink& sink);

  const RefusalLog& refusals() const { return refusals_; }

 private:
  SampleSink& sink_;
  Registry& registry_;
  RefusalLog refusals_;
};

}  // namespace statmill
