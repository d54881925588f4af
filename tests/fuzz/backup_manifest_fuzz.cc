// Parses any bytes as the file BACKUP, with and without a valid checksum: they are refused, or their files
// have distinct names that stay in the backup's directory, and the manifest survives a round trip.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/hash.h"
#include "base/number_text.h"
#include "storage/files/backup_manifest.h"
#include "tests/fuzz/cost_bound.h"

namespace statmill {
namespace {

void check(std::string_view text) {
  const auto manifest = BackupManifest::parse(text);
  if (!manifest) {
    const ErrorCode code = manifest.error().code;
    SM_CHECK(code == ErrorCode::kInvalid || code == ErrorCode::kVersion || code == ErrorCode::kCorrupt);
    SM_CHECK(!manifest.error().message.empty() && manifest.error().message.size() < 1000);
    return;
  }
  std::set<std::string> names;
  for (const BackupManifest::File& file : manifest->files) {
    SM_CHECK(names.insert(file.name).second);
    SM_CHECK(file.name.find('/') == std::string::npos && !file.name.starts_with('.') && !file.name.empty());
  }
  const auto again = BackupManifest::parse(manifest->text());
  SM_CHECK(again && again->format == manifest->format);
  SM_CHECK(std::ranges::equal(again->files, manifest->files, [](const auto& a, const auto& b) {
    return a.name == b.name && a.sum.bytes == b.sum.bytes && a.sum.crc32c == b.sum.crc32c;
  }));
}

// Appends the last line that the text needs.
std::string with_end(std::string_view text) {
  std::string body(text);
  if (!body.ends_with('\n')) body += '\n';
  const auto lines = static_cast<size_t>(std::ranges::count(body, '\n'));
  const std::string sum = hex_digits(crc32c(body));
  return body + "end " + std::to_string(lines - std::min<size_t>(lines, 3)) + " " + sum + "\n";
}

}  // namespace
}  // namespace statmill

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  const CostBound bound(size);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(text);
  check(with_end(text));
  return 0;
}
