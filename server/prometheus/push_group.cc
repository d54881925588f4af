#include "server/prometheus/push_group.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/base64.h"
#include "base/text.h"

namespace statmill {
namespace {

constexpr std::string_view kBegin = "/metrics/";
constexpr std::string_view kEncoded = "@base64";

// Base64 for URLs (RFC 4648, section 5), with or without padding; "=" alone is an empty text.
std::optional<std::string> decoded(std::string_view text) {
  std::string usual(text.substr(0, text.find_last_not_of('=') + 1));
  std::replace(usual.begin(), usual.end(), '-', '+');
  std::replace(usual.begin(), usual.end(), '_', '/');
  usual.append((4 - usual.size() % 4) % 4, '=');
  return base64_decoded(usual);
}

Error wrong(std::string_view what) { return {ErrorCode::kInvalid, "the path " + std::string(what)}; }

}  // namespace

Result<LabelPairs> push_group(std::string_view path) {
  if (!path.starts_with(kBegin)) return wrong("does not begin with /metrics/job");
  const std::vector<std::string_view> parts = split(path.substr(kBegin.size()), '/');
  if (parts.size() % 2 != 0) return wrong("has a label without a value; it is /metrics/job/JOB/LABEL/VALUE");
  LabelPairs out;
  for (size_t i = 0; i < parts.size(); i += 2) {
    std::string_view name = parts[i];
    std::optional<std::string> value(parts[i + 1]);
    if (name.ends_with(kEncoded)) {
      name.remove_suffix(kEncoded.size());
      value = decoded(*value);
    }
    if (!value) return wrong("has a value that is not base64: " + visible_text(parts[i + 1]));
    if (name.empty()) return wrong("has a label without a name");
    if (i == 0 && (name != "job" || value->empty())) return wrong("names no job");
    if (name.starts_with("__")) return wrong("has the label " + visible_text(name) + ", which is reserved");
    out.emplace_back(name, *std::move(value));
  }
  if (out.empty()) return wrong("names no job");
  std::sort(out.begin(), out.end());
  const auto is_same = [](const LabelPair& a, const LabelPair& b) { return a.first == b.first; };
  if (std::adjacent_find(out.begin(), out.end(), is_same) != out.end()) return wrong("has a label twice");
  std::erase_if(out, [](const LabelPair& label) { return label.second.empty(); });
  return out;
}

}  // namespace statmill
