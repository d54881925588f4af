// A directory with generated files of shared cells, and the collector that reads it.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "agent/collectors/programs.h"
#include "counters/cell_file.h"
#include "statmill/cells.h"
#include "tests/agent/collectors/recording_sink.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temp_directory.h"

namespace statmill {

// A file of counters for one CPU, locked by a live process.
class FakeProgram {
 public:
  FakeProgram(const std::filesystem::path& path, size_t counters, const std::string& name = "shop.sales",
              const std::string& unit = {}, const std::string& help = {})
      : path_(path), file_(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640)) {
    name_all(counters, name, unit, help);
    const size_t bytes = cell_file::kCellsAt + (size_t{1} << Cells::kCpuShift);
    EXPECT_EQ(::ftruncate(file_, static_cast<off_t>(bytes)), 0);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    EXPECT_EQ(::fcntl(file_, F_OFD_SETLK, &lock), 0);
  }
  ~FakeProgram() { end(); }
  FakeProgram(const FakeProgram&) = delete;
  FakeProgram& operator=(const FakeProgram&) = delete;

  // Writes the header and the directory.
  void name_all(size_t counters, const std::string& name, const std::string& unit = {},
                const std::string& help = {}) {
    std::string directory;
    for (size_t i = 0; i < counters; ++i) {
      const auto first_cell = static_cast<uint32_t>(8 + i);
      add_entry(directory, {cell_file::State::kLive, cell_file::Type::kCounter, 0, 0, first_cell, 1, 0},
                {name + std::to_string(i), unit, help});
    }
    write_directory(directory);
  }

  // Writes a directory with one histogram, which counts one value, and has an exemplar.
  void name_histogram(const std::string& name) {
    cell_file::Entry entry{cell_file::State::kLive, cell_file::Type::kHistogram, 1, 0, 8, 6, 0};
    entry.exemplar = 1;
    std::string directory;
    add_entry(directory, entry, {name, {}, {}});
    write_directory(directory);
    set(2, 1);  // the bucket of 2
    set(6, 2);  // the sum
    set(9, 1);  // finished records
  }
  void set_exemplar(uint64_t value, int64_t time_ms, const std::string& labels) {
    cell_file::Exemplar exemplar{2, value, time_ms, labels.size(), {}};
    labels.copy(exemplar.labels.data(), exemplar.labels.size());
    write_at(cell_file::kExemplarsAt, &exemplar, sizeof exemplar);
  }

  // Sets counter `index` to a value.
  void set(size_t index, uint64_t count) { write_at(cell_file::kCellsAt + 8 * (8 + index), &count, 8); }
  void damage() { write_at(0, "?", 1); }
  void end() {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
  }
  bool is_there() const { return std::filesystem::exists(path_); }

 private:
  struct Texts {
    std::string name;
    std::string unit;
    std::string help;
  };
  static void add_entry(std::string& directory, cell_file::Entry entry, const Texts& texts) {
    entry.name_bytes = static_cast<uint16_t>(texts.name.size());
    entry.unit_bytes = static_cast<uint16_t>(texts.unit.size());
    entry.help_bytes = static_cast<uint16_t>(texts.help.size());
    const std::string name = texts.name + texts.unit + texts.help;
    const size_t at = directory.size();
    directory.resize(at + cell_file::entry_bytes(name.size()));
    std::memcpy(directory.data() + at, &entry, sizeof entry);
    std::memcpy(directory.data() + at + sizeof entry, name.data(), name.size());
  }
  void write_directory(const std::string& directory) const {
    cell_file::Header header{};
    header.magic = cell_file::kMagic;
    header.version = cell_file::kVersion;
    header.pid = 1;
    header.start_ticks = 1;
    header.directory_bytes = directory.size();
    write_at(0, &header, sizeof header);
    write_at(cell_file::kDirectoryAt, directory.data(), directory.size());
  }
  void write_at(uint64_t at, const void* bytes, size_t size) const {
    EXPECT_EQ(::pwrite(file_, bytes, size, static_cast<off_t>(at)), static_cast<ssize_t>(size));
  }

  const std::filesystem::path path_;
  int file_;
};

class ProgramsCollectorTest : public testing::Test {
 protected:
  ProgramsCollectorTest() { options_.directory = directory_.path().string(); }

  std::filesystem::path path(const std::string& name) const { return directory_.path() / name; }
  // Collects once; returns the lines without the user's tag.
  std::string collect() {
    if (collector_ == nullptr) collector_ = make_programs_collector(options_, clock_, log_);
    sink_ = {};
    testing::internal::CaptureStderr();
    status_ = collector_->collect(sink_);
    logged_ = testing::internal::GetCapturedStderr();
    std::string text = sink_.text;
    for (size_t at = text.find(user_); at != std::string::npos; at = text.find(user_))
      text.erase(at, user_.size());
    return text;
  }

  double waiting(const std::string& reason) const {
    return sink_.gauges.at("host.agent.program_user_waiting;reason=" + reason);
  }

  const std::string user_ = ";uid=" + std::to_string(::geteuid());
  const TempDirectory directory_;
  ManualClock clock_;
  Log log_{LogLevel::kInfo};
  ProgramsOptions options_;
  std::unique_ptr<Collector> collector_;
  RecordingSink sink_;
  CollectorStatus status_;
  std::string logged_;
};

}  // namespace statmill
