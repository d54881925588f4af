// DashboardFiles: read-only dashboards from a folder, ID.json each, and those of the program. Files are read
// again when they change.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/file_version.h"
#include "base/mutex.h"
#include "server/documents/dashboard_check.h"

namespace statmill {

inline constexpr size_t kDashboardFilesMax = 1000;

// Thread-safe. No lock is held while files are read.
class DashboardFiles {
 public:
  // `folder` may be empty: there are no files then.
  explicit DashboardFiles(std::string folder) : folder_(std::move(folder)) {}

  struct File {
    std::shared_ptr<const std::string> text;
    DashboardSummary summary;
    std::string fault;  // why it is no dashboard; empty: it is one
    Timestamp changed{};
    FileVersion version;
  };
  using Files = std::map<std::string, File, std::less<>>;  // by id

  // Returns the files as of a second ago or later. Cost: at most once a second it looks at each file, and
  // reads those that have changed: at most kDashboardFilesMax, by name.
  std::shared_ptr<const Files> read(SteadyTime now);

 private:
  Files scan(const Files& known) const;

  static constexpr Duration kInterval = std::chrono::seconds(1);

  const std::string folder_;
  Mutex mutex_;
  std::shared_ptr<const Files> files_ GUARDED_BY(mutex_) = std::make_shared<const Files>();
  bool is_scanned_ GUARDED_BY(mutex_) = false;
  SteadyTime next_scan_ GUARDED_BY(mutex_){};
};

}  // namespace statmill
