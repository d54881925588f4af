// FakeSystemd: a bus with systemd on it, on a socket of the test, which speaks D-Bus through sd-bus's side
// for servers.
#pragma once

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-id128.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/check.h"
#include "base/descriptor.h"
#include "base/mutex.h"

namespace statmill {

// Thread-safe. One client at a time.
class FakeSystemd {
 public:
  struct Unit {
    std::string name;
    std::string state;
  };
  struct World {
    std::string state = "running";
    uint32_t names = 300;
    uint32_t jobs = 0;
    std::vector<Unit> units;
    bool answers = true;            // false: it accepts connections and says nothing
    bool answers_questions = true;  // false: nothing after the begin of a connection
    size_t signals = 0;             // it sends so many before each property
  };

  // Listens at `socket`, in whose directory it makes.
  explicit FakeSystemd(const std::filesystem::path& socket)
      : listener_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)), end_(::eventfd(0, EFD_CLOEXEC)) {
    std::filesystem::create_directories(socket.parent_path());
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    SM_CHECK(socket.native().size() < sizeof(address.sun_path));
    std::memcpy(address.sun_path, socket.c_str(), socket.native().size());
    SM_CHECK(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
    SM_CHECK(::listen(listener_.get(), 8) == 0);
    thread_ = std::thread([this] { run(); });
  }
  ~FakeSystemd() {
    const uint64_t one = 1;
    SM_CHECK(::write(end_.get(), &one, sizeof(one)) == sizeof(one));
    thread_.join();
  }

  void set(World world) {
    const MutexLock lock(mutex_);
    world_ = std::move(world);
  }
  World world() {
    const MutexLock lock(mutex_);
    return world_;
  }
  size_t connections() {
    const MutexLock lock(mutex_);
    return connections_;
  }
  // The states of which units were asked for last.
  std::vector<std::string> asked() {
    const MutexLock lock(mutex_);
    return asked_;
  }

 private:
  // Returns false when the test ends.
  bool wait(int descriptor, short events, int timeout_ms) {
    pollfd polled[] = {{end_.get(), POLLIN, 0}, {descriptor, events, 0}};
    ::poll(polled, 2, timeout_ms);
    return (polled[0].revents & POLLIN) == 0;
  }

  // Reads what the client sends, and returns whether it has closed its connection.
  static bool has_left(int client) {
    std::array<char, 4096> bytes;
    return ::recv(client, bytes.data(), bytes.size(), MSG_DONTWAIT) == 0;
  }

  void run() {
    while (wait(listener_.get(), POLLIN, -1)) {
      Descriptor client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!client.is_open()) continue;
      {
        const MutexLock lock(mutex_);
        ++connections_;
      }
      serve(std::move(client));
    }
  }

  void serve(Descriptor client) {
    if (!world().answers) {
      while (wait(client.get(), POLLIN, -1)) {
        if (has_left(client.get())) return;
      }
      return;
    }
    sd_bus* bus = nullptr;
    SM_CHECK(::sd_bus_new(&bus) >= 0);
    const int fd = client.release();
    SM_CHECK(::sd_bus_set_fd(bus, fd, fd) >= 0);
    constexpr sd_id128_t kBusId{{1}};
    SM_CHECK(::sd_bus_set_server(bus, 1, kBusId) >= 0);
    SM_CHECK(::sd_bus_add_object_vtable(bus, nullptr, "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                        kBusTable, this) >= 0);
    SM_CHECK(::sd_bus_add_object_vtable(bus, nullptr, "/org/freedesktop/systemd1",
                                        "org.freedesktop.systemd1.Manager", kManagerTable, this) >= 0);
    SM_CHECK(::sd_bus_start(bus) >= 0);
    while (true) {
      const int done = world().answers_questions || !is_greeted_ ? ::sd_bus_process(bus, nullptr) : 0;
      if (done < 0 || ::sd_bus_is_open(bus) <= 0) break;
      if (done > 0) continue;
      const int events = ::sd_bus_get_events(bus);
      if (events < 0) break;
      if (is_greeted_ && !world().answers_questions) {
        if (!wait(fd, POLLIN, -1) || has_left(fd)) break;
      } else if (!wait(fd, static_cast<short>(events), -1)) {
        break;
      }
    }
    is_greeted_ = false;
    ::sd_bus_close_unref(bus);
  }

  // A signal that nobody asked for, in the wire format of D-Bus.
  static std::string signal() {
    std::string fields;
    const auto add_number = [](std::string& to, uint32_t number) {
      for (int shift = 0; shift < 32; shift += 8) to.push_back(static_cast<char>(number >> shift));
    };
    const auto add = [&](char field, char type, std::string_view text) {
      fields.resize((fields.size() + 7) / 8 * 8);
      fields.append({field, 1, type, 0});
      add_number(fields, static_cast<uint32_t>(text.size()));
      fields.append(text).push_back('\0');
    };
    add(1, 'o', "/");
    add(2, 's', "a.b");
    add(3, 's', "Flood");
    std::string message = {'l', 4, 0, 1};  // little-endian, signal, flags, version
    add_number(message, 0);                // bytes of the body
    add_number(message, 7);                // its serial
    add_number(message, static_cast<uint32_t>(fields.size()));
    message += fields;
    message.resize((message.size() + 7) / 8 * 8);
    return message;
  }
  // Sends the signals of the world until the client has left or the test ends.
  void send_signals(sd_bus_message* reply) {
    const std::string one = signal();
    const int fd = ::sd_bus_get_fd(::sd_bus_message_get_bus(reply));
    for (size_t i = world().signals; i > 0; --i) {
      for (size_t sent = 0; sent < one.size();) {
        const ssize_t n = ::send(fd, one.data() + sent, one.size() - sent, MSG_NOSIGNAL);
        if (n < 0 && (errno != EAGAIN || !wait(fd, POLLOUT, -1))) return;
        if (n > 0) sent += static_cast<size_t>(n);
      }
    }
  }

  static int greet(sd_bus_message* message, void* self, sd_bus_error*) {
    static_cast<FakeSystemd*>(self)->is_greeted_ = true;
    return ::sd_bus_reply_method_return(message, "s", ":1.1");
  }
  static int get(sd_bus*, const char*, const char*, const char* property, sd_bus_message* reply, void* self,
                 sd_bus_error*) {
    static_cast<FakeSystemd*>(self)->send_signals(reply);
    const World world = static_cast<FakeSystemd*>(self)->world();
    const std::string_view name(property);
    if (name == "SystemState") return ::sd_bus_message_append(reply, "s", world.state.c_str());
    return ::sd_bus_message_append(reply, "u", name == "NNames" ? world.names : world.jobs);
  }
  static int list(sd_bus_message* message, void* data, sd_bus_error*) {
    auto& self = *static_cast<FakeSystemd*>(data);
    std::vector<std::string> states;
    SM_CHECK(::sd_bus_message_enter_container(message, 'a', "s") >= 0);
    const char* state = nullptr;
    while (::sd_bus_message_read(message, "s", &state) > 0) states.emplace_back(state);
    sd_bus_message* reply = nullptr;
    SM_CHECK(::sd_bus_message_new_method_return(message, &reply) >= 0);
    SM_CHECK(::sd_bus_message_open_container(reply, 'a', "(ssssssouso)") >= 0);
    for (const Unit& unit : self.world().units) {
      if (std::find(states.begin(), states.end(), unit.state) == states.end()) continue;
      SM_CHECK(::sd_bus_message_append(reply, "(ssssssouso)", unit.name.c_str(), "what it is", "loaded",
                                       unit.state.c_str(), "dead", "", "/unit", 0U, "", "/") >= 0);
    }
    SM_CHECK(::sd_bus_message_close_container(reply) >= 0);
    {
      const MutexLock lock(self.mutex_);
      self.asked_ = std::move(states);
    }
    const int sent = ::sd_bus_send(nullptr, reply, nullptr);
    ::sd_bus_message_unref(reply);
    return sent;
  }

  static const sd_bus_vtable kBusTable[];
  static const sd_bus_vtable kManagerTable[];

  const Descriptor listener_;
  const Descriptor end_;
  bool is_greeted_ = false;  // of the thread
  Mutex mutex_;
  World world_ GUARDED_BY(mutex_);
  std::vector<std::string> asked_ GUARDED_BY(mutex_);
  size_t connections_ GUARDED_BY(mutex_) = 0;
  std::thread thread_;
};

}  // namespace statmill
