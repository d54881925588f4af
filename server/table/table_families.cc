// Families as series come and go: their texts arrive in batches, and follow series that are renamed or
// deleted.
#include <map>
#include <set>

#include "proto/name_escapes.h"
#include "proto/prometheus/labels_name.h"
#include "server/table/table.h"

namespace statmill {

void Table::note_families(Batch& batch) {
  std::erase_if(batch.families, [&](const Batch::Family& family) {
    if (families_.note(family.text)) return false;
    batch.refuse(Refusal::kMetadataLimit, family.text.path, family.sender);
    return true;
  });
}

bool Table::has_series_of(const FamilyKey& family) const {
  bool found = false;
  const LabelMatcher matcher{LabelMatcher::Op::kEqual, std::string(kNameLabel), unescaped(family.path)};
  const Status searched = names()->select({&matcher, 1}, [&](std::string_view name) {
    const auto of_name = path_of(name) == family.path ? summary(name) : std::nullopt;
    found = of_name && of_name->kind == family.kind;
    return !found;
  });
  return found || !searched;  // after an error it may have one
}

void Table::change_families(const SeriesChanges& changes, const ChangedSeries& changed) {
  std::map<std::string_view, Kind> renamed;
  for (const ChangedSeries::Renamed& one : changed.renamed) renamed.emplace(one.row.name, one.row.kind);
  std::set<FamilyKey> left;  // known families of which a series may have been the last
  const auto leave = [&](std::string_view name) {
    for (const Kind kind : kKinds) {
      FamilyKey key{std::string(path_of(name)), kind};
      if (families_.find(key)) left.insert(std::move(key));
    }
  };
  for (const NewName& names : changes.renames) {
    const auto to = renamed.find(names.to);
    if (to == renamed.end()) continue;
    leave(names.from);
    families_.copy({std::string(path_of(names.from)), to->second},
                   {std::string(path_of(names.to)), to->second});
  }
  const bool is_expiry = !changes.kept_from.empty();
  for (const std::string_view name : changes.deletes) {
    if (!is_expiry || !summary(name)) leave(name);  // a series that is silent no longer was not deleted
  }
  for (const FamilyKey& key : left) {
    if (!has_series_of(key)) families_.remove(key);
  }
}

}  // namespace statmill
