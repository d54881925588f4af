// ScrapeTarget: what is scraped, and which labels its series get; read from the files of Prometheus' file
// discovery (prometheus.io/docs, "file_sd_config"), in JSON:
//
//   [{"targets": ["web1:9100", "web2:9100"], "labels": {"job": "node", "dc": "eu"}}]
//
// As Prometheus does, it understands the labels __scheme__ (http, https), __metrics_path__, __param_NAME,
// __scrape_interval__ and __scrape_timeout__; __keep__ and __drop__ are its own: globs of the names of
// metrics. Further labels that begin with two underscores are not kept.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/glob.h"
#include "base/result.h"
#include "ingest/scrape/scrape_options.h"
#include "proto/prometheus/labels_name.h"

namespace statmill {

struct ScrapeTarget {
  bool uses_tls = false;
  std::string host;  // a name or an address, without brackets
  std::string port;
  std::string path;   // with its parameters, percent-encoded
  LabelPairs labels;  // ascending by name; job and instance are among them
  Duration interval{};
  Duration timeout{};        // at most the interval
  std::optional<Glob> keep;  // nullopt: all
  std::optional<Glob> drop;  // wins over `keep`; nullopt: none

  // "http://web1:9100/metrics"
  std::string url() const;
  // The host and port as HTTP and labels write them.
  std::string address() const;
  // Two targets with the same key are scraped for the same series.
  std::string key() const;
  bool wants(std::string_view metric) const {
    return (!keep || keep->matches(metric)) && !(drop && drop->matches(metric));
  }
  // Returns the value of one of its labels, or an empty text.
  std::string_view label(std::string_view name) const;
  bool operator==(const ScrapeTarget& other) const;
};

// Reads a file of targets; each target once. `job` is the label of those that have none. Errors: kInvalid,
// which says where, also if only one target is wrong; kLimit (kScrapeTargetsMax).
Result<std::vector<ScrapeTarget>> parse_targets(std::string_view json, const ScrapeOptions& options,
                                                std::string_view job);

// Returns the time from `now` until the target is to be scraped: once in each interval, near the middle of a
// slot of 10 s if the interval has whole ones, so that each slot gets a sample; targets are spread by a hash
// of their key. The result is at least 1 ms.
Duration until_scrape(const ScrapeTarget& target, Timestamp now);

}  // namespace statmill
