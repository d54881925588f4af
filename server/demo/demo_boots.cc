#include "server/demo/demo_boots.h"

#include "base/number_text.h"
#include "server/demo/noise.h"

namespace statmill {
namespace {

constexpr uint64_t kBootNow = 1;  // numbers of boots, for their ids
constexpr uint64_t kBootBefore = 2;
constexpr int64_t kBootDay = 86400;
constexpr int64_t kShutdownSeconds = 45;  // from the last sample to the boot

constexpr const char* kKernel = "6.1.0-28-amd64";
constexpr const char* kKernelBefore = "6.1.0-27-amd64";
constexpr const char* kKernelWithoutBtf = "4.18.0-80.el8.x86_64";  // lab3

bool has_restarted(const DemoHost& host) { return host.label == "batch4"; }

std::string boot_id(const DemoHost& host, uint64_t number) { return hex_digits(mixed(host.key + number)); }

}  // namespace

AgentId demo_agent_id(const DemoHost& host) {
  AgentId id;
  for (size_t i = 0; i < id.bytes.size(); ++i)
    id.bytes[i] = static_cast<uint8_t>(mixed(host.key + i / 8) >> (i % 8 * 8));
  return id;
}

HostBoot demo_boot(const DemoHost& host, int64_t start_s) {
  const int64_t up_s =
      static_cast<int64_t>(mixed(~host.key) % (static_cast<uint64_t>(190 * kBootDay))) + 5 * kBootDay;
  const int64_t booted_s = start_s - (has_restarted(host) ? kRestartAgo - kShutdownSeconds : up_s);
  return {.kernel = host.label == "lab3" ? kKernelWithoutBtf : kKernel,
          .id = boot_id(host, kBootNow),
          .time = from_unix_seconds(booted_s)};
}

std::vector<AgentRow> demo_agents_before(const std::vector<DemoHost>& fleet, int64_t start_s) {
  std::vector<AgentRow> rows;
  for (const DemoHost& host : fleet) {
    if (!has_restarted(host)) continue;
    AgentRow row;
    row.id = demo_agent_id(host);
    row.seen = from_unix_seconds(start_s - kRestartAgo);
    row.position = {.epoch = 1, .seq = 0, .lines = 0, .time = row.seen};
    row.newest = row.seen;
    row.host = host.name;
    row.agent_version = STATMILL_VERSION;
    row.boot = {.kernel = kKernelBefore,
                .id = boot_id(host, kBootBefore),
                .time = from_unix_seconds(start_s - kRestartAgo - 100 * kBootDay)};
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace statmill
