// OtlpIntake: the points of an ExportMetricsServiceRequest of OpenTelemetry: decoded, counted, and added to
// the table, each once (docs/opentelemetry.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "ingest/intake.h"
#include "server/prometheus/remote_pieces.h"
#include "server/prometheus/remote_table.h"

namespace statmill {

// The outcome of one request.
struct OtlpAccount {
  uint64_t points = 0;
  uint64_t rejected = 0;  // at most as many as there are points
  std::string reasons;    // their counts, most first: "3 too_old, 1 bad_name"
  RemoteTable::Ticket ticket = 0;
};

// Thread-safe.
class OtlpIntake {
 public:
  // All must outlive it. Samples are counted for the listener "otlp".
  OtlpIntake(RemoteTable& table, Intake& intake, Registry& registry);

  // Adds the points of a message in the encoding of protobuf. `bytes` is the size of its request's body.
  // Errors: kInvalid (proto/otlp/metrics.h); points before a damaged part may have been added. Several ticks
  // may collect the points; the ticket is that of the last.
  Result<OtlpAccount> submit(std::string_view message, size_t bytes, Timestamp now) const;

  RemoteTable& table() const { return table_; }

 private:
  class Collector;

  RemoteTable& table_;
  // Which texts of families are known already. Their types are not those of remote_write.
  mutable FamilyTypes families_;
  Intake& intake_;
  const ListenerAccount account_;
  Counter& without_value_;
};

}  // namespace statmill
