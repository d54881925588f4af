// The first lines of `statmilld --help`.
#pragma once

namespace statmill {

inline constexpr const char* kServerUsage =
    "statmilld [OPTIONS]\n\nThe statmill server: takes samples by line protocol over UDP and TCP, keeps "
    "buckets in tiers, answers\n"
    "queries over HTTP. SIGINT and SIGTERM stop it with nothing lost; SIGHUP is logged and ignored.\n"
    "Exit status: 0 stopped, 1 failed, 2 bad setting, 3 data damaged, 4 data directory in use,\n"
    "5 data of another version, 6 cannot listen, 7 out of memory.";

}  // namespace statmill
