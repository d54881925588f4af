// ReplicaChoice: several Prometheus that scrape the same targets send the same samples; one of each cluster
// is elected, and only its samples count until it is silent.
//
// Samples of two replicas are never mixed: their clocks differ, so around a reset a counter would count
// twice. The election is in RAM only: after a start the first replica of a cluster that sends is elected.
// What a series had last does not depend on it, so the samples of the other one continue from there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/text_map.h"
#include "base/verdict.h"
#include "proto/refusal.h"
#include "server/prometheus/remote_options.h"
#include "statmill/registry.h"

namespace statmill {

// Reads "CLUSTER,REPLICA", the names of two labels, or "", which sets both to none. Errors: kInvalid.
Result<std::pair<std::string, std::string>> parse_replica_labels(std::string_view text);

// Thread-safe. Its lock is a leaf.
class ReplicaChoice {
 public:
  static constexpr Duration kShownEvery = std::chrono::minutes(1);

  // `clock` and `registry` must outlive it.
  ReplicaChoice(const ReplicaOptions& options, const Clock& clock, Registry& registry);

  struct Choice {
    Verdict<Refusal> verdict;
    bool is_shown = true;  // false: a refusal of this cluster was shown within the last minute
  };
  // Elects the replica if the cluster has none, or the elected one is silent. Accepts the elected one.
  // Refuses others with kReplica, and with kStateLimit a further cluster if there are options.clusters_max.
  Choice choose(std::string_view cluster, std::string_view replica);

  const ReplicaOptions& options() const { return options_; }
  size_t clusters() const;

 private:
  struct Cluster {
    std::string replica;  // that is elected
    SteadyTime heard;     // when a sample of it came last
    SteadyTime shown{};   // when a refusal was shown last
  };
  bool is_silent(const Cluster& cluster, SteadyTime now) const {
    return now - cluster.heard > options_.timeout;
  }
  bool make_room(SteadyTime now) REQUIRES(mutex_);

  const ReplicaOptions options_;
  const Clock& clock_;
  mutable Mutex mutex_;
  TextMap<Cluster> clusters_ GUARDED_BY(mutex_);
  SteadyTime none_silent_until_ GUARDED_BY(mutex_){};  // all clusters were heard of too lately for that
  Counter& changes_;
};

}  // namespace statmill
