#include "proto/istatd/family_line.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "proto/istatd/parser.h"
#include "tests/proto/line_laws.h"

namespace statmill {
namespace {

// Returns "KIND PATH [UNIT] HELP" or the reason of the refusal.
std::string family_parsed(std::string_view line) {
  Batch batch;
  parse_canonical_line(line, AddedTags(), batch);
  EXPECT_TRUE(account_holds(batch));
  EXPECT_TRUE(batch.samples.empty());
  for (const RefusedLine& refused : batch.refused_lines) {
    EXPECT_EQ(refused.text, line);
    return std::string(refusal_label(refused.reason));
  }
  EXPECT_EQ(batch.received, 0U) << "a family is not a sample";
  if (batch.families.size() != 1) return "nothing";
  const FamilyText& family = batch.families.front().text;
  return std::to_string(static_cast<int>(family.kind)) + " " + std::string(family.path) + " [" +
         std::string(family.unit) + "] " + std::string(family.help);
}

TEST(FamilyLineTest, HasKindPathUnitAndHelp) {
  EXPECT_EQ(family_parsed("$m g room.heat celsius Temperature at the door, in °C."),
            "0 room.heat [celsius] Temperature at the door, in °C.");
  EXPECT_EQ(family_parsed("$m e Web/Hits - Requests\r"), "1 Web/Hits [] Requests") << "no byte is folded";
  EXPECT_EQ(family_parsed("$m e %41~%20%7E s x"), "1 A~%20~ [s] x") << "one spelling of a path";
  EXPECT_EQ(family_parsed("$m d web.latency ms"), "2 web.latency [ms] ") << "help is optional";
  EXPECT_EQ(family_parsed("$m  c\tnet.in  bytes   two  words  "), "3 net.in [bytes] two  words");
}

TEST(FamilyLineTest, RefusesWhatIsNotOne) {
  const std::string long_path(kNameBytesMax + 1, 'a');
  const std::pair<std::string, const char*> cases[] = {
      {"$m", "field_count"},
      {"$m g a", "field_count"},
      {"$m x a - help", "reserved"},
      {"$m gg a - help", "reserved"},
      {"$mg a 1 2", "reserved"},
      {"$m g a;b=c s help", "bad_name"},
      {"$m g " + long_path + " s help", "name_too_long"},
      {"$m g a Bytes help", "bad_metadata"},
      {"$m g a " + std::string(33, 'a') + " help", "bad_metadata"},
      {"$m g a s \xe2\x80\xae", "bad_metadata"},
      {"$m g a s " + std::string(kHelpBytesMax + 1, 'a'), "metadata_limit"},
  };
  for (const auto& [line, reason] : cases) EXPECT_EQ(family_parsed(line), reason) << line;
}

TEST(FamilyLineTest, PathsAreThoseOfPlainLinesOfTheSameDoor) {
  Batch batch;
  parse_istatd_lines("$m g Web/Hits - x\nWeb/Hits 1\n", batch);
  ASSERT_EQ(batch.families.size(), 1U);
  EXPECT_EQ(batch.families.front().text.path, batch.samples.front().name);
  const auto tags = AddedTags::read("host=a");
  parse_canonical_lines("$m g Web/Hits - x\nWeb/Hits 1\n", *tags, batch);
  EXPECT_EQ(batch.families.back().text.path, "Web/Hits");
  EXPECT_EQ(path_of(batch.samples.back().name), "Web/Hits");
}

TEST(FamilyLineTest, KeepsTheSender) {
  Batch batch;
  batch.set_sender(LineSender::http());
  parse_istatd_lines("$m g a s x\na 1\n", batch);
  ASSERT_EQ(batch.families.size(), 1U);
  EXPECT_EQ(batch.families.front().sender, LineSender::http());
  EXPECT_EQ(batch.samples.size(), 1U);
  batch.clear();
  EXPECT_TRUE(batch.families.empty());
}

RC_GTEST_PROP(FamilyLineTest, WrittenLinesParseToTheSame, ()) {
  const auto word = [](const char* bytes) {
    return *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(std::string(bytes))));
  };
  const std::string path = word("abC._/-\"");
  const std::string unit =
      (*rc::gen::arbitrary<bool>() ? word("abc_/%9") : std::string()).substr(0, kUnitBytesMax);
  const std::string help = *rc::gen::arbitrary<bool>() ? "x" + word("ab -$#") + "x" : std::string();
  const FamilyText family{*rc::gen::element(Kind::kGauge, Kind::kEvent, Kind::kDistribution, Kind::kCounter),
                          path, unit, help};
  std::string line;
  append_family_line(line, family);
  Batch batch;
  parse_canonical_lines(line, AddedTags(), batch);
  RC_ASSERT(batch.families.size() == 1U);
  RC_ASSERT(batch.families.front().text == family);
}

}  // namespace
}  // namespace statmill
