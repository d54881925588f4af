#include "server/http/answer_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "base/text.h"
#include "proto/kind_text.h"
#include "server/query/encode/decimal_text.h"

namespace statmill {
namespace {

// Appends `"key":`, after a comma unless an object or array has just been opened.
void append_key(std::string& out, std::string_view key) {
  if (out.back() != '{') out.push_back(',');
  append_json_string(out, key);
  out.push_back(':');
}

void append_comma(std::string& out) {
  if (out.back() != '[') out.push_back(',');
}

template <class Integer>
void append_integer(std::string& out, std::string_view key, Integer value) {
  append_key(out, key);
  out.append(std::to_string(value));
}

void append_text(std::string& out, std::string_view key, std::string_view value) {
  append_key(out, key);
  append_json_string(out, value);
}

void append_true(std::string& out, std::string_view key) {
  append_key(out, key);
  out.append("true");
}

// `append_at(i)` appends the number of slot i, or returns false if it is empty.
template <class AppendAt>
void append_column(std::string& out, std::string_view key, size_t slots, const AppendAt& append_at) {
  append_key(out, key);
  out.push_back('[');
  for (size_t i = 0; i < slots; ++i) {
    append_comma(out);
    if (!append_at(i)) out.append("null");
  }
  out.push_back(']');
}

// Returns the integers that, at the scale of the points, are what stat_at() returns for each point; nullptr
// if some numbers have to be computed.
const std::vector<int64_t>* stored_integers(Stat stat, const SeriesAnswer& series) {
  const SlotColumns& points = series.points;
  if (series.open) return nullptr;
  switch (stat) {
    case Stat::kAvg:
      return points.stored_means();
    case Stat::kSum:
      return adds_up(series.kind) ? nullptr : points.stored_sums();
    case Stat::kMin:
      return points.stored_mins();
    case Stat::kMax:
      return points.stored_maxs();
    default:
      return nullptr;
  }
}

// Appends the elements of an array: the decimals of integers, null where none is present.
void append_decimals(std::string& out, const Presence& present, const std::vector<int64_t>& integers,
                     int scale) {
  constexpr std::string_view kNull = "null";
  constexpr size_t kElementMax = 1 + std::max(kDecimalTextMax, kNull.size());
  std::array<char, 4096> text;
  char* at = text.data();
  for (size_t i = 0; i < integers.size(); ++i) {
    if (text.data() + text.size() - at < static_cast<ptrdiff_t>(kElementMax)) {
      out.append(text.data(), at);
      at = text.data();
    }
    if (i > 0) *at++ = ',';
    at = present[i] ? put_decimal(at, integers[i], scale) : std::copy(kNull.begin(), kNull.end(), at);
  }
  out.append(text.data(), at);
}

Error too_long(size_t bytes_max) {
  return {ErrorCode::kLimit, "the answer would exceed " + std::to_string(bytes_max) +
                                 " bytes: request fewer series, stats or points"};
}

// Returns false if the text exceeds `bytes_max`.
bool append_stats(std::string& out, const QueryAnswer& answer, const SeriesAnswer& series,
                  std::span<const Stat> stats, std::span<const Percentile> percentiles, size_t bytes_max) {
  for (const Stat stat : stats) {
    if (const auto* const integers = stored_integers(stat, series)) {
      append_key(out, stat_name(stat));
      out.push_back('[');
      append_decimals(out, series.points.present, *integers, series.points.scale);
      out.push_back(']');
      if (out.size() > bytes_max) return false;
      continue;
    }
    append_column(out, stat_name(stat), answer.bins.count, [&](size_t i) {
      const auto number = stat_at(stat, answer, series, i);
      if (number) number->append_to(out);
      return number.has_value();
    });
    if (out.size() > bytes_max) return false;
  }
  for (size_t p = 0; p < percentiles.size(); ++p) {
    const std::vector<double>& values = series.percentiles[p];
    append_column(out, percentiles[p].name, answer.bins.count, [&](size_t i) {
      if (values.empty() || std::isnan(values[i])) return false;
      append_number(out, values[i]);
      return true;
    });
    if (out.size() > bytes_max) return false;
  }
  return true;
}

void append_unit(std::string& out, const SeriesAnswer& series) {
  if (!series.unit.empty()) append_text(out, "unit", series.unit);
}

void append_within(std::string& out, const SeriesAnswer& series) {
  append_key(out, "within");
  append_number(out, percentile_error(series.joined_power));
}

void append_about(std::string& out, const SeriesAnswer& series) {
  if (!series.about) return;
  append_integer(out, "since", series.about->first_s);
  append_integer(out, "last", series.about->last_s);
  append_integer(out, "kept_from", series.about->kept_from_s);
}

void append_range(std::string& out, const QueryAnswer& answer) {
  const Bins& bins = answer.bins;
  append_integer(out, "from", bins.first_s);
  append_integer(out, "until", bins.end_s());
  append_integer(out, "step", bins.step_s);
  append_integer(out, "tier", answer.tier_s);
  if (bins.are_whole()) return;
  append_key(out, "covers");  // the first and the last point have only this part of their step
  out.append("[" + std::to_string(bins.from_s) + "," + std::to_string(bins.until_s) + "]");
}

void append_missing(std::string& out, const QueryAnswer& answer) {
  if (answer.missing.empty()) return;
  append_key(out, "missing");
  out.push_back('[');
  for (const std::string& name : answer.missing) {
    append_comma(out);
    append_json_string(out, name);
  }
  out.push_back(']');
}

void append_warnings(std::string& out, const QueryAnswer& answer) {
  if (answer.damaged_frames == 0 && answer.joined_histograms == 0) return;
  append_key(out, "warnings");
  out.push_back('[');
  if (answer.damaged_frames > 0) {
    append_json_string(out, std::to_string(answer.damaged_frames) +
                                " stored frames are damaged; their samples are missing from this answer");
  }
  if (answer.joined_histograms > 0) {
    append_comma(out);
    append_json_string(out, std::to_string(answer.joined_histograms) + " histograms had more than " +
                                std::to_string(SparseHistogram::kCellsMax) +
                                " cells; their percentiles are less exact");
  }
  out.push_back(']');
}

}  // namespace

std::string series_list_json(const SeriesPage& list) {
  std::string out = "{\"series\":[";
  for (const SeriesInfo& series : list.series) {
    append_comma(out);
    out.push_back('{');
    append_text(out, "name", series.name);
    append_text(out, "kind", kind_text(series.kind));
    append_text(out, "unit", series.unit);
    append_text(out, "help", series.help);
    append_text(out, "retention", series.retention);
    append_integer(out, "first_s", series.first_s);
    append_integer(out, "last_s", series.last_s);
    out.push_back('}');
  }
  out.push_back(']');
  append_key(out, "truncated");
  out.append(list.truncated ? "true}\n" : "false}\n");
  return out;
}

std::string tree_json(std::string_view prefix, const TreePage& page) {
  std::string out = "{";
  append_text(out, "prefix", prefix);
  append_integer(out, "series", page.series);
  append_integer(out, "names", page.names);
  append_key(out, "children");
  out.push_back('[');
  for (const TreePage::Child& child : page.children) {
    append_comma(out);
    out.push_back('{');
    append_text(out, "part", child.part);
    append_integer(out, "series", child.series);
    if (child.is_branch) append_true(out, "branch");
    if (child.has_tags) append_true(out, "tags");
    if (child.leaf) {
      append_text(out, "kind", kind_text(child.leaf->kind));
      append_integer(out, "last_s", child.leaf->last_s);
    }
    out.push_back('}');
  }
  out.push_back(']');
  append_key(out, "next");
  if (page.has_more) {
    append_json_string(out, page.children.back().part);
  } else {
    out.append("null");
  }
  out.append("}\n");
  return out;
}

Result<std::string> query_answer_json(const QueryAnswer& answer, std::span<const Stat> stats,
                                      std::span<const Percentile> percentiles, SeriesForm form,
                                      size_t bytes_max) {
  std::string out = "{";
  // Large texts that grow are copied into fresh pages again and again.
  constexpr size_t kNumberUsual = 16;  // bytes of a long one, with its comma
  const size_t columns = stats.size() + percentiles.size();
  const size_t text_usual = answer.series.size() * (answer.bins.count * columns * kNumberUsual + 256) + 1024;
  out.reserve(std::min(text_usual, bytes_max));
  append_range(out, answer);
  append_key(out, "series");
  out.push_back('[');
  for (const SeriesAnswer& series : answer.series) {
    append_comma(out);
    out.push_back('{');
    if (form == SeriesForm::kName) {
      append_text(out, "name", series.name);
    } else {
      append_key(out, "labels");
      append_labels_json(out, SeriesLabels::of_name(series.name));
    }
    append_text(out, "kind", kind_text(series.kind));
    append_unit(out, series);
    append_about(out, series);
    const bool is_within_known = form == SeriesForm::kName && series.kind == Kind::kDistribution;
    if (is_within_known && (!percentiles.empty() || series.about)) append_within(out, series);
    if (!append_stats(out, answer, series, stats, percentiles, bytes_max)) return too_long(bytes_max);
    out.push_back('}');
  }
  out.push_back(']');
  append_missing(out, answer);
  append_warnings(out, answer);
  out.append("}\n");
  return out;
}

void append_labels_json(std::string& out, const SeriesLabels& labels) {
  out.push_back('{');
  for (const auto& [name, value] : labels.all()) append_text(out, name, value);
  out.push_back('}');
}

Result<std::string> heatmap_json(const QueryAnswer& merged, std::span<const HeatmapRow> rows,
                                 std::span<const Stat> stats, std::span<const Percentile> percentiles,
                                 size_t bytes_max) {
  std::string out = "{";
  append_range(out, merged);
  append_key(out, "series");
  out.push_back('[');
  for (const std::string& name : merged.merged) {
    append_comma(out);
    append_json_string(out, name);
  }
  out.push_back(']');
  append_unit(out, merged.series.front());
  append_about(out, merged.series.front());
  if (!merged.merged.empty()) append_within(out, merged.series.front());
  if (!append_stats(out, merged, merged.series.front(), stats, percentiles, bytes_max))
    return too_long(bytes_max);
  append_key(out, "buckets");
  out.push_back('[');
  for (const HeatmapRow& row : rows) {
    append_comma(out);
    out.push_back('[');
    append_number(out, row.low);
    out.push_back(',');
    append_number(out, row.high);
    out.push_back(']');
  }
  out.push_back(']');
  append_key(out, "counts");
  out.push_back('[');
  for (const HeatmapRow& row : rows) {
    append_comma(out);
    out.push_back('[');
    for (const uint64_t count : row.counts) {
      append_comma(out);
      out.append(std::to_string(count));
    }
    out.push_back(']');
    if (out.size() > bytes_max) return too_long(bytes_max);
  }
  out.push_back(']');
  append_missing(out, merged);
  append_warnings(out, merged);
  out.append("}\n");
  return out;
}

std::string lines_account_json(const LinesAccount& account) {
  std::string out = "{";
  append_integer(out, "received", account.received);
  append_integer(out, "accepted", account.accepted);
  append_key(out, "refused");
  out.push_back('{');
  uint64_t refused = 0;
  for (size_t i = 0; i < kRefusalCount; ++i) {
    if (account.refused[i] == 0) continue;
    append_integer(out, refusal_label(static_cast<Refusal>(i)), account.refused[i]);
    refused += account.refused[i];
  }
  out.push_back('}');
  if (refused > 0) {
    append_text(out, "error",
                std::to_string(refused) + " of " + std::to_string(account.received) + " samples refused");
    append_integer(out, "status", 400);
  }
  out.append("}\n");
  return out;
}

namespace {

void append_parts(std::string& out, std::string_view key, const Health::Parts& parts) {
  if (parts.empty()) return;
  out.append(",\"").append(key).append("\":{");
  for (const auto& [part, text] : parts) append_text(out, part, text);
  out.append("}");
}

}  // namespace

std::string readiness_json(const Health& health) {
  const Health::Parts problems = health.problems();
  std::string out = problems.empty() ? "{\"ready\":true" : "{\"ready\":false";
  append_parts(out, "problems", problems);
  append_parts(out, "warnings", health.warnings());
  return out + "}\n";
}

}  // namespace statmill
