// LineIntake: accepts the bodies of POST /api/v1/lines.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "ingest/intake.h"
#include "proto/sample.h"

namespace statmill {

// The outcome of the samples of one request: received == accepted + sum of refused.
struct LinesAccount {
  uint64_t received = 0;
  uint64_t accepted = 0;
  std::array<uint64_t, kRefusalCount> refused{};
};

// Thread-safe.
class LineIntake {
 public:
  // `intake` must outlive it. Samples are counted for the listener "http".
  explicit LineIntake(Intake& intake) : intake_(intake), account_(intake.account("http")) {}

  // Parses the text as line protocol and submits its samples.
  LinesAccount submit(std::string_view text, Timestamp now) const;

 private:
  Intake& intake_;
  const ListenerAccount account_;
};

}  // namespace statmill
