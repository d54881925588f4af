#include "base/csv_text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace statmill {
namespace {

TEST(CsvText, IsQuotedWhereItMustBeAndNeverAFormula) {
  struct Case {
    std::string_view text;
    std::string_view want;
    std::string_view why;
  };
  constexpr Case kCases[] = {
      {"", "", "an empty field"},
      {"a.b;c=d", "a.b;c=d", "a plain name"},
      {"a+b-c@d", "a+b-c@d", "only the first character makes a formula"},
      {"a,b", "\"a,b\"", "the separator"},
      {"a\"b", "\"a\"\"b\"", "a quote"},
      {"a\nb", "\"a\nb\"", "a line end"},
      {"a\rb", "\"a\rb\"", "a line end"},
      {"=cmd|calc", "\"'=cmd|calc\"", "a formula"},
      {"+a.b", "\"'+a.b\"", "a formula"},
      {"-2+3", "\"'-2+3\"", "a formula"},
      {"@SUM(1)", "\"'@SUM(1)\"", "a formula"},
      {"\t=1", "\"'\t=1\"", "a spreadsheet may skip the blank"},
      {"\r=1", "\"'\r=1\"", "a spreadsheet may skip the line end"},
      {"=HYPERLINK(\"x\",1)", "\"'=HYPERLINK(\"\"x\"\",1)\"", "a formula with quotes"},
      {"=", "\"'=\"", "one character"},
  };
  for (const Case& c : kCases) {
    std::string out = "x,";
    append_csv_text(out, c.text);
    EXPECT_EQ(out, "x," + std::string(c.want)) << c.why;
  }
}

}  // namespace
}  // namespace statmill
