#include "base/net/session_limit.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace statmill {
namespace {

AddressBytes client(const std::string& text) { return address_bytes(boost::asio::ip::make_address(text)); }

TEST(SessionLimit, OneClientMayHaveHalfUnlessAnotherLimitIsGiven) {
  const SessionLimit half(4);
  std::vector<SessionLimit::Place> places;
  for (int i = 0; i < 2; ++i) places.push_back(half.enter(client("10.0.0.1")));
  EXPECT_EQ(half.refusal(client("10.0.0.1")), ConnectionRefusal::kAddressLimit);
  EXPECT_EQ(half.refusal(client("10.0.0.2")), std::nullopt);
  for (int i = 0; i < 2; ++i) places.push_back(half.enter(client("10.0.0.2")));
  EXPECT_EQ(half.refusal(client("10.0.0.3")), ConnectionRefusal::kLimit);

  const SessionLimit given(4, 1);
  const auto place = given.enter(client("10.0.0.1"));
  EXPECT_EQ(given.refusal(client("10.0.0.1")), ConnectionRefusal::kAddressLimit);
}

TEST(SessionLimit, AnOnlyPlaceIsForEveryone) {
  EXPECT_EQ(SessionLimit(1).refusal(client("10.0.0.1")), std::nullopt);
}

TEST(SessionLimit, APlaceIsFreeOnceItIsDestroyed) {
  const SessionLimit limit(2);
  {
    auto place = limit.enter(client("10.0.0.1"));
    const auto moved = std::move(place);
    EXPECT_EQ(limit.count(), 1U);
    EXPECT_EQ(limit.refusal(client("10.0.0.1")), ConnectionRefusal::kAddressLimit);
  }
  EXPECT_EQ(limit.count(), 0U);
  EXPECT_EQ(limit.refusal(client("10.0.0.1")), std::nullopt);
}

TEST(SessionLimit, AddressesOfOneNetworkAreOneClient) {
  const SessionLimit limit(2);
  const auto place = limit.enter(client("2001:db8::1"));
  EXPECT_EQ(limit.refusal(client("2001:db8::ffff:2")), ConnectionRefusal::kAddressLimit);
  EXPECT_EQ(limit.refusal(client("2001:db8:0:1::1")), std::nullopt);
}

TEST(SessionLimit, AnIpv4AddressIsTheSameInIpv6) {
  const SessionLimit limit(2);
  const auto place = limit.enter(client("10.0.0.1"));
  EXPECT_EQ(limit.refusal(client("::ffff:10.0.0.1")), ConnectionRefusal::kAddressLimit);
}

TEST(SessionLimit, ClientsWithoutAnAddressHaveOnlyTheLimitOfAll) {
  const SessionLimit limit(2);
  const auto one = limit.enter(std::nullopt);
  EXPECT_EQ(limit.refusal(std::nullopt), std::nullopt);
  const auto two = limit.enter(std::nullopt);
  EXPECT_EQ(limit.refusal(std::nullopt), ConnectionRefusal::kLimit);
}

}  // namespace
}  // namespace statmill
