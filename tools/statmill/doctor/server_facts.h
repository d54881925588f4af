// How `statmill doctor` judges a server's answers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "tools/statmill/answer.h"
#include "tools/statmill/doctor/finding.h"

namespace statmill {

// `status` are the pairs of /api/v1/status (flatten_object()), `now` is this host's clock.
std::vector<Finding> judge_status(const std::vector<std::pair<std::string, std::string>>& status,
                                  Timestamp now);

// Judges versions, clocks, losses and collectors of the agents. `version` is the server's.
std::vector<Finding> judge_agents(const KnownAgents& agents, const std::string& version, Timestamp now);

}  // namespace statmill
