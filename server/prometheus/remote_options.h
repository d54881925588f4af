// RemoteOptions: how samples that come by remote_write are remembered.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "base/clock.h"

namespace statmill {

struct ReplicaOptions {
  // --prometheus.replica_labels: which label of a series names the cluster, and which one the replica of it
  // that sends; empty: replicas are senders like others.
  std::string cluster_label = "cluster";
  std::string replica_label = "__replica__";
  // --prometheus.replica_timeout: another replica takes over when the elected one is silent for longer.
  Duration timeout = std::chrono::seconds(30);
  // --prometheus.clusters: samples of further clusters are refused.
  size_t clusters_max = 1000;
};

struct RemoteOptions {
  // --prometheus.forget: what a series had last is forgotten when no sample came for so long; its next sample
  // is then its first.
  Duration forget = std::chrono::hours(24);
  // --prometheus.out_of_order: by how much a gauge's sample may be older than its last one, but not by more
  // than `forget`, since what came before is then forgotten; 0: not at all.
  Duration out_of_order = Duration(0);
  // --otlp.series: further series of OpenTelemetry are refused while so many of all senders are remembered. A
  // series counts once for each sender of it.
  size_t series_max = 2'000'000;
  // --otlp.histogram_bytes: further cumulative histograms are refused while what is remembered of all has so
  // many. Slots of gauges take at most half.
  size_t histogram_bytes = size_t{256} << 20;
  ReplicaOptions replicas = {};
};

}  // namespace statmill
