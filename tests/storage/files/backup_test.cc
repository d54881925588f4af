#include "storage/files/backup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <utility>

#include "storage/files/backup_manifest.h"
#include "storage/files/data_directory.h"
#include "tests/storage/rocks/stored_data.h"

namespace statmill {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class BackupTest : public StoredData {
 protected:
  void SetUp() override { fill(); }

  void back_up(const std::string& directory) {
    const auto done = backup_to(directory, job_);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_GT(done->files, 3U);
    EXPECT_EQ(job_.progress().done, done->bytes);
    EXPECT_EQ(job_.progress().total, done->bytes);
  }
  std::vector<std::string> faults(const std::string& directory) {
    const auto verdict = verify_backup(directory, job_);
    EXPECT_TRUE(verdict) << verdict.error().message;
    std::vector<std::string> out;
    for (const BackupFault& fault : verdict->faults) out.push_back(fault.file + ": " + fault.what);
    return out;
  }
  std::string backup_ = path("backup");
};

TEST_F(BackupTest, VerifiesAndRestoresToTheSameData) {
  back_up(backup_);
  EXPECT_THAT(faults(backup_), IsEmpty());
  const auto want = content();
  ASSERT_THAT(want, SizeIs(2 * kSeries));
  const LongJob::Progress before = job_.progress();
  EXPECT_GT(before.total, 0U);
  ASSERT_TRUE(restore_backup(backup_, path("restored"), job_));
  EXPECT_EQ(job_.progress().total, before.total / 2 * 3) << "the backup, its check, and the restored files";
  EXPECT_EQ(job_.progress().done, job_.progress().total);
  auto restored = try_open(path("restored"));
  ASSERT_TRUE(restored) << restored.error().message;
  store_ = std::move(*restored);
  EXPECT_EQ(content(), want);
  EXPECT_EQ(*store_->snapshot()->last_tick(), 2U);
}

TEST_F(BackupTest, OnlyTheOwnerCanWriteToRestoredDataWhateverTheUmask) {
  back_up(backup_);
  const mode_t before = ::umask(0);
  const auto restored = restore_backup(backup_, path("restored"), job_);
  ::umask(before);
  ASSERT_TRUE(restored);
  struct stat found {};
  ASSERT_EQ(::stat(path("restored").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0755U);
}

TEST_F(BackupTest, SharesNoFileWithTheData) {
  back_up(backup_);
  for (const auto& file : fs::directory_iterator(backup_ + "/db"))
    EXPECT_EQ(fs::hard_link_count(file), 1U) << file.path();
}

TEST_F(BackupTest, SharesFilesWithAnEarlierBackup) {
  back_up(backup_);
  const auto manifest = read_backup_manifest(backup_);
  ASSERT_TRUE(manifest);
  auto writer = BackupWriter::make(path("next"));
  ASSERT_TRUE(writer);
  writer->set_format(manifest->format);
  for (const BackupManifest::File& file : manifest->files)
    ASSERT_TRUE(*writer->add_from(backup_, file, job_));
  ASSERT_TRUE(writer->finish());
  for (const auto& file : fs::directory_iterator(path("next/db")))
    EXPECT_EQ(fs::hard_link_count(file), 2U) << file.path();
  fs::remove_all(backup_);
  EXPECT_THAT(faults(path("next")), IsEmpty()) << "each backup is whole";
}

TEST_F(BackupTest, SharesNoDamagedFile) {
  back_up(backup_);
  const auto manifest = read_backup_manifest(backup_);
  ASSERT_TRUE(manifest);
  const BackupManifest::File& file = manifest->files.front();
  auto writer = BackupWriter::make(path("next"));
  ASSERT_TRUE(writer);
  damage_byte(backup_ + "/db/" + file.name, 0);
  EXPECT_FALSE(*writer->add_from(backup_, file, job_));
  fs::remove(backup_ + "/db/" + file.name);
  EXPECT_FALSE(*writer->add_from(backup_, file, job_));
  fs::create_symlink("/dev/zero", backup_ + "/db/" + file.name);
  EXPECT_FALSE(*writer->add_from(backup_, file, job_));
  EXPECT_THAT(files_under(path("next/db")), IsEmpty());
}

TEST_F(BackupTest, RefusesWhatNobodyCouldRestore) {
  for (const std::string format : {"", "statmill store 2.3\n", "a\nb\nc\n"}) {
    auto writer = BackupWriter::make(backup_);
    ASSERT_TRUE(writer);
    writer->set_format(format);
    bool is_read = false;
    const auto once = [&] { return Result<std::string>(std::exchange(is_read, true) ? "" : "x"); };
    ASSERT_TRUE(writer->add("CURRENT", once, job_));
    EXPECT_EQ(writer->finish().error().code, ErrorCode::kInvalid) << format;
  }
  auto writer = BackupWriter::make(backup_);
  ASSERT_TRUE(writer);
  writer->set_format("statmill store 2.3\nsteps 10s,5m,1h\n");
  EXPECT_EQ(writer->finish().error().code, ErrorCode::kInvalid) << "it has no files";
}

TEST_F(BackupTest, OnlyItsOwnerCanOpenIt) {
  const mode_t before = ::umask(0);
  back_up(backup_);
  ::umask(before);
  struct stat found {};
  ASSERT_EQ(::stat((backup_ + "/db").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0700U);
}

TEST_F(BackupTest, ACancelledCheckFindsNoFaults) {
  back_up(backup_);
  LongJob cancelled([] { return true; });
  const auto verdict = verify_backup(backup_, cancelled);
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, ErrorCode::kUnavailable);
}

TEST_F(BackupTest, RefusesNamesThatLeadOutOfTheDirectory) {
  auto writer = BackupWriter::make(backup_);
  ASSERT_TRUE(writer);
  for (const std::string name : {"../evil", "/evil", "a/b", "..", ".", ""}) {
    const Status added = writer->add(
        name, [] { return Result<std::string>(std::string()); }, job_);
    ASSERT_FALSE(added) << name;
    EXPECT_EQ(added.error().code, ErrorCode::kInvalid);
  }
  EXPECT_THAT(files_under(backup_ + "/db"), IsEmpty());
}

TEST_F(BackupTest, LaterWritesAreNotInIt) {
  back_up(backup_);
  const auto before = files_under(backup_);
  const auto want = content();
  StoreBatch more;
  more.tick = 3;
  more.fragments.push_back({{0, kChunk, 0}, frames({0, kChunk, 0}, 7, 1)});
  write(more);
  std::atomic<bool> no{false};
  ASSERT_TRUE(store_->flush());
  ASSERT_TRUE(store_->compact(no, job_));
  EXPECT_EQ(files_under(backup_), before);
  ASSERT_TRUE(restore_backup(backup_, path("restored"), job_));
  auto restored = try_open(path("restored"));
  ASSERT_TRUE(restored);
  store_ = std::move(*restored);
  EXPECT_EQ(content(), want);
}

TEST_F(BackupTest, LeavesNothingInTheDataDirectory) {
  back_up(backup_);
  EXPECT_FALSE(fs::exists(data() + "/checkpoint"));
  EXPECT_FALSE(fs::exists(data() + "/checkpoint.tmp"));
}

TEST_F(BackupTest, TheNextStartRemovesWhatACrashLeft) {
  fs::create_directories(data() + "/checkpoint");
  fs::create_hard_link(data() + "/db/CURRENT", data() + "/checkpoint/CURRENT");
  fs::create_directories(data() + "/checkpoint.tmp");
  open();
  EXPECT_FALSE(fs::exists(data() + "/checkpoint"));
  EXPECT_FALSE(fs::exists(data() + "/checkpoint.tmp"));
}

TEST_F(BackupTest, AcceptsOnlyAnEmptyOrNewDirectory) {
  fs::create_directories(path("empty/lost+found"));
  back_up(path("empty"));
  directory_.write("full/precious", "mine");
  const auto refused = backup_to(path("full"), job_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalid);
  EXPECT_EQ(refused.error().message, "it exists and is not empty");
  EXPECT_THAT(files_under(path("full")), SizeIs(1));
}

TEST_F(BackupTest, NothingIsLeftOfACancelledBackup) {
  int looks = 0;
  LongJob job([&] { return ++looks > 3; });
  const auto given_up = backup_to(backup_, job);
  ASSERT_FALSE(given_up);
  EXPECT_EQ(given_up.error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(fs::exists(backup_));
  fs::create_directory(backup_);
  looks = 0;
  EXPECT_FALSE(backup_to(backup_, job));
  EXPECT_THAT(files_under(backup_), IsEmpty());
}

TEST_F(BackupTest, AServerRefusesItAsDataDirectory) {
  back_up(backup_);
  const auto before = files_under(backup_);
  const auto opened = try_open(backup_);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kInvalid);
  EXPECT_EQ(files_under(backup_), before);
}

TEST_F(BackupTest, ADirectoryWithoutManifestIsNotABackup) {
  back_up(backup_);
  fs::remove(backup_ + "/BACKUP");
  for (const Status& refused :
       {verify_backup(backup_, job_) ? Status::ok() : Status(verify_backup(backup_, job_).error()),
        Status(restore_backup(backup_, path("restored"), job_).error())}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kNotFound);
    EXPECT_THAT(refused.error().message, HasSubstr("not a backup, or an unfinished one"));
  }
  EXPECT_FALSE(fs::exists(path("restored")));
}

TEST_F(BackupTest, EveryFaultIsReportedWithItsFile) {
  back_up(backup_);
  const std::string sst = largest(backup_ + "/db", ".sst");
  const auto current_size = fs::file_size(backup_ + "/db/CURRENT");
  damage_byte(sst, 100);
  fs::resize_file(backup_ + "/db/CURRENT", current_size - 1);
  const std::string gone = read_backup_manifest(backup_)->files.back().name;  // by name: OPTIONS-n
  fs::remove(backup_ + "/db/" + gone);
  directory_.write("backup/db/999999.log", "stranger");
  EXPECT_THAT(faults(backup_),
              testing::UnorderedElementsAre(
                  "db/" + fs::path(sst).filename().string() + ": wrong checksum",
                  "db/CURRENT: has " + std::to_string(current_size - 1) + " bytes instead of " +
                      std::to_string(current_size),
                  "db/" + gone + ": open " + backup_ + "/db/" + gone + ": No such file or directory",
                  "db/999999.log: is not in the manifest"));
}

TEST_F(BackupTest, ADamagedFileIsFoundBeforeItIsRestored) {
  back_up(backup_);
  damage_byte(largest(backup_ + "/db", ".sst"), 100);
  const auto restored = restore_backup(backup_, path("restored"), job_);
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(restored.error().message, HasSubstr(".sst: wrong checksum"));
  EXPECT_FALSE(fs::exists(path("restored")));
}

TEST_F(BackupTest, NeverRestoresOverExistingFiles) {
  back_up(backup_);
  const auto refused = restore_backup(backup_, data(), job_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalid);
}

TEST_F(BackupTest, AHalfRestoredDirectoryNeverOpens) {
  back_up(backup_);
  ASSERT_TRUE(restore_backup(backup_, path("restored"), job_));
  fs::remove(path("restored/FORMAT"));  // which is written last
  const auto opened = try_open(path("restored"));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kInvalid);
}

TEST_F(BackupTest, ABackupOfAnotherFormatIsNotRestored) {
  back_up(backup_);
  for (const std::string version : {"9.0", "2.6"}) {
    auto manifest = *read_backup_manifest(backup_);
    manifest.format = "statmill store " + version + "\nsteps 10s\n";
    directory_.write("backup/BACKUP", manifest.text());
    const auto restored = restore_backup(backup_, path("restored"), job_);
    ASSERT_FALSE(restored);
    EXPECT_EQ(restored.error().code, ErrorCode::kVersion);
    EXPECT_FALSE(fs::exists(path("restored")));
  }
}

TEST_F(BackupTest, NamesTheDirectoryThatCannotBeCreated) {
  directory_.write("file", "");
  const auto refused = backup_to(path("file/backup"), job_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr(path("file/backup")));
}

}  // namespace
}  // namespace statmill
