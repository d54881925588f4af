// Compares what collectors report with what this host's /proc, /sys and commands tell.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include "agent/collectors/clock_state.h"
#include "agent/collectors/collector.h"
#include "agent/collectors/filesystem.h"
#include "agent/collectors/sockets.h"
#include "base/descriptor.h"
#include "tests/agent/collectors/recording_sink.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

// Returns the gauge of any series whose name begins and ends so.
std::optional<double> gauge_like(const RecordingSink& sink, const std::string& begin,
                                 const std::string& end) {
  for (const auto& [name, value] : sink.gauges) {
    if (name.starts_with(begin) && name.ends_with(end)) return value;
  }
  return std::nullopt;
}

class HostTruthTest : public testing::Test {
 protected:
  RecordingSink collect(Collector& collector) {
    RecordingSink sink;
    status_ = collector.collect(sink);
    return sink;
  }

  ProcReader proc_{"/proc"};
  ManualClock clock_;
  CollectorStatus status_;
};

// A filesystem in RAM, mounted twice. The destructor detaches it.
class SmallFilesystem {
 public:
  static constexpr double kBytes = 8 << 20;

  SmallFilesystem() {
    std::filesystem::create_directory(point());
    std::filesystem::create_directory(bound());
    is_mounted_ = ::mount("small", point().c_str(), "tmpfs", 0, "size=8m,nr_inodes=100") == 0;
    is_bound_ = is_mounted_ && ::mount(point().c_str(), bound().c_str(), nullptr, MS_BIND, nullptr) == 0;
  }
  ~SmallFilesystem() {
    if (!is_mounted_) return;
    ::umount2(bound().c_str(), MNT_DETACH);
    ::umount2(point().c_str(), MNT_DETACH);
  }
  bool is_mounted() const { return is_bound_; }
  std::filesystem::path point() const { return directory_.path() / "m"; }
  bool make_read_only() {
    return ::mount("small", point().c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "") == 0;
  }

 private:
  std::filesystem::path bound() const { return directory_.path() / "longer"; }

  const TempDirectory directory_;
  bool is_mounted_ = false;
  bool is_bound_ = false;
};

class FilesystemTruthTest : public HostTruthTest {
 protected:
  // /proc/1 has the mounts of another namespace if the test runs in one of its own.
  FilesystemTruthTest() { std::filesystem::create_symlink("/proc/self", proc_of_self_.path() / "1"); }

  // Collects until a series begins and ends so: a busy computer may be late.
  RecordingSink collect_until(const std::string& begin, const std::string& end) {
    const auto end_of_wait = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    RecordingSink sink;
    do sink = collect(*collector_);
    while (!gauge_like(sink, begin, end) && std::chrono::steady_clock::now() < end_of_wait);
    return sink;
  }

  const TempDirectory proc_of_self_;
  ProcReader self_{proc_of_self_.path().string()};
  const std::unique_ptr<Collector> collector_ =
      make_filesystem_collector(self_, clock_, {.read = read_space, .is_each_time = true});
};

TEST_F(FilesystemTruthTest, TheSpaceOfTheRootIsThatOfStatvfs) {
  struct statvfs space {};
  ASSERT_EQ(::statvfs("/", &space), 0);
  std::ifstream mounts("/proc/self/mounts");
  const std::string all(std::istreambuf_iterator<char>(mounts), {});
  if (all.find(" / ext4 ") == std::string::npos) GTEST_SKIP() << "the root is not ext4";
  const RecordingSink sink = collect_until("host.filesystem.size_bytes;", ";mount=/;type=ext4");
  EXPECT_EQ(gauge_like(sink, "host.filesystem.size_bytes;", ";mount=/;type=ext4"),
            static_cast<double>(space.f_blocks) * static_cast<double>(space.f_frsize));
  EXPECT_EQ(gauge_like(sink, "host.filesystem.inodes;", ";mount=/;type=ext4"),
            static_cast<double>(space.f_files));
  const auto available = gauge_like(sink, "host.filesystem.available_bytes;", ";mount=/;type=ext4");
  ASSERT_TRUE(available);
  EXPECT_NEAR(*available, static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize), 2e9)
      << "others may write meanwhile";
}

TEST_F(FilesystemTruthTest, AFileOfKnownSizeUsesThatMuch) {
  SmallFilesystem small;
  if (!small.is_mounted()) GTEST_SKIP() << "may not mount";
  constexpr size_t kFileBytes = 3 << 20;
  std::ofstream(small.point() / "file") << std::string(kFileBytes, 'x') << std::flush;
  const std::string tags = ";device=small;mount=" + small.point().string() + ";type=tmpfs";
  RecordingSink sink = collect_until("host.filesystem.read_only" + tags, "");
  EXPECT_EQ(sink.gauges["host.filesystem.size_bytes" + tags], SmallFilesystem::kBytes);
  EXPECT_EQ(sink.gauges["host.filesystem.free_bytes" + tags], SmallFilesystem::kBytes - kFileBytes);
  EXPECT_EQ(sink.gauges["host.filesystem.available_bytes" + tags], SmallFilesystem::kBytes - kFileBytes);
  EXPECT_EQ(sink.gauges["host.filesystem.inodes" + tags], 100);
  EXPECT_EQ(sink.gauges["host.filesystem.inodes_free" + tags], 98) << "its root and the file are in use";
  EXPECT_EQ(sink.gauges["host.filesystem.read_only" + tags], 0);
  const auto of_small = std::count_if(sink.gauges.begin(), sink.gauges.end(), [](const auto& one) {
    return one.first.starts_with("host.filesystem.size_bytes;device=small;");
  });
  EXPECT_EQ(of_small, 1) << "it is mounted twice";
  ASSERT_TRUE(small.make_read_only());
  sink = collect_until("host.filesystem.read_only" + tags, "");
  EXPECT_EQ(sink.gauges["host.filesystem.read_only" + tags], 1);
}

TEST_F(HostTruthTest, UptimeAndBootTimeAreThoseOfTheClocks) {
  const auto seconds = [](clockid_t clock) {
    timespec time{};
    EXPECT_EQ(::clock_gettime(clock, &time), 0);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
  };
  const double before = seconds(CLOCK_BOOTTIME);
  RecordingSink sink = collect(*make_system_collector(proc_));
  EXPECT_GE(sink.gauges["host.system.uptime_s"], before - 0.02) << "the text has two digits";
  EXPECT_LE(sink.gauges["host.system.uptime_s"], seconds(CLOCK_BOOTTIME) + 0.02);
  sink = collect(*make_cpu_collector(proc_));
  EXPECT_NEAR(sink.gauges["host.system.boot_time_s"], seconds(CLOCK_REALTIME) - seconds(CLOCK_BOOTTIME), 2);
}

TEST_F(HostTruthTest, TheClockIsAsTheKernelSays) {
  timex clock{};
  const int state = ::ntp_adjtime(&clock);
  RecordingSink sink = collect(*make_clock_collector());
  if (state < 0) {
    EXPECT_EQ(status_.level, CollectorStatus::Level::kUnavailable);
    GTEST_SKIP() << status_.reason;
  }
  EXPECT_EQ(status_, CollectorStatus{});
  EXPECT_EQ(sink.gauges["host.clock.synchronized"], state == TIME_ERROR ? 0 : 1);
  EXPECT_EQ(sink.gauges.contains("host.clock.offset_ns"), state != TIME_ERROR);
  EXPECT_EQ(sink.gauges["host.clock.frequency_ppm"], static_cast<double>(clock.freq) / 65'536);
  EXPECT_EQ(sink.gauges["host.clock.estimated_error_ns"], static_cast<double>(clock.esterror) * 1000);
  EXPECT_NEAR(sink.gauges["host.clock.max_error_ns"], static_cast<double>(clock.maxerror) * 1000, 1e7)
      << "it grows by 0.5 ms in a second";
}

TEST_F(HostTruthTest, EachOpenFileCounts) {
  constexpr size_t kFiles = 800;
  const auto files = make_files_collector(proc_);
  RecordingSink sink = collect(*files);
  EXPECT_EQ(status_, CollectorStatus{});
  const double before = sink.gauges["host.files.open"];
  std::vector<Descriptor> open;
  for (size_t i = 0; i < kFiles; ++i) open.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(open.back().is_open());
  sink = collect(*files);
  EXPECT_GE(sink.gauges["host.files.open"], before + kFiles - 300) << "others may have closed some";
  EXPECT_LE(sink.gauges["host.files.open"], before + kFiles + 5000);
  EXPECT_LE(sink.gauges["host.files.inodes_unused"], sink.gauges["host.files.inodes"]);
}

// A listening socket of IPv4 on a free port, and connections to it that it does not accept.
class ListeningSocket {
 public:
  static constexpr int kQueueMax = 9;

  ListeningSocket() {
    socklen_t size = sizeof(address_);
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const any = reinterpret_cast<sockaddr*>(&address_);
    EXPECT_EQ(::bind(socket_.get(), any, size), 0);
    EXPECT_EQ(::listen(socket_.get(), kQueueMax), 0);
    EXPECT_EQ(::getsockname(socket_.get(), any, &size), 0);
  }
  void connect(std::vector<Descriptor>& clients) {
    clients.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(clients.back().get(), reinterpret_cast<const sockaddr*>(&address_), sizeof(address_)),
              0);
  }
  Descriptor accept() { return Descriptor(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)); }

 private:
  Descriptor socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in address_{};
};

// Other programs open and close connections meanwhile, so the numbers are limits.
TEST_F(HostTruthTest, ConnectionsAreInTheStatesThatTheyAreIn) {
  const auto sockets = make_sockets_collector(proc_, clock_, {.is_each_time = true});
  RecordingSink before = collect(*sockets);
  if (status_.level != CollectorStatus::Level::kOk) GTEST_SKIP() << status_.reason;
  constexpr int kConnections = 6;
  constexpr int kAccepted = 4;
  constexpr int kClosed = 3;
  std::vector<Descriptor> clients;
  std::vector<Descriptor> accepted;
  ListeningSocket listener;
  for (int i = 0; i < kConnections; ++i) listener.connect(clients);
  for (int i = 0; i < kAccepted; ++i) accepted.push_back(listener.accept());
  // The client's end waits in fin_wait1 or fin_wait2, the other one in close_wait.
  for (int i = 0; i < kClosed; ++i) ASSERT_EQ(::shutdown(clients[static_cast<size_t>(i)].get(), SHUT_WR), 0);
  RecordingSink after = collect(*sockets);
  const auto grown = [&](const std::string& name) { return after.gauges[name] - before.gauges[name]; };
  constexpr double kOthers = 40;
  EXPECT_NEAR(grown("host.tcp.connections;state=listen"), 1, kOthers);
  EXPECT_NEAR(grown("host.tcp.connections;state=established"), 2 * kConnections - 2 * kClosed, kOthers);
  EXPECT_GE(after.gauges["host.tcp.connections;state=close_wait"], kClosed);
  EXPECT_GE(after.gauges["host.tcp.connections;state=fin_wait1"] +
                after.gauges["host.tcp.connections;state=fin_wait2"],
            kClosed)
      << "the acknowledgment may be on its way";
  EXPECT_GE(after.gauges["host.tcp.listen_queue"], kConnections - kAccepted);
  EXPECT_GE(after.gauges["host.tcp.listen_queue_percent"],
            100.0 * (kConnections - kAccepted) / (ListeningSocket::kQueueMax + 1));
  EXPECT_LE(after.gauges["host.tcp.connections;state=time_wait"], after.gauges["host.sockets.tcp_time_wait"]);
  EXPECT_NEAR(grown("host.sockets.used"), 1 + kConnections + kAccepted, kOthers);
}

TEST_F(HostTruthTest, LockedMemoryIsInItsSeries) {
  constexpr size_t kBytes = 4 << 20;
  const auto memory = make_memory_text(proc_);
  void* const block = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(block, MAP_FAILED);
  const double before = collect(*memory).gauges["host.memory.mlocked_bytes"];
  // The call of the kernel itself: AddressSanitizer makes mlock() do nothing.
  if (::syscall(SYS_mlock, block, kBytes) != 0) GTEST_SKIP() << "may not lock memory";
  RecordingSink sink = collect(*memory);
  EXPECT_EQ(status_, CollectorStatus{});
  EXPECT_NEAR(sink.gauges["host.memory.mlocked_bytes"] - before, kBytes, 1 << 20);
  ::munmap(block, kBytes);
  struct sysinfo info {};
  ASSERT_EQ(::sysinfo(&info), 0);
  EXPECT_EQ(sink.gauges["host.memory.total_bytes"], static_cast<double>(info.totalram) * info.mem_unit);
  EXPECT_GE(sink.gauges["host.memory.committed_bytes"], kBytes);
  EXPECT_EQ(sink.gauges["host.memory.slab_bytes"], sink.gauges["host.memory.slab_reclaimable_bytes"] +
                                                       sink.gauges["host.memory.slab_unreclaimable_bytes"]);
}

TEST_F(HostTruthTest, TheNodesHaveTheMemoryOfTheHost) {
  RecordingSink sink = collect(*make_numa_collector("/sys/devices/system/node", clock_));
  if (status_.level == CollectorStatus::Level::kUnavailable) GTEST_SKIP() << status_.reason;
  EXPECT_EQ(status_, CollectorStatus{});
  double total = 0;
  double free = 0;
  for (const auto& [name, value] : sink.gauges) {
    if (name.starts_with("host.numa.total_bytes;")) total += value;
    if (name.starts_with("host.numa.free_bytes;")) free += value;
  }
  EXPECT_GT(total, 0);
  EXPECT_LE(total, collect(*make_memory_text(proc_)).gauges["host.memory.total_bytes"]);
  EXPECT_LE(free, total);
  EXPECT_GT(sink.totals["host.numa.hits;node=0"], 0U);
}

TEST_F(HostTruthTest, EntropyAndBlockedTasksAreThoseOfTheFiles) {
  RecordingSink sink = collect(*make_system_collector(proc_));
  std::ifstream file("/proc/sys/kernel/random/entropy_avail");
  double entropy = -1;
  file >> entropy;
  EXPECT_NEAR(sink.gauges["host.system.entropy"], entropy, 4096);
  sink = collect(*make_cpu_collector(proc_));
  EXPECT_TRUE(sink.gauges.contains("host.load.tasks_blocked"));
  EXPECT_GE(sink.gauges["host.load.tasks_blocked"], 0);
}

}  // namespace
}  // namespace statmill
