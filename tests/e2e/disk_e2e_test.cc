// A server on a real file system that fills up, turns read-only or limits the size of files: it goes on in
// memory, answers reads, says what is wrong, and resumes by itself. Two of them need root and mounts, and are
// skipped elsewhere.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

bool run(const std::string& program, std::vector<std::string> arguments) {
  Process process({program, std::move(arguments), {}});
  return process.wait() == 0;
}

// A new loop device over the file, or empty. Not mount -o loop: that would take the device in use again, and
// with it the file system that has gone bad.
std::string loop_device(const fs::path& image) {
  Process losetup({"losetup", {"--find", "--show", image.string()}, {}});
  if (losetup.wait() != 0) return {};
  return std::string(split(losetup.standard_output(), '\n').at(0));
}

// A file system at a path, gone with the object, whoever still uses it.
class Mount {
 public:
  // `arguments` of mount(8), without the path.
  Mount(fs::path path, std::vector<std::string> arguments) : path_(std::move(path)) {
    fs::create_directories(path_);
    arguments.push_back(path_.string());
    mounted_ = ::geteuid() == 0 && run("mount", std::move(arguments));
  }
  ~Mount() { unmount(); }
  Mount(const Mount&) = delete;
  Mount& operator=(const Mount&) = delete;

  bool is_there() const { return mounted_; }
  void unmount() {
    if (!std::exchange(mounted_, false)) return;
    EXPECT_EQ(::umount2(path_.c_str(), MNT_DETACH), 0) << path_;
  }

 private:
  const fs::path path_;
  bool mounted_ = false;
};

// Writes until nothing more fits on the disk.
void fill(const fs::path& ballast) {
  const Descriptor file(::open(ballast.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  const std::string block(1 << 12, 'x');
  while (::write(file.get(), block.data(), block.size()) > 0) {
  }
}

class DiskE2e : public testing::Test {
 protected:
  // Of the server that the test starts.
  fs::path data() const { return data_of(server_); }
  static fs::path data_of(const ServerProcess& server) { return server.data() / "data"; }

  // So many samples more, over a thousand series.
  void send(int64_t samples) {
    std::string lines;
    for (int64_t i = 0; i < samples; ++i) lines += "disk." + std::to_string(i % 1000) + " 1\n";
    server_.send(lines);
    sent_ += samples;
  }
  // Every sample is answered once, whether it is in memory or on disk.
  void expect_all_there(const std::string& when) {
    double all = 0;
    for (const auto& [name, totals] : server_.totals("disk.*")) all += totals.count;
    EXPECT_EQ(all, static_cast<double>(sent_)) << when;
    EXPECT_EQ(server_.conservation(), "") << when;
  }
  HttpReply readiness() const { return http_get(server_.http(), "/readyz"); }
  // Asks until /readyz answers so, at most 30 s; samples go on coming.
  bool becomes(int status) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (readiness().status != status) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      send(1000);
      if (testing::Test::HasFailure()) return false;
    }
    return true;
  }
  // In trouble: says so and why, takes samples, answers them.
  void expect_trouble(const std::string& why) {
    ASSERT_TRUE(becomes(503)) << server_.process().standard_error();
    EXPECT_THAT(readiness().body, HasSubstr(why));
    EXPECT_EQ(server_.metric("statmill_store_ready"), 0);
    send(1000);
    expect_all_there("in trouble");
  }
  void expect_recovery() {
    ASSERT_TRUE(becomes(200)) << readiness().body;
    EXPECT_EQ(server_.metric("statmill_store_ready"), 1);
    EXPECT_TRUE(server_.wait_for_metric("statmill_store_reopenings_total", 1));
    send(1000);
    server_.wait_until_durable();
    expect_all_there("out of trouble");
  }
  void expect_all_there_after_a_kill() {
    server_.kill();
    server_.start();
    expect_all_there("after a kill");
    EXPECT_EQ(server_.stop(), 0);
  }

  ServerProcess server_{STATMILL_BIN, {"--tick", "20ms"}};
  ServerProcess reserving_{STATMILL_BIN, {"--tick", "20ms", "--store.reserve", "8M"}};
  int64_t sent_ = 0;
};

TEST_F(DiskE2e, AFullDiskIsBorneInMemoryAndLeftBehind) {
  const Mount disk(data(), {"-t", "tmpfs", "-o", "size=16m", "none"});
  if (!disk.is_there()) GTEST_SKIP() << "cannot mount a tmpfs here";
  server_.start();
  for (int cycle = 0; cycle < 3; ++cycle) {
    send(10'000);
    const fs::path ballast = data() / "db" / "ballast";
    fill(ballast);
    expect_trouble("No space left on device");
    fs::remove(ballast);
    expect_recovery();
  }
  expect_all_there_after_a_kill();
}

// ext4 after an error of its own: all writes fail with EROFS. Then the disk comes back.
TEST_F(DiskE2e, AReadOnlyDiskIsBorneInMemoryAndLeftBehind) {
  const fs::path image = server_.data() / "image";
  {
    const Descriptor file(::open(image.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    ASSERT_EQ(::ftruncate(file.get(), 256 << 20), 0);
  }
  if (!run("mkfs.ext4", {"-q", "-F", image.string()})) GTEST_SKIP() << "no mkfs.ext4 here";
  const std::string device = loop_device(image);
  Mount disk(data(), {device});
  run("losetup", {"--detach", device});  // once nobody uses it
  if (!disk.is_there()) GTEST_SKIP() << "cannot mount a loop device here";
  server_.start();
  send(10'000);
  server_.wait_until_durable();
  ASSERT_TRUE(run("mount", {"-o", "remount,abort", data().string()}));
  expect_trouble("Read-only file system");
  disk.unmount();
  const std::string another = loop_device(image);
  const Mount again(data(), {another});
  run("losetup", {"--detach", another});
  ASSERT_TRUE(again.is_there());
  expect_recovery();
  expect_all_there_after_a_kill();
}

// A write over the limit is an error like a full disk's: another file has room again.
TEST_F(DiskE2e, ALimitOnTheSizeOfFilesIsOneMoreFullDisk) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit limit{256 << 10, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);  // the server inherits it
  server_.start();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  for (int i = 0; server_.metric("statmill_store_reopenings_total") < 2; ++i) {
    ASSERT_LT(i, 10'000);
    send(1000);
  }
  expect_recovery();
  expect_all_there_after_a_kill();
}

// The server that starts here has no room for its log: it serves what is there, says so, and takes samples.
TEST_F(DiskE2e, AStartOnAFullDiskServesReadsAndGoesOnByItself) {
  const Mount disk(data(), {"-t", "tmpfs", "-o", "size=16m", "none"});
  if (!disk.is_there()) GTEST_SKIP() << "cannot mount a tmpfs here";
  server_.start();
  send(10'000);
  server_.wait_until_durable();
  server_.kill();
  const fs::path ballast = data() / "ballast";
  fill(ballast);
  server_.start();
  EXPECT_EQ(readiness().status, 503);
  EXPECT_THAT(readiness().body, HasSubstr("No space left on device"));
  expect_all_there("at the start");
  expect_trouble("No space left on device");
  fs::remove(ballast);
  expect_recovery();
  expect_all_there_after_a_kill();
}

TEST_F(DiskE2e, AStartOnAFullDiskGivesUpTheReserve) {
  const Mount disk(data_of(reserving_), {"-t", "tmpfs", "-o", "size=32m", "none"});
  if (!disk.is_there()) GTEST_SKIP() << "cannot mount a tmpfs here";
  const fs::path reserve = data_of(reserving_) / "reserve";
  const fs::path ballast = data_of(reserving_) / "ballast";
  reserving_.start();
  EXPECT_EQ(fs::file_size(reserve), 8U << 20);
  EXPECT_EQ(reserving_.metric("statmill_store_reserve_bytes"), 8 << 20);
  reserving_.send("reserve 1\n");
  reserving_.wait_until_durable();
  reserving_.kill();
  fill(ballast);
  reserving_.start();
  EXPECT_FALSE(fs::exists(reserve));
  EXPECT_EQ(http_get(reserving_.http(), "/readyz").status, 200);
  reserving_.send("reserve 1\n");
  reserving_.wait_until_durable();
  EXPECT_EQ(reserving_.totals("reserve").at("reserve").count, 2);
  fs::remove(ballast);
  EXPECT_EQ(reserving_.stop(), 0);
  reserving_.start();
  EXPECT_EQ(fs::file_size(reserve), 8U << 20) << "there is room again";
  EXPECT_EQ(reserving_.stop(), 0);
}

TEST_F(DiskE2e, AStartOnAReadOnlyDiskServesReadsAndGoesOnByItself) {
  const Mount disk(data(), {"-t", "tmpfs", "-o", "size=64m", "none"});
  if (!disk.is_there()) GTEST_SKIP() << "cannot mount a tmpfs here";
  server_.start();
  send(10'000);
  server_.wait_until_durable();
  server_.kill();
  ASSERT_TRUE(run("mount", {"-o", "remount,ro", data().string()}));
  server_.start();
  EXPECT_EQ(readiness().status, 503);
  EXPECT_THAT(readiness().body, HasSubstr("Read-only file system"));
  EXPECT_EQ(server_.admin_socket(), "off");
  expect_all_there("at the start");
  expect_trouble("Read-only file system");
  ASSERT_TRUE(run("mount", {"-o", "remount,rw", data().string()}));
  expect_recovery();
  ASSERT_TRUE(server_.process().wait_for_line("admin socket open")) << "in the data directory";
  expect_all_there_after_a_kill();
}

}  // namespace
}  // namespace statmill
