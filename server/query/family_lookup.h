// FamilyLookup: unit and help of series whose names come in order, so that those of one family are looked up
// once.
#pragma once

#include <string_view>

#include "server/table/family_table.h"

namespace statmill {

// Puts the unit that the path ends in into a row without a unit (unit_of_name).
void complete_unit(FamilyRow& row);

// Confined to one thread.
class FamilyLookup {
 public:
  // `families` must outlive it.
  explicit FamilyLookup(const FamilyTable& families) : families_(families) {}

  // Returns what is known of the family of a series, whose unit may be that of its name. Valid until the next
  // call.
  const FamilyRow& of(std::string_view name, Kind kind);

 private:
  const FamilyTable& families_;
  FamilyRow last_;  // an empty path: none
};

}  // namespace statmill
