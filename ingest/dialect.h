// Dialect: one of the line protocols, as a LineListener sees it.
//
// A listener makes parsers for each of its threads and calls them once per read, never per line.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "ingest/frame_cutter.h"
#include "ingest/intake.h"

namespace statmill {

// Parses the lines of a read and submits their samples to the intake. Sources can share a parser in turn:
// between submit() and the next parse() it holds nothing of a source. Confined to one thread.
class LineParser {
 public:
  virtual ~LineParser() = default;

  // Parses all lines of `bytes`, of which the last needs no LF, or one frame. `bytes` must stay unchanged
  // until submit().
  virtual void parse(std::string_view bytes) = 0;
  // Returns why the stream of the last frame must end: what the frame is instead of one of this dialect.
  // Empty if the stream may go on.
  virtual std::string_view fault() const { return {}; }
  // Returns the samples and refusals since the last submit().
  virtual Batch& batch() = 0;
  // Submits the batch to the intake, counts it in `account` and clears it.
  virtual void submit(Intake& intake, const ListenerAccount& account, Timestamp now) = 0;
};

struct DialectTraits {
  std::string_view setting;                     // the setting with the address to listen on: "line.listen"
  std::string_view tcp_account;                 // names of the accounts in Intake
  std::string_view udp_account;                 // empty: the dialect has no UDP port
  std::string_view unix_account = {};           // of a unix socket for datagrams, which only some have
  std::string_view socket_setting = {};         // with its path: "line.socket"
  std::string_view stream_account = {};         // of a unix stream socket
  std::string_view stream_socket_setting = {};  // with its path
  bool end_ends_line = false;                   // the end of a TCP stream ends its last line, even without LF
  Duration tick_interval{0};                    // 0: no ticks
  StreamFormat streams = {};                    // of TCP connections
  StreamFormat unix_streams = {};               // of connections to a unix stream socket
};

// Thread-safe.
class Dialect {
 public:
  explicit Dialect(const DialectTraits& traits) : traits_(traits) {}
  virtual ~Dialect() = default;

  const DialectTraits& traits() const { return traits_; }
  // Returns a parser for one thread. The dialect must outlive it.
  virtual std::unique_ptr<LineParser> make_parser() = 0;
  // Called every tick_interval, on one of the listener's threads.
  virtual void tick(Timestamp) {}
  // Called once, after the last batch. Submits to the intake what the dialect still holds.
  virtual void close(Timestamp) {}

 private:
  const DialectTraits traits_;
};

// The line protocol of the line port, istatd's. `other_kind` is the rule of the port: Batch::other_kind.
std::unique_ptr<Dialect> istatd_dialect(std::optional<OtherKind> other_kind = {});
// Graphite's plaintext protocol. Like carbon, it accepts a last line
// without LF when the sender ends its stream.
std::unique_ptr<Dialect> graphite_dialect();
// Graphite's pickles, over TCP only: frames with a length in front. `bytes_max`: of one pickle.
std::unique_ptr<Dialect> graphite_pickle_dialect(size_t bytes_max);

// InfluxDB's line protocol, with times in nanoseconds. Over TCP, a string may have no LF.
std::unique_ptr<Dialect> influx_dialect();

}  // namespace statmill
