// Recovery: reads a spool at the start of an agent, repairs it, and determines its identity, its segments and
// the next batch number.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/spool/identity.h"
#include "agent/spool/segment.h"
#include "agent/spool/spool_directory.h"

namespace statmill {

// Says what recovery found and changed, for the log.
struct RecoveryReport {
  enum class Identity : uint8_t {
    kKept,
    kNew,      // the directory had none
    kDamaged,  // replaced by a new identity; the spool's batches are gone
    kCopied,   // replaced by a new identity: the spool is a copy, and the original agent sends its batches
    kNumberingLost,  // no segment records the last batch number: same id, next epoch
  };
  Identity identity = Identity::kKept;
  uint64_t lines_lost = 0;  // given up with an identity, not known to be acknowledged; servers get a gap
  uint64_t segments_removed = 0;  // of another identity, or without an intact record
  uint64_t headers_damaged = 0;   // of segments that were still read
  uint64_t torn_bytes = 0;        // after the last intact record
};
// Returns "kept", "new", "damaged", ...
std::string_view identity_text(RecoveryReport::Identity identity);

struct RecoveredSpool {
  SpoolIdentity identity;
  Segments segments;  // at least one
  RecoveryReport report;
};

// Makes the spool in `directory` readable and writable. Everything returned is durable. Cost: reads the
// header of each segment and the whole newest segment. Errors: kVersion, in which case nothing has changed;
// those of the directory.
Result<RecoveredSpool> recover_spool(SpoolDirectory& directory, const SpoolLocation& location,
                                     const RandomSource& random);

}  // namespace statmill
