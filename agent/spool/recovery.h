// What a spool is found to be when an agent starts: its identity, its segments, and where its numbering
// stands.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/spool/identity.h"
#include "agent/spool/segment.h"
#include "agent/spool/spool_directory.h"

namespace statmill {

// What a start came upon, for the log.
struct SpoolFindings {
  enum class Identity : uint8_t {
    kKept,
    kNew,            // there was none
    kDamaged,        // a new one is in its place, and the batches of the spool are gone
    kCopied,         // likewise: the spool is a copy, and its batches are the first agent's to send
    kNumberingLost,  // no segment says how far the numbers had come: the same id, the next epoch
  };
  Identity identity = Identity::kKept;
  uint64_t lines_lost = 0;        // with an identity: not known to be acknowledged; servers are told
  uint64_t segments_removed = 0;  // of another identity, or with nothing whole in them
  uint64_t headers_damaged = 0;   // of segments that were read all the same
  uint64_t torn_bytes = 0;        // behind the last whole record
};
// "kept", "new", "damaged", ...
std::string_view identity_text(SpoolFindings::Identity identity);

struct RecoveredSpool {
  SpoolIdentity identity;
  Segments segments;  // at least one
  SpoolFindings findings;
};

// Makes the spool of `directory` one that can be read and added to; all it gives is durable. Reads the head
// of each segment, and the newest one whole. Errors: kVersion, and then nothing was changed; those of the
// directory.
Result<RecoveredSpool> recover_spool(SpoolDirectory& directory, const SpoolPlace& place,
                                     const RandomSource& random);

}  // namespace statmill
