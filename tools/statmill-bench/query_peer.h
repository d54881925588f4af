// The servers that the suite `query` compares statmill with: what is installed of Debian's packages, with
// their default settings but for where they listen and how long they keep samples.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/statmill-bench/query_server.h"

namespace statmill {

// "prometheus", "victoria-metrics".
std::vector<std::string> query_peers();

// Makes a server of that name; load() starts it. Errors: kUnavailable if its programs are not in PATH, those
// of the directory `parent`. Requires: query_peers() has the name.
Result<std::unique_ptr<QueryServer>> make_query_peer(std::string_view name,
                                                     const std::filesystem::path& parent);

}  // namespace statmill
