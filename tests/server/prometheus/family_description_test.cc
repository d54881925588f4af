#include "server/prometheus/family_description.h"

#include <gtest/gtest.h>

#include <string>

namespace statmill {
namespace {

FamilyText added(const FamilyDescription& family, Batch& batch) {
  add_family(family, batch);
  EXPECT_EQ(batch.families.size(), 1U);
  return batch.families.empty() ? FamilyText{} : batch.families.back().text;
}

TEST(AddFamily, TheTypeSaysOfWhichSeriesItIs) {
  Batch batch;
  EXPECT_EQ(added({"a_total", FamilyType::kCounter, "", "Help."}, batch),
            (FamilyText{Kind::kCounter, "a_total", "", "Help."}));
  batch.clear();
  EXPECT_EQ(added({"h", FamilyType::kHistogram, "s", ""}, batch),
            (FamilyText{Kind::kDistribution, "h", "s", ""}));
  batch.clear();
  EXPECT_EQ(added({"s", FamilyType::kSummary, "", "S"}, batch).kind, Kind::kGauge);
}

TEST(AddFamily, TextsAreCleaned) {
  Batch batch;
  const FamilyText text = added({"a b", FamilyType::kGauge, "Bytes", "one\ntwo\t\xff\u200b\x7f."}, batch);
  EXPECT_EQ(text.path, "a%20b");
  EXPECT_EQ(text.unit, "");
  EXPECT_EQ(text.help, "one two    .");
}

TEST(AddFamily, ALongHelpIsCutBetweenCharacters) {
  Batch batch;
  std::string help = "x";
  for (int i = 0; i < 1000; ++i) help += "\u00e4";
  const std::string_view kept = added({"a", FamilyType::kGauge, "", help}, batch).help;
  EXPECT_EQ(kept, help.substr(0, 1023));
}

TEST(AddFamily, WithoutTextsThereIsNothingToKeep) {
  Batch batch;
  add_family({"a", FamilyType::kCounter, "Bad unit", ""}, batch);
  add_family({"", FamilyType::kCounter, "", "help"}, batch);
  EXPECT_TRUE(batch.families.empty());
}

TEST(NoteFamily, TextsAreAddedWhenTheyAreNew) {
  FamilyTypes types;
  Batch batch;
  const auto count = [&](std::string_view help, FamilyType type) {
    note_family({"a", type, "", help}, types, batch);
    return batch.families.size();
  };
  EXPECT_EQ(count("one", FamilyType::kGauge), 1U);
  EXPECT_EQ(count("one", FamilyType::kGauge), 1U);
  EXPECT_EQ(count("two", FamilyType::kGauge), 2U);
  EXPECT_EQ(count("two", FamilyType::kCounter), 3U);
  EXPECT_TRUE(types.is_counter("a", {}));
}

}  // namespace
}  // namespace statmill
