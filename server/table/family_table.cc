#include "server/table/family_table.h"

namespace statmill {
namespace {

FamilyKey key_of(const FamilyText& family) { return {std::string(family.path), family.kind}; }

}  // namespace

bool FamilyTable::note(const FamilyText& family) {
  const FamilyKey key = key_of(family);
  MutexLock lock(mutex_);
  const auto known = families_.find(key);
  const bool keeps_help = family.help.empty() && known != families_.end();
  // A copy, because put() may replace the text.
  const std::string help = keeps_help ? known->second.help : std::string(family.help);
  return put(key, family.unit, help);
}

void FamilyTable::note_unit(Kind kind, std::string_view path, std::string_view unit) {
  const FamilyKey key{std::string(path), kind};
  MutexLock lock(mutex_);
  const auto known = families_.find(key);
  if (known == families_.end()) {
    put(key, unit, {});
  } else if (known->second.unit.empty()) {
    put(key, unit, std::string(known->second.help));
  }
}

bool FamilyTable::put(const FamilyKey& key, std::string_view unit, std::string_view help) {
  const auto known = families_.find(key);
  const bool is_new = known == families_.end();
  const size_t before = is_new ? 0 : known->second.unit.size() + known->second.help.size();
  const size_t bytes = bytes_ - before + (is_new ? key.path.size() : 0) + unit.size() + help.size();
  const bool grows = bytes > bytes_;
  if ((is_new && families_.size() >= limits_.families_max) || (grows && bytes > limits_.bytes_max)) {
    ++refused_;
    return false;
  }
  Texts& texts = is_new ? families_[key] : known->second;
  texts.noted_at = takes_;
  if (!is_new && texts.unit == unit && texts.help == help) return true;
  texts.unit = unit;
  texts.help = help;
  bytes_ = bytes;
  changed_.insert(key);
  return true;
}

void FamilyTable::copy(const FamilyKey& from, const FamilyKey& to) {
  MutexLock lock(mutex_);
  const auto known = families_.find(from);
  if (known == families_.end() || families_.contains(to)) return;
  const Texts texts = known->second;
  put(to, texts.unit, texts.help);
}

void FamilyTable::remove(const FamilyKey& key) {
  MutexLock lock(mutex_);
  const auto known = families_.find(key);
  if (known == families_.end() || known->second.noted_at == takes_) return;
  bytes_ -= key.path.size() + known->second.unit.size() + known->second.help.size();
  families_.erase(known);
  changed_.insert(key);
}

FamilyTable::Changes FamilyTable::take_changes() {
  Changes out;
  MutexLock lock(mutex_);
  ++takes_;
  for (const FamilyKey& key : changed_) {
    const auto known = families_.find(key);
    if (known == families_.end()) {
      out.removed.push_back(key);
    } else {
      out.families.push_back({key, known->second.unit, known->second.help});
    }
  }
  changed_.clear();
  return out;
}

// Loads more than the limits allow if they were higher before, so that nothing is lost by a setting.
void FamilyTable::restore(FamilyRows rows) {
  MutexLock lock(mutex_);
  takes_ = 1;
  for (FamilyRow& row : rows.rows) {
    bytes_ += row.key.path.size() + row.unit.size() + row.help.size();
    families_.insert_or_assign(std::move(row.key), Texts{std::move(row.unit), std::move(row.help)});
  }
  changed_.insert(rows.damaged.begin(), rows.damaged.end());
}

std::optional<FamilyRow> FamilyTable::find(const FamilyKey& key) const {
  MutexLock lock(mutex_);
  const auto known = families_.find(key);
  if (known == families_.end()) return std::nullopt;
  return FamilyRow{key, known->second.unit, known->second.help};
}

std::vector<FamilyRow> FamilyTable::page(const FamilyKey& after, size_t limit) const {
  std::vector<FamilyRow> out;
  MutexLock lock(mutex_);
  for (auto at = families_.upper_bound(after); at != families_.end() && out.size() < limit; ++at)
    out.push_back({at->first, at->second.unit, at->second.help});
  return out;
}

bool FamilyTable::has_path(std::string_view path) const {
  MutexLock lock(mutex_);
  const auto next = families_.lower_bound({std::string(path), kKinds[0]});
  return next != families_.end() && next->first.path == path;
}

size_t FamilyTable::size() const {
  MutexLock lock(mutex_);
  return families_.size();
}

size_t FamilyTable::text_bytes() const {
  MutexLock lock(mutex_);
  return bytes_;
}

uint64_t FamilyTable::refused() const {
  MutexLock lock(mutex_);
  return refused_;
}

}  // namespace statmill
