// The group of a push to a Pushgateway: the labels that a path names.
//
//   /metrics/job/backup/instance/db1            {job="backup", instance="db1"}
//   /metrics/job@base64/L2RhdGE/dir@base64/Lw   {job="/data", dir="/"}
//
// Source: github.com/prometheus/pushgateway, README, "URL".
#pragma once

#include <string_view>

#include "base/result.h"
#include "proto/prometheus/labels_name.h"

namespace statmill {

// Returns the labels, ascending by name, of a decoded path that begins with "/metrics/job". A label without a
// value is left out: it means the same. Errors: kInvalid.
Result<LabelPairs> push_group(std::string_view path);

}  // namespace statmill
