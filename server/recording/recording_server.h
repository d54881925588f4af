// `statmilld --recording FILE`: a server with the samples of one recording (proto/recording/FORMAT.md), in
// memory, for a look at it with the page and with queries.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/exit_code.h"
#include "base/result.h"
#include "base/settings.h"
#include "server/config.h"

namespace statmill {

// Changes the defaults of some settings: the page and the port for lines are at free ports of loopback,
// agents have none, and all series are kept by the second. `settings` are those of server_settings().
void use_recording_defaults(std::vector<Setting>& settings);

// What a recording holds.
struct RecordingSummary {
  std::string host;  // of its first block
  Timestamp from{};  // its first moment; of several times that are days apart, those with most moments count
  Timestamp until{};
  bool is_complete = false;  // false: the end of the file is missing
};
// Reads the whole file. Errors: kNotFound (it holds no samples), kInvalid (no regular file), kCorrupt,
// kVersion, kIo.
Result<RecordingSummary> summarize_recording(const std::string& path);

// Returns the address of the page with the host of the recording and its time, for a server at `http`.
std::string page_of_recording(const Endpoint& http, bool uses_tls, const RecordingSummary& summary);

// Runs a server until a signal comes. Its store is in memory, instead of in store.path, and its clock stops a
// second after the end of the recording. Prints the address of the page, then how much is loaded. Calls
// prepare_service(). Requires: `config` was parsed with the defaults above.
std::optional<Fault> serve_recording(ServerConfig config);

}  // namespace statmill
