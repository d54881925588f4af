#include "tools/statmill-bench/query_peer.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <thread>
#include <utility>

#include "base/check.h"
#include "tools/statmill-bench/child_process.h"
#include "tools/statmill-bench/scratch_directory.h"
#include "tools/statmill-bench/system_error.h"
#include "tools/statmill/client.h"

namespace statmill {
namespace {

constexpr std::chrono::seconds kPeerStartLimit{120};
constexpr std::chrono::seconds kPeerAnswerLimit{120};
constexpr std::chrono::milliseconds kReadyPollInterval{20};
constexpr size_t kTextBytesMax = size_t{32} << 20;  // of samples in memory
constexpr const char* kAddress = "127.0.0.1";

bool is_installed(std::string_view program) {
  const char* const path = std::getenv("PATH");
  for (const std::string_view directory : split(path == nullptr ? "" : path, ':')) {
    if (::access((std::filesystem::path(directory) / program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

// Returns a port that nobody uses now. If another process gets it first, the peer does not start.
Result<uint16_t> free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = ::inet_addr(kAddress);
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  const bool is_bound =
      socket >= 0 && ::bind(socket, any, size) == 0 && ::getsockname(socket, any, &size) == 0;
  const Error error = system_error(ErrorCode::kIo, "a port");
  if (socket >= 0) ::close(socket);
  if (!is_bound) return error;
  return ntohs(address.sin_port);
}

// How a peer is started, asked and loaded.
struct PeerKind {
  std::string name;
  std::vector<std::string> programs;  // that must be installed; the first is the server
  std::string ready_path;
};

class Peer : public QueryServer {
 public:
  Peer(PeerKind kind, ScratchDirectory directory)
      : kind_(std::move(kind)), directory_(std::move(directory)) {}
  ~Peer() override { stop(); }

  std::string_view name() const override { return kind_.name; }
  std::string_view api() const override { return "/api/v1"; }
  Endpoint http() const override { return {kAddress, port_}; }
  ProcessMeter meter() const override { return ProcessMeter(*pid_); }

  Status restart() override {
    stop();
    const Result<uint16_t> port = free_port();
    if (!port) return port.error();
    port_ = *port;
    const Result<pid_t> pid = run(kind_.programs.front(), arguments());
    if (!pid) return pid.error();
    pid_ = *pid;
    const Result<Client> client = make_client();
    if (!client) return client.error();
    const auto deadline = std::chrono::steady_clock::now() + kPeerStartLimit;
    while (is_process_running(*pid_) && std::chrono::steady_clock::now() < deadline) {
      constexpr unsigned kOk = 200;
      const auto answer = client->get(kind_.ready_path);
      if (answer && answer->status == kOk) return Status::ok();
      std::this_thread::sleep_for(kReadyPollInterval);  // it has no other way to say that it is ready
    }
    return Error{ErrorCode::kUnavailable, std::string(name()) + " does not start"};
  }

 protected:
  virtual std::vector<std::string> arguments() const = 0;

  std::filesystem::path path(std::string_view file) const { return directory_.path() / file; }
  Result<Client> make_client() const { return Client::to("http://" + http().text(), kPeerAnswerLimit); }
  // Starts a program whose output goes to a file.
  Result<pid_t> run(const std::string& program, std::vector<std::string> arguments) const {
    const int log = ::open(path("log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (log < 0) return system_error(ErrorCode::kIo, path("log").string());
    Result<pid_t> pid = spawn_process(program, std::move(arguments), {.output = log, .error = log});
    ::close(log);
    return pid;
  }

 private:
  void stop() {
    if (pid_) end_process(*std::exchange(pid_, std::nullopt), SIGTERM);
  }

  const PeerKind kind_;
  const ScratchDirectory directory_;
  std::optional<pid_t> pid_;
  uint16_t port_ = 0;
};

class Prometheus final : public Peer {
 public:
  using Peer::Peer;

  // Its tool makes blocks of a text.
  Status load(const QueryData& data) override {
    {
      std::ofstream file(path("samples"));
      std::string text;
      for (size_t i = 0; i < data.series(); ++i) {
        data.append_prometheus(text, i, 1);
        if (text.size() < kTextBytesMax) continue;
        file << text;
        text.clear();
      }
      file << text << "# EOF\n";
      std::ofstream(path("config.yml")) << "global: {}\n";
      if (!file.flush()) return Error{ErrorCode::kIo, path("samples").string() + " cannot be written"};
    }
    const Result<pid_t> tool =
        run("promtool", {"tsdb", "create-blocks-from", "openmetrics", path("samples"), path("data")});
    if (!tool) return tool.error();
    if (wait_for_process(*tool) != 0) return Error{ErrorCode::kIo, "promtool fails"};
    std::filesystem::remove(path("samples"));
    return restart();
  }

 private:
  std::vector<std::string> arguments() const override {
    return {"--config.file=" + path("config.yml").string(), "--storage.tsdb.path=" + path("data").string(),
            "--storage.tsdb.retention.time=10y", "--web.listen-address=" + http().text()};
  }
};

class VictoriaMetrics final : public Peer {
 public:
  using Peer::Peer;

  Status load(const QueryData& data) override {
    if (Status s = restart(); !s) return s;
    const Result<Client> client = make_client();
    if (!client) return client.error();
    constexpr int64_t kPerSecond = 1000;
    std::string text;
    for (size_t i = 0; i < data.series(); ++i) {
      data.append_prometheus(text, i, kPerSecond);
      if (text.size() < kTextBytesMax && i + 1 < data.series()) continue;
      const auto sent = client->post("/api/v1/import/prometheus", std::exchange(text, {}));
      if (!sent) return sent.error();
    }
    if (const auto flushed = client->get("/internal/force_flush"); !flushed) return flushed.error();
    return restart();
  }

 private:
  std::vector<std::string> arguments() const override {
    return {"-storageDataPath=" + path("data").string(), "-httpListenAddr=" + http().text(),
            "-retentionPeriod=10y", "-search.latencyOffset=0s", "-search.disableCache"};
  }
};

const PeerKind kPrometheus{"prometheus", {"prometheus", "promtool"}, "/-/ready"};
const PeerKind kVictoriaMetrics{"victoria-metrics", {"victoria-metrics"}, "/health"};

}  // namespace

std::vector<std::string> query_peers() { return {kPrometheus.name, kVictoriaMetrics.name}; }

Result<std::unique_ptr<QueryServer>> make_query_peer(std::string_view name,
                                                     const std::filesystem::path& parent) {
  const PeerKind& kind = name == kPrometheus.name ? kPrometheus : kVictoriaMetrics;
  SM_CHECK(kind.name == name);
  for (const std::string& program : kind.programs) {
    if (!is_installed(program)) return Error{ErrorCode::kUnavailable, program + " is not installed"};
  }
  Result<ScratchDirectory> directory = ScratchDirectory::make(parent);
  if (!directory) return directory.error();
  if (&kind == &kPrometheus)
    return std::unique_ptr<QueryServer>(std::make_unique<Prometheus>(kind, *std::move(directory)));
  return std::unique_ptr<QueryServer>(std::make_unique<VictoriaMetrics>(kind, *std::move(directory)));
}

}  // namespace statmill
