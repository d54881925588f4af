// ImportRun: reads the files of an import and sends what they have, once each.
#pragma once

#include <cstdint>
#include <deque>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/long_job.h"
#include "base/result.h"
#include "tools/statmill/import/history_files.h"
#include "tools/statmill/import/import_batches.h"
#include "tools/statmill/import/import_state.h"
#include "tools/statmill/import/import_stream.h"

namespace statmill {

struct ImportRunOptions {
  std::vector<HistoryFile> files;
  int input = 0;  // descriptor of standard input
  std::string prefix = {};
  bool is_strict = false;
};

// Reads all files into the batches. Counts bytes as done in `job`, whose cancellation ends it. A file that
// cannot be read is refused, and the others go on, unless the import is strict. Errors: those of
// batches.status(), and of reading if it is strict; kUnavailable if the job was cancelled.
Status read_history(const ImportRunOptions& options, const ImportCheckpoint& from, LongJob& job,
                    ImportBatches& batches);

struct ImportSent {
  ImportAccount account;
  uint64_t lines_refused = 0;  // by the server, of all runs of this import
  uint64_t reconnects = 0;
  bool was_resumed = false;  // an earlier run has sent a part: `account` is of the rest
};

// Confined to one thread.
class ImportRun {
 public:
  static constexpr Duration kStateInterval = std::chrono::seconds(1);

  // An empty `state_path`: the import cannot be resumed. `totals` may be null. All must outlive it.
  ImportRun(const ImportRunOptions& options, std::string state_path, ImportState state, ImportTotals* totals,
            const Clock& clock);

  // Sends everything, and returns once it is durable at the server. The state file says how far it is, and
  // stays. Errors: those of ImportStream and of read_history().
  Result<ImportSent> send(ImportStreamOptions stream, LongJob& job, std::stop_token stop);

 private:
  Status pass_on(ImportStream& stream, const AgentPosition& durable, const BatchFrame& batch,
                 const ImportCheckpoint& end);
  Status note(uint64_t acknowledged, bool is_last);

  const ImportRunOptions& options_;
  const std::string state_path_;
  ImportState state_;
  ImportTotals* const totals_;
  const Clock& clock_;
  std::deque<ImportCheckpoint> unacknowledged_;
  SteadyTime noted_at_{};
};

}  // namespace statmill
