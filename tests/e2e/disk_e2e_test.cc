// A server on a real file system that fills up, turns read-only or limits the size of files: it continues in
// memory, answers reads, reports the problem, and resumes by itself. Most of these tests mount file systems;
// they are skipped without root.
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

// Returns a new loop device for the file, or an empty string on failure. `mount -o loop` would reuse the
// existing device, and with it the failed file system.
std::string loop_device(const fs::path& image) {
  Process losetup({"losetup", {"--find", "--show", image.string()}, {}});
  if (losetup.wait() != 0) return {};
  return std::string(split(losetup.standard_output(), '\n').at(0));
}

// Mounts a file system. The destructor detaches it, even while it is in use.
class Mount {
 public:
  // `arguments` are those of mount(8) without the path.
  Mount(fs::path path, std::vector<std::string> arguments) : path_(std::move(path)) {
    fs::create_directories(path_);
    arguments.push_back(path_.string());
    mounted_ = ::geteuid() == 0 && run("mount", std::move(arguments));
  }
  ~Mount() { unmount(); }
  Mount(const Mount&) = delete;
  Mount& operator=(const Mount&) = delete;

  bool is_mounted() const { return mounted_; }
  void unmount() {
    if (!std::exchange(mounted_, false)) return;
    EXPECT_EQ(::umount2(path_.c_str(), MNT_DETACH), 0) << path_;
  }

 private:
  const fs::path path_;
  bool mounted_ = false;
};

// Writes to the file until the disk is full.
void fill(const fs::path& ballast) {
  const Descriptor file(::open(ballast.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  const std::string block(1 << 12, 'x');
  while (::write(file.get(), block.data(), block.size()) > 0) {
  }
}

class DiskE2e : public testing::Test {
 protected:
  // The data directory of server_.
  fs::path data() const { return data_of(server_); }
  static fs::path data_of(const ServerProcess& server) { return server.data() / "data"; }

  // Sends this many samples, spread over a thousand series.
  void send(int64_t samples) {
    std::string lines;
    for (int64_t i = 0; i < samples; ++i) lines += "disk." + std::to_string(i % 1000) + " 1\n";
    server_.send(lines);
    sent_ += samples;
  }
  // Queries return every sample once, from memory or from disk.
  void expect_all_there(const std::string& when) {
    double all = 0;
    for (const auto& [name, totals] : server_.totals("disk.*")) all += totals.count;
    EXPECT_EQ(all, static_cast<double>(sent_)) << when;
    EXPECT_EQ(server_.conservation(), "") << when;
  }
  HttpReply readiness() const { return http_get(server_.http(), "/readyz"); }
  // Sends samples until /readyz answers with `status` and says `what`. Returns false after a minute.
  bool becomes(int status, const std::string& what = {}) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    for (HttpReply reply = readiness(); reply.status != status || reply.body.find(what) == std::string::npos;
         reply = readiness()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      send(1000);
      if (testing::Test::HasFailure()) return false;
    }
    return true;
  }
  // Expects that the server reports the trouble with its cause, accepts samples, and returns them. A write
  // that was under way may have failed with another error before.
  void expect_trouble(const std::string& why) {
    ASSERT_TRUE(becomes(503, why)) << readiness().body << server_.process().standard_error();
    EXPECT_EQ(server_.metric("statmill_store_ready"), 0);
    send(1000);
    expect_all_there("in trouble");
  }
  void expect_recovery() {
    ASSERT_TRUE(becomes(200)) << readiness().body << server_.process().standard_error();
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

TEST_F(DiskE2e, ContinuesInMemoryOnAFullDiskAndResumes) {
  const Mount disk(data(), {"-t", "tmpfs", "-o", "size=16m,mode=755", "none"});
  if (!disk.is_mounted()) GTEST_SKIP() << "cannot mount a tmpfs here";
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

// ext4 after an internal error: all writes fail with EROFS. Then a copy of the image is mounted: the server
// still has files of the first file system open, so the kernel may write to its device at any time, and would
// damage another one on the same image.
TEST_F(DiskE2e, ContinuesInMemoryOnAReadOnlyDiskAndResumes) {
  const fs::path image = server_.data() / "image";
  {
    const Descriptor file(::open(image.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    ASSERT_EQ(::ftruncate(file.get(), 256 << 20), 0);
  }
  if (!run("mkfs.ext4", {"-q", "-F", image.string()})) GTEST_SKIP() << "no mkfs.ext4 here";
  const std::string device = loop_device(image);
  Mount disk(data(), {device});
  run("losetup", {"--detach", device});  // takes effect when the mount ends
  if (!disk.is_mounted()) GTEST_SKIP() << "cannot mount a loop device here";
  server_.start();
  send(10'000);
  server_.wait_until_durable();
  ASSERT_TRUE(run("mount", {"-o", "remount,abort", data().string()}));
  expect_trouble("Read-only file system");
  disk.unmount();
  const fs::path copy = server_.data() / "copy";
  ASSERT_TRUE(run("cp", {"--sparse=always", image.string(), copy.string()}));
  const std::string another = loop_device(copy);
  const Mount again(data(), {another});
  run("losetup", {"--detach", another});
  ASSERT_TRUE(again.is_mounted());
  expect_recovery();
  expect_all_there_after_a_kill();
}

// A write over the limit fails as on a full disk, but a new file has room again.
TEST_F(DiskE2e, AFileSizeLimitIsHandledLikeAFullDisk) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit limit{256 << 10, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);  // the server inherits it
  server_.start();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  // How many samples that takes depends on how often the server gets to write, so only the test's timeout
  // ends this.
  while (server_.metric("statmill_store_reopenings_total") < 2) send(1000);
  expect_recovery();
  expect_all_there_after_a_kill();
}

// The server starts without room for its log: it serves the existing data, reports the problem, and accepts
// samples.
TEST_F(DiskE2e, AStartOnAFullDiskServesReadsAndResumes) {
  const Mount disk(data(), {"-t", "tmpfs", "-o", "size=16m,mode=755", "none"});
  if (!disk.is_mounted()) GTEST_SKIP() << "cannot mount a tmpfs here";
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

TEST_F(DiskE2e, AStartOnAFullDiskReleasesTheReserve) {
  const Mount disk(data_of(reserving_), {"-t", "tmpfs", "-o", "size=32m,mode=755", "none"});
  if (!disk.is_mounted()) GTEST_SKIP() << "cannot mount a tmpfs here";
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

TEST_F(DiskE2e, AStartOnAReadOnlyDiskServesReadsAndResumes) {
  const Mount disk(data(), {"-t", "tmpfs", "-o", "size=64m,mode=755", "none"});
  if (!disk.is_mounted()) GTEST_SKIP() << "cannot mount a tmpfs here";
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
  ASSERT_TRUE(server_.process().wait_for_line("admin socket open"))
      << "the admin socket needs a writable data directory";
  expect_all_there_after_a_kill();
}

}  // namespace
}  // namespace statmill
