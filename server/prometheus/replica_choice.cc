#include "server/prometheus/replica_choice.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace statmill {

Result<std::pair<std::string, std::string>> parse_replica_labels(std::string_view text) {
  if (text.empty()) return std::pair<std::string, std::string>();
  const std::vector<std::string_view> labels = split(text, ',');
  if (labels.size() != 2 || labels[0].empty() || labels[1].empty() || labels[0] == labels[1])
    return Error{ErrorCode::kInvalid, "\"" + std::string(text) + "\" is not of the form CLUSTER,REPLICA"};
  return std::pair(std::string(labels[0]), std::string(labels[1]));
}

ReplicaChoice::ReplicaChoice(const ReplicaOptions& options, const Clock& clock, Registry& registry)
    : options_(options),
      clock_(clock),
      changes_(
          registry.counter("statmill.replica_changes",
                           "Times that another replica of a cluster was elected, since the one before was "
                           "silent.")) {
  registry.gauge_fn("statmill.replica_clusters", "Clusters of which a replica is elected.", {},
                    [this] { return static_cast<double>(clusters()); });
}

ReplicaChoice::Choice ReplicaChoice::choose(std::string_view cluster, std::string_view replica) {
  const SteadyTime now = clock_.steady();
  MutexLock lock(mutex_);
  auto found = clusters_.find(cluster);
  if (found == clusters_.end()) {
    if (!make_room(now)) return {Refusal::kStateLimit};
    found = clusters_.emplace(cluster, Cluster{std::string(replica), now}).first;
  }
  Cluster& known = found->second;
  if (known.replica != replica) {
    if (!is_silent(known, now)) {
      const bool is_shown = known.shown == SteadyTime{} || now - known.shown > kShownEvery;
      if (is_shown) known.shown = now;
      return {Refusal::kReplica, is_shown};
    }
    known.replica = replica;
    changes_.add();
  }
  known.heard = now;
  return {kAccepted};
}

size_t ReplicaChoice::clusters() const {
  MutexLock lock(mutex_);
  return clusters_.size();
}

// Forgets all silent clusters when there are too many: of these any replica that comes would be elected
// anyway.
bool ReplicaChoice::make_room(SteadyTime now) {
  if (clusters_.size() < options_.clusters_max) return true;
  if (now <= none_silent_until_) return false;
  std::erase_if(clusters_, [&](const auto& entry) { return is_silent(entry.second, now); });
  SteadyTime oldest = now;
  for (const auto& [name, cluster] : clusters_) oldest = std::min(oldest, cluster.heard);
  none_silent_until_ = oldest + options_.timeout;
  return clusters_.size() < options_.clusters_max;
}

}  // namespace statmill
