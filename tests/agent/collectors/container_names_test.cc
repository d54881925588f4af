// ContainerNames: when names are looked for, and what a cgroup's series have meanwhile.
#include "agent/collectors/container_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

#include "base/mutex.h"
#include "tests/agent/collectors/container_fixture.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

// Names of the test. While it hangs, read() does not return.
class FakeSource final : public ContainerSource {
 public:
  Names read(std::span<const ContainerCgroup> containers) override {
    const MutexLock lock(mutex_);
    while (is_hanging_) changed_.wait(mutex_);
    ++reads_;
    asked_ += containers.size();
    Names names;
    for (const ContainerCgroup& one : containers) {
      const auto name = names_.find(one.id);
      names.push_back(name == names_.end() ? std::nullopt : std::optional(name->second));
    }
    return names;
  }
  std::string refused() const override { return "/secret: Permission denied"; }
  std::string waits_for() const override { return "/slow"; }

  void name(const std::string& id, const std::string& container) {
    const MutexLock lock(mutex_);
    names_[id] = {container, "", ""};
  }
  void hang(bool is_hanging) {
    const MutexLock lock(mutex_);
    is_hanging_ = is_hanging;
    changed_.notify_all();
  }
  size_t reads() {
    const MutexLock lock(mutex_);
    return reads_;
  }
  size_t asked() {
    const MutexLock lock(mutex_);
    return asked_;
  }

 private:
  mutable Mutex mutex_;
  Condition changed_;
  std::map<std::string, ContainerName> names_ GUARDED_BY(mutex_);
  bool is_hanging_ GUARDED_BY(mutex_) = false;
  size_t reads_ GUARDED_BY(mutex_) = 0;
  size_t asked_ GUARDED_BY(mutex_) = 0;  // containers, in all reads
};

class ContainerNamesTest : public testing::Test {
 protected:
  ContainerNamesTest() {
    auto source = std::make_unique<FakeSource>();
    source_ = source.get();
    names_ = std::make_unique<ContainerNames>(std::move(source), clock_, log_);
    add(path_);
  }
  ~ContainerNamesTest() override { source_->hang(false); }

  void add(const std::string& path) { std::filesystem::create_directories(mount_.path().string() + path); }
  void remove(const std::string& path) { std::filesystem::remove_all(mount_.path().string() + path); }
  // As a collection does each 10 s. Waits for what the first look finds, however slow the machine is.
  void look_up() {
    look_once();
    EXPECT_TRUE(becomes([&] { return names_->find(path_) != nullptr; }));
    clock_.advance(Duration(10'000));
  }
  bool becomes(const std::function<bool()>& is_so) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!is_so() && std::chrono::steady_clock::now() < limit) names_->update();
    return is_so();
  }
  void look_once() {
    ASSERT_TRUE(tree_.scan());
    names_->look_up(tree_);
  }
  std::string found(const std::string& path) {
    const ContainerName* const name = names_->find(path);
    return name == nullptr ? "(waits)" : name->container;
  }

  const std::string id_ = container_id(1);
  const std::string path_ = "/system.slice/docker-" + id_ + ".scope";
  Log log_{LogLevel::kError};
  ManualClock clock_;
  TempDirectory mount_;
  CgroupTree tree_{mount_.path().string()};
  FakeSource* source_ = nullptr;
  std::unique_ptr<ContainerNames> names_;
};

TEST_F(ContainerNamesTest, ReadsOnceForEachNewContainer) {
  source_->name(id_, "web");
  for (int i = 0; i < 5; ++i) look_up();
  EXPECT_EQ(found(path_), "web");
  EXPECT_EQ(found("/system.slice"), "") << "no container";
  EXPECT_EQ(source_->reads(), 1U);
  EXPECT_EQ(names_->unnamed(), 0U);
  EXPECT_EQ(names_->status(), CollectorStatus{}) << "what was refused was not needed";
  add("/docker/" + container_id(2));
  look_up();
  EXPECT_TRUE(becomes([&] { return source_->reads() == 2; }));
}

TEST_F(ContainerNamesTest, AHostWithoutContainersReadsNothing) {
  remove(path_);
  look_up();
  EXPECT_EQ(source_->reads(), 0U);
}

TEST_F(ContainerNamesTest, ANameStays) {
  source_->name(id_, "web");
  look_up();
  source_->name(id_, "renamed");
  look_up();
  EXPECT_EQ(found(path_), "web");
}

TEST_F(ContainerNamesTest, ANameThatIsNotFoundIsLookedForAFewTimes) {
  look_up();
  EXPECT_EQ(found(path_), "") << "its series do not wait";
  EXPECT_EQ(names_->unnamed(), 1U);
  EXPECT_EQ(names_->status(), CollectorStatus::degraded("names of containers: /secret: Permission denied"));
  look_once();
  EXPECT_TRUE(becomes([&] { return source_->reads() == 2; }));
  for (int i = 0; i < 9; ++i) look_once();  // in the same interval
  source_->name(id_, "web");
  clock_.advance(Duration(10'000));
  look_up();
  EXPECT_TRUE(becomes([&] { return found(path_) == "web"; }));
  EXPECT_EQ(source_->reads(), 3U) << "once per interval";
}

TEST_F(ContainerNamesTest, ANameThatNobodyHasIsGivenUp) {
  for (unsigned i = 0; i < 20; ++i) {
    look_up();
    EXPECT_TRUE(becomes([&] { return source_->reads() >= std::min(i + 1, ContainerNames::kTriesMax); }));
  }
  EXPECT_EQ(source_->reads(), ContainerNames::kTriesMax);
  EXPECT_EQ(names_->unnamed(), 1U);
}

TEST_F(ContainerNamesTest, AContainerThatIsGoneIsForgottenAfterAMinute) {
  source_->name(id_, "web");
  look_up();
  remove(path_);
  for (int i = 0; i < 5; ++i) look_up();
  EXPECT_EQ(found(path_), "web") << "another hierarchy may still have it";
  for (int i = 0; i < 3; ++i) look_up();
  EXPECT_EQ(found(path_), "");
}

TEST_F(ContainerNamesTest, CountsOnlyContainersThatAreThere) {
  look_up();
  EXPECT_EQ(names_->unnamed(), 1U);
  remove(path_);
  look_up();
  EXPECT_EQ(names_->unnamed(), 0U);
  EXPECT_EQ(names_->status(), CollectorStatus{});
}

TEST_F(ContainerNamesTest, LooksAgainWhileNoCgroupIsNew) {
  look_up();
  EXPECT_EQ(found(path_), "");
  source_->name(id_, "web");
  EXPECT_TRUE(becomes([&] { return found(path_) == "web"; })) << "without another look at the tree";
}

TEST_F(ContainerNamesTest, WhatIsInAContainerBelongsToIt) {
  source_->name(id_, "web");
  look_up();
  EXPECT_EQ(names_->find_around(path_)->container, "web");
  EXPECT_EQ(names_->find_around(path_ + "/init.scope")->container, "web");
  EXPECT_EQ(names_->find_around("/system.slice")->container, "");
  EXPECT_EQ(names_->find_around("")->container, "");
  EXPECT_EQ(names_->find(path_ + "/init.scope")->container, "") << "not the container itself";
}

TEST_F(ContainerNamesTest, ADiskThatHangsHoldsUpNothing) {
  source_->hang(true);
  source_->name(id_, "web");
  look_once();
  EXPECT_EQ(found(path_), "(waits)");
  EXPECT_EQ(names_->find_around(path_ + "/init.scope"), nullptr);
  EXPECT_EQ(names_->status(), CollectorStatus{});
  clock_.advance(Duration(10'000));
  look_once();
  EXPECT_EQ(found(path_), "") << "its series wait no longer";
  EXPECT_EQ(names_->status(), CollectorStatus::degraded("names of containers: waits for /slow"));
  source_->hang(false);
  EXPECT_TRUE(becomes([&] { return found(path_) == "web"; }));
}

TEST_F(ContainerNamesTest, KeepsAtMostSoMany) {
  remove(path_);
  for (unsigned round = 0; round < 3; ++round) {
    for (unsigned i = 0; i < 900; ++i) add("/docker/" + container_id(round * 1000 + i));
    look_once();
    EXPECT_TRUE(becomes([&] { return names_->find("/docker/" + container_id(round * 1000)) != nullptr; }));
    clock_.advance(Duration(1'000));
    remove("/docker");
  }
  EXPECT_EQ(source_->asked(), ContainerNames::kContainersMax);
  EXPECT_EQ(names_->unnamed(), 900U) << "all that are there, also those over the limit";
}

}  // namespace
}  // namespace statmill
