// ReportSocket: where reports go, connected anew when need be.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace statmill {

// Confined to a thread.
class ReportSocket {
 public:
  enum class Kind { kUdp, kTcp, kUnix };

  // None when the address is none of "udp:HOST:PORT", "tcp:HOST:PORT", "unix:PATH"; `error` says why.
  static std::optional<ReportSocket> at(std::string_view address, std::string& error);
  ReportSocket(ReportSocket&& other) noexcept;
  ReportSocket& operator=(ReportSocket&&) = delete;
  ~ReportSocket() { close(); }

  // The most that one send() may have: a datagram's worth, or all.
  size_t bytes_max() const;
  // How many bytes the kernel has taken: all of a datagram or none. Waits two seconds
  // at most for each address it connects to, and for the kernel to take more.
  size_t send(std::string_view bytes);

 private:
  ReportSocket(Kind kind, std::string host, std::string port);
  bool open();
  void close();
  bool is_closed_by_peer() const;

  const Kind kind_;
  const std::string host_;  // of kUnix, the path
  const std::string port_;
  int descriptor_ = -1;
};

}  // namespace statmill
