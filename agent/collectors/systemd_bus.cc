#include "agent/collectors/systemd_bus.h"

#include <systemd/sd-bus.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

namespace statmill {
namespace {

constexpr const char* kService = "org.freedesktop.systemd1";
constexpr const char* kPath = "/org/freedesktop/systemd1";
constexpr const char* kManager = "org.freedesktop.systemd1.Manager";
constexpr size_t kUnitNameBytesMax = 255;

struct EndMessage {
  void operator()(sd_bus_message* message) const { ::sd_bus_message_unref(message); }
};
using Message = std::unique_ptr<sd_bus_message, EndMessage>;

// What systemd allows as the name of a unit.
bool is_unit_name(std::string_view name) {
  return !name.empty() && name.size() <= kUnitNameBytesMax &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:-_.\\@") ==
             std::string_view::npos;
}

// Adds the units of an answer of ListUnitsFiltered(). Returns what sd-bus does: negative on errors.
int add_units(sd_bus_message* message, SystemdReport& report) {
  int more = ::sd_bus_message_enter_container(message, 'a', "(ssssssouso)");
  while (more > 0) {
    const char* name = nullptr;
    const char* state = nullptr;
    const char* skipped = nullptr;
    uint32_t job = 0;
    more = ::sd_bus_message_read(message, "(ssssssouso)", &name, &skipped, &skipped, &state, &skipped,
                                 &skipped, &skipped, &job, &skipped, &skipped);
    if (more <= 0) break;
    const auto at = std::find(report.kUnitStates.begin(), report.kUnitStates.end(), std::string_view(state));
    if (at == report.kUnitStates.end()) continue;
    ++report.counts.at(static_cast<size_t>(at - report.kUnitStates.begin()));
    if (*at == "failed" && is_unit_name(name)) report.failed.emplace_back(name);
  }
  std::sort(report.failed.begin(), report.failed.end());
  report.is_over_limit = report.failed.size() > SystemdReport::kFailedMax;
  if (report.is_over_limit) report.failed.resize(SystemdReport::kFailedMax);
  return more;
}

}  // namespace

// Real time, since it bounds how long a thread waits for another process.
class SystemdBus::Deadline {
 public:
  explicit Deadline(Duration limit) : end_(std::chrono::steady_clock::now() + limit) {}
  // Microseconds; at least 1, because 0 means the usual time of sd-bus.
  uint64_t left_us() const {
    const auto left = std::chrono::floor<std::chrono::microseconds>(end_ - std::chrono::steady_clock::now());
    return static_cast<uint64_t>(std::max<std::chrono::microseconds::rep>(left.count(), 1));
  }
  bool is_over() const { return std::chrono::steady_clock::now() >= end_; }

 private:
  const std::chrono::steady_clock::time_point end_;
};

Result<SystemdReport> SystemdBus::read() {
  const Deadline deadline(limit_);
  SystemdReport report;
  const auto read_all = [&]() -> Status {
    if (Status connected = connect(deadline); !connected) return connected;
    if (Status read = read_state(report, deadline); !read) return read;
    for (const auto& [property, to] :
         {std::pair("NNames", &report.names), std::pair("NJobs", &report.jobs)}) {
      const Result<uint32_t> found = number(property, deadline);
      if (!found) return found.error();
      *to = *found;
    }
    return list_units(report, deadline);
  };
  if (Status read = read_all(); !read) {
    disconnect();
    return read.error();
  }
  return report;
}

// sd-bus would wait for the bus for minutes.
Status SystemdBus::connect(const Deadline& deadline) {
  if (bus_ != nullptr && ::sd_bus_is_open(bus_) > 0) return Status::ok();
  disconnect();
  int result = ::sd_bus_new(&bus_);
  if (result >= 0) result = ::sd_bus_set_address(bus_, ("unix:path=" + socket_).c_str());
  if (result >= 0) result = ::sd_bus_set_bus_client(bus_, 1);
  if (result >= 0) result = ::sd_bus_start(bus_);
  while (result >= 0 && ::sd_bus_is_ready(bus_) == 0) {
    if (deadline.is_over()) return failure("connect", -ETIMEDOUT);
    result = ::sd_bus_process(bus_, nullptr);
    if (result == 0) result = ::sd_bus_wait(bus_, deadline.left_us());
    if (result >= 0 && ::sd_bus_is_open(bus_) <= 0) result = -ECONNRESET;
  }
  return result >= 0 ? Status::ok() : Status(failure("connect", result));
}

void SystemdBus::disconnect() {
  // Closes without a flush, which could block.
  if (bus_ != nullptr) ::sd_bus_close_unref(std::exchange(bus_, nullptr));
}

Result<uint32_t> SystemdBus::number(const char* property, const Deadline& deadline) {
  uint32_t found = 0;
  ::sd_bus_set_method_call_timeout(bus_, deadline.left_us());
  const int result =
      ::sd_bus_get_property_trivial(bus_, kService, kPath, kManager, property, nullptr, 'u', &found);
  if (result < 0) return failure(property, result);
  return found;
}

Status SystemdBus::read_state(SystemdReport& report, const Deadline& deadline) {
  char* found = nullptr;
  ::sd_bus_set_method_call_timeout(bus_, deadline.left_us());
  const int result =
      ::sd_bus_get_property_string(bus_, kService, kPath, kManager, "SystemState", nullptr, &found);
  if (result < 0) return failure("SystemState", result);
  report.state = found;
  std::free(found);
  return Status::ok();
}

Status SystemdBus::list_units(SystemdReport& report, const Deadline& deadline) {
  sd_bus_message* question = nullptr;
  int result =
      ::sd_bus_message_new_method_call(bus_, &question, kService, kPath, kManager, "ListUnitsFiltered");
  const Message asked(question);
  if (result >= 0) result = ::sd_bus_message_open_container(question, 'a', "s");
  for (const std::string_view state : SystemdReport::kUnitStates) {
    if (result >= 0) result = ::sd_bus_message_append(question, "s", state.data());
  }
  if (result >= 0) result = ::sd_bus_message_close_container(question);
  sd_bus_message* answer = nullptr;
  if (result >= 0) result = ::sd_bus_call(bus_, question, deadline.left_us(), nullptr, &answer);
  const Message answered(answer);
  if (result >= 0) result = add_units(answer, report);
  return result >= 0 ? Status::ok() : Status(failure("ListUnitsFiltered", result));
}

Error SystemdBus::failure(std::string_view what, int error) const {
  return {ErrorCode::kIo, socket_ + ": " + std::string(what) + ": " + std::strerror(-error)};
}

}  // namespace statmill
