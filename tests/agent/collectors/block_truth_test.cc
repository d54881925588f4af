// Compares the eBPF programs for block devices with uncached reads and writes of the test. Needs root, BTF,
// and a directory for temporary files on a disk.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "agent/collectors/proc_text.h"
#include "base/number_text.h"
#include "bpf/h2.h"
#include "tests/agent/collectors/kernel_test.h"
#include "tests/support/sockets.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

constexpr size_t kBlock = 4096;
constexpr size_t kBlocks = 64;

class BlockTruthTest : public KernelTest {
 protected:
  void SetUp() override {
    const std::string why = load(load_bpf_probe({.subject = "block"}, log_), make_block_ebpf);
    if (!why.empty()) GTEST_SKIP() << why;
    device_ = device_of(directory_.path());
    if (device_.empty()) GTEST_SKIP() << directory_.path() << " is not on a disk";
    const int flags = O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC;
    file_ = Descriptor(::open((directory_.path() / "file").c_str(), flags, 0600));
    if (file_.get() < 0) GTEST_SKIP() << directory_.path() << " does not support O_DIRECT";
    ASSERT_EQ(::posix_memalign(&memory_, kBlock, kBlock), 0);
    std::fill_n(static_cast<char*>(memory_), kBlock, 'x');
    write_all();
    ::fsync(file_.get());
  }
  ~BlockTruthTest() override { std::free(memory_); }

  // Returns the whole disk that contains the file, such as "vda"; empty if there is none.
  static std::string device_of(const std::filesystem::path& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) return {};
    const std::string link =
        "/sys/dev/block/" + std::to_string(major(status.st_dev)) + ":" + std::to_string(minor(status.st_dev));
    std::error_code error;
    std::filesystem::path device = std::filesystem::canonical(link, error);
    if (error) return {};
    if (std::filesystem::exists(device / "partition")) device = device.parent_path();
    return device.filename();
  }
  void write_all() {
    for (size_t i = 0; i < kBlocks; ++i) {
      ASSERT_EQ(::pwrite(file_.get(), memory_, kBlock, static_cast<off_t>(i * kBlock)), ssize_t{kBlock});
    }
  }
  // Returns the kernel's own count of requests; column 0: reads, 4: writes.
  uint64_t kernel_count(size_t column) const {
    std::ifstream diskstats("/proc/diskstats");
    for (std::string line; std::getline(diskstats, line);) {
      std::string_view words = line;
      next_word(words);
      next_word(words);
      if (next_word(words) != device_) continue;
      for (size_t i = 0; i < column; ++i) next_word(words);
      return parse_as<uint64_t>(next_word(words)).value_or(0);
    }
    ADD_FAILURE() << device_ << " is not in /proc/diskstats";
    return 0;
  }
  std::string series(const std::string& path, const std::string& op) const {
    return "host.block." + path + ";device=" + device_ + ";op=" + op;
  }

  const TempDirectory directory_;
  std::string device_;
  Descriptor file_;
  void* memory_ = nullptr;
};

TEST_F(BlockTruthTest, TimesReads) {
  RecordingSink grown;
  uint64_t kernel = 0;
  const bool is_undisturbed = without_process_one([&] {
    const uint64_t before = kernel_count(0);
    grown = growth([&] {
      for (size_t i = 0; i < kBlocks; ++i) {
        ASSERT_EQ(::pread(file_.get(), memory_, kBlock, static_cast<off_t>(i * kBlock)), ssize_t{kBlock});
      }
    });
    kernel = kernel_count(0) - before;
  });
  if (!is_undisturbed) GTEST_SKIP() << kDisturbed;
  const RecordedDistribution& latency = grown.distributions[series("latency_ns", "read")];
  const uint64_t counted = latency.count() + discarded(grown, "request");
  EXPECT_GE(counted + missed(grown), kBlocks);
  EXPECT_LE(static_cast<double>(counted), static_cast<double>(kernel) + halves())
      << "nothing is counted that did not happen";
  EXPECT_EQ(grown.totals[series("errors", "read")], 0U);
  // No disk responds within a microsecond, and one that needed minutes would have failed.
  EXPECT_EQ(std::accumulate(latency.counts.begin(), latency.counts.begin() + h2_index(1000), uint64_t{0}),
            0U);
  EXPECT_LT(latency.sum, latency.count() * 60'000'000'000);
}

TEST_F(BlockTruthTest, TimesWrites) {
  RecordingSink grown;
  const bool is_undisturbed = without_process_one([&] {
    grown = growth([&] {
      write_all();
      ASSERT_EQ(::fsync(file_.get()), 0);
    });
  });
  if (!is_undisturbed) GTEST_SKIP() << kDisturbed;
  EXPECT_GE(grown.distributions[series("latency_ns", "write")].count() + discarded(grown, "request") +
                missed(grown),
            kBlocks);
}

}  // namespace
}  // namespace statmill
