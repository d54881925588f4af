// The comments and documents of this tree keep the rule for prose, and each fault is seen.
#include "tests/architecture/prose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// These name the banned words.
bool is_about_prose(const SourceFile& file) {
  return file.path.starts_with("tests/architecture/prose") || file.path == "docs/style.md";
}

std::vector<SourceFile> without_this(std::vector<SourceFile> files) {
  std::erase_if(files, is_about_prose);
  return files;
}

TEST(Prose, CommentsOfThisTreeUseTheFieldsWords) {
  EXPECT_THAT(check_prose(without_this(read_sources(STATMILL_SOURCE_TREE))), IsEmpty());
}

TEST(Prose, DocumentsOfThisTreeUseTheFieldsWords) {
  const std::vector<SourceFile> documents = read_documents(STATMILL_SOURCE_TREE);
  EXPECT_GT(documents.size(), 5U);
  EXPECT_THAT(check_prose(without_this(documents)), IsEmpty());
}

TEST(ProseRules, ABannedWordInACommentIsAFaultAndInCodeIsNot) {
  const std::vector<SourceFile> files = {
      {"base/a.cc",
       {"// The bytes are taken as they are.", "int taken = 0;", "int mistaken = 0;  // told once"}}};
  EXPECT_THAT(check_prose(files),
              ElementsAre("base/a.cc:1: the word \"taken\" has a plainer one (docs/style.md)",
                          "base/a.cc:3: the word \"told\" has a plainer one (docs/style.md)"));
}

TEST(ProseRules, TheFieldsOwnUseOfAWordIsAllowed) {
  const std::vector<SourceFile> files = {
      {"base/a.cc", {"// A server behind a proxy sees one peer.", "// The metric is lag behind_s."}}};
  EXPECT_THAT(check_prose(files), IsEmpty());
}

TEST(ProseRules, AnOpeningWithoutSubjectIsAFaultOnlyWhereASentenceBegins) {
  const std::vector<SourceFile> files = {
      {"base/a.h",
       {"// Returns the newest. Of each series, the oldest.", "int a();", "// Whether it is open.",
        "// The end", "// Of the slot.", "int b;  // None when closed."}}};
  EXPECT_THAT(check_prose(files),
              ElementsAre("base/a.h:1: a sentence that opens with \"Of\" has no subject",
                          "base/a.h:3: a sentence that opens with \"Whether\" has no subject",
                          "base/a.h:6: a sentence that opens with \"None when\" has no subject"));
}

TEST(ProseRules, CodeInDocumentsIsNotProse) {
  const std::vector<SourceFile> files = {
      {"docs/a.md", {"```", "taken", "```", "The flag `taken` is set.", "- Of all series, one."}}};
  EXPECT_THAT(check_prose(files), SizeIs(1));
}

}  // namespace
}  // namespace statmill
