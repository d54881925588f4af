// The rules of the source tree that a program can check: which folder may include which, how a file opens,
// how long it may be. The checks are pure functions of a source tree, so that tests can pass trees that break
// them.
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

// Reads every .h, .cc and .c file in the layers' folders of `root`, sorted by path.
std::vector<SourceFile> read_sources(const std::filesystem::path& root);

// Each check returns one line per fault, "PATH:LINE: FAULT".

// Checks which folder includes which. An include is checked if its first folder is a layer, and it is quoted
// or names one of `files`.
std::vector<std::string> check_includes(const std::vector<SourceFile>& files);
// Every header and every C program opens with a comment that says what it is for.
std::vector<std::string> check_opening_comments(const std::vector<SourceFile>& files);
std::vector<std::string> check_lengths(const std::vector<SourceFile>& files);
// Invariant E: proto/ and storage/ read no clock, open no socket and start no thread; `now` is an argument.
std::vector<std::string> check_purity(const std::vector<SourceFile>& files);
// Hash tables of texts in programs that strangers send to are those of base/text_map.h, since anybody can
// find texts that collide in std::hash.
std::vector<std::string> check_hash_tables(const std::vector<SourceFile>& files);
// Every header has `#pragma once`.
std::vector<std::string> check_guards(const std::vector<SourceFile>& files);
// Every file outside tests/ includes the standard headers whose names it uses, directly or through files of
// this tree. The compiler does not notice a missing one, because the most used headers are precompiled for
// all files.
std::vector<std::string> check_standard_includes(const std::vector<SourceFile>& files);

}  // namespace statmill
