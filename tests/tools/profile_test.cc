// The text of `statmill profile`, of two answers of a server.
#include "tools/statmill/profile/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/run_command.h"

namespace statmill {
namespace {

// A process with 1 s of CPU time so far; and the same 2 s later, after 3 s more.
constexpr std::string_view kFirst =
    R"({"time_ns":1000000000,"processors":2,"cpu_ns":1000000000,"stages":{"parse":100000000,"flush":0},)"
    R"("threads":[{"id":1,"name":"main","cpu_ns":900000000},{"id":2,"name":"line","cpu_ns":100000000},)"
    R"({"id":9,"name":"gone","cpu_ns":5}]})";
constexpr std::string_view kLast =
    R"({"time_ns":3000000000,"processors":2,"cpu_ns":4000000000,"stages":{"parse":600000000,"flush":1500000000},)"
    R"("threads":[{"id":1,"name":"main","cpu_ns":1000000000},{"id":2,"name":"line","cpu_ns":1600000000},)"
    R"({"id":3,"name":"line","cpu_ns":500000000}]})";

Profile profile() {
  const auto first = parse_profile(kFirst);
  const auto last = parse_profile(kLast);
  EXPECT_TRUE(first && last);
  const Result<Profile> out = profile_between(*first, *last);
  EXPECT_TRUE(out) << out.error().message;
  return *out;
}

TEST(Profile, IsWhatHappenedBetweenTwoReadings) {
  EXPECT_EQ(profile_csv(profile()),
            "part,name,threads,cpu,share\n"
            "stage,flush,,0.750000,0.500000\n"
            "stage,parse,,0.250000,0.166667\n"
            "stage,other,,0.500000,0.333333\n"
            "thread,line,2,1.000000,0.666667\n"
            "thread,(ended),,0.450000,0.300000\n"
            "thread,main,1,0.050000,0.033333\n");
}

TEST(Profile, ATableHasBars) {
  EXPECT_EQ(profile_table(profile()),
            "CPU of the server in 2.0 s: 1.50 of 2 processors\n"
            "\n"
            "stage  of a CPU   share\n"
            "flush    75.0 %  50.0 %  ██████████████████████████████\n"
            "parse    25.0 %  16.7 %  ██████████\n"
            "other    50.0 %  33.3 %  ████████████████████\n"
            "\n"
            "thread   threads  of a CPU   share\n"
            "line           2   100.0 %  66.7 %  ██████████████████████████████\n"
            "(ended)        -    45.0 %  30.0 %  █████████████▌\n"
            "main           1     5.0 %   3.3 %  █▌\n");
}

TEST(Profile, JsonHasTheSame) {
  EXPECT_THAT(profile_json(profile()),
              testing::StartsWith(R"({"seconds":2E0,"processors":2,"cpu":1.5E0,"stages":[{"name":"flush",)"));
}

TEST(Profile, BarsHaveEighths) {
  EXPECT_EQ(bar_text(0, 4), "");
  EXPECT_EQ(bar_text(1, 4), "████");
  EXPECT_EQ(bar_text(7, 4), "████");
  EXPECT_EQ(bar_text(0.5 + 1.0 / 32, 4), "██▏");
  EXPECT_EQ(bar_text(-1, 4), "");
}

TEST(Profile, ReadingsOfTwoProcessesHaveNoDifference) {
  const auto first = parse_profile(kFirst);
  const auto last = parse_profile(kLast);
  EXPECT_FALSE(profile_between(*last, *first)) << "the server was started again";
  EXPECT_FALSE(profile_between(*first, *first)) << "no time has passed";
}

TEST(Profile, AnIdleServerHasNoShares) {
  ProfileReading first = *parse_profile(kFirst);
  ProfileReading last = first;
  last.time_ns += 1'000'000'000;
  const auto idle = profile_between(first, last);
  ASSERT_TRUE(idle);
  for (const Profile::Row& row : idle->parts.at(0).rows) EXPECT_EQ(row.share, 0) << row.name;
  EXPECT_THAT(profile_table(*idle), testing::HasSubstr("0.00 of 2 processors"));
}

TEST(Profile, WhatIsNoProfileIsRefused) {
  for (const std::string_view text :
       {"", "{}", "[]", R"({"time_ns":1,"processors":1,"cpu_ns":1,"stages":[],"threads":[]})",
        R"({"time_ns":-1,"processors":1,"cpu_ns":1,"stages":{},"threads":[]})",
        R"({"time_ns":1,"processors":1,"cpu_ns":1,"stages":{},"threads":[{"id":1,"name":2,"cpu_ns":3}]})"}) {
    EXPECT_FALSE(parse_profile(text)) << text;
  }
}

TEST(ProfileCommand, RefusesDurationsOutOfRange) {
  for (const char* duration : {"99ms", "61m", "soon"}) {
    const Outcome outcome =
        run_command("", {"profile", "--duration", duration, "--admin.socket", "/no.sock"});
    EXPECT_EQ(outcome.code, ExitCode::kUsage) << duration;
    EXPECT_THAT(outcome.messages, testing::HasSubstr("--duration")) << duration;
  }
}

}  // namespace
}  // namespace statmill
