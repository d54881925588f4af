// See sender.h.
#include "tools/statmill-bench/sender.h"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/write.hpp>
#include <string>
#include <string_view>
#include <thread>

namespace statmill {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// Runs `send` (connected socket, bytes, error) for each stream on a thread of its own.
template <class Protocol, class Send>
Status send_each(const Endpoint& server, const std::vector<Stream>& streams, const Send& send) {
  asio::io_context context;
  error_code error;
  const auto addresses =
      typename Protocol::resolver(context).resolve(server.host, std::to_string(server.port), error);
  if (error) return Error{ErrorCode::kUnavailable, server.text() + ": " + error.message()};
  std::vector<typename Protocol::socket> sockets;
  for (size_t i = 0; i < streams.size(); ++i) {
    asio::connect(sockets.emplace_back(context), addresses, error);
    if (error) return Error{ErrorCode::kUnavailable, "connect to " + server.text() + ": " + error.message()};
  }
  std::vector<error_code> errors(streams.size());
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < streams.size(); ++i) {
      threads.emplace_back([&, i] { send(sockets[i], std::string_view(streams[i].bytes), errors[i]); });
    }
  }
  for (const error_code& e : errors) {
    if (e) return Error{ErrorCode::kIo, "send to " + server.text() + ": " + e.message()};
  }
  return Status::ok();
}

// As many bytes as fit a datagram, whole lines; taken off `bytes`.
std::string_view take_datagram(std::string_view& bytes) {
  const std::string_view datagram = bytes.substr(0, bytes.rfind('\n', kDatagramBytesMax - 1) + 1);
  bytes.remove_prefix(datagram.size());
  return datagram;
}

}  // namespace

Status send_tcp(const Endpoint& server, const std::vector<Stream>& streams) {
  return send_each<asio::ip::tcp>(server, streams,
                                  [](auto& socket, std::string_view bytes, error_code& error) {
                                    asio::write(socket, asio::buffer(bytes), error);
                                  });
}

Status send_udp(const Endpoint& server, const std::vector<Stream>& streams) {
  return send_each<asio::ip::udp>(server, streams,
                                  [](auto& socket, std::string_view bytes, error_code& error) {
                                    while (!bytes.empty() && !error)
                                      socket.send(asio::buffer(take_datagram(bytes)), 0, error);
                                  });
}

Status send_udp_gso(const Endpoint& server, const std::vector<Stream>& streams) {
  constexpr size_t kDatagramsPerCall = 46;  // 64 KiB, less the headers that the kernel adds to each
  return send_each<asio::ip::udp>(
      server, streams, [](auto& socket, std::string_view bytes, error_code& error) {
        const int size = kDatagramBytesMax;
        if (::setsockopt(socket.native_handle(), SOL_UDP, UDP_SEGMENT, &size, sizeof size) != 0) {
          error = error_code(errno, boost::system::system_category());
          return;
        }
        std::string joined;
        while (!bytes.empty() && !error) {
          joined.clear();
          for (size_t i = 0; i < kDatagramsPerCall && !bytes.empty(); ++i) {
            joined.append(take_datagram(bytes));
            joined.resize((i + 1) * kDatagramBytesMax, '\n');
          }
          socket.send(asio::buffer(joined), 0, error);
        }
      });
}

}  // namespace statmill
