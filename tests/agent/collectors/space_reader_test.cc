#include "agent/collectors/space_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

#include "tests/agent/collectors/hanging_calls.h"

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class SpaceReaderTest : public testing::Test {
 protected:
  void SetUp() override {
    reader_.emplace([calls = calls_](const MountPlace& place) { return calls->call(place); });
  }

  static std::vector<MountPlace> places(const std::vector<std::string>& paths) {
    std::vector<MountPlace> all;
    for (const std::string& path : paths) all.push_back({path, 1});
    return all;
  }
  void ask(const std::vector<std::string>& paths) { reader_->ask(places(paths), now_); }
  // Waits for so many answers and returns their paths in order.
  std::vector<std::string> answers(size_t count) {
    std::vector<std::string> paths;
    while (paths.size() < count) {
      reader_->wait();
      for (const SpaceReader::Answer& answer : reader_->answers()) {
        EXPECT_TRUE(answer.space && answer.space->blocks == answer.place.path.size()) << answer.place.path;
        paths.push_back(answer.place.path);
      }
    }
    std::sort(paths.begin(), paths.end());
    return paths;
  }
  std::vector<std::string> hanging() {
    std::vector<std::string> paths;
    for (const MountPlace& place : reader_->hanging(now_)) paths.push_back(place.path);
    return paths;
  }

  const std::shared_ptr<HangingCalls> calls_ = std::make_shared<HangingCalls>();
  std::optional<SpaceReader> reader_;
  SteadyTime now_{std::chrono::seconds(100)};
};

TEST_F(SpaceReaderTest, AsksEachPlaceInOrder) {
  ask({"/", "/home", "/a"});
  EXPECT_THAT(answers(3), ElementsAre("/", "/a", "/home"));
  EXPECT_THAT(calls_->begun(), ElementsAre("/", "/home", "/a"));
  now_ += std::chrono::hours(1);
  EXPECT_THAT(hanging(), IsEmpty());
}

TEST_F(SpaceReaderTest, OthersGoOnWhileOneHangs) {
  calls_->hang("/hung");
  for (int round = 0; round < 3; ++round) {
    ask({"/hung", "/a", "/b"});
    EXPECT_THAT(answers(2), ElementsAre("/a", "/b"));
    now_ += SpaceReader::kDeadline;
    EXPECT_THAT(hanging(), ElementsAre("/hung"));
  }
  EXPECT_EQ(calls_->count("/hung"), 1U) << "it is not asked again before it has answered";
  calls_->let_return("/hung");
  EXPECT_THAT(answers(1), ElementsAre("/hung"));
  EXPECT_THAT(hanging(), IsEmpty());
  ask({"/hung", "/a"});
  EXPECT_THAT(answers(2), ElementsAre("/a", "/hung"));
  EXPECT_EQ(calls_->begun().back(), "/hung") << "what was slow comes last";
}

TEST_F(SpaceReaderTest, HangsFromItsDeadlineOn) {
  calls_->hang("/hung");
  ask({"/hung"});
  now_ += SpaceReader::kDeadline - Duration(1);
  EXPECT_THAT(hanging(), IsEmpty());
  now_ += Duration(1);
  EXPECT_THAT(hanging(), ElementsAre("/hung"));
  calls_->let_return("/hung");
}

TEST_F(SpaceReaderTest, StartsNoMoreThreadsThanItsLimit) {
  std::vector<std::string> paths;
  for (size_t i = 0; i < SpaceReader::kThreadsMax + 5; ++i) {
    paths.push_back("/hung" + std::to_string(i));
    calls_->hang(paths.back());
  }
  ask(paths);
  while (calls_->begun().size() < SpaceReader::kThreadsMax) reader_->wait();
  for (int i = 0; i < 3; ++i) reader_->wait();
  EXPECT_EQ(calls_->begun().size(), SpaceReader::kThreadsMax);
  now_ += SpaceReader::kDeadline;
  EXPECT_EQ(hanging().size(), paths.size()) << "those that wait for a thread, too";
  ask({"/gone"});
  EXPECT_EQ(hanging().size(), SpaceReader::kThreadsMax) << "what is not mounted any more does not wait";
  for (const std::string& path : paths) calls_->let_return(path);
  EXPECT_EQ(answers(SpaceReader::kThreadsMax + 1).front(), "/gone");
}

TEST_F(SpaceReaderTest, IsDestroyedWhileACallHangs) {
  calls_->hang("/hung");
  ask({"/hung", "/a"});
  answers(1);
  reader_.reset();
  calls_->let_return("/hung");
  calls_->wait_for_returned(2);
}

TEST(ReadSpace, TellsWhatIsHiddenOrGone) {
  struct stat status {};
  ASSERT_EQ(::stat("/", &status), 0);
  const auto root = read_space({"/", status.st_dev});
  ASSERT_TRUE(root) << root.error().message;
  EXPECT_GT(root->blocks, 0U);
  const auto hidden = read_space({"/proc", status.st_dev});
  ASSERT_FALSE(hidden);
  EXPECT_EQ(hidden.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(hidden.error().message, "/proc: hidden by another filesystem");
  const auto gone = read_space({"/no/such/directory", 1});
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, ErrorCode::kNotFound);
  const auto loop = read_space({"/proc/self/exe/a", 1});
  ASSERT_FALSE(loop);
}

}  // namespace
}  // namespace statmill
