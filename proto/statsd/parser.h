// Parser for statsd and DogStatsD, `name:value|type|@rate|#tags` (proto/PROTOCOL.md). Pure: bytes in, samples
// and counts out; no clock, no log, no state between calls.
//
// Two types need state: a gauge may be a step from its last value, and a set counts the
// different members of a slot. The parser marks these; ingest/statsd/state.h turns them into
// samples before the table gets the batch. Events and the changes of service checks are no samples:
// ingest/statsd/dialect.h passes them on.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "proto/batch.h"
#include "proto/statsd/event.h"

namespace statmill {

struct StatsdBatch {
  // A sample of type g.
  struct Gauge {
    uint32_t sample = 0;   // its index in batch.samples
    bool is_step = false;  // the value has a sign and is added to the gauge's last value
  };
  // A sample of type s. It is not in batch.samples, since a bucket cannot hold it.
  struct SetMember {
    std::string_view name;    // canonical, as a sample's
    std::string_view member;  // any bytes but | and LF, at least one
    LineSender sender;
  };

  // A service check, which is a gauge, too.
  struct Check {
    uint32_t sample = 0;       // its index in batch.samples
    std::string_view message;  // as an event's text
    LineSender sender;
  };

  Batch batch;                     // its counts do not include the members
  std::vector<Gauge> gauges;       // in the order of the samples
  std::vector<SetMember> members;  // not in batch.received: the code that accepts or refuses them counts them
  std::vector<StatsdEvent> events;  // the same
  std::vector<Check> checks;        // in the order of the samples

  void clear() {
    batch.clear();
    gauges.clear();
    members.clear();
    events.clear();
    checks.clear();
  }
};

// Parses one line without its LF; skips white space around the line, its name and its
// values. Adds samples and members, or one refusal, to `batch`; nothing if the line is
// empty. `line` must stay valid until batch.clear().
void parse_statsd_line(std::string_view line, StatsdBatch& batch);

// Parses all lines of `bytes`. The last line needs no LF, since the end of a datagram also ends its line.
void parse_statsd_lines(std::string_view bytes, StatsdBatch& batch);

}  // namespace statmill
