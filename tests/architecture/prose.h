// The rule for prose: comments and documents use the field's words and whole sentences.
//
// Some words and openings make sentences that only their author understands at once. A program finds these;
// the rest is up to reviewers (docs/style.md).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/architecture/rules.h"

namespace statmill {

// Every Markdown file in `root` and in its folders of sources and documents, by path.
std::vector<SourceFile> read_documents(const std::filesystem::path& root);

// Returns one fault, "PATH:LINE: what is wrong", for each banned word and each banned opening of a sentence:
// in the comments of sources, and in the text of files named *.md (code blocks and `code` excepted).
std::vector<std::string> check_prose(const std::vector<SourceFile>& files);

}  // namespace statmill
