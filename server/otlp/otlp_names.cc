#include "server/otlp/otlp_names.h"

#include <algorithm>

#include "base/hash.h"
#include "proto/prometheus/labels_name.h"
#include "proto/prometheus/series_name.h"

namespace statmill {
namespace {

// The hash of an attribute; their sum does not depend on their order.
uint64_t hash_of(const LabelView& attribute) {
  return hash_name(attribute.value, hash_name(attribute.name)).low;
}

}  // namespace

void OtlpNames::begin_resource(const OtlpAttributes& resource) {
  std::string space;
  job_.clear();
  instance_.clear();
  info_.clear();
  has_all_ = resource.has_all;
  has_info_ = !resource.has_all;
  resource_ = 0;
  for (const LabelView& attribute : resource.labels) {
    resource_ += hash_of(attribute);
    if (attribute.name == "service.name") {
      job_ = attribute.value;
    } else if (attribute.name == "service.namespace") {
      space = attribute.value;
    } else if (attribute.name == "service.instance.id") {
      instance_ = attribute.value;
    } else {
      has_info_ = true;
      info_.emplace_back(attribute.name, attribute.value);
    }
  }
  if (!space.empty() && !job_.empty()) job_ = space + "/" + job_;
  // What else its attributes are may change while it runs, as a collector finds out more.
  if (!instance_.empty()) resource_ = hash_name(instance_, hash_name(job_)).low;
  begin_scope({});
}

void OtlpNames::begin_scope(std::string_view scope) {
  sender_ = std::max<uint64_t>(hash_name(scope, resource_).low, 1);
}

Verdict<Refusal> OtlpNames::name(const Parts& parts, const OtlpAttributes& attributes, Batch& batch,
                                 std::string_view& name) {
  if (!attributes.has_all) return Refusal::kTagLimit;
  // A metric has many points, so its name is not copied for each if it is too long for a series.
  if (parts.metric.size() > kNameBytesMax) return Refusal::kNameTooLong;
  std::string_view path = parts.metric;
  if (!parts.suffix.empty()) path = path_.assign(parts.metric).append(parts.suffix);
  labels_ = {{kNameLabel, path}, {"job", job_}, {"instance", instance_}};
  if (!parts.quantile.empty()) labels_.push_back({"quantile", parts.quantile});
  for (LabelView label : attributes.labels) {
    if (label.name == "job") label.name = "exported_job";
    if (label.name == "instance") label.name = "exported_instance";
    labels_.push_back(label);
  }
  return read(batch, name);
}

Verdict<Refusal> OtlpNames::info_name(Batch& batch, std::string_view& name) {
  if (!has_all_) return Refusal::kTagLimit;
  labels_ = {{kNameLabel, "target_info"}, {"job", job_}, {"instance", instance_}};
  for (const auto& [key, value] : info_) labels_.push_back({key, value});
  return read(batch, name);
}

Verdict<Refusal> OtlpNames::read(Batch& batch, std::string_view& name) {
  // The order of equal names does not matter: at most one may have a value.
  std::ranges::sort(labels_, {}, &LabelView::name);
  return read_series_name(labels_, batch, name);
}

}  // namespace statmill
