// Finding: one result of `statmill doctor`, and how results are printed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace statmill {

enum class Verdict : uint8_t { kOk, kWarning, kFault };
// Returns "ok", "warning" or "fault".
std::string_view verdict_text(Verdict verdict);

struct Finding {
  Verdict verdict = Verdict::kOk;
  std::string subject;      // what was looked at: "clock"
  std::string text;         // what is so
  std::string advice = {};  // what to do; empty if there is nothing
};

// Returns a line for each finding, and a line below it for its advice.
std::string findings_text(const std::vector<Finding>& findings);
// Returns a JSON array of objects with the fields of a finding.
std::string findings_json(const std::vector<Finding>& findings);

}  // namespace statmill
