#include "tests/tools/scripts.h"

namespace statmill {

Scripts::Scripts() {
  std::filesystem::create_directories(tree_.path() / "tools");
  for (const char* name : {"compare-agents", "compare-ingest", "install-packages", "junit-summary",
                           "kernel-test", "lint", "nightly", "peers.bash", "quickstart", "test"}) {
    std::filesystem::copy_file(std::filesystem::path(STATMILL_SOURCE_TREE) / "tools" / name,
                               tree_.path() / "tools" / name);
  }
  // As root, the scripts do not call sudo. As another user, they call the fake one.
  program("bin/sudo", "[ \"$1\" != -n ] || shift; exec \"$@\"");
}

}  // namespace statmill
