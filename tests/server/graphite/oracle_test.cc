// The results of the tables, compared with those of graphite-web's own functions over the same series.
// Skipped where Debian's package is not unpacked, or Python cannot run it.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.h"
#include "server/graphite/function.h"
#include "tests/server/graphite/target_fixture.h"
#include "tests/support/process.h"
#include "tests/support/temp_directory.h"

namespace statmill::graphite {
namespace {

std::vector<ExpectedTarget> all_targets() {
  std::vector<ExpectedTarget> out;
  for (const char* group : {"alias", "calculate", "combine", "filter", "gaps", "graph", "lists", "smooth",
                            "sort", "special", "times", "transform"}) {
    for (ExpectedTarget& one : expected_targets(group)) out.push_back(std::move(one));
  }
  return out;
}

// What the oracle reads.
std::string document(const std::vector<ExpectedTarget>& targets) {
  std::string out = "{\"from\":" + std::to_string(kFrom_s) + ",\"until\":" + std::to_string(kUntil_s) +
                    ",\"now\":" + std::to_string(kNow_s) + ",\"series\":{";
  const MemorySource source = MemorySource::with_series();
  for (const auto& [name, series] : source.stored) {
    if (name != source.stored.begin()->first) out += ',';
    append_json_string(out, name);
    out += ":{\"start\":0,\"step\":" + std::to_string(series.step_s) + ",\"values\":[";
    for (size_t i = 0; i < series.values.size(); ++i) {
      if (i > 0) out += ',';
      is_none(series.values[i]) ? void(out += "null") : append_number(out, series.values[i]);
    }
    out += "]}";
  }
  out += "},\"events\":[";
  for (const FixtureEvent& event : fixture_events()) {
    if (out.back() != '[') out += ',';
    out += "[" + std::to_string(event.time_s);
    for (const std::string& tag : event.tags) {
      out += ',';
      append_json_string(out, tag);
    }
    out += "]";
  }
  out += "],\"targets\":[";
  for (size_t i = 0; i < targets.size(); ++i) {
    if (i > 0) out += ',';
    append_json_string(out, targets[i].target);
  }
  return out + "]}";
}

std::map<std::string, std::string> results_of(const std::string& text) {
  std::map<std::string, std::string> out;
  std::string* result = nullptr;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('@')) {
      result = &out[line.substr(1)];
    } else if (result != nullptr) {
      result->append(line).append("\n");
    }
  }
  return out;
}

bool is_error(const std::string& result) { return result.starts_with("error: "); }

TEST(GraphiteWeb, ComputesTheSame) {
  const std::string packages = STATMILL_SOURCE_TREE "/build/unpacked/graphite-web/lib/python3/dist-packages";
  const std::string oracle = STATMILL_SOURCE_TREE "/tests/server/graphite/graphite_oracle.py";
  const auto targets = all_targets();
  const TempDirectory directory;
  const std::string file = (directory.path() / "targets.json").string();
  std::ofstream(file) << document(targets);
  const Ended ended = run_program({"/usr/bin/python3", {oracle, packages, file}, {}});
  if (ended.status != 0)
    GTEST_SKIP() << "graphite-web is not unpacked, or python3-six and python3-pyparsing are missing: "
                 << ended.said;
  std::string names = "functions:";
  for (const Function& function : functions()) names.append(" ").append(function.name);
  EXPECT_EQ(ended.out.substr(0, ended.out.find('\n')), names);
  auto results = results_of(ended.out);
  size_t same = 0;
  for (const ExpectedTarget& one : targets) {
    const std::string& theirs = results[one.target];
    const bool is_same = theirs == one.result || (is_error(theirs) && is_error(one.result));
    same += is_same ? size_t{1} : size_t{0};
    EXPECT_EQ(is_same, one.differs.empty()) << one.target << "\n"
                                            << one.result << "graphite-web:\n"
                                            << theirs << one.differs;
  }
  EXPECT_GT(same, 250U);
}

}  // namespace
}  // namespace statmill::graphite
