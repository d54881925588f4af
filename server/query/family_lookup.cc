#include "server/query/family_lookup.h"

#include "proto/unit_name.h"

namespace statmill {

void complete_unit(FamilyRow& row) {
  if (row.unit.empty()) row.unit = unit_of_name(row.key.path);
}

const FamilyRow& FamilyLookup::of(std::string_view name, Kind kind) {
  const std::string_view path = path_of(name);
  if (last_.key.path == path && last_.key.kind == kind) return last_;
  FamilyKey key{std::string(path), kind};
  auto known = families_.find(key);
  last_ = known ? std::move(*known) : FamilyRow{std::move(key), {}, {}};
  complete_unit(last_);
  return last_;
}

}  // namespace statmill
