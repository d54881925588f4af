#include "agent/host_boot.h"

#include "agent/collectors/proc_reader.h"
#include "agent/collectors/proc_text.h"
#include "base/number_text.h"
#include "proto/agent/frames.h"

namespace statmill {
namespace {

std::string first_word(ProcReader& proc, const std::string& file, size_t bytes_max) {
  const Result<std::string_view> text = proc.read(file);
  if (!text || text->empty()) return {};
  std::string_view rest = *text;
  std::string_view line = next_line(rest);
  return std::string(next_word(line).substr(0, bytes_max));
}

}  // namespace

HostBoot read_host_boot(const std::string& proc_root, Timestamp now) {
  ProcReader proc(proc_root);
  HostBoot boot{.kernel = first_word(proc, "sys/kernel/osrelease", kKernelBytesMax),
                .id = first_word(proc, "sys/kernel/random/boot_id", kBootIdBytesMax)};
  const std::string uptime = first_word(proc, "uptime", 32);
  const std::optional<uint32_t> seconds =
      parse_as<uint32_t>(std::string_view(uptime).substr(0, uptime.find('.')));
  if (seconds) boot.time = now - std::chrono::seconds(*seconds);
  return boot;
}

}  // namespace statmill
