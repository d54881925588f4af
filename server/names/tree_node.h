// TreeNode: a node of the tree of paths: the paths of all names, cut at their dots.
#pragma once

#include <cstdint>
#include <string>

namespace statmill {

struct TreeNode {
  std::string path;
  uint64_t series = 0;     // whose path is this one or begins with it
  bool is_leaf = false;    // a series has this path and no tags
  bool has_tags = false;   // series have this path and tags
  bool is_branch = false;  // series have longer paths that begin with this one
};

}  // namespace statmill
