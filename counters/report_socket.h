// ReportSocket: sends reports to an address, and reconnects when necessary.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace statmill {

// Not thread-safe.
class ReportSocket {
 public:
  enum class Kind { kUdp, kTcp, kUnix };

  // Returns nullopt if the address is not "udp:HOST:PORT", "tcp:HOST:PORT" or "unix:PATH", with the reason in
  // `error`.
  static std::optional<ReportSocket> at(std::string_view address, std::string& error);
  ReportSocket(ReportSocket&& other) noexcept;
  ReportSocket& operator=(ReportSocket&&) = delete;
  ~ReportSocket() { close(); }

  // The maximum size for one send(): that of a datagram, or unlimited for TCP.
  size_t bytes_max() const;
  // Returns how many bytes the kernel accepted; of a datagram all or none. Waits at most two seconds for each
  // address that it connects to, and two seconds for the kernel to accept more.
  size_t send(std::string_view bytes);

 private:
  ReportSocket(Kind kind, std::string host, std::string port);
  bool open();
  void close();
  bool is_closed_by_peer() const;

  const Kind kind_;
  const std::string host_;  // the path if kind_ is kUnix
  const std::string port_;
  int descriptor_ = -1;
};

}  // namespace statmill
