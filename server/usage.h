// The first lines of `statmilld --help`.
#pragma once

namespace statmill {

inline constexpr const char* kServerUsage =
    "statmilld [OPTIONS]\n\nThe statmill server: receives samples over UDP and TCP, stores them as buckets "
    "in tiers and answers\n"
    "queries over HTTP. SIGINT and SIGTERM stop it without losing data; SIGHUP reads certificates, tokens "
    "and\n"
    "lists of networks again.\n"
    "Exit status: 0 stopped, 1 failed, 2 invalid setting, 3 data damaged, 4 data directory in use,\n"
    "5 data of another version, 6 cannot listen, 7 out of memory.";

}  // namespace statmill
