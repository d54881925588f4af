#include "agent/catalogue/family_lines.h"

#include <gtest/gtest.h>

#include "agent/catalogue/catalogue.h"
#include "proto/istatd/parser.h"

namespace statmill {
namespace {

TEST(FamilyLinesTest, AServerReadsTheWholeCatalogueFromThem) {
  const std::string lines = family_lines();
  Batch batch;
  parse_istatd_lines(lines, batch);
  EXPECT_EQ(batch.received, 0U) << "none is refused";
  ASSERT_EQ(batch.families.size(), all_families().size());
  for (size_t i = 0; i < batch.families.size(); ++i) {
    const Family& family = *all_families()[i];
    EXPECT_EQ(batch.families[i].text, (FamilyText{family.kind, family.path, family.unit, family.help}));
  }
}

}  // namespace
}  // namespace statmill
