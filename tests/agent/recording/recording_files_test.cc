// Files appear whole under their names, only the newest stay, and a directory that fails is logged and
// counted.
#include "agent/recording/recording_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "tests/support/process.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

constexpr Timestamp kQuarterPast{std::chrono::seconds(1'795'835'700)};  // 2026-11-28 03:15

Recording recording_of(std::initializer_list<const char*> pieces) {
  Recording recording;
  for (const char* piece : pieces) recording.add(std::make_shared<const std::string>(piece));
  return recording;
}

class RecordingFilesTest : public testing::Test {
 protected:
  explicit RecordingFilesTest(const std::string& directory = "recordings")
      : files_({.directory = (directory_.path() / directory).string(), .host = "web1", .files_max = 2},
               log_) {}

  // Returns whether a file was written.
  bool write(Timestamp at, Recording recording = recording_of({"one", "two"})) {
    const uint64_t before = files_.written() + files_.failures();
    testing::internal::CaptureStderr();
    const Status begun = files_.write(std::move(recording), at);
    EXPECT_TRUE(begun);
    EXPECT_TRUE(wait_until([&] {
      files_.look();
      return files_.written() + files_.failures() > before;
    }));
    logged_ = testing::internal::GetCapturedStderr();
    return files_.failures() == 0;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path() / "recordings"))
      names.push_back(entry.path().filename());
    return names;
  }

  TempDirectory directory_;
  Log log_{LogLevel::kInfo};
  std::string logged_;
  RecordingFiles files_;
};

TEST_F(RecordingFilesTest, AFileHasAllPieces) {
  ASSERT_TRUE(write(kQuarterPast));
  EXPECT_THAT(names(), UnorderedElementsAre("web1-20261128T031500Z.rec.gz"));
  const auto path = directory_.path() / "recordings" / names().front();
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "onetwo");
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777 & ~0640U, 0U);
  EXPECT_THAT(logged_, HasSubstr("info recording written file=" + path.string() + " bytes=6"));
}

TEST_F(RecordingFilesTest, OnlyTheNewestOfThisHostStay) {
  for (const char* name :
       {"recordings/web1-20200101T000000Z.rec.gz", "recordings/web1-20200101T000000Z.rec.gz.new",
        "recordings/web1-a-20200101T000000Z.rec.gz", "recordings/web1-notes.rec.gz",
        "recordings/web1-20200101T000000Z.rec.gz.old", "recordings/.rec.gz"})
    directory_.write(name, "");
  ASSERT_TRUE(write(kQuarterPast));
  ASSERT_TRUE(write(kQuarterPast + std::chrono::seconds(1)));
  EXPECT_THAT(names(), UnorderedElementsAre("web1-20261128T031500Z.rec.gz", "web1-20261128T031501Z.rec.gz",
                                            "web1-a-20200101T000000Z.rec.gz", "web1-notes.rec.gz",
                                            "web1-20200101T000000Z.rec.gz.old", ".rec.gz"));
  EXPECT_EQ(files_.written(), 2U);
}

// The clock was in the future for a while.
TEST_F(RecordingFilesTest, TheNewFileStaysAndThoseOfLaterTimesGoFirst) {
  for (const char* name :
       {"recordings/web1-20400101T000000Z.rec.gz", "recordings/web1-20400102T000000Z.rec.gz",
        "recordings/web1-20200101T000000Z.rec.gz"})
    directory_.write(name, "");
  ASSERT_TRUE(write(kQuarterPast));
  EXPECT_THAT(names(), UnorderedElementsAre("web1-20200101T000000Z.rec.gz", "web1-20261128T031500Z.rec.gz"));
  ASSERT_TRUE(write(kQuarterPast + std::chrono::seconds(1)));
  EXPECT_THAT(names(), UnorderedElementsAre("web1-20261128T031500Z.rec.gz", "web1-20261128T031501Z.rec.gz"));
}

// A directory cannot be unlinked.
TEST_F(RecordingFilesTest, AnOldFileThatCannotBeRemovedIsLoggedApart) {
  for (const char* name :
       {"recordings/web1-20200101T000000Z.rec.gz/a", "recordings/web1-20200102T000000Z.rec.gz"})
    directory_.write(name, "");
  ASSERT_TRUE(write(kQuarterPast)) << logged_;
  EXPECT_THAT(logged_, HasSubstr("info recording written "));
  EXPECT_THAT(logged_, HasSubstr("warn recordings not cleaned up reason=\"remove web1-20200101T000000Z"));
  EXPECT_EQ(files_.written(), 1U);
}

TEST_F(RecordingFilesTest, WhatACrashLeftIsRemovedEvenIfTheNextWriteFails) {
  directory_.write("recordings/web1-20200101T000000Z.rec.gz.new", "");
  directory_.write("recordings/web1-20261128T031500Z.rec.gz.new/a", "a directory cannot be written");
  EXPECT_FALSE(write(kQuarterPast));
  EXPECT_THAT(names(), UnorderedElementsAre("web1-20261128T031500Z.rec.gz.new"));
}

// To open a FIFO for writing waits for its reader, as a disk that hangs would.
TEST_F(RecordingFilesTest, ADiskThatHangsHoldsUpNobodyAndOneMoreFileWaits) {
  std::filesystem::create_directory(directory_.path() / "recordings");
  const auto fifo = directory_.path() / "recordings" / (recording_file_name("web1", kQuarterPast) + ".new");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  ASSERT_TRUE(files_.write(recording_of({"one"}), kQuarterPast));
  ASSERT_TRUE(files_.write(recording_of({"two"}), kQuarterPast + std::chrono::seconds(1)));
  const Status third = files_.write(recording_of({"three"}), kQuarterPast);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, ErrorCode::kBusy);
  EXPECT_EQ(files_.failures(), 1U);
  std::ifstream reader(fifo);  // the disk answers
  EXPECT_TRUE(wait_until([&] {
    files_.look();
    return files_.failures() == 2 && files_.written() == 1;
  })) << "a FIFO cannot be synced";
  EXPECT_THAT(names(), UnorderedElementsAre("web1-20261128T031501Z.rec.gz"));
}

TEST_F(RecordingFilesTest, FilesOfOneSecondDoNotReplaceEachOther) {
  directory_.write("recordings/web1-20261128T031459Z.rec.gz", "");
  ASSERT_TRUE(write(kQuarterPast));
  ASSERT_TRUE(write(kQuarterPast));
  EXPECT_THAT(logged_, HasSubstr("/recordings/web1-20261128T031500Z-2.rec.gz bytes=6"));
  EXPECT_THAT(names(),
              UnorderedElementsAre("web1-20261128T031500Z.rec.gz", "web1-20261128T031500Z-2.rec.gz"));
  ASSERT_TRUE(write(kQuarterPast + std::chrono::seconds(1)));
  EXPECT_THAT(names(), UnorderedElementsAre("web1-20261128T031500Z-2.rec.gz", "web1-20261128T031501Z.rec.gz"))
      << "the oldest goes first";
}

class FailingFilesTest : public RecordingFilesTest {
 protected:
  FailingFilesTest() : RecordingFilesTest("file/recordings") { directory_.write("file", "no directory"); }
};

TEST_F(FailingFilesTest, AFailureIsLoggedAndCounted) {
  EXPECT_FALSE(write(kQuarterPast));
  EXPECT_THAT(logged_, HasSubstr("error recording not written reason=\"create "));
  EXPECT_THAT(logged_, HasSubstr("Not a directory"));
  EXPECT_EQ(files_.failures(), 1U);
  EXPECT_EQ(files_.written(), 0U);
}

TEST(RecordingFiles, WithoutADirectoryAllFail) {
  Log log(LogLevel::kError);
  RecordingFiles files({.directory = "", .host = "web1"}, log);
  EXPECT_FALSE(files.write({}, kQuarterPast));
  EXPECT_EQ(files.failures(), 1U);
}

}  // namespace
}  // namespace statmill
