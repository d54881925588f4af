// statsd and DogStatsD, `name:value|type|@rate|#tags` (proto/PROTOCOL.md). Pure: bytes in, samples and counts
// out; no clock, no log, no state between calls.
//
// Two types mean nothing without what came before: a gauge may be a step from its last value, and a set
// counts the different members of a slot. The parser marks these; who keeps the state turns them into samples
// of the table before the batch goes there.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "proto/batch.h"

namespace statmill {

struct StatsdBatch {
  // A sample of type g.
  struct Gauge {
    uint32_t sample = 0;   // its index in batch.samples
    bool is_step = false;  // the value has a sign: it adds to the gauge's last one
  };
  // A sample of type s. Not among batch.samples, since no bucket holds it.
  struct SetMember {
    std::string_view name;    // canonical, as a sample's
    std::string_view member;  // any bytes but | and LF, at least one
    LineSender sender;
  };

  Batch batch;                     // its account holds without the members
  std::vector<Gauge> gauges;       // in the order of the samples
  std::vector<SetMember> members;  // not yet received: who takes or refuses them counts them

  void clear() {
    batch.clear();
    gauges.clear();
    members.clear();
  }
};

// Parses one line (no LF; white space around the line, its name and its values is skipped) and adds what it
// says to `batch`: samples and members, or one refusal; an empty line adds nothing. `line` must outlive the
// batch's use.
void parse_statsd_line(std::string_view line, StatsdBatch& batch);

// Parses every line of `bytes`; a last line without LF is taken as a line (a datagram ends its own line).
void parse_statsd_lines(std::string_view bytes, StatsdBatch& batch);

}  // namespace statmill
