// CgroupTree with directories of the test.
#include "agent/collectors/cgroup_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<std::string> tags_of(const CgroupTree& tree) {
  std::vector<std::string> tags;
  for (const Cgroup& cgroup : tree.cgroups()) tags.emplace_back(cgroup.tag());
  return tags;
}

TEST(CgroupTree, NamesEachDirectoryByItsPath) {
  const TempDirectory root;
  root.write("cgroup.procs", "");
  root.write("System.slice/ssh.service/cgroup.procs", "");
  CgroupTree tree(root.path().string());
  ASSERT_TRUE(tree.scan());
  EXPECT_THAT(tags_of(tree), UnorderedElementsAre("/", "/System.slice", "/System.slice/ssh.service"));
  struct stat status {};
  ASSERT_EQ(::stat((root.path() / "System.slice/ssh.service").c_str(), &status), 0);
  const Cgroup* const ssh = tree.find(status.st_ino);
  ASSERT_NE(ssh, nullptr);
  EXPECT_EQ(ssh->path, "/System.slice/ssh.service");
  EXPECT_EQ(tree.find(0), nullptr);
}

TEST(CgroupTree, LeavesOutPathsThatAreTooLong) {
  const TempDirectory root;
  const std::string part(200, 'a');
  root.write(part + "/" + part + "/" + part + "/x", "");
  CgroupTree tree(root.path().string());
  ASSERT_TRUE(tree.scan());
  EXPECT_THAT(tags_of(tree), UnorderedElementsAre("/", "/" + part, "/" + part + "/" + part));
  EXPECT_EQ(tree.left_out(), 1U);
}

TEST(CgroupTree, StopsAtItsLimitAndCountsTheRest) {
  const TempDirectory root;
  for (size_t i = 0; i < CgroupTree::kCgroupsMax + 9; ++i) root.write(std::to_string(i) + "/x", "");
  CgroupTree tree(root.path().string());
  ASSERT_TRUE(tree.scan());
  EXPECT_EQ(tree.cgroups().size(), CgroupTree::kCgroupsMax);
  EXPECT_EQ(tree.left_out(), 10U) << "the root counts, too";
}

TEST(CgroupTree, IsEmptyWithoutARoot) {
  CgroupTree tree("/nowhere");
  EXPECT_FALSE(tree.scan());
  EXPECT_THAT(tree.cgroups(), IsEmpty());
}

TEST(CgroupTree, FindsTheHierarchyOfEitherVersion) {
  const TempDirectory first;
  first.write("cpu,cpuacct/cgroup.procs", "");
  EXPECT_EQ(find_cgroup_hierarchy(first.path().string(), "cpu").root, first.path().string() + "/cpu,cpuacct");
  EXPECT_FALSE(find_cgroup_hierarchy(first.path().string(), "cpu").is_default);
  EXPECT_EQ(find_cgroup_hierarchy(first.path().string(), "memory").root, "");
  const TempDirectory second;
  second.write("cgroup.controllers", "cpu");
  EXPECT_EQ(find_cgroup_hierarchy(second.path().string(), "cpu").root, second.path().string());
  EXPECT_TRUE(find_cgroup_hierarchy(second.path().string(), "cpu").is_default);
}

}  // namespace
}  // namespace statmill
