#include "storage/files/backup_manifest.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

constexpr std::string_view kGolden =
    "statmill backup 1\n"
    "statmill store 1.1\n"
    "steps 10s,5m,1h\n"
    "00000000 0 CURRENT\n"
    "1f2e3d4c 123456 000012.sst\n"
    "end 2 db20bb07\n";

BackupManifest manifest() {
  return {"statmill store 1.1\nsteps 10s,5m,1h\n",
          {{"CURRENT", {0, 0}}, {"000012.sst", {123456, 0x1f2e3d4c}}}};
}

TEST(BackupManifest, HasGoldenText) { EXPECT_EQ(manifest().text(), kGolden); }

TEST(BackupManifest, RoundTrips) {
  const auto read = BackupManifest::parse(kGolden);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->text(), kGolden);
  EXPECT_EQ(read->bytes(), 123456U);
}

TEST(BackupManifest, NoPrefixIsAManifest) {
  for (size_t size = 0; size < kGolden.size(); ++size)
    EXPECT_FALSE(BackupManifest::parse(kGolden.substr(0, size))) << size;
}

TEST(BackupManifest, EveryBitFlipIsDetected) {
  for (size_t i = 0; i < kGolden.size() * 8; ++i) {
    std::string text(kGolden);
    text[i / 8] = static_cast<char>(text[i / 8] ^ (1 << i % 8));
    EXPECT_FALSE(BackupManifest::parse(text)) << "bit " << i;
  }
}

TEST(BackupManifest, RefusesNamesThatLeaveTheDirectory) {
  for (const char* name : {"../CURRENT", "/etc/passwd", "a/b", "..", ".", "", "a b", "a\nb"}) {
    BackupManifest evil = manifest();
    evil.files[0].name = name;
    const auto read = BackupManifest::parse(evil.text());
    ASSERT_FALSE(read) << name;
    EXPECT_EQ(read.error().code, ErrorCode::kCorrupt) << name;
  }
}

TEST(BackupManifest, RefusesRepeatedFileNames) {
  BackupManifest twice = manifest();
  twice.files.push_back(twice.files[0]);
  EXPECT_EQ(BackupManifest::parse(twice.text()).error().message,
            "its file BACKUP is damaged: line 6 repeats a file name");
}

TEST(BackupManifest, RefusesAnotherVersion) {
  const auto read = BackupManifest::parse("statmill backup 2\nwhatever\n");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kVersion);
  EXPECT_EQ(read.error().message, "it has backup version 2, this program reads 1");
}

}  // namespace
}  // namespace statmill
