// SpoolPlace: which machine a spool is on, and where there: what tells a spool from its copies.
//
// A copied directory has another inode. A cloned disk has the same one, and even the same machine id; so the
// place also has what clones of a machine may differ in. All facts are hashes: the identity's file shows no
// serial numbers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace statmill {

inline constexpr size_t kAddressesMax = 16;  // of one place

// Each fact is place_hash() of its text, or empty if it is not known.
struct SpoolPlace {
  std::string directory;                    // the machine's id, the inode and the birth of the file `lock`
  std::string product = {};                 // the machine's UUID as its firmware has it
  std::vector<std::string> addresses = {};  // of its network cards, in order; at most kAddressesMax
  std::string host = {};                    // its configured name

  bool operator==(const SpoolPlace&) const = default;
};

// 32 hexadecimal digits.
std::string place_hash(std::string_view text);

// Whether a spool that was at `before` is still there, and is no copy. What is not known on both sides
// decides nothing. The name of the host is what people change, so it decides only where nothing firmer is
// known.
bool is_same_place(const SpoolPlace& before, const SpoolPlace& now);

// `now`, with what is known only of `before`: a fact that cannot be read today is not forgotten.
SpoolPlace merged_place(const SpoolPlace& before, SpoolPlace now);

// The facts of this machine, but for the directory. `root` is put before each path: "" but in tests.
//
// product: not read unless the process may, and all zeros or all ones are no UUID.
// addresses: the permanent ones of network cards, without those that come and go: bridges, tunnels, USB.
SpoolPlace machine_facts(const std::string& root);

}  // namespace statmill
