// FindNodes: the nodes of the tree of paths in Graphite's forms: what /metrics/find and /metrics/expand
// answer.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/graphite/find_query.h"
#include "server/names/name_index.h"
#include "server/query/body_sink.h"

namespace statmill::graphite {

// Write the answer for nodes that are ascending by path. Errors: those of the sink.
//
// [{"text":"cpu","id":"host.*.cpu","allowChildren":1,"expandable":1,"leaf":0},...]: branches, then leaves,
// each by name, and each name once, although several paths may have it. A path that has both is a branch.
Status write_tree_json(std::span<const TreeNode> nodes, const FindQuery& query, BodySink& sink);
// {"metrics":[{"path":"host.a.","name":"a","is_leaf":"0"},...]}, by name; a branch's path ends with a dot.
Status write_completer(std::span<const TreeNode> nodes, const FindQuery& query, BodySink& sink);

using ExpandedPaths = std::set<std::string, std::less<>>;
// {"results":["host.a","host.b"]}, or {"results":{"QUERY":["host.a"],...}} if it is grouped.
Status write_expanded(const std::map<std::string, ExpandedPaths>& paths, bool is_grouped, BodySink& sink);

}  // namespace statmill::graphite
