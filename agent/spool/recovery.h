// What a spool is found to be when an agent starts: its identity, its segments, and where its numbering
// stands.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "agent/spool/identity.h"
#include "agent/spool/segment.h"
#include "agent/spool/spool_directory.h"

namespace statmill {

using RandomSource = std::function<uint64_t()>;  // 64 random bits

// What a start came upon, for the log.
struct SpoolFindings {
  enum class Identity : uint8_t {
    kKept,
    kNew,            // there was none
    kDamaged,        // a new one is in its place; what was in the spool is gone
    kCopied,         // the spool is a copy of another agent's: likewise, and not ours to send
    kNumberingLost,  // no segment says how far the numbers had come: the same id, the next epoch
  };
  Identity identity = Identity::kKept;
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
Result<RecoveredSpool> recover_spool(SpoolDirectory& directory, std::string_view place,
                                     const RandomSource& random);

}  // namespace statmill
