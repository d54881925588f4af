#include "server/documents/dashboard_set.h"

#include <algorithm>
#include <utility>

#include "server/http/etag.h"

namespace statmill {
namespace {

constexpr size_t kBytesPerVersion = 300;  // without its texts, about

size_t bytes_of(const DashboardVersion& version) {
  return kBytesPerVersion + version.text->size() + version.by.size() + version.note.size() +
         version.summary.title.size() + version.summary.folder.size();
}

}  // namespace

DashboardSet::DashboardSet(const DashboardLimits& limits, DocumentChanges& changes, Registry& registry)
    : limits_(limits),
      changes_(changes),
      refused_(
          registry.counter("statmill.dashboards_refused", "Changes of dashboards that a limit refused.")) {
  registry.gauge_fn("statmill.dashboards", "Saved dashboards.", {},
                    [this] { return static_cast<double>(size()); });
  registry.gauge_fn("statmill.dashboard_bytes", "RAM used by all versions of saved dashboards.", {},
                    [this] { return static_cast<double>(bytes()); });
}

void DashboardSet::restore(DashboardRow row) {
  MutexLock lock(mutex_);
  bytes_ += bytes_of(row.version);
  dashboards_[row.id].push_back(std::move(row.version));
}

DashboardSet::Changed DashboardSet::save(std::string_view id, DashboardVersion version,
                                         const Condition& condition) {
  return change(id, std::move(version), condition);
}

DashboardSet::Changed DashboardSet::remove(std::string_view id, DashboardVersion version,
                                           const Condition& condition) {
  version.is_deleted = true;
  version.text = std::make_shared<const std::string>();
  return change(id, std::move(version), condition);
}

DashboardSet::Changed DashboardSet::change(std::string_view id, DashboardVersion version,
                                           const Condition& condition) {
  MutexLock lock(mutex_);
  const auto known = dashboards_.find(id);
  const DashboardVersion* newest = known == dashboards_.end() ? nullptr : &known->second.back();
  const bool exists = newest != nullptr && !newest->is_deleted;
  if (version.is_deleted && !exists) return {.outcome = Outcome::kNotFound};
  if (condition.if_match.empty() && !condition.is_new) return {.outcome = Outcome::kNoCondition};
  const bool matches = condition.is_new ? !exists : exists && is_in_etags(condition.if_match, newest->etag());
  if (!matches) return {.outcome = Outcome::kConflict, .version = exists ? newest->version : 0};
  if (!changes_.has_room()) return {.outcome = Outcome::kUnavailable};
  if (!version.is_deleted && !has_room(id, version)) {
    refused_.add();
    return {.outcome = Outcome::kLimit};
  }
  version.version = newest == nullptr ? 1 : newest->version + 1;
  Changed changed{.version = version.version, .etag = version.etag()};
  bytes_ += bytes_of(version);
  Versions& versions = dashboards_[std::string(id)];
  changed.ticket = changes_.put(dashboard_row(id, version));
  versions.push_back(std::move(version));
  while (versions.size() > limits_.versions_max) erase_first(id, versions);
  return changed;
}

// A dashboard that has all its versions makes room for the next one with its oldest.
bool DashboardSet::has_room(std::string_view id, const DashboardVersion& version) const {
  const auto known = dashboards_.find(id);
  if (known == dashboards_.end() && dashboards_.size() >= limits_.dashboards_max) return false;
  size_t freed = 0;
  if (known != dashboards_.end() && known->second.size() >= limits_.versions_max)
    freed = bytes_of(known->second.front());
  return bytes_ - freed + bytes_of(version) <= limits_.bytes_max;
}

void DashboardSet::erase_first(std::string_view id, Versions& versions) {
  bytes_ -= bytes_of(versions.front());
  changes_.remove(dashboard_key(id, versions.front().version));
  versions.erase(versions.begin());
}

void DashboardSet::expire(Timestamp now) {
  MutexLock lock(mutex_);
  for (auto at = dashboards_.begin(); at != dashboards_.end();) {
    auto& [id, versions] = *at;
    const DashboardVersion& newest = versions.back();
    if (!newest.is_deleted || now - newest.changed < limits_.deleted_kept) {
      ++at;
      continue;
    }
    while (!versions.empty()) erase_first(id, versions);
    at = dashboards_.erase(at);
  }
}

std::vector<DashboardSet::Listed> DashboardSet::list() const {
  std::vector<Listed> out;
  MutexLock lock(mutex_);
  for (const auto& [id, versions] : dashboards_) {
    if (!versions.back().is_deleted) out.push_back({id, versions.back()});
  }
  return out;
}

std::optional<DashboardVersion> DashboardSet::find(std::string_view id,
                                                   std::optional<uint32_t> version) const {
  MutexLock lock(mutex_);
  const auto known = dashboards_.find(id);
  if (known == dashboards_.end()) return std::nullopt;
  const Versions& versions = known->second;
  const auto at =
      version ? std::ranges::find(versions, *version, &DashboardVersion::version) : std::prev(versions.end());
  if (at == versions.end() || at->is_deleted) return std::nullopt;
  return *at;
}

std::vector<DashboardVersion> DashboardSet::versions(std::string_view id) const {
  MutexLock lock(mutex_);
  const auto known = dashboards_.find(id);
  if (known == dashboards_.end()) return {};
  return {known->second.rbegin(), known->second.rend()};
}

size_t DashboardSet::size() const {
  MutexLock lock(mutex_);
  return static_cast<size_t>(
      std::ranges::count_if(dashboards_, [](const auto& d) { return !d.second.back().is_deleted; }));
}

size_t DashboardSet::bytes() const {
  MutexLock lock(mutex_);
  return bytes_;
}

}  // namespace statmill
