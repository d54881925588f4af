#include "agent/recording/hindsight_settings.h"

#include <chrono>

#include "base/setting_values.h"

namespace statmill {
namespace {

constexpr size_t kTriggersMax = 16;
constexpr uint64_t kRingBytesMin = uint64_t{1} << 20;
constexpr uint64_t kRingBytesMax = uint64_t{4} << 30;

SettingParser triggers_parser(std::vector<Trigger>& triggers) {
  return [&triggers](const std::string& text) -> Status {
    auto trigger = Trigger::parse(text);
    if (!trigger) return trigger.error();
    if (triggers.size() == kTriggersMax)
      return Error{ErrorCode::kInvalid, "\"" + text + "\" is one trigger too many: 16 at most"};
    triggers.push_back(*std::move(trigger));
    return Status::ok();
  };
}

}  // namespace

std::vector<Setting> hindsight_settings(HindsightOptions& hindsight, RecordOptions& record) {
  using std::chrono::hours;
  using std::chrono::milliseconds;
  return {
      {"hindsight", "TIME", "0s", "how much of the past is kept in memory, to be written when asked; 0s: off",
       duration_setting(hindsight.length, Duration(0), hours(24))},
      {"hindsight.bytes", "SIZE", "32M",
       "the most memory for that, compressed, 1M..4G; above it, the past is shorter",
       bytes_setting(hindsight.bytes, kRingBytesMin, kRingBytesMax)},
      {"hindsight.directory", "DIR", "",
       "where SIGUSR2 and --hindsight.when write recordings; if empty, `hindsight` in --spool.path",
       text_setting(hindsight.directory)},
      {"hindsight.files", "N", "8", "how many recordings are kept there; the oldest are removed, 1..1000",
       count_setting(hindsight.files, 1, 1000)},
      {"hindsight.when", "EXPR", "",
       "NAME OP NUMBER with < <= > >= == or !=: write a recording when it becomes true; may be repeated",
       triggers_parser(hindsight.when), true},
      {"hindsight.fast_interval", "TIME", "100ms",
       "time between two collections of --hindsight.fast, 100ms..1h",
       duration_setting(hindsight.fast_interval, milliseconds(100), hours(1))},
      {"record", "FILE", "", "record this host to a file, or with - to standard output, and send nothing",
       text_setting(record.file)},
      {"record.for", "TIME", "0s", "for how long --record records; 0s: until a signal ends it",
       duration_setting(record.length, Duration(0), hours(24 * 365))},
  };
}

}  // namespace statmill
