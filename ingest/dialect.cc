#include "ingest/dialect.h"

#include "proto/graphite/parser.h"
#include "proto/graphite/pickle_parser.h"
#include "proto/influx/parser.h"
#include "proto/istatd/parser.h"

namespace statmill {
namespace {

using ParseLines = void (*)(std::string_view bytes, Batch& batch);

// The parser of a dialect whose lines need no state.
class PlainParser final : public LineParser {
 public:
  PlainParser(ParseLines parse_lines, std::optional<OtherKind> other_kind) : parse_lines_(parse_lines) {
    batch_.other_kind = other_kind;
  }

  void parse(std::string_view bytes) override { parse_lines_(bytes, batch_); }
  Batch& batch() override { return batch_; }
  void submit(Intake& intake, const ListenerAccount& account, Timestamp now) override {
    intake.submit(batch_, account, now);
    batch_.clear();
  }

 private:
  const ParseLines parse_lines_;
  Batch batch_;
};

class PlainDialect final : public Dialect {
 public:
  PlainDialect(const DialectTraits& traits, ParseLines parse_lines, std::optional<OtherKind> other_kind = {})
      : Dialect(traits), parse_lines_(parse_lines), other_kind_(other_kind) {}

  std::unique_ptr<LineParser> make_parser() override {
    return std::make_unique<PlainParser>(parse_lines_, other_kind_);
  }

 private:
  const ParseLines parse_lines_;
  const std::optional<OtherKind> other_kind_;
};

class PickleParser final : public LineParser {
 public:
  void parse(std::string_view bytes) override { fault_ = parse_graphite_pickle(bytes, batch_); }
  std::string_view fault() const override { return fault_; }
  Batch& batch() override { return batch_; }
  void submit(Intake& intake, const ListenerAccount& account, Timestamp now) override {
    intake.submit(batch_, account, now);
    batch_.clear();
  }

 private:
  Batch batch_;
  std::string fault_;
};

class PickleDialect final : public Dialect {
 public:
  using Dialect::Dialect;

  std::unique_ptr<LineParser> make_parser() override { return std::make_unique<PickleParser>(); }
};

}  // namespace

std::unique_ptr<Dialect> istatd_dialect(std::optional<OtherKind> other_kind) {
  return std::make_unique<PlainDialect>(DialectTraits{.setting = "line.listen",
                                                      .tcp_account = "tcp",
                                                      .udp_account = "udp",
                                                      .unix_account = "unix",
                                                      .socket_setting = "line.socket"},
                                        parse_istatd_lines, other_kind);
}

std::unique_ptr<Dialect> graphite_dialect() {
  return std::make_unique<PlainDialect>(DialectTraits{.setting = "graphite.listen",
                                                      .tcp_account = "graphite_tcp",
                                                      .udp_account = "graphite_udp",
                                                      .end_ends_line = true},
                                        parse_graphite_lines);
}

std::unique_ptr<Dialect> graphite_pickle_dialect(size_t bytes_max) {
  return std::make_unique<PickleDialect>(
      DialectTraits{.setting = "graphite.pickle",
                    .tcp_account = "pickle",
                    .udp_account = {},
                    .streams = {.unit = StreamFormat::Unit::kBigEndianFrames, .frame_bytes_max = bytes_max}});
}

std::unique_ptr<Dialect> influx_dialect() {
  return std::make_unique<PlainDialect>(DialectTraits{.setting = "influx.listen",
                                                      .tcp_account = "influx_tcp",
                                                      .udp_account = "influx_udp",
                                                      .end_ends_line = true},
                                        parse_influx_lines);
}

}  // namespace statmill
