// Snapshots over a store of the test: pieces, checksums, one at a time, and clients that go away.
#include "server/admin/snapshots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/hash.h"
#include "server/admin/snapshot_routes.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::HasSubstr;

class SnapshotsTest : public testing::Test {
 protected:
  void SetUp() override {
    RocksOptions options;
    options.path = directory_.path() / "data";
    auto opened = RocksStore::open(options, *Tiers::parse("10s:1d,5m:10d"));
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
    StoreBatch batch;
    batch.tick = 1;
    batch.series = {{1, Kind::kGauge, "a"}};
    ASSERT_TRUE(store_->write(batch));
    snapshots_.emplace(Snapshots::Services{*store_, clock_, log_, [this] {
                                             ++written_;
                                             return write_status_;
                                           }});
  }
  HttpResponse ask(std::string_view method, std::string_view target) {
    return Router(snapshot_routes(*snapshots_))
        .answer({.method = method,
                 .target = target,
                 .body = {},
                 .host = "localhost",
                 .origin = {},
                 .content_encoding = {}});
  }
  bool has_files() const { return std::filesystem::exists(directory_.path() / "data/checkpoint"); }

  TempDirectory directory_;
  ManualClock clock_;
  Log log_{LogLevel::kError};
  std::unique_ptr<RocksStore> store_;
  std::optional<Snapshots> snapshots_;
  int written_ = 0;  // how often the accepted samples were made durable
  Status write_status_ = Status::ok();
};

TEST_F(SnapshotsTest, HasEveryByteOfEveryFile) {
  const auto made = snapshots_->make();
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_THAT(made->format, HasSubstr("statmill store"));
  ASSERT_GE(made->files.size(), 4U);
  uint64_t all = 0;
  for (const Snapshots::File& file : made->files) {
    std::string text;
    while (text.size() < file.bytes) {
      const auto piece = snapshots_->read({made->id, file.name, text.size(), 100});
      ASSERT_TRUE(piece) << piece.error().message;
      ASSERT_FALSE(piece->empty());
      text += *piece;
    }
    EXPECT_EQ(text.size(), file.bytes);
    const auto first = snapshots_->sum({made->id, file.name, 0, 50}, 0);
    ASSERT_TRUE(first);
    const auto rest = snapshots_->sum({made->id, file.name, first->bytes, file.bytes}, first->crc32c);
    ASSERT_TRUE(rest);
    EXPECT_EQ(first->bytes + rest->bytes, file.bytes);
    EXPECT_EQ(rest->crc32c, crc32c(text));
    all += 2 * file.bytes;
  }
  EXPECT_EQ(snapshots_->progress()->done, all);
  EXPECT_TRUE(has_files());
  ASSERT_TRUE(snapshots_->release(made->id));
  EXPECT_FALSE(has_files());
  EXPECT_FALSE(snapshots_->progress());
}

TEST_F(SnapshotsTest, RefusesWhatItDoesNotHave) {
  const auto made = snapshots_->make();
  ASSERT_TRUE(made);
  const std::string file = made->files.front().name;
  EXPECT_EQ(snapshots_->read({"another", file, 0, 1}).error().code, ErrorCode::kNotFound);
  for (const std::string name : {"../FORMAT", "", "/etc/passwd", "none"})
    EXPECT_EQ(snapshots_->read({made->id, name, 0, 1}).error().code, ErrorCode::kNotFound) << name;
  EXPECT_EQ(snapshots_->read({made->id, file, 0, Snapshots::kPieceBytesMax + 1}).error().code,
            ErrorCode::kInvalid);
  EXPECT_EQ(snapshots_->sum({made->id, file, 0, Snapshots::kSummedBytesMax + 1}, 0).error().code,
            ErrorCode::kInvalid);
  EXPECT_EQ(*snapshots_->read({made->id, file, uint64_t{1} << 40, 1}), "");
  EXPECT_EQ(snapshots_->release("another").error().code, ErrorCode::kNotFound);
}

TEST_F(SnapshotsTest, ThereIsOneAtATime) {
  const auto first = snapshots_->make();
  ASSERT_TRUE(first);
  const auto second = snapshots_->make();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kBusy);
  ASSERT_TRUE(snapshots_->release(first->id));
  EXPECT_TRUE(snapshots_->make());
}

TEST_F(SnapshotsTest, HasWhatWasAcceptedBeforeOrElseWhatIsDurable) {
  auto made = snapshots_->make();
  ASSERT_TRUE(made);
  EXPECT_EQ(written_, 1);
  ASSERT_TRUE(snapshots_->release(made->id));
  write_status_ = Error{ErrorCode::kIo, "the disk is full"};
  EXPECT_TRUE(snapshots_->make());
  EXPECT_EQ(written_, 2);
}

TEST_F(SnapshotsTest, IsReleasedWhenItsClientIsGone) {
  const auto made = snapshots_->make();
  ASSERT_TRUE(made);
  const std::string file = made->files.front().name;
  clock_.advance(Snapshots::kIdleMax - Duration(1));
  snapshots_->release_idle();
  EXPECT_TRUE(snapshots_->read({made->id, file, 0, 1})) << "it is in use again";
  clock_.advance(Snapshots::kIdleMax - Duration(1));
  snapshots_->release_idle();
  EXPECT_TRUE(has_files());
  clock_.advance(Duration(1));
  snapshots_->release_idle();
  EXPECT_FALSE(has_files());
  EXPECT_EQ(snapshots_->read({made->id, file, 0, 1}).error().code, ErrorCode::kNotFound);
}

TEST_F(SnapshotsTest, IsReleasedAfterADayInAnyCase) {
  const auto made = snapshots_->make();
  ASSERT_TRUE(made);
  const std::string file = made->files.front().name;
  for (Duration age{0}; age < Snapshots::kAgeMax; age += Snapshots::kIdleMax / 2) {
    snapshots_->release_idle();
    EXPECT_TRUE(snapshots_->read({made->id, file, 0, 1}));
    clock_.advance(Snapshots::kIdleMax / 2);
  }
  snapshots_->release_idle();
  EXPECT_FALSE(has_files());
}

TEST_F(SnapshotsTest, AnswersOverHttp) {
  const HttpResponse made = ask("POST", "/admin/v1/snapshots");
  ASSERT_EQ(made.status, 200U) << made.body;
  const size_t at = made.body.find(":\"") + 2;
  const std::string path = "/admin/v1/snapshots/" + made.body.substr(at, made.body.find('"', at) - at);
  const HttpResponse piece = ask("GET", path + "/piece?file=CURRENT&offset=0&bytes=8");
  EXPECT_EQ(piece.status, 200U);
  EXPECT_EQ(piece.body, "MANIFEST");
  EXPECT_EQ(piece.content_type, "application/octet-stream");
  EXPECT_EQ(ask("GET", path + "/sum?file=CURRENT&offset=0&bytes=8&crc32c=0").body,
            "{\"bytes\":8,\"crc32c\":" + std::to_string(crc32c("MANIFEST")) + "}\n");
  const struct {
    std::string target;
    unsigned status;
    std::string want;
  } cases[] = {
      {"/piece?offset=0&bytes=8", 400, "file is missing"},
      {"/piece?file=CURRENT&bytes=8", 400, "offset is missing"},
      {"/piece?file=CURRENT&offset=0&bytes=x", 400, "bytes is no number"},
      {"/piece?file=CURRENT&offset=0&bytes=5000000", 400, "bytes is at most 4194304"},
      {"/piece?file=CURRENT&offset=9223372036854775808&bytes=1", 400, "offset is too large"},
      {"/sum?file=CURRENT&offset=0&bytes=8", 400, "crc32c is missing"},
      {"/piece?file=..&offset=0&bytes=8", 404, "has no file"},
  };
  for (const auto& c : cases) {
    const HttpResponse got = ask("GET", path + c.target);
    EXPECT_EQ(got.status, c.status) << c.target;
    EXPECT_THAT(got.body, HasSubstr(c.want)) << c.target;
  }
  EXPECT_EQ(ask("POST", "/admin/v1/snapshots").status, 503U);
  EXPECT_EQ(ask("POST", path + "/release").status, 200U);
  EXPECT_EQ(ask("POST", path + "/release").status, 404U);
}

}  // namespace
}  // namespace statmill
