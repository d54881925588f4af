// What a sender of Prometheus says of a family of series: its type, unit and help.
#pragma once

#include <optional>
#include <string_view>

#include "ingest/family_types.h"
#include "proto/batch.h"
#include "proto/prometheus/family_type.h"

namespace statmill {

struct FamilyDescription {
  std::string_view name;  // as its series have it, without _bucket, _sum and _count
  FamilyType type = FamilyType::kUnknown;
  std::string_view unit;
  std::string_view help;
  std::optional<Kind> kind = std::nullopt;  // of its series; nullopt: that of the type
};

// Adds unit and help to the families of the batch: those of a counter for its series, those of a histogram
// for a distribution of its name, all others for gauges. A help is cut after kHelpBytesMax bytes, and what it
// has of line ends and hidden characters becomes blanks; a unit that is none is left out.
void add_family(const FamilyDescription& family, Batch& batch);

// Notes the type of the family, and adds its texts to the batch if they are new.
void note_family(const FamilyDescription& family, FamilyTypes& types, Batch& batch);

}  // namespace statmill
