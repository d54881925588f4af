// How a session waits with a response until what it acknowledges is durable, without a thread.
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "server/http/session.h"

namespace statmill {

namespace asio = boost::asio;
using boost::system::error_code;

// A response that waits. The one who sets `is_done` first sends it: the thread that calls what the response's
// `hold` was given, or the deadline on the strand.
struct Session::Held {
  using Work = decltype(asio::make_work_guard(std::declval<HttpStream&>().get_executor()));

  std::atomic<bool> is_done{false};  // acq_rel: the one who sets it owns the other members
  std::shared_ptr<Session> session;
  Work work;
  HttpResponse response;
  bool keep_alive = false;
};

void Session::respond_when_ready(HttpResponse response, bool keep_alive) {
  if (!response.hold) return respond(std::move(response), keep_alive);
  const auto hold = std::exchange(response.hold, {});
  const std::shared_ptr<Held> held(new Held{{false},
                                            shared_from_this(),
                                            asio::make_work_guard(stream_.get_executor()),
                                            std::move(response),
                                            keep_alive});
  deadline_.expires_after(is_stopping_ ? context_.options.stop_grace : context_.options.hold_timeout);
  deadline_.async_wait([held](error_code error) {
    if (error || held->is_done.exchange(true, std::memory_order_acq_rel)) return;
    const std::shared_ptr<Session> self = std::exchange(held->session, nullptr);
    held->work.reset();
    self->respond(error_response(503, "the store takes no ticks; send it again"), held->keep_alive);
  });
  hold([held] {
    if (held->is_done.exchange(true, std::memory_order_acq_rel)) return;
    // Moves the last reference to the session, so that it is destroyed on its own strand.
    const auto loop = held->work.get_executor();
    asio::post(loop, [self = std::move(held->session), response = std::move(held->response),
                      work = std::move(held->work), keep_alive = held->keep_alive]() mutable {
      self->respond(std::move(response), keep_alive);
    });
  });
}

}  // namespace statmill
