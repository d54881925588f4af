// The rules of the house that a program can check: which folder may include which, how a file opens, how long
// it may be. Pure functions of a source tree, so that a test can show them a tree that breaks each.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace statmill {

inline constexpr size_t kFileLinesMax = 400;
inline constexpr size_t kMainLinesMax = 59;

struct SourceFile {
  std::string path;  // relative to the tree, "server/http/url.h"
  std::vector<std::string> lines;
};

// Every .h, .cc and .c file in the layers' folders of `root`, by path.
std::vector<SourceFile> read_sources(const std::filesystem::path& root);

// Each gives one line per fault, "PATH:LINE: what is wrong"; none when all is well.
// An include is ours when its first folder is a layer and it is quoted, or the file is among `files`.
std::vector<std::string> check_includes(const std::vector<SourceFile>& files);
// Every header and every program in C opens with a comment on what it is for.
std::vector<std::string> check_opening_comments(const std::vector<SourceFile>& files);
std::vector<std::string> check_lengths(const std::vector<SourceFile>& files);
// Invariant E: proto/ and storage/ read no clock, open no socket and start no thread; `now` is an argument.
std::vector<std::string> check_purity(const std::vector<SourceFile>& files);
// Every header has `#pragma once`.
std::vector<std::string> check_guards(const std::vector<SourceFile>& files);
// Every file outside tests/ includes the standard headers whose names it uses, by itself or through files of
// ours. The compiler does not notice when one is missing: the most used headers are precompiled for all
// files.
std::vector<std::string> check_standard_includes(const std::vector<SourceFile>& files);

}  // namespace statmill
