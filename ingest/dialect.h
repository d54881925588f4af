// Dialect: what a listener must know of a language of lines. The same listener serves any of them.
//
// A listener makes parsers for each of its threads and calls them once per read, never per line.
#pragma once

#include <memory>
#include <string_view>

#include "base/clock.h"
#include "ingest/intake.h"

namespace statmill {

// What came with a read, from its bytes to the intake. Between submit() and the next parse() it keeps
// nothing of its source. Confined to one thread.
class LineParser {
 public:
  virtual ~LineParser() = default;

  // Parses every line of `bytes`; a last line without LF is taken as a line. `bytes` must stay as they are
  // until submit().
  virtual void parse(std::string_view bytes) = 0;
  // What has been parsed since the last submit(), and its account.
  virtual Batch& batch() = 0;
  // Gives all of it to the intake; the batch is empty then.
  virtual void submit(Intake& intake, const ListenerAccount& account, Timestamp now) = 0;
};

struct DialectTraits {
  std::string_view setting;      // that says where to listen: "line.listen"
  std::string_view tcp_account;  // what Intake calls the listener's two halves
  std::string_view udp_account;
  bool end_ends_line = false;  // a sender that ends its TCP stream has ended its last line, LF or not
  Duration tick_interval{0};   // between ticks; 0: it needs none
};

// Thread-safe.
class Dialect {
 public:
  explicit Dialect(const DialectTraits& traits) : traits_(traits) {}
  virtual ~Dialect() = default;

  const DialectTraits& traits() const { return traits_; }
  // A parser for one thread, which must not outlive the dialect.
  virtual std::unique_ptr<LineParser> make_parser() = 0;
  // Called once in a tick_interval, on one of the listener's threads.
  virtual void tick(Timestamp) {}
  // Called once, behind the last batch: all that is not yet with the intake goes there.
  virtual void close(Timestamp) {}

 private:
  const DialectTraits traits_;
};

// The line port's own: istatd's.
std::unique_ptr<Dialect> istatd_dialect();
// Graphite's plaintext. As carbon does, it takes a last line without LF from a sender that ends its stream.
std::unique_ptr<Dialect> graphite_dialect();

}  // namespace statmill
