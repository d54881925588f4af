#include "ingest/dialect.h"

#include "proto/graphite/parser.h"
#include "proto/istatd/parser.h"

namespace statmill {
namespace {

using ParseLines = void (*)(std::string_view bytes, Batch& batch);

// The parser of a dialect whose lines need no state.
class PlainParser final : public LineParser {
 public:
  explicit PlainParser(ParseLines parse_lines) : parse_lines_(parse_lines) {}

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
  PlainDialect(const DialectTraits& traits, ParseLines parse_lines)
      : Dialect(traits), parse_lines_(parse_lines) {}

  std::unique_ptr<LineParser> make_parser() override { return std::make_unique<PlainParser>(parse_lines_); }

 private:
  const ParseLines parse_lines_;
};

}  // namespace

std::unique_ptr<Dialect> istatd_dialect() {
  return std::make_unique<PlainDialect>(DialectTraits{"line.listen", "tcp", "udp", false},
                                        parse_istatd_lines);
}

std::unique_ptr<Dialect> graphite_dialect() {
  return std::make_unique<PlainDialect>(
      DialectTraits{"graphite.listen", "graphite_tcp", "graphite_udp", true}, parse_graphite_lines);
}

}  // namespace statmill
