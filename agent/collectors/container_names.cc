#include "agent/collectors/container_names.h"

#include <algorithm>
#include <utility>

#include "agent/collectors/slow_collector.h"

namespace statmill {

ContainerNames::ContainerNames(std::unique_ptr<ContainerSource> source, const Clock& clock, Log& log)
    : clock_(clock),
      source_(std::move(source)),
      work_(log, "containers", [this] { found_ = source_->read(wanted_); }) {}

void ContainerNames::look_up(const CgroupTree& tree) {
  const SteadyTime now = clock_.steady();
  if (is_reading_ && work_.wait(Duration(0))) note_found();
  add_new(tree, now);
  if (is_reading_) return;
  begin(now);
  if (is_reading_ && work_.wait(has_read_ ? kSlowPatience : kSlowFirstPatience)) note_found();
}

void ContainerNames::update() {
  if (is_reading_ && work_.wait(Duration(0))) note_found();
  if (!is_reading_) begin(clock_.steady());
}

void ContainerNames::add_new(const CgroupTree& tree, SteadyTime now) {
  looked_at_ = now;
  skipped_ = 0;
  for (const Cgroup& cgroup : tree.cgroups()) {
    if (const auto known = entries_.find(cgroup.path); known != entries_.end()) {
      known->second.seen_at = now;
      continue;
    }
    auto container = container_of(cgroup.path);
    if (!container) continue;
    if (entries_.size() == kContainersMax) {
      ++skipped_;
      continue;
    }
    Entry& entry = entries_[cgroup.path];
    entry.cgroup = *std::move(container);
    entry.seen_at = now;
  }
  std::erase_if(entries_, [now](const auto& one) { return now - one.second.seen_at > kForgetAfter; });
}

void ContainerNames::begin(SteadyTime now) {
  asked_.clear();
  wanted_.clear();
  for (auto& [path, entry] : entries_) {
    const bool is_due = entry.tries == 0 || (entry.tries < kTriesMax && now - entry.tried_at >= kTryEvery);
    if (entry.is_named() || !is_due) continue;
    entry.tried_at = now;
    asked_.push_back(path);
    wanted_.push_back(entry.cgroup);
  }
  if (asked_.empty()) return;
  begun_at_ = now;
  is_reading_ = true;
  work_.begin();
}

void ContainerNames::note_found() {
  is_reading_ = false;
  has_read_ = true;
  refused_ = source_->refused();
  for (size_t i = 0; i < asked_.size(); ++i) {
    const auto entry = entries_.find(asked_[i]);
    if (entry == entries_.end()) continue;
    ++entry->second.tries;
    if (found_[i]) entry->second.name = *std::exchange(found_[i], std::nullopt);
  }
}

bool ContainerNames::is_overdue() const { return is_reading_ && clock_.steady() - begun_at_ >= kSlowOverdue; }

const ContainerName* ContainerNames::find(std::string_view path) const {
  const auto entry = entries_.find(path);
  if (entry == entries_.end()) return &no_name_;
  return entry->second.tries == 0 && !is_overdue() ? nullptr : &entry->second.name;
}

const ContainerName* ContainerNames::find_around(std::string_view path) const {
  while (!path.empty() && !entries_.empty()) {
    if (entries_.contains(path)) return find(path);
    const size_t parent_end = path.rfind('/');
    path = parent_end == std::string_view::npos ? std::string_view() : path.substr(0, parent_end);
  }
  return &no_name_;
}

size_t ContainerNames::unnamed() const {
  const auto seen = std::count_if(entries_.begin(), entries_.end(), [this](const auto& one) {
    return !one.second.is_named() && looked_at_ - one.second.seen_at < kSameLook;
  });
  return static_cast<size_t>(seen) + skipped_;
}

CollectorStatus ContainerNames::status() const {
  if (is_overdue())
    return CollectorStatus::degraded("names of containers: waits for " + source_->waits_for());
  if (refused_.empty() || unnamed() == 0) return {};
  return CollectorStatus::degraded("names of containers: " + refused_);
}

}  // namespace statmill
