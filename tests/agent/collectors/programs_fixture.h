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
    cell_file::Header header{};
    header.magic = cell_file::kMagic;
    header.version = cell_file::kVersion;
    header.pid = 1;
    header.start_ticks = 1;
    std::string directory;
    for (size_t i = 0; i < counters; ++i) add_counter(directory, {name + std::to_string(i), unit, help}, i);
    header.directory_bytes = directory.size();
    write_at(0, &header, sizeof header);
    write_at(cell_file::kDirectoryAt, directory.data(), directory.size());
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
  static void add_counter(std::string& directory, const Texts& texts, size_t index) {
    cell_file::Entry entry{cell_file::State::kLive, cell_file::Type::kCounter, 0, 0, 0, 1, 0};
    entry.name_bytes = static_cast<uint16_t>(texts.name.size());
    entry.unit_bytes = static_cast<uint16_t>(texts.unit.size());
    entry.help_bytes = static_cast<uint16_t>(texts.help.size());
    const std::string name = texts.name + texts.unit + texts.help;
    entry.first_cell = static_cast<uint32_t>(8 + index);
    const size_t at = directory.size();
    directory.resize(at + cell_file::entry_bytes(name.size()));
    std::memcpy(directory.data() + at, &entry, sizeof entry);
    std::memcpy(directory.data() + at + sizeof entry, name.data(), name.size());
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
