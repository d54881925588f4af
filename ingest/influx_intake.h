// InfluxIntake: accepts blocks of points in InfluxDB's line protocol, such as the body of a POST.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "ingest/intake.h"
#include "ingest/line_intake.h"
#include "proto/influx/parser.h"
#include "proto/line_sender.h"
#include "proto/refusal.h"

namespace statmill {

struct InfluxBlock {
  std::string_view text = {};
  InfluxOptions options = {};  // its texts must outlive the block
  LineSender sender = {};
  Timestamp now{};  // decides what is too old or too new
};

// The outcome of one block: its samples, and a refused point that counts as one.
struct InfluxAccount {
  struct Refused {
    Refusal reason{};
    std::string text;  // the first line of a point, or the name of a series, cut to kTextBytesMax
  };
  static constexpr size_t kTextBytesMax = 200;

  LinesAccount samples;
  std::optional<Refused> first;
};

// Thread-safe.
class InfluxIntake {
 public:
  // `intake` must outlive it. Samples are counted for `listener`.
  InfluxIntake(Intake& intake, std::string_view listener)
      : intake_(intake), account_(intake.account(listener)) {}

  // Parses the block and submits its samples, in pieces of whole points: several ticks may collect them.
  InfluxAccount submit(const InfluxBlock& block) const;

 private:
  Intake& intake_;
  const ListenerAccount account_;
};

}  // namespace statmill
