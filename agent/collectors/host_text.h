// Parsers for texts of /proc that only some hosts have, as pure functions: tables of the network code, NFS
// (fs/nfs/nfs3xdr.c, nfs4xdr.c), ZFS.
//
// What is missing or invalid is left out of the result, never invented.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace statmill {

// The tables of /proc/net/stat have a line of names and a row of hexadecimal numbers per CPU.
//
// Returns the sum of each column, modulo 2^64, in the order of `columns`; nullopt for a column that the table
// or one of its rows lacks, and for all of a table without rows. Cost: one pass.
std::vector<std::optional<uint64_t>> sums_of_columns(std::string_view table,
                                                     std::span<const std::string_view> columns);
// Returns the number in the first row: some columns have the same one in each. nullopt if there is none.
std::optional<uint64_t> first_of_column(std::string_view table, std::string_view column);

// A CPU in /proc/net/softnet_stat. The kernel counts in 32 bits.
struct SoftnetCpu {
  uint64_t cpu = 0;
  uint32_t packets = 0;
  uint32_t drops = 0;
  uint32_t squeezes = 0;
};
// Old kernels do not number the rows: there, `cpu` is the number of the row.
std::vector<SoftnetCpu> parse_softnet(std::string_view softnet_stat);

// Returns the number of entries of each interface in /proc/net/arp.
std::map<std::string_view, uint64_t> count_arp_entries(std::string_view arp);

// /proc/net/rpc/nfs. The kernel counts in 32 bits.
struct NfsCounts {
  std::optional<uint32_t> calls;
  std::optional<uint32_t> retransmits;
  std::optional<uint32_t> auth_refreshes;
  std::vector<uint32_t> version_3;  // calls by operation, in the kernel's order
  std::vector<uint32_t> version_4;
};
NfsCounts parse_nfs(std::string_view nfs);

// Returns the data of `key` in lines of `key type data`, the form of kstats of ZFS.
std::optional<uint64_t> find_kstat(std::string_view kstat, std::string_view key);

}  // namespace statmill
