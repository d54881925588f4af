#include "tools/statmill/import/rrd_text.h"

#include <algorithm>
#include <set>
#include <utility>

#include "proto/batch.h"
#include "proto/canonical_name.h"
#include "proto/line_text.h"

namespace statmill {

std::optional<std::string_view> rrd_element(std::string_view line, std::string_view tag) {
  const std::string open = "<" + std::string(tag) + ">";
  const size_t begin = line.find(open);
  if (begin == std::string_view::npos) return std::nullopt;
  const size_t end = line.rfind("</" + std::string(tag) + ">");
  if (end == std::string_view::npos || end < begin + open.size()) return std::nullopt;
  return trimmed(line.substr(begin + open.size(), end - begin - open.size()));
}

int64_t rrd_integer(std::string_view text) {
  int64_t number = 0;
  return parse_integer(text, number).is_refused() ? 0 : number;
}

std::optional<std::vector<std::string_view>> rrd_values(std::string_view line) {
  std::vector<std::string_view> out;
  for (size_t at = line.find("<v>"); at != std::string_view::npos; at = line.find("<v>")) {
    line.remove_prefix(at + 3);
    if (out.size() == kRrdColumnsMax) return std::nullopt;
    out.push_back(trimmed(line.substr(0, std::min(line.find('<'), line.size()))));
  }
  return out;
}

Result<std::vector<std::string>> rrd_names(const std::string& base, const std::vector<std::string>& columns) {
  std::vector<std::string> out;
  std::set<std::string_view> seen;
  out.reserve(columns.size());  // so that the views stay valid
  const std::string before = base.empty() ? base : base + ".";
  for (const std::string& column : columns) {
    auto name = spelled_name(with_blanks_escaped(before + column));
    if (!name) return Error{ErrorCode::kCorrupt, "no name of a series: " + name.error().message};
    out.push_back(*std::move(name));
    if (!seen.insert(out.back()).second)
      return Error{ErrorCode::kCorrupt, "two columns have the name " + out.back()};
  }
  return out;
}

bool add_rrd_row(const RrdRow& row, HistorySink& sink) {
  for (size_t i = 0; i < row.names.size(); ++i) {
    Sample sample;
    const auto verdict = parse_number(row.values[i], sample.value);
    if (verdict.is_refused() && verdict.reason() == Refusal::kNotFinite) continue;  // unknown
    sample.name = row.names[i];
    sample.time_s = row.begin_s;
    if (!(verdict.is_refused() ? sink.refuse(row.line, refusal_label(verdict.reason())) : sink.add(sample)))
      return false;
  }
  return true;
}

}  // namespace statmill
