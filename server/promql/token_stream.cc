#include "server/promql/token_stream.h"

#include "server/promql/parser.h"

namespace statmill::promql {

const Token& TokenStream::peek() {
  if (!next_) {
    next_ = lexer_.next();
    if (next_->kind == TokenKind::kError) static_cast<void>(fail(lexer_.error().at, lexer_.error().message));
  }
  return *next_;
}

Token TokenStream::consume() {
  const Token token = peek();
  consumed_end_ = token.range.end;
  next_.reset();
  return token;
}

bool TokenStream::consume_if(TokenKind kind) {
  if (!is(kind)) return false;
  static_cast<void>(consume());
  return true;
}

bool TokenStream::fail(uint32_t at, std::string message) {
  if (!error_) error_ = ParseError{at, std::move(message)};
  return false;
}

bool TokenStream::unexpected(std::string_view context, std::string_view expected) {
  const Token& token = peek();
  if (context.empty() && aggregations_ > 0) context = "aggregation";
  std::string message = "unexpected " + token.described();
  if (!context.empty()) message.append(" in ").append(context);
  if (!expected.empty()) message.append(", expected ").append(expected);
  return fail(token.range.begin, std::move(message));
}

bool TokenStream::count_part() {
  if (++parts_ <= kNodesMax) return true;
  return fail(consumed_end_, "query has more than " + std::to_string(kNodesMax) + " parts");
}

}  // namespace statmill::promql
