// The catalogue: its families are in canonical form, none is there twice, and docs/series.md is made from it.
#include "agent/catalogue/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <type_traits>

#include "agent/catalogue/series_name.h"
#include "agent/collectors/make_collectors.h"
#include "proto/added_tags.h"
#include "proto/host_presence.h"

namespace statmill {
namespace {

using testing::Contains;
using testing::HasSubstr;

bool is_plain(std::string_view text) {
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") == std::string_view::npos;
}

TEST(Catalogue, HasThePresenceOfTheHost) {
  const Family* const presence = find_family(kPresencePath);
  ASSERT_NE(presence, nullptr);
  EXPECT_EQ(presence->kind, Kind::kCounter) << "silence is unknown";
}

TEST(Catalogue, EachFamilyIsInCanonicalFormAndExplained) {
  std::set<std::string_view> collectors = {"agent"};
  for (const std::string_view name : collector_names()) collectors.insert(name);
  std::set<std::string_view> paths;
  for (const Family* const family : all_families()) {
    const std::string_view path = family->path;
    EXPECT_TRUE(path.starts_with("host.") && is_plain(path)) << path;
    EXPECT_TRUE(paths.insert(path).second) << path << " is there twice";
    EXPECT_EQ(find_family(path), family);
    EXPECT_TRUE(family->help.ends_with('.') || family->help.ends_with(')')) << path << ": " << family->help;
    EXPECT_LE(family->help.size(), 1024U) << path;
    EXPECT_EQ(family->help.find_first_of("|\n"), std::string_view::npos) << path;
    EXPECT_THAT(collectors, Contains(family->collector)) << path;
    for (size_t i = 0; i < family->tag_count(); ++i) {
      EXPECT_TRUE(is_plain(family->tags[i]) && family->tags[i] != "host" && family->tags[i] != "name")
          << path;
      if (i > 0) {
        EXPECT_LT(family->tags[i - 1], family->tags[i]) << path;
      }
    }
  }
}

// The unit is the end of the name, where it has one there.
TEST(Catalogue, UnitsAreTheEndsOfNames) {
  for (const Family* const family : all_families()) {
    for (const std::string_view unit : {"ns", "us", "s", "bytes", "percent", "pages"}) {
      if (family->path.ends_with("_" + std::string(unit))) {
        EXPECT_EQ(family->unit, unit) << family->path;
      }
    }
  }
}

TEST(Catalogue, EachCollectorHasFamilies) {
  for (const std::string_view name : collector_names()) {
    if (name == "programs") continue;  // its series have the names that programs give them
    const auto families = all_families();
    EXPECT_TRUE(std::any_of(families.begin(), families.end(), [&](const Family* family) {
      return family->collector == name;
    })) << name;
  }
}

TEST(Catalogue, APathOfAnotherKindOrOutsideOfItHasNoName) {
  EXPECT_EQ(find_family("host.block.byte"), nullptr);
  EXPECT_EQ(find_family(""), nullptr);
  EXPECT_EQ(EventFamily("host.block.bytes").family().path, "host.block.bytes");
  static_assert(!std::is_constructible_v<EventFamily, std::string>, "only constants are looked up");
}

TEST(Catalogue, NamesOfSeriesAreCanonical) {
  const Family& block = EventFamily("host.block.bytes").family();
  const struct {
    std::string_view device;
    std::string_view want;
  } table[] = {{"vda", "host.block.bytes;device=vda;op=read"},
               {"cciss/c0d0", "host.block.bytes;device=cciss/c0d0;op=read"},
               {"a b;c", "host.block.bytes;device=a%20b%3Bc;op=read"},
               {"~a", "host.block.bytes;device=%7Ea;op=read"},
               {"100%", "host.block.bytes;device=100%;op=read"},
               {"%41", "host.block.bytes;device=%2541;op=read"},
               {"\xff", "host.block.bytes;device=%FF;op=read"},
               {"\u00e9", "host.block.bytes;device=\u00e9;op=read"}};
  for (const auto& t : table) {
    std::string name;
    append_series_name(name, block, {t.device, "read"});
    EXPECT_EQ(name, t.want);
    EXPECT_TRUE(AddedTags::read(std::string_view(name).substr(name.find(';') + 1))) << name;
  }
}

TEST(Catalogue, AnEmptyValueLeavesOutItsTag) {
  const Family& family = EventFamily("host.cgroup.io_bytes").family();
  std::string name;
  append_series_name(name, family, {"/a", "", "", "read", ""});
  EXPECT_EQ(name, "host.cgroup.io_bytes;cgroup=/a;op=read");
}

TEST(Catalogue, ThePageOfTheGuideIsMadeFromIt) {
  std::ifstream file(STATMILL_SERIES_PAGE);
  const std::string page(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(page, series_page()) << "write it with statmill-agent --series > docs/series.md";
  EXPECT_THAT(page, HasSubstr("\n| `host.block.bytes` | `device`, `op` | event | bytes | block | "));
}

}  // namespace
}  // namespace statmill
