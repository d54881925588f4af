#include "agent/spool/location.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/hash.h"
#include "base/number_text.h"

namespace statmill {
namespace {

namespace fs = std::filesystem;

// Returns an empty string if the file cannot be read.
std::string first_line(const fs::path& path) {
  std::string line;
  std::ifstream in(path);
  std::getline(in, line);
  return line;
}

std::string hash_unless_empty(const std::string& text) { return text.empty() ? text : fact_hash(text); }

// Firmware without a UUID reports only zeros or only ones.
bool is_product_known(const std::string& uuid) {
  return std::any_of(uuid.begin(), uuid.end(), [](char c) { return c != '0' && c != '-'; }) &&
         std::any_of(uuid.begin(), uuid.end(), [](char c) { return c != 'f' && c != 'F' && c != '-'; });
}

// True for a network card of the machine with its permanent address.
bool is_fixed_card(const fs::path& card) {
  std::error_code error;
  const fs::path bus = fs::read_symlink(card / "device/subsystem", error).filename();
  return !error && bus != "usb" && first_line(card / "addr_assign_type") == "0";
}

std::vector<std::string> card_addresses(const fs::path& cards) {
  std::vector<std::string> addresses;
  std::error_code error;
  for (fs::directory_iterator it(cards, error), end; !error && it != end; it.increment(error)) {
    if (!is_fixed_card(it->path())) continue;
    const std::string address = first_line(it->path() / "address");
    if (!address.empty()) addresses.push_back(fact_hash(address));
  }
  std::sort(addresses.begin(), addresses.end());
  if (addresses.size() > kAddressesMax) addresses.resize(kAddressesMax);
  return addresses;
}

enum class Match : uint8_t { kUnknown, kSame, kOther };

Match compare(const std::string& before, const std::string& now) {
  if (before.empty() || now.empty()) return Match::kUnknown;
  return before == now ? Match::kSame : Match::kOther;
}

// Cards are added and replaced one by one, so a machine that has none of its earlier cards is
// a different one.
Match compare(const std::vector<std::string>& before, const std::vector<std::string>& now) {
  if (before.empty() || now.empty()) return Match::kUnknown;
  const bool has_one = std::any_of(now.begin(), now.end(), [&](const std::string& address) {
    return std::find(before.begin(), before.end(), address) != before.end();
  });
  return has_one ? Match::kSame : Match::kOther;
}

}  // namespace

std::string fact_hash(std::string_view text) {
  const Hash128 hash = hash_name(text, 0);
  return hex_digits(hash.high) + hex_digits(hash.low);
}

bool is_same_location(const SpoolLocation& before, const SpoolLocation& now) {
  if (before.directory != now.directory) return false;
  const Match product = compare(before.product, now.product);
  const Match addresses = compare(before.addresses, now.addresses);
  if (product == Match::kOther || addresses == Match::kOther) return false;
  if (product == Match::kSame || addresses == Match::kSame) return true;
  return compare(before.host, now.host) != Match::kOther;
}

SpoolLocation merge_locations(const SpoolLocation& before, SpoolLocation now) {
  if (now.product.empty()) now.product = before.product;
  if (now.addresses.empty()) now.addresses = before.addresses;
  if (now.host.empty()) now.host = before.host;
  return now;
}

SpoolLocation machine_facts(const std::string& root) {
  SpoolLocation location;
  const std::string uuid = first_line(root + "/sys/class/dmi/id/product_uuid");
  if (is_product_known(uuid)) location.product = fact_hash(uuid);
  location.addresses = card_addresses(root + "/sys/class/net");
  location.host = hash_unless_empty(first_line(root + "/etc/hostname"));
  return location;
}

}  // namespace statmill
