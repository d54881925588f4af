// RuleFiles: the rule files in the folders of --rules, read again when one has changed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file_version.h"
#include "base/log.h"
#include "base/result.h"
#include "server/rules/rule.h"
#include "server/rules/rule_options.h"

namespace statmill::rules {

// Returns the files of a folder whose names end in .yml, .yaml or .rules, ascending. Errors: kNotFound, kIo,
// kLimit (kRuleFilesMax).
Result<std::vector<std::string>> rule_files_in(const std::string& folder);
// Reads one file. Errors begin with its path.
Result<std::vector<RuleGroup>> read_rule_file(const std::string& path, const RuleOptions& options);

// Confined to one thread.
class RuleFiles {
 public:
  using Groups = std::vector<std::shared_ptr<const RuleGroup>>;

  // Both must outlive it.
  RuleFiles(const RuleOptions& options, Log& log) : options_(options), log_(log) {}

  // Reads each file that is new or has changed since the last call. One that cannot be read or has an error
  // keeps its groups of before, and is logged once for each change; the groups of one that is gone are gone.
  // Returns whether groups may have changed. Cost: a look at each file, unless one has changed.
  bool refresh();
  // All groups, in the order of the folders, then of the names of files. Groups of a file that has not
  // changed are the same objects as before. At most kRulesMax rules; further groups are left out, and logged.
  Groups groups() const;
  // How many folders and files are at fault now.
  size_t faults() const;

 private:
  struct File {
    std::optional<FileVersion> version;  // nullopt: it cannot be looked at
    bool is_at_fault = false;
    bool is_present = false;
    Groups groups;
  };
  void read(const std::string& path, File& file);
  bool refresh_folder(const std::string& folder);

  const RuleOptions& options_;
  Log& log_;
  std::map<std::string, std::map<std::string, File>> folders_;  // by the path of the folder, then of the file
  std::map<std::string, std::string> folder_faults_;            // as they were logged
};

}  // namespace statmill::rules
