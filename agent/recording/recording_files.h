// RecordingFiles: writes recordings to a directory on a thread of its own, so that a disk that hangs holds up
// nothing else, and keeps the newest of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/collectors/background_work.h"
#include "agent/recording/recording.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"

namespace statmill {

// Returns "web1-20261128T031500Z.rec.gz". If there is such a file, the next one has "Z-2" in its name.
std::string recording_file_name(std::string_view host, Timestamp at);

// Confined to one thread.
class RecordingFiles {
 public:
  struct Options {
    std::string directory;  // made if it is missing, but not its parent; empty: all writes fail
    std::string host;       // the begin of the names
    size_t files_max = 8;   // further ones of this host are removed, the oldest first
  };

  // `log` must outlive it.
  RecordingFiles(Options options, Log& log);

  // Begins to write a file, or lets it wait for the one that is being written. Errors: kBusy (another one
  // waits already), kInvalid (no directory).
  Status write(Recording recording, Timestamp at);
  // Logs and counts what has been written since the last call. Call it now and then.
  void look();

  // Returns whether a file is being written, or waits for that, as of the last look().
  bool is_busy() const { return is_writing_; }
  const std::string& directory() const { return options_.directory; }

  uint64_t written() const { return written_; }
  // Files that were not written, including those that write() refused.
  uint64_t failures() const { return failures_; }

 private:
  struct Request {
    Recording recording;
    Timestamp at;
  };
  void begin_next();
  void report(size_t bytes);
  Status write_file();
  // Writes the file under another name, so that no reader sees a part of it.
  Status write_under(int directory, const std::string& name);
  Result<std::vector<std::string>> list(int directory) const;
  void remove_unfinished(int directory, const std::vector<std::string>& names) const;
  // `others` are the names of all files before name_ was written, which is never removed.
  Status remove_oldest(int directory, std::vector<std::string> others) const;
  bool is_ours(std::string_view name) const;
  bool is_before(std::string_view name, std::string_view other) const;
  std::string free_name(const std::vector<std::string>& names) const;

  const Options options_;
  Log& log_;
  bool is_writing_ = false;
  std::optional<Request> next_;  // waits for the file that is being written
  // Used by the thread from begin() until its work is done.
  Recording recording_;
  Timestamp at_;
  std::string name_;  // of the file
  Status result_;
  Status cleanup_;  // of what follows when the file is there under its name
  uint64_t written_ = 0;
  uint64_t failures_ = 0;
  BackgroundWork work_;  // last, because it uses the members above
};

}  // namespace statmill
