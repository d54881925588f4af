// Session: one HTTP connection, from accept to close. Answers requests in order, one at a time.
//
// read header -> gate -> read body -> router -> write -> next request, or linger and close. One deadline
// timer covers the current step. While a query runs, the session reads on, to notice that its client is gone.
#pragma once

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/system/error_code.hpp>
#include <memory>
#include <optional>
#include <string>

#include "base/address_bytes.h"
#include "base/clock.h"
#include "base/net/handshake_log.h"
#include "base/net/tls_context.h"
#include "server/http/access.h"
#include "server/http/arriving_body.h"
#include "server/http/body_pace.h"
#include "server/http/byte_budget.h"
#include "server/http/http_counters.h"
#include "server/http/http_listener.h"
#include "server/http/http_options.h"
#include "server/http/http_stream.h"
#include "server/http/http_workers.h"
#include "server/http/known_hosts.h"
#include "server/http/live_source.h"
#include "server/http/query_run.h"
#include "server/http/request_log.h"
#include "server/http/router.h"

namespace statmill {

// Shared by all sessions of a server; must outlive them.
struct SessionContext {
  const Router& router;
  const HttpOptions& options;
  const Clock& clock;
  HttpCounters& counters;
  ByteBudget& budget;
  HttpWorkers* workers;         // nullptr: all requests but queries are answered on the event loop
  QueryService* queries;        // nullptr: queries, too
  LiveSource* live;             // nullptr: there are no live streams
  const CurrentAccess* access;  // nullptr: every client may do everything
  const KnownHosts* hosts;      // nullptr: any host
  RequestLog* log;              // nullptr: no lines
  const ServerTls* tls;         // nullptr: plain text
  HandshakeLog* handshake_log;  // nullptr: no lines
};

// The query of a session that is under way, and how its answer is sent.
struct QueryInFlight {
  std::shared_ptr<QueryRun> run;
  std::shared_ptr<QueryJob> job;  // waiting for a thread, or running
  bool keep_alive = false;
  bool is_head = false;      // the request's method is HEAD
  bool is_running = true;    // a thread may still write to the stream
  bool is_writing = false;   // an answer or a piece of it is being written
  bool is_watching = false;  // a read is under way
  bool is_chunked = false;
  bool is_answered = false;  // the whole answer was written
  bool is_open = true;       // the connection
  std::string block;         // being written
  std::string block_size;    // its line, for a chunk
};

// The live stream of a session.
struct LiveInFlight {
  std::shared_ptr<LiveFeed> feed;
  bool is_chunked = false;
  bool is_writing = false;
  std::string block;       // being written
  std::string block_size;  // its line, for a chunk
};

// Confined to the strand of its socket, except for stop(). Its pending operations keep it alive.
class Session : public std::enable_shared_from_this<Session> {
 public:
  // `peer`: nullopt for unix sockets. It comes from the accept: the socket of a client that is gone no longer
  // knows it.
  Session(HttpSocket socket, const std::optional<boost::asio::ip::tcp::endpoint>& peer,
          SessionContext& context);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Serves requests until the connection ends.
  void run();
  // Sends `refusal` without reading a request, and closes.
  void reject(HttpRefusal refusal);
  // Since when the client owes a request; nullopt while one is under way, and after close_idle().
  // Thread-safe.
  std::optional<SteadyTime> idle_since() const;
  // Closes the connection unless a request has begun. Thread-safe.
  void close_idle();
  const std::optional<AddressBytes>& client() const { return client_; }
  // Finishes the current request within stop_grace, then closes; closes at once if there is none.
  // Thread-safe.
  void stop();

 private:
  // How much is read at a time from a client whose answer is under way.
  static constexpr size_t kWatchBytes = 4096;
  static constexpr SteadyTime kBusy = SteadyTime::max();     // values of idle_since_
  static constexpr SteadyTime kClosing = SteadyTime::min();  // idle, and about to be closed

  using RequestParser = boost::beast::http::request_parser<ArrivingBody>;
  using ResponseMessage = boost::beast::http::response<boost::beast::http::string_body>;
  using ResponseSerializer = boost::beast::http::response_serializer<boost::beast::http::string_body>;
  using StreamHead = boost::beast::http::response<boost::beast::http::empty_body>;
  using StreamSerializer = boost::beast::http::response_serializer<boost::beast::http::empty_body>;
  class QueryTask;

  bool is_idle() const { return idle_since_.load(std::memory_order_relaxed) != kBusy; }
  void set_idle();
  void set_busy() { idle_since_.store(kBusy, std::memory_order_relaxed); }
  std::string_view buffered() const;
  // Closes the connection if the next call does not come within `limit`, and counts `refusal` if it is set.
  void set_deadline(Duration limit, std::optional<HttpRefusal> refusal);
  void close();

  void read_header();
  void parse_header(size_t size);
  std::optional<HttpRefusal> check_access(std::string_view authorization);
  void answer();
  void respond(HttpResponse response, bool keep_alive);
  struct Held;
  void respond_when_ready(HttpResponse response, bool keep_alive);  // in session_hold.cc
  void release_body();
  HttpResponse routed_response();
  HttpResponse handler_response();

  // These are in session_body.cc.
  void check_body();
  void check_expectation();
  void read_body();
  void watch_pace();
  void read_piece();
  void on_piece(boost::system::error_code error);

  // The rest of these is in session_query.cc.
  void start_query(bool keep_alive);
  void post_query(QueryLane lane);
  void refuse_query();
  void on_query_ran(bool is_done);
  void watch_peer();
  void end_query();
  void write_pieces();
  void write_query_head(const HttpResponse& response);
  void write_block(AnswerStream::Piece piece);
  void cut_answer();
  void on_answered(bool is_open);

  // These are in session_live.cc.
  void start_live(bool keep_alive);
  void write_live_head();
  void watch_live_peer();
  void write_live();
  void on_live_written(bool is_open);

  void refuse(HttpRefusal refusal);
  void write(HttpResponse response, bool keep_alive);
  // Counts an answer that begins, and writes its line to the access log.
  void note_answer(unsigned status);
  void fill_head(boost::beast::http::fields& fields, const HttpResponse& response);
  void fill_cors(boost::beast::http::fields& fields);
  ContentCoding coding() const;
  void on_written(bool is_open);
  void begin_next(bool is_open, bool keep_alive);
  void linger();

  HttpStream stream_;
  boost::asio::steady_timer deadline_;
  SessionContext& context_;
  const std::optional<AddressBytes> client_;
  const Endpoint peer_;          // without a host for unix sockets
  const bool is_local_peer_;     // on this host
  const std::string peer_user_;  // of a unix socket: user and process of the peer; otherwise empty

  boost::beast::flat_buffer buffer_;
  std::optional<RequestParser> parser_;
  std::shared_ptr<const Access> access_;  // that the request was checked with; null: none
  HttpRequest request_;  // views into parser_; set from the header only, so trailers cannot change it
  std::optional<ResponseMessage> response_;
  std::optional<ResponseSerializer> serializer_;
  std::optional<BodyPace> pace_;  // of the body that is being read, or was read last
  std::optional<ByteBudget::Share> body_share_;
  std::optional<ByteBudget::Share> answer_share_;
  std::optional<QueryInFlight> query_;
  std::optional<LiveInFlight> live_;
  std::optional<StreamHead> stream_head_;
  std::optional<StreamSerializer> stream_serializer_;
  // While no request is under way, the connection may be closed at any time. Written on the strand. Relaxed:
  // no other data depend on it.
  std::atomic<SteadyTime> idle_since_;
  SteadyTime begin_{};  // when the header of the request was complete
  size_t requests_ = 0;
  bool is_stopping_ = false;
};

}  // namespace statmill
