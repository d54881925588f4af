#include "agent/collectors/systemd_bus.h"

#include <systemd/sd-bus.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <string_view>
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

// Real time, since it bounds how long a thread waits for another process.
class Deadline {
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

// One connection. Any user of the host may send messages to it at any time: it drops what it did not ask for,
// one message after the other, until the deadline or the limit.
class Conversation {
 public:
  Conversation(const std::string& socket, Duration limit) : socket_(socket), deadline_(limit) {}
  // Closes without a flush, which could block.
  ~Conversation() { ::sd_bus_close_unref(bus_); }
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  Status connect();
  Result<uint32_t> number(const char* property);
  Status read_state(SystemdReport& report);
  Status list_units(SystemdReport& report);

 private:
  int ask_property(const char* property, Message& answer);
  // Sends a question and waits for the answer.
  int ask(sd_bus_message* question, Message& answer);
  // Processes what arrives until `is_done` returns true.
  template <typename Condition>
  int process_until(Condition is_done);
  Error failure(std::string_view what, int error) const;

  const std::string& socket_;
  const Deadline deadline_;
  sd_bus* bus_ = nullptr;
  size_t steps_ = 0;  // of sd-bus, each with at most one message
};

// sd-bus would wait for the bus for minutes.
Status Conversation::connect() {
  int result = ::sd_bus_new(&bus_);
  if (result >= 0) result = ::sd_bus_set_address(bus_, ("unix:path=" + socket_).c_str());
  if (result >= 0) result = ::sd_bus_set_bus_client(bus_, 1);
  if (result >= 0) result = ::sd_bus_start(bus_);
  if (result >= 0) result = process_until([this] { return ::sd_bus_is_ready(bus_) > 0; });
  return result >= 0 ? Status::ok() : Status(failure("connect", result));
}

template <typename Condition>
int Conversation::process_until(Condition is_done) {
  while (!is_done()) {
    if (deadline_.is_over()) return -ETIMEDOUT;
    if (steps_ == SystemdBus::kMessagesMax) return -ENOBUFS;
    int result = ::sd_bus_process(bus_, nullptr);
    if (result > 0) ++steps_;
    if (result == 0) result = ::sd_bus_wait(bus_, deadline_.left_us());
    if (result < 0) return result;
    if (::sd_bus_is_open(bus_) <= 0) return -ECONNRESET;
  }
  return 0;
}

// sd_bus_call() would not look at the time while messages of others arrive, and would keep them all.
int Conversation::ask(sd_bus_message* question, Message& answer) {
  const auto note = [](sd_bus_message* message, void* to, sd_bus_error*) {
    static_cast<Message*>(to)->reset(::sd_bus_message_ref(message));
    return 1;
  };
  sd_bus_slot* slot = nullptr;
  int result = ::sd_bus_call_async(bus_, &slot, question, note, &answer, deadline_.left_us());
  if (result >= 0) result = process_until([&answer] { return answer != nullptr; });
  ::sd_bus_slot_unref(slot);
  if (result >= 0) result = -::sd_bus_message_get_errno(answer.get());
  return result;
}

int Conversation::ask_property(const char* property, Message& answer) {
  sd_bus_message* question = nullptr;
  int result = ::sd_bus_message_new_method_call(bus_, &question, kService, kPath,
                                                "org.freedesktop.DBus.Properties", "Get");
  const Message asked(question);
  if (result >= 0) result = ::sd_bus_message_append(question, "ss", kManager, property);
  return result >= 0 ? ask(question, answer) : result;
}

Result<uint32_t> Conversation::number(const char* property) {
  Message answer;
  int result = ask_property(property, answer);
  uint32_t found = 0;
  if (result >= 0) result = ::sd_bus_message_read(answer.get(), "v", "u", &found);
  if (result < 0) return failure(property, result);
  return found;
}

Status Conversation::read_state(SystemdReport& report) {
  Message answer;
  int result = ask_property("SystemState", answer);
  const char* found = "";
  if (result >= 0) result = ::sd_bus_message_read(answer.get(), "v", "s", &found);
  if (result < 0) return failure("SystemState", result);
  report.state = found;
  return Status::ok();
}

Status Conversation::list_units(SystemdReport& report) {
  sd_bus_message* question = nullptr;
  int result =
      ::sd_bus_message_new_method_call(bus_, &question, kService, kPath, kManager, "ListUnitsFiltered");
  const Message asked(question);
  if (result >= 0) result = ::sd_bus_message_open_container(question, 'a', "s");
  for (const std::string_view state : SystemdReport::kUnitStates) {
    if (result >= 0) result = ::sd_bus_message_append(question, "s", state.data());
  }
  if (result >= 0) result = ::sd_bus_message_close_container(question);
  Message answer;
  if (result >= 0) result = ask(question, answer);
  if (result >= 0) result = add_units(answer.get(), report);
  return result >= 0 ? Status::ok() : Status(failure("ListUnitsFiltered", result));
}

Error Conversation::failure(std::string_view what, int error) const {
  const std::string why = error == -ENOBUFS && steps_ == SystemdBus::kMessagesMax
                              ? "more than " + std::to_string(SystemdBus::kMessagesMax) + " messages"
                              : std::string(std::strerror(-error));
  return {ErrorCode::kIo, socket_ + ": " + std::string(what) + ": " + why};
}

}  // namespace

Result<SystemdReport> SystemdBus::read() const {
  Conversation bus(socket_, limit_);
  SystemdReport report;
  if (Status connected = bus.connect(); !connected) return connected.error();
  if (Status read = bus.read_state(report); !read) return read.error();
  for (const auto& [property, to] : {std::pair("NNames", &report.names), std::pair("NJobs", &report.jobs)}) {
    const Result<uint32_t> found = bus.number(property);
    if (!found) return found.error();
    *to = *found;
  }
  if (Status listed = bus.list_units(report); !listed) return listed.error();
  return report;
}

}  // namespace statmill
