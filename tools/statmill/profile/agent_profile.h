// Computes what an agent costs its host from the series that the agent sends about itself.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "tools/statmill/client.h"
#include "tools/statmill/profile/profile.h"

namespace statmill {

// The parameters of GET /prometheus/api/v1/query for the agent of a host over the last `window`.
UrlParameters agent_profile_request(std::string_view host, Duration window);

// Returns the parts "collector" and, if the kernel measures eBPF programs, "program". The programs run in the
// kernel and not in the agent, so Profile::cpu is that of both. Errors: kNotFound if there are no figures,
// kCorrupt if this is no such answer.
Result<Profile> parse_agent_profile(std::string_view answer, std::string_view host, Duration window);

}  // namespace statmill
