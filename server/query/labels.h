// SeriesLabels: the labels of a series in an answer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace statmill {

inline constexpr std::string_view kMetricName = "__name__";

// Ascending by name, each name once, no empty value: an empty label means the same as none. A value type.
class SeriesLabels {
 public:
  using Label = std::pair<std::string, std::string>;

  SeriesLabels() = default;
  // Sorts the labels and leaves out empty ones. Requires: each name once.
  static SeriesLabels of(std::vector<Label> labels);
  // The labels of a canonical name "path;a=x;b=y": the path is `__name__`.
  static SeriesLabels of_name(std::string_view name);

  // Returns an empty text if there is no such label.
  std::string_view get(std::string_view name) const;
  // An empty value removes the label.
  void set(std::string_view name, std::string_view value);
  void remove(std::string_view name) { set(name, {}); }
  void keep_only(const std::vector<std::string>& names);

  const std::vector<Label>& all() const { return labels_; }
  // About the bytes that it needs, without its own object.
  size_t memory_bytes() const;
  bool is_empty() const { return labels_.empty(); }
  // The inverse of of_name(). Empty if no series can have these labels.
  std::string name() const;
  // A selector of PromQL that has these labels: up{job="a"}, {"cpu.idle", job="a"}, {}.
  std::string text() const;
  // Equal if and only if the labels are: the key of groups and joins.
  std::string key() const;

  friend bool operator==(const SeriesLabels&, const SeriesLabels&) = default;
  friend auto operator<=>(const SeriesLabels&, const SeriesLabels&) = default;

 private:
  std::vector<Label> labels_;
};

}  // namespace statmill
