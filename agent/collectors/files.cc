// The files collector: open files and inodes of the whole system, from /proc/sys/fs.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "agent/collectors/collector.h"
#include "agent/collectors/proc_text.h"
#include "base/number_text.h"

namespace statmill {
namespace {

// The kernel writes this number if there is no maximum.
constexpr uint64_t kNoMaximum = std::numeric_limits<int64_t>::max();

class FilesCollector final : public Collector {
 public:
  explicit FilesCollector(ProcReader& proc) : proc_(proc) {}

  std::string_view name() const override { return "files"; }

  CollectorStatus collect(MetricSink& sink) override {
    std::string missing;
    size_t found = 0;
    // Format: allocated, of these unused (0 since Linux 2.6), maximum
    if (const auto files = read<3>("sys/fs/file-nr", missing)) {
      const auto [allocated, unused, maximum] = *files;
      ++found;
      sink.gauge("host.files.open", static_cast<double>(allocated - std::min(unused, allocated)));
      if (maximum < kNoMaximum) sink.gauge("host.files.max", static_cast<double>(maximum));
    }
    // Format: allocated, of these unused
    if (const auto inodes = read<2>("sys/fs/inode-nr", missing)) {
      const auto [allocated, unused] = *inodes;
      ++found;
      sink.gauge("host.files.inodes", static_cast<double>(allocated));
      sink.gauge("host.files.inodes_unused", static_cast<double>(unused));
    }
    if (found == 0) return CollectorStatus::unavailable("missing:" + missing);
    return missing.empty() ? CollectorStatus{} : CollectorStatus::degraded("missing:" + missing);
  }

 private:
  // Returns the numbers at the begin of the file. Otherwise appends the reason to `missing`.
  template <size_t N>
  std::optional<std::array<uint64_t, N>> read(const std::string& file, std::string& missing) {
    const Result<std::string_view> text = proc_.read(file);
    std::string_view line = text && !text->empty() ? text->substr(0, text->find('\n')) : std::string_view();
    std::array<uint64_t, N> numbers{};
    for (uint64_t& number : numbers) {
      const std::optional<uint64_t> parsed = parse_as<uint64_t>(next_word(line));
      if (!parsed) {
        missing.append(" ").append(text ? file + " is not as expected" : text.error().message);
        return std::nullopt;
      }
      number = *parsed;
    }
    return numbers;
  }

  ProcReader& proc_;
};

}  // namespace

std::unique_ptr<Collector> make_files_collector(ProcReader& proc) {
  return std::make_unique<FilesCollector>(proc);
}

}  // namespace statmill
