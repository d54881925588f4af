#include "statmill/shared_cells.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <string>

#include "counters/cell_file.h"
#include "statmill/cells.h"
#include "statmill/h2.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using cell_file::Entry;
using cell_file::Header;
using cell_file::State;
using cell_file::Type;
using testing::HasSubstr;

constexpr uint64_t kStride = uint64_t{1} << Cells::kCpuShift;

// A file in memory for two CPUs, with two counters (one of which has ended) and a histogram with an exemplar.
class SharedCellsTest : public testing::Test {
 protected:
  static constexpr uint32_t kExemplar = 2;
  static constexpr size_t kExemplarAt =
      cell_file::kExemplarsAt + (kExemplar - 1) * sizeof(cell_file::Exemplar);

  SharedCellsTest() : file_(::memfd_create("cells", MFD_CLOEXEC)) {
    header_.magic = cell_file::kMagic;
    header_.version = cell_file::kVersion;
    header_.pid = 4711;
    header_.start_ticks = 99;
    header_.cpus = 2;
    add({State::kLive, Type::kCounter, 0, 0, 8, 1, 0}, "requests");
    add({State::kEnded, Type::kCounter, 0, 0, 9, 1, 33}, "errors;code=500");
    add({State::kLive, Type::kHistogram, 1, 0, 16, 6, 0, 0, 0, kExemplar}, "sizes");
    set_exemplar(2, 7, 1'700'000'000'123, "trace_id=a");
    for (uint64_t shard = 0; shard < 3; ++shard) cells_[shard].resize(24);
    cells_[0][8] = 1;
    cells_[1][8] = 20;
    cells_[2][8] = 300;
    cells_[0][16 + 2] = 4;
    cells_[2][16 + 5] = 5;
    cells_[1][16 + 6] = 47;  // the sum
  }
  ~SharedCellsTest() override { ::close(file_); }

  // `texts` are unit and help.
  void add(Entry entry, const std::string& name, const std::string& texts = {}) {
    entry.name_bytes = static_cast<uint16_t>(name.size());
    const std::string all = name + texts;
    const size_t at = directory_.size();
    directory_.resize(at + cell_file::entry_bytes(all.size()));
    std::memcpy(directory_.data() + at, &entry, sizeof entry);
    std::memcpy(directory_.data() + at + sizeof entry, all.data(), all.size());
  }
  void set_exemplar(uint64_t version, uint64_t value, int64_t time_ms, const std::string& labels) {
    exemplar_ = {version, value, time_ms, labels.size(), {}};
    std::copy(labels.begin(), labels.end(), exemplar_.labels.begin());
  }
  void write_at(uint64_t at, const void* bytes, size_t size) const {
    ASSERT_EQ(::pwrite(file_, bytes, size, static_cast<off_t>(at)), static_cast<ssize_t>(size));
  }
  void write() {
    header_.directory_bytes = directory_.size();
    ASSERT_EQ(::ftruncate(file_, 0), 0);
    write_at(0, &header_, sizeof header_);
    write_at(kExemplarAt, &exemplar_, sizeof exemplar_);
    write_at(cell_file::kDirectoryAt, directory_.data(), directory_.size());
    for (uint64_t shard = 0; shard < 3; ++shard)
      write_at(cell_file::kCellsAt + shard * kStride, cells_[shard].data(), cells_[shard].size() * 8);
    ASSERT_EQ(::ftruncate(file_, static_cast<off_t>(cell_file::kCellsAt + 3 * kStride)), 0);
  }
  // Returns the error, or the readings as text; checks that each reading is possible.
  std::string read() {
    std::string error;
    const auto cells = SharedCells::of(::dup(file_), error);
    if (cells == nullptr) return error;
    const auto readings = cells->read(error);
    if (!readings) return error;
    EXPECT_EQ(error, "");
    std::string out;
    for (const Reading& reading : *readings) {
      EXPECT_EQ(reading.name.find_first_of(std::string(" \n\0", 3)), std::string::npos);
      uint64_t count = reading.type == Reading::Type::kCounter ? reading.count : 0;
      for (const Reading::Bucket& bucket : reading.buckets) {
        EXPECT_LT(bucket.index, h2::bucket_count(reading.grouping_power, 64));
        count += bucket.count;
      }
      EXPECT_EQ(reading.count, count);
      out += std::string(reading.name) + "=" + std::to_string(reading.count) + " ";
    }
    return out;
  }
  // Flips each bit in turn and passes the result of reading to `look`.
  void flip_bits(uint64_t at, size_t size, const std::function<void(const std::string&)>& look) {
    for (uint64_t place = at; place < at + size; ++place) {
      char byte = 0;
      ASSERT_EQ(::pread(file_, &byte, 1, static_cast<off_t>(place)), 1);
      for (int bit = 0; bit < 8; ++bit) {
        const char flipped = static_cast<char>(byte ^ (1 << bit));
        write_at(place, &flipped, 1);
        look(read());
      }
      write_at(place, &byte, 1);
    }
  }

  const int file_;
  Header header_{};
  std::string directory_;
  cell_file::Exemplar exemplar_{};
  std::array<std::vector<uint64_t>, 3> cells_;
};

constexpr const char* kWhole = "requests=321 errors;code=500=33 sizes=9 ";

TEST_F(SharedCellsTest, ReadsTheSumsOfAllCpus) {
  write();
  EXPECT_EQ(read(), kWhole);
}

TEST_F(SharedCellsTest, EveryFlippedBitIsAnErrorOrAPossibleReading) {
  write();
  size_t errors = 0;
  const auto look = [&](const std::string& said) {
    if (said.find('=') == std::string::npos) ++errors;
  };
  flip_bits(0, sizeof header_, look);
  flip_bits(cell_file::kDirectoryAt, directory_.size(), look);
  EXPECT_GT(errors, 300U);
  flip_bits(kExemplarAt, sizeof exemplar_, look);
  flip_bits(cell_file::kCellsAt, cells_[0].size() * 8, look);
  EXPECT_EQ(read(), kWhole);
}

TEST_F(SharedCellsTest, ReadsWholeExemplarsThatArePossible) {
  const std::string full(cell_file::kExemplarTextBytesMax, 'x');
  const struct {
    uint64_t version;
    int64_t time_ms;
    std::string labels;
    uint64_t label_bytes;
    bool is_read;
    uint64_t refused;
    const char* why;
  } table[] = {
      {2, 1, "trace_id=a", 10, true, 0, "a whole one"},
      {2, 0, full, full.size(), true, 0, "the longest"},
      {0, 1, "trace_id=a", 10, false, 0, "there never was one"},
      {3, 1, "trace_id=a", 10, false, 0, "it is being written, or its writer was killed"},
      {2, 1, "", 0, false, 1, "no labels"},
      {2, 1, full, full.size() + 1, false, 1, "labels beyond its end"},
      {2, 1, full, ~uint64_t{0}, false, 1, "labels beyond its end"},
      {2, -1, "trace_id=a", 10, false, 1, "before 1970"},
  };
  for (const auto& c : table) {
    set_exemplar(c.version, ~uint64_t{0}, c.time_ms, c.labels);
    exemplar_.label_bytes = c.label_bytes;
    write();
    std::string error;
    const auto cells = SharedCells::of(::dup(file_), error);
    const auto readings = cells->read(error);
    ASSERT_TRUE(readings) << error;
    std::optional<RecordedExemplar> want;
    if (c.is_read) want = {~uint64_t{0}, c.time_ms, c.labels};
    EXPECT_EQ(readings->back().exemplar, want) << c.why;
    EXPECT_FALSE(readings->front().exemplar);
    EXPECT_EQ(cells->exemplars_refused(), c.refused) << c.why;
    EXPECT_EQ(readings->back().count, 9U) << "the histogram is read in any case";
  }
}

TEST_F(SharedCellsTest, AFileOfAProgramWithoutExemplarsIsRead) {
  directory_.clear();
  add({State::kLive, Type::kHistogram, 1, 0, 16, 6, 0}, "sizes");
  // Its directory may be longer, with texts where exemplars would be.
  for (int i = 0; directory_.size() + 4096 < cell_file::kCellsAt - cell_file::kDirectoryAt; ++i)
    add({State::kLive, Type::kCounter, 0, 0, 8, 1, 0}, std::to_string(i) + std::string(2000, 'x'));
  ASSERT_GT(cell_file::kDirectoryAt + directory_.size(), cell_file::kExemplarsAt);
  exemplar_ = {};
  write();
  EXPECT_TRUE(read().starts_with("sizes=9 0xx")) << read().substr(0, 100);
}

TEST_F(SharedCellsTest, ReadsUnitAndHelp) {
  Entry entry{State::kLive, Type::kCounter, 0, 0, 10, 1, 0};
  entry.unit_bytes = 5;
  entry.help_bytes = 14;
  add(entry, "heat", "jouleHeat produced.");
  write();
  std::string error;
  const auto cells = SharedCells::of(::dup(file_), error);
  const auto readings = cells->read(error);
  ASSERT_TRUE(readings) << error;
  EXPECT_EQ(readings->back().name, "heat");
  EXPECT_EQ(readings->back().unit, "joule");
  EXPECT_EQ(readings->back().help, "Heat produced.");
  EXPECT_EQ(readings->front().help, "");
}

TEST_F(SharedCellsTest, RefusesImpossibleUnitsAndHelp) {
  const struct {
    uint16_t unit_bytes;
    uint16_t help_bytes;
    std::string texts;
    const char* why;
  } table[] = {{33, 0, std::string(33, 'u'), "too long"},
               {0, 1025, std::string(1025, 'h'), "too long"},
               {1, 0, " ", "control bytes"},
               {0, 2, "a\n", "control bytes"}};
  const std::string before = directory_;
  for (const auto& c : table) {
    directory_ = before;
    Entry entry{State::kLive, Type::kCounter, 0, 0, 10, 1, 0};
    entry.unit_bytes = c.unit_bytes;
    entry.help_bytes = c.help_bytes;
    add(entry, "heat", c.texts);
    write();
    EXPECT_NE(read().find(c.why), std::string::npos) << read();
  }
  directory_ = before;
  add({State::kLive, Type::kCounter, 0, 0, 10, 1, 0, 0, 1024}, "heat");
  write();
  EXPECT_NE(read().find("truncated"), std::string::npos) << read();
}

TEST_F(SharedCellsTest, RefusesATruncatedFile) {
  write();
  const uint64_t whole = cell_file::kCellsAt + 3 * kStride;
  for (uint64_t size = 0; size < whole; size += size < 8192 ? 1 : kStride / 16 - 1) {
    ASSERT_EQ(::ftruncate(file_, static_cast<off_t>(size)), 0);
    EXPECT_EQ(read().find('='), std::string::npos) << size;
  }
}

TEST_F(SharedCellsTest, RefusesAFileThatIsTruncatedWhileOpen) {
  write();
  std::string error;
  const auto cells = SharedCells::of(::dup(file_), error);
  ASSERT_TRUE(cells->read(error));
  ASSERT_EQ(::ftruncate(file_, 5000), 0);
  EXPECT_FALSE(cells->read(error));
  EXPECT_EQ(error, "its size does not match its header");
  write();
  EXPECT_TRUE(cells->read(error)) << error;
  header_.pid = 12;
  write();
  EXPECT_FALSE(cells->read(error));
  EXPECT_EQ(error, "its header has changed");
}

TEST_F(SharedCellsTest, RefusesImpossibleInstruments) {
  const struct {
    Entry entry;
    std::string name;
    const char* why;
  } table[] = {
      {{State{0}, Type::kCounter, 0, 0, 8, 1, 0}, "a", "state"},
      {{State{4}, Type::kCounter, 0, 0, 8, 1, 0}, "a", "state"},
      {{State::kGone, Type::kCounter, 0, 0, 8, 1, 0}, "a", "state"},
      {{State::kLive, Type{3}, 0, 0, 8, 1, 0}, "a", "type"},
      {{State::kLive, Type::kCounter, 0, 0, 0, 1, 0}, "a", "beyond"},
      {{State::kLive, Type::kCounter, 0, 0, kCellsMax, 1, 0}, "a", "beyond"},
      {{State::kLive, Type::kCounter, 0, 0, 8, 2, 0}, "a", "counter with invalid dimensions"},
      {{State::kLive, Type::kHistogram, 0, 0, kCellsMax - 5, 6, 0}, "a", "beyond"},
      {{State::kLive, Type::kHistogram, 1, 0, 8, 5, 0}, "a", "dimensions"},
      {{State::kLive, Type::kHistogram, 17, 0, 8, 1 << 18, 0}, "a", "dimensions"},
      {{State::kLive, Type::kHistogram, 1, 0, 8, 130, 0}, "a", "dimensions"},
      {{State::kLive, Type::kHistogram, 0, 0, 8, 0xffff'ffff, 0}, "a", "beyond"},
      {{State::kLive, Type::kCounter, 0, 0, 8, 1, 0, 0, 0, 1}, "a", "exemplar"},
      {{State::kLive, Type::kHistogram, 1, 0, 8, 6, 0, 0, 0, 2049}, "a", "exemplar"},
      {{State::kLive, Type::kCounter, 0, 0, 8, 1, 0}, "", "too short"},
      {{State::kLive, Type::kCounter, 0, 0, 8, 1, 0}, std::string(2049, 'a'), "too long"},
      {{State::kLive, Type::kCounter, 0, 0, 8, 1, 0}, "a b", "blanks"},
      {{State::kLive, Type::kCounter, 0, 0, 8, 1, 0}, "a\n*b", "blanks"},
  };
  for (const auto& t : table) {
    directory_.clear();
    add(t.entry, t.name);
    write();
    EXPECT_THAT(read(), HasSubstr(t.why)) << t.name;
  }
}

TEST_F(SharedCellsTest, RefusesFilesThatTakeTooLongToRead) {
  directory_.clear();
  for (int i = 0; i < 100; ++i)
    add({State::kLive, Type::kHistogram, 12, 0, 8, uint32_t{53} << 12, 0}, "h" + std::to_string(i));
  write();
  EXPECT_THAT(read(), HasSubstr("more cells than there are"));
  directory_.clear();
  add({State::kLive, Type::kCounter, 0, 0, kCellsMax - 1, 1, 0}, "last");
  header_.cpus = 8192;
  write();
  const auto bytes = static_cast<off_t>(cell_file::kCellsAt + 8193 * kStride);
  if (::ftruncate(file_, bytes) != 0) GTEST_SKIP() << "the file size limit is too low";
  EXPECT_THAT(read(), HasSubstr("too many cells to read"));
}

TEST_F(SharedCellsTest, LeavesOutAHistogramWithImpossibleCounts) {
  cells_[0][16] = cells_[1][17] = uint64_t{1} << 47;
  write();
  std::string error;
  const auto cells = SharedCells::of(::dup(file_), error);
  EXPECT_EQ(cells->read(error)->size(), 2U);
  EXPECT_EQ(cells->left_out(), 1U);
}

TEST_F(SharedCellsTest, OpensOnlyRegularFiles) {
  const TempDirectory directory;
  std::string error;
  EXPECT_EQ(SharedCells::open(directory.path().string(), error), nullptr);
  EXPECT_EQ(error, "it is not a regular file");
  const std::string pipe = (directory.path() / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(SharedCells::open(pipe, error), nullptr);
  EXPECT_EQ(error, "it is not a regular file");
  EXPECT_EQ(SharedCells::open((directory.path() / "none").string(), error), nullptr);
  EXPECT_EQ(error, "No such file or directory");
}

}  // namespace
}  // namespace statmill
