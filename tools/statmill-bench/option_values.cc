#include "tools/statmill-bench/option_values.h"

#include <algorithm>

#include "base/text.h"
#include "proto/number.h"

namespace statmill {

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out.append(out.empty() ? "" : ", ").append(word);
  return out;
}

Result<size_t> choice(const po::variables_map& values, const char* option,
                      const std::vector<std::string>& words) {
  const auto& text = values[option].as<std::string>();
  const auto found = std::find(words.begin(), words.end(), text);
  if (found != words.end()) return static_cast<size_t>(found - words.begin());
  return Error{ErrorCode::kInvalid,
               "--" + std::string(option) + " \"" + text + "\" is none of " + joined(words)};
}

Result<size_t> count(const po::variables_map& values, const char* option, CountBounds bounds) {
  const Result<int64_t> n = parse_integer(values[option].as<std::string>(), bounds.min, bounds.max);
  if (!n) return Error(n.error()).with(std::string("--") + option);
  return static_cast<size_t>(*n);
}

Result<std::optional<size_t>> optional_count(const po::variables_map& values, const char* option,
                                             CountBounds bounds) {
  if (values.count(option) == 0) return std::optional<size_t>();
  const Result<size_t> n = count(values, option, bounds);
  if (!n) return n.error();
  return std::optional(*n);
}

Result<double> factor(const po::variables_map& values, const char* option, double max) {
  const auto& text = values[option].as<std::string>();
  Number number;
  if (parse_number(text, number).is_refused() || number.value() <= 0 || number.value() > max) {
    return Error{ErrorCode::kInvalid, "--" + std::string(option) + ": \"" + text +
                                          "\" is not a number above 0, up to " +
                                          std::to_string(static_cast<int>(max))};
  }
  return number.value();
}

Result<std::vector<std::string>> measures_asked(const po::variables_map& values,
                                                const std::vector<std::string>& known) {
  std::vector<std::string> out;
  if (values.count("only") == 0) return out;
  for (const std::string_view name : split(values["only"].as<std::string>(), ',')) {
    const std::vector<std::string> picked = pick_measures(known, name);
    if (picked.empty()) {
      return Error{ErrorCode::kInvalid,
                   "--only: no measure \"" + std::string(name) + "\" (known: " + joined(known) + ")"};
    }
    out.insert(out.end(), picked.begin(), picked.end());
  }
  if (out.empty()) return Error{ErrorCode::kInvalid, "--only: names no measure"};
  return out;
}

Result<std::vector<std::string>> peers_asked(const po::variables_map& values,
                                             const std::vector<std::string>& known) {
  const auto& text = values["peers"].as<std::string>();
  if (text == "all") return known;
  std::vector<std::string> out;
  if (text == "none") return out;
  for (const std::string_view name : split(text, ',')) {
    if (pick_measures(known, name).empty())
      return Error{ErrorCode::kInvalid,
                   "--peers: no peer \"" + std::string(name) + "\" (known: " + joined(known) + ")"};
    out.emplace_back(name);
  }
  return out;
}

std::vector<std::string> pick_measures(const std::vector<std::string>& measures, std::string_view name) {
  std::vector<std::string> out;
  for (const std::string& measure : measures) {
    if (measure == name || measure.starts_with(std::string(name) + ".")) out.push_back(measure);
  }
  return out;
}

}  // namespace statmill
