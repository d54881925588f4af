// LineIntake: accepts blocks of whole lines of the line protocol: the body of a POST, or the lines of an
// agent's batch. Listeners, whose bytes arrive in pieces, have a LineParser instead (ingest/dialect.h).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "ingest/intake.h"
#include "proto/added_tags.h"
#include "proto/batch.h"
#include "proto/line_sender.h"
#include "proto/sample.h"

namespace statmill {

// How to treat the lines of a block.
enum class LinesAction : uint8_t {
  kApply,
  kSkip,    // there are none, or they may already be counted: only the bytes are counted
  kRefuse,  // all of them, with too_new: the sender's clock was wrong when it made the block
};

struct LineBlock {
  LinesAction action = LinesAction::kApply;
  std::string_view text = {};  // the last line needs no LF
  LineSender sender = {};
  AddedTags tags = {};  // that its names get; their text must outlive the block
  Timestamp now{};      // decides what is too old or too new
};

// The outcome of the samples of one block: received == accepted + sum of refused.
struct LinesAccount {
  uint64_t received = 0;
  uint64_t accepted = 0;
  std::array<uint64_t, kRefusalCount> refused{};
};

// Thread-safe.
class LineIntake {
 public:
  // `intake` must outlive it. Samples are counted for `listener`.
  LineIntake(Intake& intake, std::string_view listener)
      : intake_(intake), account_(intake.account(listener)) {}

  // The bytes of a block that are submitted together, so that a long body holds up no tick.
  static constexpr size_t kPieceBytes = 64 << 10;

  // Parses the block and submits its samples, in pieces of whole lines: several ticks may collect them.
  LinesAccount submit(const LineBlock& block) const;
  // The same with `sink` in place of the intake's own, for samples that must be applied together with
  // something else. The sink gets every block, even if no sample is left. `batch` is cleared first; its
  // memory is reused.
  void submit(const LineBlock& block, SampleSink& sink, Batch& batch) const;

 private:
  Intake& intake_;
  const ListenerAccount account_;
};

}  // namespace statmill
