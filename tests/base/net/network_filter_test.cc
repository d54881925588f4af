#include "base/net/network_filter.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/asio/ip/address.hpp>
#include <string>

#include "base/net/session_limit.h"

namespace statmill {
namespace {

AddressBytes address(const std::string& text) { return address_bytes(boost::asio::ip::make_address(text)); }

Network network(std::string_view text) {
  const auto parsed = Network::parse(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? *parsed : Network{};
}

TEST(Network, ContainsTheAddressesOfItsPrefix) {
  EXPECT_TRUE(network("10.1.0.0/16").contains(address("10.1.255.3")));
  EXPECT_FALSE(network("10.1.0.0/16").contains(address("10.2.0.1")));
  EXPECT_TRUE(network("10.1.2.3").contains(address("10.1.2.3")));
  EXPECT_FALSE(network("10.1.2.3").contains(address("10.1.2.4")));
  EXPECT_TRUE(network("2001:db8::/33").contains(address("2001:db8:7fff::1")));
  EXPECT_FALSE(network("2001:db8::/33").contains(address("2001:db8:8000::1")));
  EXPECT_TRUE(network("0.0.0.0/0").contains(address("192.0.2.1")));
  EXPECT_FALSE(network("0.0.0.0/0").contains(address("2001:db8::1")));
  EXPECT_TRUE(network("::/0").contains(address("192.0.2.1"))) << "an IPv4 address is one of IPv6, too";
  EXPECT_TRUE(network("10.1.0.0/16").contains(address("::ffff:10.1.0.1")));
}

TEST(Network, OtherTextsAreErrors) {
  for (const char* text : {"", "web1", "10.1", "10.1.0.0/", "10.1.0.0/33", "10.1.0.0/-1", "10.1.0.0/8",
                           "10.1.0.0/16x", "::/129", "/8", "10.1.0.0/16/2"})
    EXPECT_FALSE(Network::parse(text)) << text;
}

RC_GTEST_PROP(Network, AnAddressIsInANetworkIfTheirFirstBitsAgree, ()) {
  const auto one = *rc::gen::arbitrary<AddressBytes>();
  const auto other = *rc::gen::arbitrary<AddressBytes>();
  const auto bits = *rc::gen::inRange(0U, 129U);
  bool agree = true;
  for (unsigned i = 0; i < bits; ++i) {
    const unsigned shift = 7 - i % 8;
    agree = agree && (one[i / 8] >> shift & 1) == (other[i / 8] >> shift & 1);
  }
  RC_ASSERT((Network{one, bits}.contains(other)) == agree);
}

TEST(NetworkFilter, DenyWinsAndAnEmptyAllowAdmitsAll) {
  NetworkFilter filter;
  EXPECT_TRUE(filter.admits(address("192.0.2.1")));
  filter.set({.allow = {}, .deny = {network("192.0.2.0/24")}});
  EXPECT_FALSE(filter.admits(address("192.0.2.1")));
  EXPECT_TRUE(filter.admits(address("192.0.3.1")));
  filter.set({.allow = {network("10.0.0.0/8")}, .deny = {network("10.1.0.0/16")}});
  EXPECT_TRUE(filter.admits(address("10.2.0.1")));
  EXPECT_FALSE(filter.admits(address("10.1.0.1")));
  EXPECT_FALSE(filter.admits(address("192.0.3.1")));
}

}  // namespace
}  // namespace statmill
