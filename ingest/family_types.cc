#include "ingest/family_types.h"

#include <string>

#include "proto/sample.h"

namespace statmill {
namespace {

// Returns whether a series of a family of this type is a counter. `suffix` is what its name has after that of
// the family.
bool is_counter_of(FamilyType type, std::string_view suffix) {
  const bool is_sum_or_count = suffix == "_sum" || suffix == "_count";
  switch (type) {
    case FamilyType::kCounter:
      return suffix.empty() || suffix == "_total";
    case FamilyType::kHistogram:
      return is_sum_or_count || suffix == "_bucket";
    case FamilyType::kSummary:
      return is_sum_or_count;
    default:
      return false;
  }
}

std::string_view suffix_of(std::string_view name) {
  for (const std::string_view suffix : {"_total", "_bucket", "_sum", "_count", "_created"}) {
    if (name.size() > suffix.size() && name.ends_with(suffix)) return suffix;
  }
  return {};
}

}  // namespace

bool FamilyTypes::note(std::string_view family, FamilyType type, uint64_t texts) {
  if (family.empty() || family.size() > kNameBytesMax) return false;
  MutexLock lock(mutex_);
  const auto known = types_.find(family);
  if (known == types_.end()) {
    if (types_.size() >= kFamiliesMax) return false;
    types_.emplace(family, Known{type, texts});
    return true;
  }
  if (known->second.type == type && known->second.texts == texts) return false;
  known->second = {type, texts};
  return true;
}

std::optional<FamilyType> FamilyTypes::type_of(std::string_view family) const {
  MutexLock lock(mutex_);
  const auto known = types_.find(family);
  if (known == types_.end() || known->second.type == FamilyType::kUnknown) return std::nullopt;
  return known->second.type;
}

bool FamilyTypes::is_counter(std::string_view name, const SeriesClues& clues) const {
  const std::string_view suffix = suffix_of(name);
  if (clues.type == FamilyType::kCounter) return suffix != "_created";
  if (clues.type != FamilyType::kUnknown) return is_counter_of(clues.type, suffix);
  if (const auto type = type_of(name)) return is_counter_of(*type, {});
  if (!suffix.empty()) {
    if (const auto type = type_of(name.substr(0, name.size() - suffix.size())))
      return is_counter_of(*type, suffix);
  }
  return suffix == "_total" || (suffix == "_bucket" && clues.has_le);
}

}  // namespace statmill
