#include "base/net/spare_descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <vector>

#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

class SpareDescriptorTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string path = directory_.path() / "s";
    path.copy(address_.sun_path, sizeof(address_.sun_path) - 1);
    ASSERT_EQ(::bind(listening_.get(), address(), sizeof address_), 0);
    ASSERT_EQ(::listen(listening_.get(), 8), 0);
  }
  const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&address_); }
  static Descriptor stream() {
    return Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  }

  TempDirectory directory_;
  sockaddr_un address_{AF_UNIX, {}};
  Descriptor listening_ = stream();
};

TEST_F(SpareDescriptorTest, DropsAConnectionWhenNoOtherIsLeft) {
  SpareDescriptor spare;
  const Descriptor client = stream();
  ASSERT_EQ(::connect(client.get(), address(), sizeof address_), 0);
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few{64, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &few);
  std::vector<Descriptor> all;
  do {
    all.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  } while (all.back().is_open());
  EXPECT_EQ(::accept(listening_.get(), nullptr, nullptr), -1);
  EXPECT_EQ(errno, EMFILE);
  EXPECT_TRUE(spare.drop_connection(listening_.get()));
  EXPECT_EQ(::open("/dev/null", O_RDONLY | O_CLOEXEC), -1) << "the descriptor is kept back again";
  EXPECT_FALSE(spare.drop_connection(listening_.get())) << "no connection waits";
  ::setrlimit(RLIMIT_NOFILE, &before);
  char byte = 0;
  EXPECT_EQ(::recv(client.get(), &byte, 1, 0), 0);
}

}  // namespace
}  // namespace statmill
