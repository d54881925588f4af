#include "server/demo/demo.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "base/program.h"
#include "base/thread.h"
#include "server/demo/demo_agent.h"
#include "server/demo/demo_clock.h"
#include "server/demo/demo_senders.h"
#include "server/demo/demo_store.h"
#include "server/demo/memory_directory.h"
#include "server/server.h"

namespace statmill {
namespace {

// Sends the present of the demo to the server's ports, on a thread of its own.
class Present {
 public:
  Present(const DemoWorld& world, const Server::Ports& ports, const Clock& clock, Log& log)
      : clock_(clock), senders_(world, {ports.line, ports.graphite, ports.statsd, ports.http, ports.admin}) {
    for (size_t i = 0; i < world.fleet().size() && !ports.agent.host.empty(); ++i)
      agents_.push_back(std::make_unique<DemoAgent>(world, i, ports.agent));
    thread_ = Thread(log, "demo", [this] { run(); });
  }
  ~Present() {
    is_ending_.store(true, std::memory_order_relaxed);
    thread_.join();
  }
  Present(const Present&) = delete;
  Present& operator=(const Present&) = delete;

 private:
  void run() {
    while (!is_ending_.load(std::memory_order_relaxed)) {
      const Timestamp now = clock_.wall();
      senders_.tick(now, clock_.steady());
      for (const auto& agent : agents_) agent->tick(now, clock_.steady());
      std::this_thread::sleep_for(kPause);
    }
  }

  static constexpr auto kPause = std::chrono::milliseconds(50);

  const Clock& clock_;
  DemoSenders senders_;
  std::vector<std::unique_ptr<DemoAgent>> agents_;
  // The main thread writes it and the other one reads it; it guards no other data.
  std::atomic<bool> is_ending_ = false;
  Thread thread_;
};

std::unique_ptr<Clock> clock_of(const DemoOptions& options) {
  if (options.now) return std::make_unique<StoppedClock>(*options.now);
  return std::make_unique<SystemClock>();
}

std::string url_of(const Endpoint& http) { return "http://" + http.text() + "/"; }

}  // namespace

void use_demo_defaults(std::vector<Setting>& settings) {
  const std::pair<std::string_view, std::string> defaults[] = {
      {"line.listen", "127.0.0.1:0"},
      {"graphite.listen", "127.0.0.1:0"},
      {"statsd.listen", "127.0.0.1:0"},
      {"http.listen", "127.0.0.1:0"},
      {"agent.listen", "127.0.0.1:0"},
      {"store.reserve", "0"},
      {"query.timeout", "1m"},
      {"store.cache", "16M"},
      {"store.write_buffer", "8M"},
      {"retention", "10s:2d,5m:90d,1h:3y"},
      {"limits.series_per_sender", std::to_string(kDemoSenderSeries)}};
  for (const auto& [name, value] : defaults) {
    const auto setting = std::ranges::find(settings, name, &Setting::name);
    if (setting != settings.end()) setting->default_value = value;
  }
}

std::optional<Fault> serve_demo(ServerConfig config) {
  const std::unique_ptr<Clock> clock = clock_of(config.demo);
  Log log(config.log);
  auto directory = MemoryDirectory::make();
  if (!directory) return data_fault(directory.error());
  config.store.path = (directory->path() / "data").string();
  config.store.sync = false;
  const Retention retention = config.retention;
  const Tiers tiers = retention.longest();
  const DemoWorld world(config.demo, unix_seconds(clock->wall()), tiers.finest().step_s);
  const PastChunks past(world, tiers);
  Server server(std::move(config), *clock, log);
  const auto add_past = [&](Store& below) -> Result<std::unique_ptr<Store>> {
    auto store = std::make_unique<DemoStore>(below, past);
    if (Status written = store->write_names(world, retention); !written) return written.error();
    return store;
  };
  if (auto fault = server.start(add_past)) return report(std::move(fault));
  {
    const Present present(world, server.ports(), *clock, log);
    if (auto fault = print("The demo is at " + url_of(server.ports().http) + "\n")) return fault;
    server.wait_for_signal();
  }
  return report(server.stop());
}

}  // namespace statmill
