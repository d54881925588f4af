// Scripts: a source tree with the real scripts of tools/ and fakes of the programs that they call.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/temp_directory.h"

namespace statmill {

// The fakes are first in PATH.
class Scripts : public testing::Test {
 protected:
  Scripts();

  // Creates an executable shell script; $TREE is the tree.
  void program(const std::string& name, const std::string& script) {
    const auto path = tree_.write(name, "#!/bin/sh\nTREE=" + tree_.path().string() + "\n" + script + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  std::string content(const std::string& name) const {
    std::ostringstream out;
    out << std::ifstream(tree_.path() / name).rdbuf();
    return out.str();
  }
  Command command(const std::string& script, std::vector<std::string> arguments = {}) const {
    const std::string path = (tree_.path() / "bin").string() + ":" + std::getenv("PATH");
    return {(tree_.path() / "tools" / script).string(), std::move(arguments), {{"PATH", path}}};
  }

  TempDirectory tree_;
};

}  // namespace statmill
