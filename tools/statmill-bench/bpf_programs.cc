#include "tools/statmill-bench/bpf_programs.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <utility>

#include "empty.skel.h"
#include "tools/statmill-bench/system_error.h"

namespace statmill {
namespace {

// Returns the number after `key` in a descriptor's fdinfo; 0 if the key is missing.
uint64_t fdinfo_number(const std::filesystem::path& file, std::string_view key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(key)) return std::strtoull(line.c_str() + key.size(), nullptr, 10);
  }
  return 0;
}

std::set<uint32_t> program_ids_of(pid_t pid) {
  std::set<uint32_t> ids;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fdinfo", error)) {
    // Links have a prog_id, too, which names the same program.
    if (const uint64_t id = fdinfo_number(entry.path(), "prog_id:"); id != 0)
      ids.insert(static_cast<uint32_t>(id));
  }
  return ids;
}

// Calls `info` for each program of a process, with the ids of its maps.
template <class Use>
Status for_each_program(pid_t pid, Use use) {
  const std::set<uint32_t> ids = program_ids_of(pid);
  if (ids.empty()) return Error{ErrorCode::kUnavailable, "the agent has no eBPF programs"};
  for (const uint32_t id : ids) {
    const int fd = bpf_prog_get_fd_by_id(id);
    if (fd < 0) return system_error(ErrorCode::kUnavailable, "eBPF program");
    bpf_prog_info info{};
    std::array<__u32, 16> maps{};
    info.nr_map_ids = maps.size();
    info.map_ids = reinterpret_cast<__u64>(maps.data());
    __u32 size = sizeof(info);
    const int error = bpf_obj_get_info_by_fd(fd, &info, &size) == 0 ? 0 : errno;
    ::close(fd);
    if (error != 0) return system_error(ErrorCode::kUnavailable, "eBPF program", error);
    use(info, std::span(maps).first(std::min<size_t>(info.nr_map_ids, maps.size())));
  }
  return Status::ok();
}

struct DestroySkeleton {
  void operator()(empty_bpf* skeleton) const { empty_bpf::destroy(skeleton); }
};

class LoadedBpfMeasuring final : public BpfMeasuring {
 public:
  LoadedBpfMeasuring(std::unique_ptr<empty_bpf, DestroySkeleton> empty, int statistics)
      : empty_(std::move(empty)), statistics_(statistics) {}
  ~LoadedBpfMeasuring() override { ::close(statistics_); }

 private:
  const std::unique_ptr<empty_bpf, DestroySkeleton> empty_;
  const int statistics_;
};

int say_nothing(libbpf_print_level, const char*, va_list) { return 0; }

}  // namespace

Result<BpfRunsByName> bpf_runs_of(pid_t pid) {
  BpfRunsByName runs;
  const Status status = for_each_program(pid, [&](const bpf_prog_info& info, std::span<const __u32>) {
    BpfRuns& of_name = runs[info.name];
    of_name.count += info.run_cnt;
    of_name.ns += info.run_time_ns;
  });
  if (!status) return status.error();
  return runs;
}

Result<uint64_t> bpf_map_bytes_of(pid_t pid) {
  std::set<uint32_t> maps;
  const Status status = for_each_program(
      pid, [&](const bpf_prog_info&, std::span<const __u32> ids) { maps.insert(ids.begin(), ids.end()); });
  if (!status) return status.error();
  uint64_t bytes = 0;
  for (const uint32_t id : maps) {
    const int fd = bpf_map_get_fd_by_id(id);
    if (fd < 0) return system_error(ErrorCode::kUnavailable, "eBPF map");
    bytes += fdinfo_number("/proc/self/fdinfo/" + std::to_string(fd), "memlock:");
    ::close(fd);
  }
  return bytes;
}

Result<std::unique_ptr<BpfMeasuring>> begin_bpf_measuring() {
  libbpf_set_print(say_nothing);
  std::unique_ptr<empty_bpf, DestroySkeleton> empty(empty_bpf::open_and_load());
  if (empty == nullptr) return system_error(ErrorCode::kUnavailable, "empty eBPF programs");
  if (const int error = empty_bpf::attach(empty.get()); error != 0)
    return system_error(ErrorCode::kUnavailable, "empty eBPF programs", -error);
  const int statistics = bpf_enable_stats(BPF_STATS_RUN_TIME);
  if (statistics < 0) return system_error(ErrorCode::kUnavailable, "BPF_ENABLE_STATS");
  return std::unique_ptr<BpfMeasuring>(std::make_unique<LoadedBpfMeasuring>(std::move(empty), statistics));
}

}  // namespace statmill
