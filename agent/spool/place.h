// SpoolPlace: which machine and directory a spool is in. It tells an original spool from its copies.
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

inline constexpr size_t kAddressesMax = 16;  // per place

// Each fact is the place_hash() of its text, or empty if unknown.
struct SpoolPlace {
  std::string directory;                    // machine id, and inode and birth time of the file `lock`
  std::string product = {};                 // the machine's UUID as reported by its firmware
  std::vector<std::string> addresses = {};  // of network cards, sorted; at most kAddressesMax
  std::string host = {};                    // the configured host name

  bool operator==(const SpoolPlace&) const = default;
};

// Returns 32 hexadecimal digits.
std::string place_hash(std::string_view text);

// Returns true if a spool last seen at `before` is still the original. A fact that is unknown on one side
// decides nothing. People rename hosts, so the host name decides only if no stronger fact is known on both
// sides.
bool is_same_place(const SpoolPlace& before, const SpoolPlace& now);

// Returns `now`, completed with facts known only from `before`: a fact that cannot be read today is not
// forgotten.
SpoolPlace merged_place(const SpoolPlace& before, SpoolPlace now);

// Returns the facts of this machine, without the directory. `root` is prepended to each path; it is empty
// except in tests.
//
// product: only read if the process may; UUIDs of all zeros or all ones are ignored.
// addresses: the permanent addresses of network cards. Interfaces that come and go (bridges, tunnels, USB)
// are ignored.
SpoolPlace machine_facts(const std::string& root);

}  // namespace statmill
