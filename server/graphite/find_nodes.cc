#include "server/graphite/find_nodes.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "proto/name_escapes.h"
#include "server/http/list_writer.h"
#include "server/json.h"

namespace statmill::graphite {
namespace {

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('.') + 1); }

void append_tree_node(std::string& out, std::string_view text, std::string_view id, bool is_leaf) {
  JsonObject one(out);
  one.text("text", text);
  one.text("id", id);
  one.count("allowChildren", is_leaf ? 0 : 1);
  one.count("expandable", is_leaf ? 0 : 1);
  one.count("leaf", is_leaf ? 1 : 0);
}

}  // namespace

Status write_tree_json(std::span<const TreeNode> nodes, const FindQuery& query, BodySink& sink) {
  std::set<std::string_view> branches;
  std::set<std::string_view> leaves;
  for (const TreeNode& node : nodes) {
    if (node.is_branch && !query.leaves_only) branches.insert(last_part(node.path));
  }
  for (const TreeNode& node : nodes) {
    const std::string_view name = last_part(node.path);
    if (node.is_leaf && !branches.contains(name)) leaves.insert(name);
  }
  ListWriter list(sink, "[");
  if (query.has_wildcard_node && branches.size() + leaves.size() > 1) {
    Status s = list.add(
        [&](std::string& out) { append_tree_node(out, "*", query.base_path + "*", branches.empty()); });
    if (!s) return s;
  }
  for (const auto* names : {&branches, &leaves}) {
    for (const std::string_view name : *names) {
      Status s = list.add([&](std::string& out) {
        append_tree_node(out, unescaped(name), query.base_path + std::string(name), names == &leaves);
      });
      if (!s) return s;
    }
  }
  return list.end("]\n");
}

Status write_completer(std::span<const TreeNode> nodes, const FindQuery& query, BodySink& sink) {
  std::vector<std::pair<std::string_view, const TreeNode*>> by_name;
  for (const TreeNode& node : nodes) by_name.emplace_back(last_part(node.path), &node);
  std::ranges::stable_sort(by_name, {}, &std::pair<std::string_view, const TreeNode*>::first);
  ListWriter list(sink, "{\"metrics\":[");
  size_t count = 0;
  const auto add = [&](std::string_view name, const std::string& path, bool is_leaf) {
    ++count;
    return list.add([&](std::string& out) {
      JsonObject one(out);
      one.text("path", path);
      one.text("name", name);
      one.text("is_leaf", is_leaf ? "1" : "0");
    });
  };
  for (const auto& [name, node] : by_name) {
    if (node->is_branch && !query.leaves_only) {
      if (Status s = add(name, node->path + ".", false); !s) return s;
    }
    if (!node->is_leaf) continue;
    if (Status s = add(name, node->path, true); !s) return s;
  }
  if (query.has_wildcard_node && count > 1) {
    if (Status s = list.add([](std::string& out) { out += R"({"name":"*"})"; }); !s) return s;
  }
  return list.end("]}\n");
}

Status write_expanded(const std::map<std::string, ExpandedPaths>& paths, bool is_grouped, BodySink& sink) {
  if (!is_grouped) {
    ListWriter list(sink, "{\"results\":[");
    ExpandedPaths all;
    for (const auto& [query, found] : paths) all.insert(found.begin(), found.end());
    for (const std::string& path : all) {
      if (Status s = list.add([&](std::string& out) { append_json_string(out, path); }); !s) return s;
    }
    return list.end("]}\n");
  }
  ListWriter groups(sink, "{\"results\":{");
  for (const auto& [query, found] : paths) {
    Status s = groups.add([&, &key = query, &names = found](std::string& out) {
      append_json_string(out, key);
      out += ':';
      JsonArray list(out);
      for (const std::string& path : names) append_json_string(list.element(), path);
    });
    if (!s) return s;
  }
  return groups.end("}}\n");
}

}  // namespace statmill::graphite
