#include "tests/architecture/rules.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string_view>

#include "tests/architecture/include_line.h"

namespace statmill {
namespace {

using Reach = std::map<std::string, std::set<std::string>, std::less<>>;

// The layers, or single headers, that each layer may include, in addition to itself. ARCHITECTURE.md has the
// same table.
const Reach& layers() {
  static const Reach reach = {
      {"base", {}},
      {"counters", {}},  // its headers are installed
      {"proto", {"base", "statmill/h2.h"}},
      {"storage", {"base", "proto"}},
      {"bpf", {}},
      {"ingest", {"base", "counters", "proto"}},
      {"server", {"base", "counters", "proto", "storage", "ingest"}},
      {"agent", {"base", "counters", "proto", "bpf", "ingest"}},
      {"tools", {"base", "counters", "proto", "storage", "bpf"}},
      {"tests", {"base", "counters", "proto", "storage", "bpf", "ingest", "server", "agent", "tools"}},
  };
  return reach;
}

// The folders that each folder of a layer may include, in addition to itself and the files at the layer's
// root.
const std::map<std::string, Reach, std::less<>>& inner_folders() {
  static const std::map<std::string, Reach, std::less<>> layers_with_folders = {
      {"base", {{"net", {}}}},
      {"proto",
       {{"agent", {}},
        {"graphite", {}},
        {"influx", {}},
        {"istatd", {}},
        {"otlp", {}},
        {"prometheus", {}},
        {"recording", {}},
        {"statsd", {}}}},
      {"storage",
       {{"codec", {}}, {"journal", {"codec"}}, {"files", {}}, {"rocks", {"codec", "journal", "files"}}}},
      {"ingest", {{"agents", {}}, {"scrape", {}}, {"statsd", {}}}},
      {"agent",
       {{"catalogue", {}},
        {"collectors", {"catalogue"}},
        {"spool", {}},
        {"delivery", {"spool"}},
        {"gateway", {"delivery", "spool"}},
        {"recording", {"catalogue", "collectors"}},
        {"relay", {}},
        {"scrape", {}}}},
      {"server",
       {{"table", {"names"}},
        {"tick", {"table"}},
        {"agents", {"tick", "table"}},
        {"names", {}},
        {"query", {"names", "table"}},
        {"http", {"query", "report"}},
        {"otlp", {"http", "prometheus"}},
        {"rules", {"http", "promql", "query", "table", "tick"}},
        {"prometheus", {"http", "table", "tick"}},
        {"promql", {"http", "names", "query"}},
        {"graphite", {"http", "names", "query"}},
        {"istatd", {"agents", "documents", "http", "names", "query"}},
        {"report", {"agents", "names", "tick", "table"}},
        {"web", {"http"}},
        {"live", {"http", "query", "table"}},
        {"documents", {"agents", "graphite", "http", "tick"}},
        {"admin", {"documents", "http", "agents", "tick", "table"}},
        {"demo", {}},
        {"recording", {"demo"}}}},
  };
  return layers_with_folders;
}

// The folders of other layers that one folder may include, although the rest of its layer may not.
const Reach& exceptions() {
  static const Reach reach = {{"server/demo", {"agent/catalogue"}}};
  return reach;
}

// Returns true for layers whose root has the types that their folders share: files at the root include none
// of the folders. In the other layers the root has the composition root, which includes every folder.
bool has_shared_types_at_root(std::string_view layer) {
  return layer == "base" || layer == "proto" || layer == "storage";
}

// Returns true for folders that may use the types at the root of proto/, but no wire format.
bool is_free_of_wire_formats(std::string_view layer, std::string_view folder) {
  return layer == "storage" || (layer == "server" && folder == "query");
}

// Returns the folder at `depth` of a path; empty below the last folder. For "server/http/url.h": 0 is
// "server", 1 is "http", 2 is empty.
std::string folder(std::string_view path, size_t depth) {
  for (; depth > 0; --depth) {
    const size_t slash = path.find('/');
    if (slash == std::string_view::npos) return {};
    path.remove_prefix(slash + 1);
  }
  const size_t slash = path.find('/');
  return slash == std::string_view::npos ? std::string() : std::string(path.substr(0, slash));
}

// Returns the layer of an included path. <statmill/...> names the installed headers of counters/.
std::string layer_of(std::string_view path) {
  std::string layer = folder(path, 0);
  return layer == "statmill" ? "counters" : layer;
}

bool may_reach(const Reach& reach, const std::string& from, const std::string& to) {
  const auto it = reach.find(from);
  return from == to || (it != reach.end() && it->second.contains(to));
}

std::string fault(const std::string& path, size_t line, std::string_view what) {
  return path + ":" + std::to_string(line) + ": " + std::string(what);
}

bool is_source(const std::filesystem::path& path) {
  return path.extension() == ".h" || path.extension() == ".cc" || path.extension() == ".c";
}

}  // namespace

std::vector<SourceFile> read_sources(const std::filesystem::path& root) {
  std::vector<SourceFile> out;
  for (const auto& [layer, reach] : layers()) {
    if (!std::filesystem::exists(root / layer)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / layer)) {
      if (!entry.is_regular_file() || !is_source(entry.path())) continue;
      SourceFile file{.path = entry.path().lexically_relative(root).string(), .lines = {}};
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) file.lines.push_back(line);
      out.push_back(std::move(file));
    }
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return out;
}

std::vector<std::string> check_includes(const std::vector<SourceFile>& files) {
  std::set<std::string> known;
  for (const SourceFile& file : files) known.insert(file.path);
  std::vector<std::string> faults;
  for (const SourceFile& file : files) {
    const std::string from = folder(file.path, 0);
    for (size_t i = 0; i < file.lines.size(); ++i) {
      const Include include = include_of(file.lines[i]);
      const std::string to = layer_of(include.path);
      // <bpf/libbpf.h> is a system header, although bpf/ is a layer.
      if (!layers().contains(to) || !(include.is_quoted || known.contains(include.path))) continue;
      const std::string part = folder(file.path, 1);
      const std::string other = folder(include.path, 1);
      const bool is_exception = may_reach(exceptions(), from + "/" + part, to + "/" + other);
      if (!may_reach(layers(), from, to) && !may_reach(layers(), from, include.path) && !is_exception) {
        faults.push_back(fault(file.path, i + 1, from + "/ may not include " + include.path));
        continue;
      }
      const std::string place = part.empty() ? from + "/" : from + "/" + part + "/";
      if (to == "proto" && !other.empty() && is_free_of_wire_formats(from, part)) {
        faults.push_back(fault(file.path, i + 1, place + " may not include " + include.path));
      }
      if (from != to || other.empty()) continue;
      const auto inner = inner_folders().find(from);
      if (inner == inner_folders().end()) continue;
      if (part.empty() ? has_shared_types_at_root(from) : !may_reach(inner->second, part, other)) {
        faults.push_back(fault(file.path, i + 1, place + " may not include " + include.path));
      }
    }
  }
  return faults;
}

std::vector<std::string> check_opening_comments(const std::vector<SourceFile>& files) {
  std::vector<std::string> faults;
  for (const SourceFile& file : files) {
    const std::string extension = std::filesystem::path(file.path).extension();
    if (extension == ".cc") continue;  // its header has the comment
    // By convention the first line of a BPF program is its license, in a machine-readable form.
    const size_t first =
        !file.lines.empty() && file.lines[0].find("SPDX-License-Identifier") != std::string::npos;
    const bool opens = file.lines.size() > first &&
                       (file.lines[first].starts_with("// ") || file.lines[first].starts_with("/* "));
    if (!opens)
      faults.push_back(fault(file.path, first + 1, "does not open with a comment on what it is for"));
  }
  return faults;
}

std::vector<std::string> check_lengths(const std::vector<SourceFile>& files) {
  std::vector<std::string> faults;
  for (const SourceFile& file : files) {
    const bool is_main = std::filesystem::path(file.path).filename() == "main.cc";
    const size_t limit = is_main ? kMainLinesMax : kFileLinesMax;
    if (file.lines.size() > limit) {
      faults.push_back(fault(file.path, limit + 1, "is longer than " + std::to_string(limit) + " lines"));
    }
  }
  return faults;
}

std::vector<std::string> check_purity(const std::vector<SourceFile>& files) {
  constexpr std::string_view kImpure[] = {"_clock::now",   "clock_gettime",  "gettimeofday",
                                          "time(nullptr)", "Clock&",         "<thread>",
                                          "std::async",    "<sys/socket.h>", "asio"};
  std::vector<std::string> faults;
  for (const SourceFile& file : files) {
    const std::string layer = folder(file.path, 0);
    if (layer != "proto" && layer != "storage") continue;
    for (size_t i = 0; i < file.lines.size(); ++i) {
      for (const std::string_view impure : kImpure) {
        if (file.lines[i].find(impure) == std::string::npos) continue;
        faults.push_back(fault(file.path, i + 1, layer + "/ may not use " + std::string(impure)));
      }
    }
  }
  return faults;
}

std::vector<std::string> check_hash_tables(const std::vector<SourceFile>& files) {
  constexpr std::string_view kLayers[] = {"base", "proto", "storage", "ingest", "agent", "server"};
  std::vector<std::string> faults;
  for (const SourceFile& file : files) {
    const bool is_checked = std::ranges::find(kLayers, folder(file.path, 0)) != std::end(kLayers);
    if (!is_checked || file.path == "base/text_map.h") continue;
    for (size_t i = 0; i < file.lines.size(); ++i) {
      for (const std::string_view table : {"unordered_map<std::string", "unordered_set<std::string"}) {
        if (file.lines[i].find(table) == std::string::npos) continue;
        faults.push_back(fault(file.path, i + 1, "use a table of base/text_map.h"));
      }
    }
  }
  return faults;
}

std::vector<std::string> check_guards(const std::vector<SourceFile>& files) {
  std::vector<std::string> faults;
  for (const SourceFile& file : files) {
    const bool is_header = std::filesystem::path(file.path).extension() == ".h";
    const bool is_guarded =
        std::find(file.lines.begin(), file.lines.end(), "#pragma once") != file.lines.end();
    if (is_header && !is_guarded) faults.push_back(fault(file.path, 1, "has no #pragma once"));
  }
  return faults;
}

}  // namespace statmill
