// Files of time zones: one made here, those of this system compared with what its C library reads, and
// damage.
#include "base/zone_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/zone_rule.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

namespace fs = std::filesystem;

struct FileParts {
  uint32_t leap_seconds = 0;
  std::vector<std::pair<int64_t, uint8_t>> changes = {{-1'000'000'000, 1}, {0, 2}, {1'000'000'000, 1}};
  std::vector<std::pair<int32_t, uint8_t>> types = {{3208, 0}, {3600, 4}, {7200, 8}};
  std::string names = std::string("LMT\0CET\0CEST\0", 13);
  std::string rule = "CET-1CEST,M3.5.0,M10.5.0/3";
  char version = '2';
};

std::string file_of(const FileParts& parts) {
  std::string out;
  Writer to(out);
  const auto header = [&](uint32_t leap_seconds, uint32_t changes, uint32_t types, size_t names) {
    out += "TZif";
    out += parts.version;
    out.append(15, '\0');
    for (const uint32_t count : {0U, 0U, leap_seconds, changes, types, static_cast<uint32_t>(names)})
      to.u32be(count);
  };
  header(0, 0, 1, 1);
  out.append(7, '\0');
  header(parts.leap_seconds, static_cast<uint32_t>(parts.changes.size()),
         static_cast<uint32_t>(parts.types.size()), parts.names.size());
  for (const auto& [time_s, type] : parts.changes) to.u64be(static_cast<uint64_t>(time_s));
  for (const auto& [time_s, type] : parts.changes) to.u8(type);
  for (const auto& [east_s, name] : parts.types) {
    to.u32be(static_cast<uint32_t>(east_s));
    to.u8(east_s > 3600 ? 1 : 0);
    to.u8(name);
  }
  return out + parts.names + "\n" + parts.rule + "\n";
}

std::string offset_at(const Zone& zone, int64_t unix_s) {
  const ZoneOffset offset = zone(unix_s);
  return offset.name + " " + std::to_string(offset.east_s);
}

TEST(ZoneFile, TheOffsetIsOfTheLastChangeThenOfTheRule) {
  const auto zone = parse_zone_file(file_of({}));
  ASSERT_TRUE(zone) << zone.error().message;
  EXPECT_EQ(offset_at(*zone, INT64_MIN), "LMT 3208");
  EXPECT_EQ(offset_at(*zone, -1'000'000'001), "LMT 3208");
  EXPECT_EQ(offset_at(*zone, -1'000'000'000), "CET 3600");
  EXPECT_EQ(offset_at(*zone, -1), "CET 3600");
  EXPECT_EQ(offset_at(*zone, 0), "CEST 7200");
  // By the rule: on 28 March 2027 at 1:00 and on 31 October at 1:00, UTC.
  EXPECT_EQ(offset_at(*zone, 1'806'195'599), "CET 3600");
  EXPECT_EQ(offset_at(*zone, 1'806'195'600), "CEST 7200");
  EXPECT_EQ(offset_at(*zone, 1'824'944'399), "CEST 7200");
  EXPECT_EQ(offset_at(*zone, 1'824'944'400), "CET 3600");
  EXPECT_EQ(offset_at(*zone, INT64_MAX), "CET 3600") << "as at the end of 9999";
}

TEST(ZoneFile, WithoutARuleTheLastOffsetStays) {
  FileParts parts;
  parts.rule = "";
  parts.changes = {{0, 2}};
  const auto zone = parse_zone_file(file_of(parts));
  ASSERT_TRUE(zone);
  EXPECT_EQ(offset_at(*zone, 4'000'000'000), "CEST 7200");
  parts.changes.clear();
  EXPECT_EQ(offset_at(*parse_zone_file(file_of(parts)), 4'000'000'000), "LMT 3208");
}

TEST(ZoneFile, WhatIsWrongIsSaid) {
  const auto said = [](const FileParts& parts) {
    const auto zone = parse_zone_file(file_of(parts));
    return zone ? "" : zone.error().message.substr(std::string("no valid file of a time zone: ").size());
  };
  EXPECT_EQ(said({}), "");
  EXPECT_EQ(said({.version = '\0'}), "it is of version 1");
  EXPECT_EQ(said({.changes = {{5, 0}, {5, 1}}}), "its times do not ascend");
  EXPECT_EQ(said({.changes = {{5, 3}}}), "a change is to an offset that it does not have");
  EXPECT_EQ(said({.changes = {}, .types = {}}), "it has no offsets, or more than 256");
  EXPECT_EQ(said({.changes = {}, .types = {{100'000, 0}}}), "an offset is more than a day");
  EXPECT_EQ(said({.changes = {}, .types = {{0, 13}}}), "a name has no end");
  EXPECT_EQ(said({.names = std::string("LMT\0C\"T\0CEST\0", 13)}), "a name is not of letters and digits");
  EXPECT_EQ(said({.rule = "CET-1CEST"}), "the rule at its end is wrong");
  EXPECT_EQ(said({.leap_seconds = 1, .rule = "0123456789012345678901234567890"}), "it counts leap seconds");
  EXPECT_EQ(parse_zone_file("").error().message, "no valid file of a time zone: it does not begin with TZif");
}

TEST(ZoneFile, EachCutIsRefusedAndNoDamageIsACrash) {
  const std::string whole = file_of({});
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(parse_zone_file(std::string_view(whole).substr(0, size))) << size;
  for (size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      const auto zone = parse_zone_file(damaged);
      const int32_t east_s = zone ? (*zone)(1'800'000'000).east_s : 0;
      EXPECT_LE(std::abs(east_s), 93'599) << i;
    }
  }
}

TEST(ZoneRule, DatesHaveThreeForms) {
  struct Case {
    const char* rule;
    int64_t unix_s;
    const char* want;
  };
  const Case cases[] = {
      {"UTC0", 0, "UTC 0"},
      {"<+0545>-5:45", 0, "+0545 20700"},
      {"EST5EDT,M3.2.0,M11.1.0", 1'773'557'999, "EDT -14400"},
      {"EST5EDT,M3.2.0,M11.1.0", 1'772'953'199, "EST -18000"},  // 8 March 2026 at 7:00 UTC, less a second
      {"EST5EDT,M3.2.0,M11.1.0", 1'772'953'200, "EDT -14400"},
      // The south: summer is over the turn of the year.
      {"AEST-10AEDT,M10.1.0,M4.1.0/3", 1'767'225'600, "AEDT 39600"},
      {"AEST-10AEDT,M10.1.0,M4.1.0/3", 1'782'864'000, "AEST 36000"},
      // Without 29 February: 1 March is day 60, in 2024, too.
      {"AAA0BBB,J60/0,J365/0", 1'709'251'199, "AAA 0"},
      {"AAA0BBB,J60/0,J365/0", 1'709'251'200, "BBB 3600"},
      // Day 59 is 29 February in 2024.
      {"AAA0BBB,59/0,364/0", 1'709'164'799, "AAA 0"},
      {"AAA0BBB,59/0,364/0", 1'709'164'800, "BBB 3600"},
      {"AAA0BBB-3,59/0,364/0", 1'709'164'800, "BBB 10800"},
      // Times before midnight and after the day.
      {"<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 1'743'296'399, "-02 -7200"},
      {"<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 1'743'296'400, "-01 -3600"},
      {"XXX3EDT4,0/0,J365/23", 1'767'240'000, "EDT -14400"},  // summer all the year
  };
  for (const Case& one : cases) {
    const auto rule = ZoneRule::parse(one.rule);
    ASSERT_TRUE(rule) << one.rule;
    EXPECT_EQ(offset_at([&](int64_t t) { return rule->at(t); }, one.unix_s), one.want)
        << one.rule << " " << one.unix_s;
  }
}

TEST(ZoneRule, AnythingElseIsRefused) {
  for (const char* rule : {"",
                           "A0",
                           "UTC",
                           "<+05",
                           "<a\"b>0",
                           "UTC25",
                           "UTC0:60",
                           "UTC0UTC",
                           "CET-1CEST,",
                           "CET-1CEST,M3.5.0",
                           "CET-1CEST,M3.5.0,",
                           "CET-1CEST,M13.5.0,M10.5.0",
                           "CET-1CEST,M3.6.0,M10.5.0",
                           "CET-1CEST,M3.5.7,M10.5.0",
                           "CET-1CEST,J0,M10.5.0",
                           "CET-1CEST,366,M10.5.0",
                           "CET-1CEST,M3.5.0/168,M10.5.0",
                           "CET-1CEST,M3.5.0,M10.5.0 ",
                           "CET-1CEST,M3.5,M10.5.0",
                           "CET--1"})
    EXPECT_FALSE(ZoneRule::parse(rule)) << rule;
}

TEST(ReadZone, NoNameLeadsOutOfTheFolder) {
  const TempDirectory directory;
  fs::create_directories(directory.path() / "zones" / "Some");
  std::ofstream(directory.path() / "zones" / "Some" / "City-1") << file_of({});
  std::ofstream(directory.path() / "secret") << file_of({});
  std::ofstream(directory.path() / "zones" / "Text") << "hello";
  std::ofstream(directory.path() / "zones" / "Long") << file_of({}) << std::string(kZoneFileBytesMax, 'x');
  const std::string folder = (directory.path() / "zones").string();
  EXPECT_TRUE(read_zone("Some/City-1", folder));
  for (const char* name :
       {"", "../secret", "Some/../../secret", "/etc/localtime", "Some//City-1", "Some/", "Some", ".", "Text",
        "Long", "some/city-1", "Some/City-1\n", "Some/.hidden", "-x", "None"}) {
    const auto zone = read_zone(name, folder);
    ASSERT_FALSE(zone) << name;
    EXPECT_EQ(zone.error().code, ErrorCode::kInvalid);
    EXPECT_NE(zone.error().message.find("is no time zone of " + folder), std::string::npos)
        << zone.error().message;
  }
  EXPECT_EQ(read_zone("Some/City-1", folder + "/no").error().message,
            "there are no time zones here: " + folder + "/no does not exist; the package tzdata has it");
}

// Sets TZ, and puts back what was there.
class Environment {
 public:
  Environment() {
    if (const char* before = std::getenv("TZ")) before_ = before;
  }
  ~Environment() {
    before_ ? ::setenv("TZ", before_->c_str(), 1) : ::unsetenv("TZ");
    ::tzset();
  }
  static void set(const std::string& name) {
    ::setenv("TZ", (":" + name).c_str(), 1);
    ::tzset();
  }

 private:
  std::optional<std::string> before_;
};

TEST(ReadZone, EachZoneOfThisSystemIsAsItsCLibraryHasIt) {
  const fs::path folder(kZoneFolder);
  if (!fs::exists(folder / "Europe/Berlin")) GTEST_SKIP() << "the package tzdata is missing";
  const Environment environment;
  std::mt19937_64 random(7);
  size_t zones = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = fs::relative(entry.path(), folder).string();
    const bool is_other = name.starts_with("right/") || name.find('.') != std::string::npos;
    if (is_other || !entry.is_regular_file()) continue;
    const auto zone = read_zone(name);
    if (!zone && name == "leapseconds") continue;
    ASSERT_TRUE(zone) << name << ": " << zone.error().message;
    ++zones;
    Environment::set(name);
    for (int i = 0; i < 300; ++i) {
      // 1870 to 2500.
      const std::time_t time = std::uniform_int_distribution<int64_t>(-3'155'760'000, 16'725'225'600)(random);
      tm parts{};
      ASSERT_NE(::localtime_r(&time, &parts), nullptr);
      const ZoneOffset offset = (*zone)(time);
      ASSERT_EQ(offset.east_s, parts.tm_gmtoff) << name << " " << time;
      ASSERT_EQ(offset.name, parts.tm_zone) << name << " " << time;
    }
  }
  EXPECT_GT(zones, 100U);
}

}  // namespace
}  // namespace statmill
