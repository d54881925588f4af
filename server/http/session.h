// Session: one HTTP connection, from accept to close. Requests are answered in order, one at a time.
//
// read header -> gate -> read body -> router -> write -> again, or linger and close. One deadline timer
// covers whatever step is under way.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "server/http/byte_budget.h"
#include "server/http/http_counters.h"
#include "server/http/http_listener.h"
#include "server/http/http_options.h"
#include "server/http/http_workers.h"
#include "server/http/router.h"

namespace statmill {

class Session;

// The sessions that are alive. Thread-safe.
class SessionList {
 public:
  void add(Session* session);
  void remove(Session* session);
  size_t size() const;
  // Those not already being destroyed.
  std::vector<std::shared_ptr<Session>> sessions() const;

 private:
  mutable Mutex mutex_;
  std::unordered_set<Session*> sessions_ GUARDED_BY(mutex_);
};

// What all sessions of a server share; outlives them.
struct SessionContext {
  const Router& router;
  const HttpOptions& options;
  const Clock& clock;
  HttpCounters& counters;
  ByteBudget& budget;
  SessionList& list;
  HttpWorkers* workers;  // null: all is answered on the event loop
};

// Confined to the strand that is the socket's executor, but for stop(). Kept alive by its pending operations.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(HttpSocket socket, SessionContext& context);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Serves requests until the connection ends.
  void run();
  // Answers `refusal` to whatever is asked, and closes.
  void turn_away(HttpRefusal refusal);
  // Finishes what has been asked within stop_grace, then closes; at once when nothing has. Thread-safe.
  void stop();

 private:
  using RequestParser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  using ResponseMessage = boost::beast::http::response<boost::beast::http::string_body>;
  using ResponseSerializer = boost::beast::http::response_serializer<boost::beast::http::string_body>;

  std::string_view buffered() const;
  // Ends the connection when `limit` passes before the next call; `refusal` is then counted, if there is one.
  void set_deadline(Duration limit, std::optional<HttpRefusal> refusal);
  void close();

  void read_header();
  void take_header(size_t size);
  void take_expectation();
  void read_body();
  void answer();
  void respond(HttpResponse response, bool keep_alive);
  void release_body();
  HttpResponse routed_response();
  void refuse(HttpRefusal refusal);
  void write(HttpResponse response, bool keep_alive);
  void on_written(bool is_open);
  void linger();

  HttpSocket socket_;
  boost::asio::steady_timer deadline_;
  SessionContext& context_;

  boost::beast::flat_buffer buffer_;
  std::optional<RequestParser> parser_;
  HttpRequest request_;  // views into parser_; from the header alone, so that no trailer of a body changes it
  std::optional<ResponseMessage> response_;
  std::optional<ResponseSerializer> serializer_;
  std::optional<ByteBudget::Share> body_share_;
  std::optional<ByteBudget::Share> answer_share_;
  size_t requests_ = 0;
  bool is_idle_ = true;  // no request is under way: nobody misses an answer when the connection ends now
  bool is_stopping_ = false;
};

}  // namespace statmill
