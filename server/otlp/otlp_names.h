// OtlpNames: the names of the series of a resource, and which sender it is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/verdict.h"
#include "proto/batch.h"
#include "proto/otlp/metrics.h"

namespace statmill {

// Thread-compatible.
class OtlpNames {
 public:
  // Begins with a resource: `service.name`, with `service.namespace` and a `/` in front, is the job,
  // `service.instance.id` the instance.
  void begin_resource(const OtlpAttributes& resource);
  // Begins with a scope of the resource.
  void begin_scope(std::string_view scope);

  // Which sender it is, never 0. Its resource with an instance, or all of its attributes, and the scope: two
  // libraries of a program may count under one name, and so may two programs whose resources have no
  // instance.
  uint64_t sender() const { return sender_; }

  // Sets the canonical name of a point's series, which `batch` keeps: the metric's name with a suffix, the
  // attributes of the point, job and instance, and `quantile` unless it is empty. An attribute `job` or
  // `instance` of the point becomes `exported_job`, as in Prometheus. Refuses as read_series_name() does.
  struct Parts {
    std::string_view metric;
    std::string_view suffix = {};
    std::string_view quantile = {};
  };
  Verdict<Refusal> name(const Parts& parts, const OtlpAttributes& attributes, Batch& batch,
                        std::string_view& name);

  // Returns whether the resource has attributes that no other series has.
  bool has_info() const { return has_info_; }
  // Sets the name of `target_info`, the series that has them.
  Verdict<Refusal> info_name(Batch& batch, std::string_view& name);

 private:
  Verdict<Refusal> read(Batch& batch, std::string_view& name);

  std::string job_;
  std::string instance_;
  uint64_t resource_ = 0;  // a hash of what identifies it
  uint64_t sender_ = 1;
  bool has_info_ = false;
  bool has_all_ = true;
  // The attributes for `target_info`.
  std::vector<std::pair<std::string, std::string>> info_;
  std::vector<LabelView> labels_;  // of the name that is being made
  std::string path_;
};

}  // namespace statmill
