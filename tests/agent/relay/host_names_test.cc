// What a relay adds to names, and what it refuses to add.
#include "agent/relay/host_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/sample.h"
#include "proto/tagged_name.h"

namespace statmill {
namespace {

using testing::ElementsAre;

std::vector<std::string> applied(const std::string& tags, const std::string& carets, std::string_view name) {
  const auto names = HostNames::parse(tags, carets);
  EXPECT_TRUE(names) << names.error().message;
  Batch batch;
  std::vector<std::string_view> out;
  if (const auto verdict = names->apply(name, batch, out); verdict.is_refused())
    return {std::string(refusal_label(verdict.reason()))};
  return {out.begin(), out.end()};
}

TEST(HostNames, TagsAreSortedAndTheSamplesOwnWin) {
  EXPECT_THAT(applied("rack=r1,dc=eu", "", "cpu.idle"), ElementsAre("cpu.idle;dc=eu;rack=r1"));
  EXPECT_THAT(applied("rack=r1,dc=eu", "", "cpu;e=1"), ElementsAre("cpu;dc=eu;e=1;rack=r1"));
  EXPECT_THAT(applied("dc=eu", "", "cpu;dc=us"), ElementsAre("cpu;dc=us"));
  EXPECT_THAT(applied("dc=eu", "", "cpu;dcx=us"), ElementsAre("cpu;dc=eu;dcx=us")) << "another key";
}

TEST(HostNames, PartsFanOutBeforeTheTags) {
  EXPECT_THAT(applied("", "host.web1^cluster.a", "req"), ElementsAre("req.host.web1", "req.cluster.a"));
  EXPECT_THAT(applied("dc=eu", "web1^", "req;a=1"), ElementsAre("req.web1;a=1;dc=eu", "req;a=1;dc=eu"));
}

TEST(HostNames, NamesThatCannotBeMadeAreRefusedByReason) {
  EXPECT_THAT(applied("a=1", "", "x;y"), ElementsAre("bad_tag"))
      << "the sample's own tags are not valid there";
  EXPECT_THAT(applied("dc=eu", "", std::string(kNameBytesMax - 4, 'a')), ElementsAre("name_too_long"));
  EXPECT_THAT(applied("", "part", std::string(kNameBytesMax - 4, 'a')), ElementsAre("name_too_long"));
  std::string many = "x";
  for (size_t i = 0; i < kTagsMax; ++i) many += ";k" + std::to_string(100 + i) + "=v";
  EXPECT_THAT(applied("dc=eu", "", many), ElementsAre("tag_limit"));
}

TEST(HostNames, InvalidSettingsAreRefused) {
  for (const char* tags : {"dc", "=eu", "dc=", "a=1,a=2", "a=b c", ",a=1", "a=\xc2\xad"}) {
    EXPECT_FALSE(HostNames::parse(tags, "")) << tags;
  }
  for (const char* carets : {"^", "a^^b", "^a", "A", "a b", "a;b=c"})
    EXPECT_FALSE(HostNames::parse("", carets)) << carets;
  EXPECT_TRUE(HostNames::parse("", "")->add_nothing());
}

}  // namespace
}  // namespace statmill
