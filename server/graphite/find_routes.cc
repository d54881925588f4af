#include "server/graphite/find_routes.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "server/graphite/find_nodes.h"
#include "server/graphite/find_query.h"
#include "server/http/list_writer.h"
#include "server/json.h"

namespace statmill::graphite {
namespace {

// Clients choose what they may ask for by it. 1.1.10 is the last version of Graphite 1.1.
constexpr std::string_view kVersion = "1.1.10";

HttpResponse answer_of(const Status& written) {
  return written ? HttpResponse{} : error_response(written.error());
}

Result<std::vector<TreeNode>> nodes_of(const SeriesCatalog& catalog, const std::string& pattern,
                                       QueryControl& control) {
  if (!has_whole_parts(pattern)) return std::vector<TreeNode>();
  return catalog.nodes(pattern, control);
}

HttpResponse handle_find(const SeriesCatalog& catalog, const Url& url, QueryControl& control,
                         BodySink& sink) {
  const auto query = parse_find_query(url);
  if (!query) return error_response(query.error());
  const auto nodes = nodes_of(catalog, query->pattern, control);
  if (!nodes) return error_response(nodes.error());
  if (query->format == FindQuery::Format::kCompleter) return answer_of(write_completer(*nodes, *query, sink));
  return answer_of(write_tree_json(*nodes, *query, sink));
}

HttpResponse handle_expand(const SeriesCatalog& catalog, const Url& url, QueryControl& control,
                           BodySink& sink) {
  const auto request = parse_expand_query(url);
  if (!request) return error_response(request.error());
  std::map<std::string, ExpandedPaths> paths;
  for (const std::string& query : request->queries) {
    auto nodes = nodes_of(catalog, find_pattern(query), control);
    if (!nodes) return error_response(nodes.error());
    ExpandedPaths& found = paths[query];
    for (TreeNode& node : *nodes) {
      if (node.is_leaf || (node.is_branch && !request->leaves_only)) found.insert(std::move(node.path));
    }
  }
  return answer_of(write_expanded(paths, request->is_grouped, sink));
}

HttpResponse handle_index(const SeriesCatalog& catalog, const Url& url, QueryControl& control,
                          BodySink& sink) {
  if (Status s = check_no_jsonp(url); !s) return error_response(s.error());
  std::vector<std::string> paths;
  Status held;
  const auto add = [&](std::string_view name) {
    if (name.find(';') != std::string_view::npos) return true;  // it has tags
    held = control.take_memory(sizeof(std::string) + name.size());
    if (held) paths.emplace_back(name);
    return static_cast<bool>(held);
  };
  if (Status s = catalog.each_name(add, control); !s) return error_response(s.error());
  if (!held) return error_response(held.error());
  std::ranges::sort(paths);
  ListWriter list(sink, "[");
  for (const std::string& path : paths) {
    if (Status s = list.add([&](std::string& out) { append_json_string(out, path); }); !s)
      return error_response(s.error());
  }
  return answer_of(list.end("]\n"));
}

// As in Graphite, it has no line end.
HttpResponse handle_version(const Url&, std::string_view) {
  return {200, std::string(kVersion), kPlainText, {}};
}

}  // namespace

std::vector<Route> find_routes(const SeriesCatalog& catalog) {
  using Handle = HttpResponse (*)(const SeriesCatalog&, const Url&, QueryControl&, BodySink&);
  struct Entry {
    std::array<std::string_view, 2> paths;
    Handle handle;
    std::string_view description;
  };
  constexpr std::array<Entry, 3> kEntries = {{
      {{"/metrics/find", "/graphite/metrics/find"},
       handle_find,
       "paths that match a glob, as Graphite lists them"},
      {{"/metrics/expand", "/graphite/metrics/expand"}, handle_expand, "the same, only as names"},
      {{"/metrics/index.json", "/graphite/metrics/index.json"},
       handle_index,
       "all paths, as Graphite lists them"},
  }};
  std::vector<Route> routes;
  for (const auto& [paths, handle, description] : kEntries) {
    for (const std::string_view path : paths) {
      Route route{"GET", path, {}, 0, {}, path == paths[0] ? description : "", Lane::kQuery};
      route.strictness = Strictness::kLenient;
      route.query = [&catalog, handle = handle](const Url& url, QueryControl& control, BodySink& sink) {
        return handle(catalog, url, control, sink);
      };
      routes.push_back(std::move(route));
    }
  }
  for (const std::string_view path : {"/version", "/graphite/version"}) {
    Route route{"GET", path, {}, 0, handle_version, {}};
    route.strictness = Strictness::kLenient;
    if (path == "/version") route.description = "the version of Graphite that clients find here";
    routes.push_back(std::move(route));
  }
  return routes;
}

}  // namespace statmill::graphite
