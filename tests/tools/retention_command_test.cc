// `statmill retention`: what it asks, and how it prints the answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/fake_server.h"
#include "tests/tools/run_command.h"
#include "tools/statmill/retention_answer.h"

namespace statmill {
namespace {

using testing::HasSubstr;

constexpr const char* kKept = R"({"dry_run":false,"classes":[{"rule":null,"series":3,"tiers":[)"
                              R"({"step":10,"retention_s":864000,"oldest":1699500000,"bytes":5242880},)"
                              R"({"step":300,"retention_s":31536000,"oldest":null,"bytes":0}]},)"
                              R"({"rule":"host.* 1s:6h","series":12,"tiers":[)"
                              R"({"step":1,"retention_s":21600,"oldest":1699978400,"bytes":100}]}]})";

constexpr const char* kDryRun =
    R"({"dry_run":true,"classes":[{"rule":"debug.* 10s:2d","then_rule":"debug.* 10s:1d","series":3,)"
    R"("affected_series":2,"tiers":[)"
    R"({"step":1,"retention_s":0,"oldest":null,"bytes":0,"then_s":3600,"affected_series":0,"dropped_bytes":0},)"
    R"({"step":10,"retention_s":172800,"oldest":1699500000,"bytes":5242880,"then_s":86400,)"
    R"("affected_series":2,"dropped_bytes":1048576}]}]})";

TEST(RetentionCommand, PrintsARowPerClassAndTier) {
  EXPECT_EQ(kept_table(*parse_kept_classes(kKept), utc),
            "rule       series  tier  kept  oldest sample (UTC)  about\n"
            "(no rule)       3   10s   10d  2023-11-09 03:20:00  5 MiB\n"
            "                     5m    1y  -                      0 B\n"
            "host.*         12    1s    6h  2023-11-14 16:13:20  100 B\n");
}

TEST(RetentionCommand, ADryRunAlsoPrintsWhatWouldBeDropped) {
  const KeptClasses kept = *parse_kept_classes(kDryRun);
  EXPECT_EQ(kept_table(kept, utc),
            "rule     series  tier  kept now  then  oldest sample (UTC)  about  affected  dropped\n"
            "debug.*       3    1s         -    1h  -                      0 B         0        -\n"
            "                  10s        2d    1d  2023-11-09 03:20:00  5 MiB         2    1 MiB\n");
  EXPECT_EQ(dropped_text(kept), "about 1 MiB of 2 series would be dropped, for good");
  EXPECT_EQ(dropped_text({}), "nothing would be dropped");
}

TEST(RetentionCommand, SaysAtLeastIfReadingTookTooLong) {
  KeptClasses kept = *parse_kept_classes(
      R"({"dry_run":true,"classes":[{"rule":null,"then_rule":null,"series":3,"affected_series":3,"tiers":[)"
      R"({"step":10,"retention_s":864000,"oldest":null,"bytes":5242880,"at_least":true,"then_s":86400,)"
      R"("affected_series":3,"dropped_bytes":1048576}]}]})");
  EXPECT_THAT(kept_table(kept, utc), HasSubstr(">= 5 MiB         3  >= 1 MiB"));
  EXPECT_EQ(dropped_text(kept), "at least 1 MiB of 3 series would be dropped, for good");
}

TEST(RetentionCommand, ProgramsReadCsv) {
  EXPECT_EQ(kept_csv(*parse_kept_classes(kKept)),
            "rule,series,step,retention_s,oldest,unix,bytes\n"
            ",3,10,864000,2023-11-09T03:20:00Z,1699500000,5242880\n"
            ",3,300,31536000,,,0\n"
            "host.* 1s:6h,12,1,21600,2023-11-14T16:13:20Z,1699978400,100\n");
  EXPECT_EQ(kept_csv(*parse_kept_classes(kDryRun)),
            "rule,series,step,retention_s,oldest,unix,bytes,then_s,affected_series,dropped_bytes\n"
            "debug.* 10s:2d,3,1,0,,,0,3600,0,0\n"
            "debug.* 10s:2d,3,10,172800,2023-11-09T03:20:00Z,1699500000,5242880,86400,2,1048576\n");
}

TEST(RetentionCommand, RefusesWhatIsNoAnswer) {
  for (const char* text : {"", "{}", R"({"dry_run":false})", R"({"dry_run":true,"classes":[{}]})",
                           R"({"dry_run":false,"classes":[{"rule":null,"series":1,"tiers":[{"step":1}]}]})"})
    EXPECT_FALSE(parse_kept_classes(text)) << text;
}

TEST(RetentionCommand, OptionsNeedADryRun) {
  const Outcome outcome =
      run_command("", {"retention", "--admin.socket", "/none", "--retention.rule", "a 10s:1d"});
  EXPECT_EQ(outcome.code, ExitCode::kUsage);
  EXPECT_THAT(outcome.messages, HasSubstr("--retention.rule needs --dry-run"));
}

}  // namespace
}  // namespace statmill
