// The rules hold for this tree, and each check finds a tree that breaks its rule.
#include "tests/architecture/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<SourceFile>& this_tree() {
  static const std::vector<SourceFile> files = read_sources(STATMILL_SOURCE_TREE);
  return files;
}

TEST(Architecture, TreeIsRead) { EXPECT_GT(this_tree().size(), 30U); }
TEST(Architecture, IncludesPointDown) { EXPECT_THAT(check_includes(this_tree()), IsEmpty()); }
TEST(Architecture, HeadersOpenWithAComment) { EXPECT_THAT(check_opening_comments(this_tree()), IsEmpty()); }
TEST(Architecture, FilesAreShort) { EXPECT_THAT(check_lengths(this_tree()), IsEmpty()); }
TEST(Architecture, ProtoAndStorageReadNoClockAndOpenNothing) {
  EXPECT_THAT(check_purity(this_tree()), IsEmpty());
}
TEST(Architecture, TablesOfTextsHaveASecret) { EXPECT_THAT(check_hash_tables(this_tree()), IsEmpty()); }
TEST(Architecture, HeadersAreGuarded) { EXPECT_THAT(check_guards(this_tree()), IsEmpty()); }
TEST(Architecture, StandardHeadersAreIncluded) {
  EXPECT_THAT(check_standard_includes(this_tree()), IsEmpty());
}

TEST(ArchitectureRules, AClockInStorageIsAFaultAndInServerIsNot) {
  const std::vector<SourceFile> files = {
      {"storage/a.cc", {"// A.", "auto t = std::chrono::system_clock::now();"}},
      {"proto/b.cc", {"#include <thread>"}},
      {"server/c.cc", {"auto t = std::chrono::system_clock::now();"}}};
  EXPECT_THAT(check_purity(files), ElementsAre("storage/a.cc:2: storage/ may not use _clock::now",
                                               "proto/b.cc:1: proto/ may not use <thread>"));
}

TEST(ArchitectureRules, ATableOfTextsWithoutASecretIsAFaultInAServer) {
  const std::vector<SourceFile> files = {
      {"server/a.h", {"// A.", "std::unordered_map<std::string, int> by_name;"}},
      {"base/text_map.h", {"std::unordered_set<std::string, TextHash>;"}},
      {"counters/b.cc", {"std::unordered_map<std::string, int> by_name;"}}};
  EXPECT_THAT(check_hash_tables(files), ElementsAre("server/a.h:2: use a table of base/text_map.h"));
}

TEST(ArchitectureRules, IncludesThatPointUpAreFaults) {
  struct Case {
    std::string file;
    std::string include;
    std::string fault;  // empty: allowed
  };
  const std::vector<Case> cases = {
      {"base/a.h", "\"storage/store.h\"", "base/a.h:2: base/ may not include storage/store.h"},
      {"base/a.h", "<counters/b.h>", "base/a.h:2: base/ may not include counters/b.h"},
      {"base/a.h", "\"statmill/b.h\"", "base/a.h:2: base/ may not include statmill/b.h"},
      {"counters/a.h", "\"proto/b.h\"", "counters/a.h:2: counters/ may not include proto/b.h"},
      {"proto/a.cc", "\"storage/b.h\"", "proto/a.cc:2: proto/ may not include storage/b.h"},
      {"proto/a.cc", "\"statmill/b.h\"", "proto/a.cc:2: proto/ may not include statmill/b.h"},
      {"proto/a.cc", "\"statmill/h2.h\"", ""},
      {"storage/a.cc", "\"server/health.h\"", "storage/a.cc:2: storage/ may not include server/health.h"},
      {"storage/a.cc", "\"counters/b.h\"", "storage/a.cc:2: storage/ may not include counters/b.h"},
      {"bpf/a.bpf.c", "\"base/b.h\"", "bpf/a.bpf.c:2: bpf/ may not include base/b.h"},
      {"server/demo/a.cc", "\"agent/catalogue/b.h\"", ""},
      {"server/demo/a.cc", "\"agent/b.h\"", "server/demo/a.cc:2: server/ may not include agent/b.h"},
      {"server/http/a.cc", "\"agent/catalogue/b.h\"",
       "server/http/a.cc:2: server/ may not include agent/catalogue/b.h"},
      {"server/a.cc", "\"agent/b.h\"", "server/a.cc:2: server/ may not include agent/b.h"},
      {"agent/a.cc", "\"storage/b.h\"", "agent/a.cc:2: agent/ may not include storage/b.h"},
      {"agent/a.cc", "\"server/b.h\"", "agent/a.cc:2: agent/ may not include server/b.h"},
      {"ingest/a.cc", "\"server/b.h\"", "ingest/a.cc:2: ingest/ may not include server/b.h"},
      {"ingest/a.cc", "\"storage/b.h\"", "ingest/a.cc:2: ingest/ may not include storage/b.h"},
      {"server/table/a.h", "\"ingest/b.h\"", ""},
      {"agent/a.cc", "\"ingest/b.h\"", ""},
      {"tools/x/a.cc", "\"server/b.h\"", "tools/x/a.cc:2: tools/ may not include server/b.h"},
      {"tools/x/a.cc", "\"agent/b.h\"", "tools/x/a.cc:2: tools/ may not include agent/b.h"},
      {"server/a.cc", "\"tests/b.h\"", "server/a.cc:2: server/ may not include tests/b.h"},
      {"server/table/a.h", "\"server/tick/b.h\"",
       "server/table/a.h:2: server/table/ may not include server/tick/b.h"},
      {"server/query/a.h", "\"server/http/b.h\"",
       "server/query/a.h:2: server/query/ may not include server/http/b.h"},
      {"server/http/a.h", "\"server/table/b.h\"",
       "server/http/a.h:2: server/http/ may not include server/table/b.h"},
      {"server/http/a.h", "\"server/tick/b.h\"",
       "server/http/a.h:2: server/http/ may not include server/tick/b.h"},
      {"server/http/a.h", "\"server/admin/b.h\"",
       "server/http/a.h:2: server/http/ may not include server/admin/b.h"},
      {"base/a.h", "\"base/b.h\"", ""},
      {"base/net/a.h", "\"base/b.h\"", ""},
      {"base/a.h", "\"base/net/b.h\"", "base/a.h:2: base/ may not include base/net/b.h"},
      {"proto/istatd/a.h", "\"proto/statsd/b.h\"",
       "proto/istatd/a.h:2: proto/istatd/ may not include proto/statsd/b.h"},
      {"storage/rocks/a.h", "\"storage/codec/b.h\"", ""},
      {"storage/codec/a.h", "\"storage/rocks/b.h\"",
       "storage/codec/a.h:2: storage/codec/ may not include storage/rocks/b.h"},
      {"storage/a.h", "\"storage/codec/b.h\"", "storage/a.h:2: storage/ may not include storage/codec/b.h"},
      {"storage/a.cc", "\"proto/agent/b.h\"", "storage/a.cc:2: storage/ may not include proto/agent/b.h"},
      {"server/query/a.cc", "\"proto/istatd/b.h\"",
       "server/query/a.cc:2: server/query/ may not include proto/istatd/b.h"},
      {"server/query/a.cc", "\"proto/b.h\"", ""},
      {"agent/spool/a.h", "\"agent/delivery/b.h\"",
       "agent/spool/a.h:2: agent/spool/ may not include agent/delivery/b.h"},
      {"agent/agent.cc", "\"agent/delivery/b.h\"", ""},
      {"server/admin/a.h", "\"server/tick/b.h\"", ""},
      {"server/http/a.h", "\"server/query/b.h\"", ""},
      {"server/http/a.h", "\"server/health.h\"", ""},
      {"server/server.cc", "\"server/tick/b.h\"", ""},
      {"agent/a.cc", "<bpf/libbpf.h>", ""},
      {"server/a.cc", "<bpf/libbpf.h>", ""},
      {"tests/a.cc", "\"server/http/b.h\"", ""},
      {"storage/a.cc", "<proto/b.h>", ""},
  };
  for (const Case& c : cases) {
    const TempDirectory tree;
    tree.write("counters/b.h", "// What an angled include may name.\n#pragma once\n");
    tree.write(c.file, "// A file.\n#include " + c.include + "\n");
    const std::vector<std::string> faults = check_includes(read_sources(tree.path()));
    if (c.fault.empty()) {
      EXPECT_THAT(faults, IsEmpty()) << c.file;
    } else {
      EXPECT_THAT(faults, ElementsAre(c.fault));
    }
  }
}

TEST(ArchitectureRules, IncludesAreFoundInEverySpelling) {
  const TempDirectory tree;
  tree.write(
      "base/a.h",
      "//  x\n  #  include\t\"server/x.h\"\n#include\"agent/x.h\" // why\n// #include \"proto/x.h\"\n");
  EXPECT_EQ(check_includes(read_sources(tree.path())).size(), 2U);
}

TEST(ArchitectureRules, HeadersWithoutOpeningCommentAreFaults) {
  const TempDirectory tree;
  tree.write("base/a.h", "#pragma once\n// Too late.\n");
  tree.write("base/b.h", "");
  tree.write("base/c.h", "// Good.\n");
  tree.write("base/c.cc", "#include \"base/c.h\"\n");
  tree.write("bpf/d.bpf.c", "// SPDX-License-Identifier: GPL-2.0\nint x;\n");
  tree.write("bpf/e.bpf.c", "// SPDX-License-Identifier: GPL-2.0\n// Good.\nint x;\n");
  EXPECT_THAT(check_opening_comments(read_sources(tree.path())),
              ElementsAre("base/a.h:1: does not open with a comment on what it is for",
                          "base/b.h:1: does not open with a comment on what it is for",
                          "bpf/d.bpf.c:2: does not open with a comment on what it is for"));
}

TEST(ArchitectureRules, LongFilesAreFaultsAndMainsHaveALowerLimit) {
  const auto lines = [](size_t count) {
    std::string out;
    for (size_t i = 0; i < count; ++i) out += "//\n";
    return out;
  };
  const TempDirectory tree;
  tree.write("base/just.cc", lines(kFileLinesMax));
  tree.write("base/long.cc", lines(kFileLinesMax + 1));
  tree.write("server/main.cc", lines(kMainLinesMax + 1));
  tree.write("agent/main.cc", lines(kMainLinesMax));
  EXPECT_THAT(check_lengths(read_sources(tree.path())),
              ElementsAre("base/long.cc:401: is longer than 400 lines",
                          "server/main.cc:60: is longer than 59 lines"));
}

TEST(ArchitectureRules, UnguardedHeadersAreFaults) {
  const TempDirectory tree;
  tree.write("base/a.h", "// Open.\n");
  tree.write("base/b.h", "// Guarded.\n#pragma once\n");
  tree.write("base/c.cc", "// No header.\n");
  EXPECT_THAT(check_guards(read_sources(tree.path())), ElementsAre("base/a.h:1: has no #pragma once"));
}

TEST(ArchitectureRules, AStandardNameWithoutItsHeaderIsAFault) {
  const std::vector<SourceFile> files = {
      {"base/a.h", {"#include <vector>", "std::vector<int> a;"}},
      {"base/through.cc", {"#include \"base/a.h\"", "std::vector<int> b;"}},
      {"base/missing.cc",
       {"#include \"base/a.h\"", "std::map<int, std::vector<int>> c;", "std::map<int, int> d;"}},
      {"base/comment.cc", {"// std::map"}},
      {"base/other_name.cc", {"std::mapping d;"}},
      {"tests/base/a_test.cc", {"std::map<int, int> e;"}}};
  EXPECT_THAT(check_standard_includes(files),
              ElementsAre("base/missing.cc:2: uses std::map and does not include <map>"));
}

}  // namespace
}  // namespace statmill
