// SpoolLocation: which machine and directory a spool is in. It tells an original spool from its copies.
//
// A copied directory has another inode. A cloned disk has the same inodes, and even the same machine id, so
// the place also contains facts in which clones of a machine may differ. All facts are stored as hashes, so
// that the identity file reveals no serial numbers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace statmill {

inline constexpr size_t kAddressesMax = 16;  // per location

// Each fact is the fact_hash() of its text, or empty if unknown.
struct SpoolLocation {
  std::string directory;                    // machine id, and inode and birth time of the file `lock`
  std::string product = {};                 // the machine's UUID as reported by its firmware
  std::vector<std::string> addresses = {};  // of network cards, sorted; at most kAddressesMax
  std::string host = {};                    // the configured host name

  bool operator==(const SpoolLocation&) const = default;
};

// Returns 32 hexadecimal digits.
std::string fact_hash(std::string_view text);

// Returns true if a spool last seen at `before` is still the original. A fact that is unknown on one
// side decides nothing. People rename hosts, so the host name decides only if no stronger fact is known
// on both sides.
bool is_same_location(const SpoolLocation& before, const SpoolLocation& now);

// Returns `now`, completed with facts known only from `before`: a fact that cannot be read today
// is not forgotten.
SpoolLocation merge_locations(const SpoolLocation& before, SpoolLocation now);

// Returns the facts of this machine, without the directory. `root` is prepended to each path; it is empty
// except in tests.
//
// product: only read if the process may; UUIDs of all zeros or all ones are ignored.
// addresses: the permanent addresses of network cards. Interfaces that come and go (bridges, tunnels, USB)
// are ignored.
SpoolLocation machine_facts(const std::string& root);

}  // namespace statmill
