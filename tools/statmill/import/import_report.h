// What `statmill import` prints at its end.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/exit_code.h"
#include "tools/statmill/client.h"
#include "tools/statmill/import/import_run.h"
#include "tools/statmill/import/import_verify.h"

namespace statmill {

using RefusalsByReason = std::map<std::string, uint64_t>;

// What the server has refused of all agents since its start, as /metrics says it; empty if it does not
// answer.
RefusalsByReason refusals_of_agents(const Client& client);
// What has come since.
RefusalsByReason refused_since(const Client& client, const RefusalsByReason& before);
// Parses the text of /metrics.
RefusalsByReason parse_agent_refusals(std::string_view metrics);

struct ImportReport {
  ImportAccount account;  // of this run; if it was resumed and verified, of all files
  ImportSent sent;
  RefusalsByReason by_reason;  // of the server
  Duration elapsed{};          // without the comparison
  uint64_t series = 0;         // of a dry run
  bool is_dry = false;
  std::optional<ImportComparison> comparison;
  uint64_t left_out = 0;  // samples that were not compared

  void set(const ImportSent& of) {
    sent = of;
    account = of.account;
  }
  // True if the server lacks what it has refused, and nothing else.
  bool is_explained() const;
  ExitCode code() const;
};

std::string import_report_text(const ImportReport& report);

}  // namespace statmill
