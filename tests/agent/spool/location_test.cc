// Which facts make a location a different one, and how they are read.
#include "agent/spool/location.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const SpoolLocation kLocation{
    .directory = "d", .product = "uuid", .addresses = {"mac1", "mac2"}, .host = "web1"};

SpoolLocation with(void (*change)(SpoolLocation&)) {
  SpoolLocation location = kLocation;
  change(location);
  return location;
}

TEST(SpoolLocation, IsTheSameWhileNoStrongFactDiffers) {
  EXPECT_TRUE(is_same_location(kLocation, kLocation));
  EXPECT_TRUE(is_same_location(kLocation, with([](SpoolLocation& p) { p.product.clear(); })));
  EXPECT_TRUE(is_same_location(kLocation, with([](SpoolLocation& p) { p.addresses.clear(); })));
  EXPECT_TRUE(is_same_location(kLocation, with([](SpoolLocation& p) { p.host.clear(); })));
  EXPECT_TRUE(is_same_location({.directory = "d"}, kLocation));
}

TEST(SpoolLocation, IsTheSameAfterACardIsReplacedOrTheHostRenamed) {
  EXPECT_TRUE(is_same_location(kLocation, with([](SpoolLocation& p) { p.addresses = {"mac2", "mac3"}; })));
  EXPECT_TRUE(is_same_location(kLocation, with([](SpoolLocation& p) { p.host = "web2"; })));
  EXPECT_TRUE(is_same_location(kLocation, with([](SpoolLocation& p) {
                                 p.host = "web2";
                                 p.product.clear();
                               })));
}

TEST(SpoolLocation, OfACloneDiffers) {
  EXPECT_FALSE(is_same_location(kLocation, with([](SpoolLocation& p) { p.directory = "e"; })));
  EXPECT_FALSE(is_same_location(kLocation, with([](SpoolLocation& p) { p.product = "other"; })));
  EXPECT_FALSE(is_same_location(kLocation, with([](SpoolLocation& p) { p.addresses = {"mac3"}; })));
  EXPECT_FALSE(is_same_location({.directory = "d", .host = "web1"}, {.directory = "d", .host = "web2"}));
}

TEST(SpoolLocation, RemembersFactsThatCannotBeReadNow) {
  const SpoolLocation merged = merge_locations(kLocation, {.directory = "d", .host = "web2"});
  EXPECT_EQ(merged, with([](SpoolLocation& p) { p.host = "web2"; }));
}

class MachineFacts : public testing::Test {
 protected:
  void put(const std::string& path, const std::string& contents) { root_.write(path, contents); }
  void card(const std::string& name, const std::string& address, const std::string& bus,
            const std::string& assigned = "0\n") {
    const std::string directory = "sys/class/net/" + name + "/";
    put(directory + "address", address + "\n");
    put(directory + "addr_assign_type", assigned);
    if (bus.empty()) return;
    std::filesystem::create_directories(root_.path() / (directory + "device"));
    std::filesystem::create_directory_symlink("../../../../bus/" + bus,
                                              root_.path() / (directory + "device/subsystem"));
  }
  SpoolLocation facts() { return machine_facts(root_.path().string()); }

  TempDirectory root_;
};

TEST_F(MachineFacts, AreUnknownIfTheyCannotBeRead) { EXPECT_EQ(facts(), SpoolLocation()); }

TEST_F(MachineFacts, AreHashesOfTheMachinesProperties) {
  put("sys/class/dmi/id/product_uuid", "4c4c4544-0051\n");
  put("etc/hostname", "web1\n");
  card("eth0", "aa:bb:cc:dd:ee:ff", "pci");
  const SpoolLocation location = facts();
  EXPECT_EQ(location.product, fact_hash("4c4c4544-0051"));
  EXPECT_EQ(location.host, fact_hash("web1"));
  EXPECT_THAT(location.addresses, ElementsAre(fact_hash("aa:bb:cc:dd:ee:ff")));
}

TEST_F(MachineFacts, IgnoreRemovableInterfaces) {
  card("docker0", "02:00:00:00:00:01", "", "3\n");
  card("veth1", "02:00:00:00:00:02", "");
  card("wlan0", "02:00:00:00:00:03", "pci", "3\n");  // a randomized address
  card("usb0", "02:00:00:00:00:04", "usb");
  EXPECT_THAT(facts().addresses, IsEmpty());
}

TEST_F(MachineFacts, IgnoreAnEmptyUuid) {
  for (const char* uuid :
       {"00000000-0000-0000-0000-000000000000\n", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF\n"}) {
    put("sys/class/dmi/id/product_uuid", uuid);
    EXPECT_EQ(facts().product, "") << uuid;
  }
}

}  // namespace
}  // namespace statmill
