#include "server/table/family_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const FamilyKey kHeat{"room.heat", Kind::kGauge};

class FamilyTableTest : public testing::Test {
 protected:
  bool note(std::string_view unit, std::string_view help, const FamilyKey& key = kHeat) {
    return table_.note({key.kind, key.path, unit, help});
  }
  // Returns the changes as "path unit help" and "-path".
  std::vector<std::string> changes() {
    std::vector<std::string> out;
    auto [families, removed] = table_.take_changes();
    for (const FamilyRow& row : families) out.push_back(row.key.path + " " + row.unit + " " + row.help);
    for (const FamilyKey& key : removed) out.push_back("-" + key.path);
    return out;
  }

  FamilyTable table_{{.families_max = 3, .bytes_max = 100}};
};

TEST_F(FamilyTableTest, TheLastTextCountsAndAnEqualOneChangesNothing) {
  EXPECT_TRUE(note("celsius", "Heat."));
  EXPECT_THAT(changes(), ElementsAre("room.heat celsius Heat."));
  EXPECT_TRUE(note("celsius", "Heat."));
  EXPECT_THAT(changes(), IsEmpty());
  EXPECT_TRUE(note("kelvin", "Heat."));
  EXPECT_TRUE(note("", "Warmth."));
  EXPECT_THAT(changes(), ElementsAre("room.heat  Warmth."));
  EXPECT_TRUE(note("celsius", ""));
  EXPECT_THAT(changes(), ElementsAre("room.heat celsius Warmth.")) << "without a help the known one stays";
}

TEST_F(FamilyTableTest, KindsAreFamiliesOfTheirOwn) {
  note("celsius", "a");
  note("s", "b", {"room.heat", Kind::kEvent});
  EXPECT_EQ(table_.find(kHeat)->unit, "celsius");
  EXPECT_EQ(table_.find({"room.heat", Kind::kEvent})->help, "b");
  EXPECT_FALSE(table_.find({"room.heat", Kind::kCounter}));
}

TEST_F(FamilyTableTest, AUnitOfTheDialectIsOnlyForFamiliesWithoutOne) {
  table_.note_unit(Kind::kGauge, "room.heat", "ms");
  EXPECT_THAT(changes(), ElementsAre("room.heat ms "));
  table_.note_unit(Kind::kGauge, "room.heat", "s");
  EXPECT_THAT(changes(), IsEmpty());
  note("", "Help.", {"b", Kind::kGauge});
  table_.note_unit(Kind::kGauge, "b", "ms");
  EXPECT_THAT(changes(), ElementsAre("b ms Help."));
}

TEST_F(FamilyTableTest, LimitsRefuseAndKnownFamiliesContinue) {
  for (const char* path : {"a", "b", "c"}) EXPECT_TRUE(note("s", "x", {path, Kind::kGauge}));
  EXPECT_FALSE(note("s", "x", {"d", Kind::kGauge}));
  EXPECT_TRUE(note("ms", "y", {"a", Kind::kGauge}));
  EXPECT_EQ(table_.refused(), 1U);
  EXPECT_FALSE(note("ms", std::string(100, 'y'), {"a", Kind::kGauge}));
  EXPECT_EQ(table_.find({"a", Kind::kGauge})->help, "y");
  EXPECT_EQ(table_.refused(), 2U);
  EXPECT_EQ(table_.size(), 3U);
  EXPECT_EQ(table_.text_bytes(), 3 * 3 + 1U);
}

TEST_F(FamilyTableTest, RemovesAfterTheTickThatWroteIt) {
  note("celsius", "Heat.");
  table_.remove(kHeat);
  EXPECT_TRUE(table_.find(kHeat)) << "it was noted since the last tick, perhaps for a new series";
  changes();
  note("celsius", "Heat.");
  table_.remove(kHeat);
  EXPECT_TRUE(table_.find(kHeat)) << "so was an equal text";
  changes();
  table_.remove(kHeat);
  EXPECT_FALSE(table_.find(kHeat));
  EXPECT_THAT(changes(), ElementsAre("-room.heat"));
  EXPECT_EQ(table_.text_bytes(), 0U);
}

TEST_F(FamilyTableTest, CopiesOnlyToAFamilyWithoutTexts) {
  note("celsius", "Heat.");
  note("kelvin", "Other.", {"b", Kind::kGauge});
  table_.copy(kHeat, {"b", Kind::kGauge});
  table_.copy(kHeat, {"c", Kind::kGauge});
  table_.copy({"none", Kind::kGauge}, {"d", Kind::kGauge});
  EXPECT_EQ(table_.find({"b", Kind::kGauge})->unit, "kelvin");
  EXPECT_EQ(table_.find({"c", Kind::kGauge})->help, "Heat.");
  EXPECT_FALSE(table_.find({"d", Kind::kGauge}));
}

TEST_F(FamilyTableTest, StartsWithTheRowsOfTheStoreAndRemovesDamagedOnes) {
  table_.restore({{{kHeat, "celsius", "Heat."}}, {{"bad", Kind::kEvent}}});
  EXPECT_EQ(table_.find(kHeat)->unit, "celsius");
  EXPECT_THAT(changes(), ElementsAre("-bad"));
  EXPECT_EQ(table_.text_bytes(), 21U);
}

TEST_F(FamilyTableTest, PagesComeByPathAndKind) {
  note("", "2", {"b", Kind::kEvent});
  note("", "1", {"b", Kind::kGauge});
  note("", "0", {"a", Kind::kCounter});
  std::string helps;
  FamilyKey last;
  for (auto page = table_.page(last, 2); !page.empty(); page = table_.page(last, 2)) {
    for (const FamilyRow& row : page) helps += row.help;
    helps += "|";
    last = page.back().key;
  }
  EXPECT_EQ(helps, "01|2|");
}

}  // namespace
}  // namespace statmill
