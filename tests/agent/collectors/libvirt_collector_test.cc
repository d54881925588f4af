// The libvirt collector with directories in the form of cgroups of both versions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/collectors/host_collectors.h"
#include "tests/agent/collectors/sys_fixture.h"

namespace statmill {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

class LibvirtCollectorTest : public SysFixture {
 protected:
  void make(const std::string& directory) { std::filesystem::create_directories(root_.path() / directory); }

  std::unique_ptr<Collector> libvirt_ = make_libvirt_collector(sources());
};

TEST_F(LibvirtCollectorTest, CountsGuestsAndTheirVirtualCpus) {
  const std::string machines = "fs/cgroup/machine.slice/";
  for (const char* vcpu : {"vcpu0", "vcpu1", "emulator"})
    make(machines + "machine-qemu\\x2d3\\x2dweb\\x2d1.scope/libvirt/" + vcpu);
  make(machines + "machine-qemu\\x2d12\\x2ddb.scope/vcpu0");  // an old libvirt
  make(machines + "libpod-abc.scope");
  make(machines + "machine-qemu\\x2dx.scope");
  EXPECT_EQ(collect(*libvirt_), CollectorStatus{});
  EXPECT_THAT(sink_.gauges,
              UnorderedElementsAre(Pair("host.libvirt.guests", 2), Pair("host.libvirt.vcpus;guest=web-1", 2),
                                   Pair("host.libvirt.vcpus;guest=db", 1)));
}

TEST_F(LibvirtCollectorTest, ReadsCgroupsOfVersion1) {
  make("fs/cgroup/cpu,cpuacct/machine.slice/machine-qemu\\x2d1\\x2da\\x20b.scope/libvirt/vcpu0");
  collect(*libvirt_);
  EXPECT_THAT(sink_.gauges, AllOf(Contains(Pair("host.libvirt.guests", 1)),
                                  Contains(Pair("host.libvirt.vcpus;guest=a%20b", 1))));
}

TEST_F(LibvirtCollectorTest, AHostWithoutMachinesHasNoSeries) {
  EXPECT_EQ(collect(*libvirt_), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, IsEmpty());
  make("fs/cgroup/machine.slice");
  collect(*libvirt_);
  EXPECT_THAT(sink_.gauges, UnorderedElementsAre(Pair("host.libvirt.guests", 0))) << "the last one has ended";
}

TEST_F(LibvirtCollectorTest, StopsAtItsLimitAndReportsIt) {
  for (int i = 0; i < 513; ++i)
    make("fs/cgroup/machine.slice/machine-qemu\\x2d" + std::to_string(i) + "\\x2da" + std::to_string(i) +
         ".scope/libvirt/vcpu0");
  EXPECT_EQ(collect(*libvirt_), CollectorStatus::degraded("only the first 512 guests"));
  EXPECT_EQ(sink_.gauges.size(), 512U + 1);
  EXPECT_THAT(sink_.gauges, Contains(Pair("host.libvirt.guests", 513)));
}

}  // namespace
}  // namespace statmill
