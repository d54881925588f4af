// TargetFiles: the targets in the files of --scrape.targets, read again when a file has changed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file_version.h"
#include "base/log.h"
#include "ingest/scrape/scrape_options.h"
#include "ingest/scrape/scrape_target.h"

namespace statmill {

// Confined to one thread.
class TargetFiles {
 public:
  // Both must outlive it.
  TargetFiles(const ScrapeOptions& options, Log& log);

  // Reads each file that has changed since the last call. A file that cannot be read, or has an error, keeps
  // its targets of before, and is logged once for each change. Returns whether the targets may have changed.
  // Cost: a stat() of each file, unless one has changed.
  bool refresh();
  // All targets, each once; at most kScrapeTargetsMax.
  std::vector<ScrapeTarget> targets() const;
  // How many files are at fault now.
  size_t faults() const;

 private:
  struct File {
    std::string path;
    std::string job;  // the file's name without directory and ending
    bool is_known = false;
    std::optional<FileVersion> version;  // nullopt: there is no such file
    bool is_at_fault = false;
    std::vector<ScrapeTarget> targets;
  };
  Status read(File& file) const;

  const ScrapeOptions& options_;
  Log& log_;
  std::vector<File> files_;
};

}  // namespace statmill
