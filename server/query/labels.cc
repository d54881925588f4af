#include "server/query/labels.h"

#include <algorithm>
#include <cstdint>

#include "base/text.h"
#include "server/names/name_labels.h"

namespace statmill {
namespace {

auto lower_bound_of(auto& labels, std::string_view name) {
  return std::lower_bound(
      labels.begin(), labels.end(), name,
      [](const SeriesLabels::Label& label, std::string_view n) { return label.first < n; });
}

// Returns whether PromQL writes the name without quotes. `others`: what it may have in addition to letters,
// digits and underscores.
bool is_plain(std::string_view name, std::string_view others) {
  const auto is_letter = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || others.find(c) != others.npos;
  };
  const auto is_allowed = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && is_letter(name.front()) && std::ranges::all_of(name, is_allowed);
}

// The length first, so that a label may have any bytes.
void append_sized(std::string& out, std::string_view text) {
  auto size = static_cast<uint32_t>(text.size());
  for (int i = 0; i < 4; ++i, size >>= 8) out.push_back(static_cast<char>(size & 0xff));
  out += text;
}

}  // namespace

SeriesLabels SeriesLabels::of(std::vector<Label> labels) {
  std::erase_if(labels, [](const Label& label) { return label.second.empty(); });
  std::sort(labels.begin(), labels.end());
  SeriesLabels result;
  result.labels_ = std::move(labels);
  return result;
}

SeriesLabels SeriesLabels::of_name(std::string_view name) { return of(labels_of_name(name)); }

std::string_view SeriesLabels::get(std::string_view name) const {
  const auto found = lower_bound_of(labels_, name);
  return found != labels_.end() && found->first == name ? std::string_view(found->second)
                                                        : std::string_view();
}

void SeriesLabels::set(std::string_view name, std::string_view value) {
  const auto found = lower_bound_of(labels_, name);
  const bool is_there = found != labels_.end() && found->first == name;
  if (value.empty()) {
    if (is_there) labels_.erase(found);
  } else if (is_there) {
    found->second = value;
  } else {
    labels_.emplace(found, name, value);
  }
}

void SeriesLabels::keep_only(const std::vector<std::string>& names) {
  std::erase_if(labels_, [&](const Label& label) {
    return std::find(names.begin(), names.end(), label.first) == names.end();
  });
}

size_t SeriesLabels::memory_bytes() const {
  size_t bytes = 0;
  for (const auto& [name, value] : labels_) bytes += sizeof(Label) + name.size() + value.size();
  return bytes;
}

std::string SeriesLabels::name() const { return name_of_labels(labels_); }

std::string SeriesLabels::text() const {
  const std::string_view metric = get(kMetricName);
  const bool is_before_braces = is_plain(metric, ":");
  std::string inside;
  if (!metric.empty() && !is_before_braces) append_json_string(inside, metric);
  for (const auto& [name, value] : labels_) {
    if (name == kMetricName) continue;
    if (!inside.empty()) inside += ", ";
    if (is_plain(name, "")) {
      inside += name;
    } else {
      append_json_string(inside, name);
    }
    inside += '=';
    append_json_string(inside, value);
  }
  std::string out(is_before_braces ? metric : "");
  if (inside.empty() && is_before_braces) return out;
  return out.append("{").append(inside).append("}");
}

std::string SeriesLabels::key() const {
  std::string text;
  for (const auto& [key, value] : labels_) {
    append_sized(text, key);
    append_sized(text, value);
  }
  return text;
}

}  // namespace statmill
