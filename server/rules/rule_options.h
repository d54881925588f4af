// RuleOptions: which rules are evaluated, how often, and where alerts go.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace statmill {

struct RuleOptions {
  std::vector<std::string> folders;                         // --rules
  Duration interval = std::chrono::minutes(1);              // --rules.interval, of groups that say none
  Duration query_offset = std::chrono::seconds(5);          // --rules.query_offset, of groups that say none
  size_t alerts_max = 10'000;                               // --rules.alerts: active ones, of all rules
  std::string url;                                          // --rules.url: of this server, in alerts
  std::vector<std::pair<std::string, std::string>> labels;  // --rules.label: of all alerts that are sent
  std::vector<std::string> alertmanagers;                   // --rules.alertmanager: URLs
  Duration resend = std::chrono::minutes(1);  // --rules.resend: how often a firing alert is sent
  std::string authority;                      // --rules.authority: PEM, for https; empty: the system's

  bool is_on() const { return !folders.empty(); }
};

inline constexpr size_t kRuleFileBytesMax = size_t{4} << 20;
inline constexpr size_t kRuleFilesMax = 1000;
inline constexpr size_t kRulesMax = 10'000;       // in all files together; a group without rules counts
inline constexpr size_t kRuleTextsMax = 64;       // labels of a rule; annotations of it
inline constexpr size_t kRuleNameBytesMax = 512;  // of a rule, a label or an annotation
inline constexpr Duration kRuleIntervalMax = std::chrono::hours(24 * 366);  // also of query_offset

}  // namespace statmill
