// OwnCgroup: a cgroup of the test, removed at its end.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <string>

namespace statmill {

class OwnCgroup {
 public:
  // `root` is the directory of a hierarchy; empty if this host has none.
  explicit OwnCgroup(const std::string& root, const std::string& suffix = "")
      : name_("statmill-test-" + std::to_string(::getpid()) + suffix), path_(root + "/" + name_) {
    is_made_ = !root.empty() && ::mkdir(path_.c_str(), 0755) == 0;
  }
  ~OwnCgroup() {
    if (is_made_) ::rmdir(path_.c_str());
  }
  // Returns false if this host does not allow one.
  bool is_made() const { return is_made_; }
  const std::string& name() const { return name_; }

  // Runs a process in it and waits for its end.
  void run(const std::function<void()>& work) const {
    const pid_t child = ::fork();
    if (child == 0) {
      std::ofstream(path_ + "/cgroup.procs") << ::getpid() << std::endl;
      work();
      ::_exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }

 private:
  const std::string name_;
  const std::string path_;
  bool is_made_ = false;
};

}  // namespace statmill
