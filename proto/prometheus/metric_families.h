// Reads the messages of Prometheus' client library for Go, as it pushes them:
// io.prometheus.client.MetricFamily (github.com/prometheus/client_model, metrics.proto), each with its length
// as a varint before it.
//
// They become the text format, with exemplars as OpenMetrics writes them, so that all have one meaning: the
// reader (ExpositionFormat::kMetricFamilies) checks names, labels and values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace statmill {

// Returns the text of all families, with names in quotes. A native histogram that also has classic buckets
// becomes these; the times of creation, and exemplars that belong to no bucket, are left out. An exemplar
// that is too long, or has an impossible time, is written so that the reader cannot read it. Errors: kInvalid
// if the bytes are not such messages, if a metric has no value of its family's type, and if a histogram has
// only native buckets; kLimit if the text is over `bytes_max`. Cost: linear in the bytes and the text.
Result<std::string> text_of_metric_families(std::string_view messages, size_t bytes_max);

}  // namespace statmill
