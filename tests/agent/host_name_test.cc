// The name of the host and the tags of all its series.
#include "agent/host_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "proto/added_tags.h"
#include "proto/agent/frames.h"

namespace statmill {
namespace {

using testing::StartsWith;

TEST(HostName, BeginsWithWhatTheKernelCallsThisHost) {
  std::array<char, 257> name{};
  ASSERT_EQ(::gethostname(name.data(), name.size() - 1), 0);
  std::string lower(name.data());
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  EXPECT_THAT(own_host_name(std::chrono::seconds(2)), StartsWith(lower));
}

TEST(HostName, DoesNotWaitForALookup) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string name = own_host_name(Duration(0));
  EXPECT_FALSE(name.empty());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

TEST(HostName, TagsAreSortedAndEscaped) {
  const auto tags = parse_host_tags("role=web,dc=eu west,zone=\u00e9");
  ASSERT_TRUE(tags) << tags.error().message;
  const std::string text = host_tags("web1.example.org", *tags);
  EXPECT_EQ(text, "dc=eu%20west;host=web1.example.org;role=web;zone=\u00e9");
  EXPECT_TRUE(AddedTags::read(text)) << "a server takes them as they are";
  EXPECT_EQ(host_tags("web1", {}), "host=web1");
}

TEST(HostName, RefusesTagsThatNoNameHas) {
  const std::string long_value = "a=" + std::string(kTagsBytesMax, 'x');
  for (const std::string& text :
       {std::string("dc"), std::string("dc="), std::string("=eu"), std::string("DC=eu"),
        std::string("a=1,a=2"), std::string("host=x"), std::string("name=x"), std::string("a=1,"),
        std::string("a=x\u200dy"), long_value}) {
    EXPECT_FALSE(parse_host_tags(text)) << text;
  }
}

}  // namespace
}  // namespace statmill
