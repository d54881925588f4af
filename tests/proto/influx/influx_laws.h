// Laws of InfluxDB's line protocol for any bytes, shared by the property tests and the fuzz target.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "proto/influx/parser.h"
#include "proto/influx/point_end.h"
#include "tests/proto/tag_laws.h"

namespace statmill {

// Returns true if the batch adds up and all its samples may be stored: canonical names with a field, finite
// values, one time per point.
inline bool is_sane_influx(const Batch& batch) {
  const auto is_sane_sample = [](const Sample& s) {
    return is_sane_tagged(s) && s.kind == Kind::kGauge && s.ready == nullptr &&
           s.name.substr(0, s.name.find(';')).find('.') != std::string_view::npos;
  };
  return account_holds(batch) && std::ranges::all_of(batch.samples, is_sane_sample);
}

// The points of a text, as influx_point_size() cuts it.
inline std::vector<std::string_view> points_of(std::string_view text) {
  std::vector<std::string_view> points;
  for (size_t at = 0; at < text.size();) {
    points.push_back(text.substr(at, influx_point_size(text.substr(at))));
    at += points.back().size() + 1;
  }
  return points;
}

// Returns true if it makes no difference whether points are parsed alone or together.
inline bool is_same_point_by_point(std::string_view text) {
  Batch whole;
  parse_influx_lines(text, whole);
  Batch points;
  for (const std::string_view point : points_of(text)) parse_influx_line(point, {}, points);
  return same_batch(whole, points) && whole.skipped_fields == points.skipped_fields;
}

}  // namespace statmill
