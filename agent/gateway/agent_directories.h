// AgentDirectories: the directories of a gateway, one for each agent, named by its id. A directory with that
// name is complete: it is made under another name, and removed under another one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "proto/agent_id.h"

namespace statmill {

class AgentDirectories {
 public:
  // Creates the directory `path` if it does not exist (its parent must exist), and removes what crashes left
  // unfinished. Errors: kIo.
  static Result<AgentDirectories> open(std::string path);

  std::string path_of(const AgentId& id) const { return path_ + "/" + id.text(); }
  // Returns the agents that have a directory. Errors: kIo.
  Result<std::vector<AgentId>> list() const;

  // Returns an empty path to make the directory of an agent at. publish() gives it its name, durably.
  Result<std::string> unfinished(const AgentId& id) const;
  Status publish(const AgentId& id) const;
  // Removes the directory; after a power cut it is there as a whole, or not at all.
  Status remove(const AgentId& id) const;
  // Renames a directory that cannot be read, so that an operator may look at it: "ID.damaged". Replaces an
  // earlier one.
  Status put_aside(const AgentId& id) const;

 private:
  explicit AgentDirectories(std::string path) : path_(std::move(path)) {}

  std::string other_path(const AgentId& id, std::string_view suffix) const;
  Status rename(const std::string& from, const std::string& to) const;

  std::string path_;
};

}  // namespace statmill
