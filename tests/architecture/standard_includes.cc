#include <map>
#include <set>
#include <string_view>

#include "tests/architecture/include_line.h"
#include "tests/architecture/rules.h"

namespace statmill {
namespace {

// The precompiled headers (cmake/StatmillTargets.cmake) with the names that each of them alone guarantees.
// Names that several headers guarantee, such as std::swap, are left out.
const std::map<std::string_view, std::set<std::string_view>>& names_by_header() {
  static const std::map<std::string_view, std::set<std::string_view>> names = {
      {"algorithm", {"min",    "max",       "clamp",       "sort",        "stable_sort", "find_if", "any_of",
                     "all_of", "none_of",   "lower_bound", "upper_bound", "equal_range", "fill",    "fill_n",
                     "copy_n", "remove_if", "min_element", "max_element", "nth_element", "ranges"}},
      {"array", {"array"}},
      {"atomic", {"atomic", "atomic_flag", "atomic_ref", "memory_order_relaxed", "memory_order_acquire"}},
      {"chrono", {"chrono"}},
      {"cmath",
       {"sqrt", "isfinite", "isnan", "isinf", "floor", "ceil", "pow", "log2", "round", "lround", "ldexp"}},
      {"cstring", {"memcpy", "memcmp", "memset", "memmove", "memchr", "strlen", "strerror"}},
      {"filesystem", {"filesystem"}},
      {"functional", {"function", "less", "greater", "equal_to", "reference_wrapper", "invoke"}},
      {"limits", {"numeric_limits"}},
      {"map", {"map", "multimap"}},
      {"memory",
       {"unique_ptr", "shared_ptr", "weak_ptr", "make_unique", "make_shared", "enable_shared_from_this"}},
      {"optional", {"optional", "nullopt"}},
      {"span", {"span"}},
      {"string", {"string", "to_string"}},
      {"string_view", {"string_view"}},
      {"thread", {"thread", "jthread", "this_thread"}},
      {"unordered_map", {"unordered_map"}},
      {"utility", {"move", "forward", "exchange", "pair", "as_const"}},
      {"vector", {"vector"}},
  };
  return names;
}

// Calls `seen` with the NAME of each "std::NAME" before any line comment.
template <typename Seen>
void for_each_standard_name(std::string_view line, const Seen& seen) {
  line = line.substr(0, line.find("//"));
  constexpr std::string_view kPrefix = "std::";
  for (size_t at = line.find(kPrefix); at != std::string_view::npos; at = line.find(kPrefix, at)) {
    at += kPrefix.size();
    const size_t end = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_", at);
    seen(line.substr(at, end - at));
  }
}

// Finds the headers from outside the tree that a file includes, directly or through files of the tree.
class IncludedHeaders {
 public:
  explicit IncludedHeaders(const std::vector<SourceFile>& files) {
    for (const SourceFile& file : files) files_.emplace(file.path, &file);
  }

  std::set<std::string> of(const std::string& path) const {
    std::set<std::string> headers;
    std::set<std::string> visited;
    add(path, headers, visited);
    return headers;
  }

 private:
  void add(const std::string& path, std::set<std::string>& headers, std::set<std::string>& visited) const {
    if (!visited.insert(path).second) return;
    for (const std::string& line : files_.at(path)->lines) {
      std::string included = include_of(line).path;
      if (included.starts_with("statmill/")) included.insert(0, "counters/");
      if (files_.contains(included)) {
        add(included, headers, visited);
      } else if (!included.empty()) {
        headers.insert(std::move(included));
      }
    }
  }

  std::map<std::string, const SourceFile*, std::less<>> files_;
};

}  // namespace

std::vector<std::string> check_standard_includes(const std::vector<SourceFile>& files) {
  const IncludedHeaders included(files);
  std::vector<std::string> faults;
  for (const SourceFile& file : files) {
    if (file.path.starts_with("tests/") || file.path.ends_with(".c")) continue;
    std::set<std::string> headers = included.of(file.path);
    for (size_t i = 0; i < file.lines.size(); ++i) {
      for_each_standard_name(file.lines[i], [&](std::string_view name) {
        for (const auto& [header, names] : names_by_header()) {
          // Report each header once per file.
          if (!names.contains(name) || !headers.emplace(header).second) continue;
          faults.push_back(file.path + ":" + std::to_string(i + 1) + ": uses std::" + std::string(name) +
                           " and does not include <" + std::string(header) + ">");
        }
      });
    }
  }
  return faults;
}

}  // namespace statmill
