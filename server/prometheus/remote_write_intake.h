// RemoteWriteIntake: the samples of the body of a remote_write request: decoded, counted, and added to the
// table.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "ingest/intake.h"
#include "proto/prometheus/remote_write.h"
#include "server/prometheus/remote_pieces.h"
#include "server/prometheus/remote_table.h"
#include "server/prometheus/replica_choice.h"

namespace statmill {

// The longest body, and the longest after decompression.
inline constexpr size_t kRemoteBodyBytesMax = size_t{32} << 20;
inline constexpr size_t kRemoteMessageBytesMax = size_t{64} << 20;

// Thread-safe.
class RemoteWriteIntake {
 public:
  // All must outlive it. Samples are counted for the listener "remote_write".
  RemoteWriteIntake(RemoteTable& table, FamilyTypes& types, ReplicaChoice& replicas, Intake& intake,
                    Registry& registry);

  // Adds the samples of a snappy block. Errors: kInvalid, kLimit (proto/prometheus/remote_write.h,
  // kRemoteMessageBytesMax); samples before a damaged part may have been added. Several ticks may collect the
  // samples; the ticket is that of the last.
  Result<RemoteAccount> submit(RemoteWriteVersion version, std::string_view body, Timestamp now) const;

  RemoteTable& table() const { return table_; }

 private:
  class Collector;

  RemoteTable& table_;
  FamilyTypes& types_;
  ReplicaChoice& replicas_;
  Intake& intake_;
  const ListenerAccount account_;
  Counter& stale_;
  Counter& histograms_;
};

}  // namespace statmill
