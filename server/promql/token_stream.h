// TokenStream: the tokens of a query as the parser reads them, the first error, and the count of parts.
//
// A token is scanned only when the parser looks at it, so an error of the parser about what it has read comes
// before an error of the lexer about what follows.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/promql/lexer.h"
#include "server/promql/parse_error.h"

namespace statmill::promql {

class TokenStream {
 public:
  // `text` must outlive the stream and its tokens.
  explicit TokenStream(std::string_view text) : lexer_(text) {}

  const Token& peek();
  bool is(TokenKind kind) { return peek().kind == kind; }
  Token consume();
  // Consumes the next token if it has the kind; otherwise returns false.
  bool consume_if(TokenKind kind);
  // Where the last consumed token ends.
  uint32_t consumed_end() const { return consumed_end_; }

  // The following record an error, unless there is one already, and return false.
  bool fail(uint32_t at, std::string message);
  // "unexpected TOKEN in CONTEXT, expected EXPECTED". Without a context, the context is the aggregation
  // around the token, if there is one.
  bool unexpected(std::string_view context = {}, std::string_view expected = {});
  // Counts one more expression, matcher or label; fails above kNodesMax.
  bool count_part();

  const ParseStatus& error() const { return error_; }

  // Counts as long as it lives: an aggregation whose arguments are being read.
  class InAggregation {
   public:
    explicit InAggregation(TokenStream& tokens) : tokens_(tokens) { ++tokens_.aggregations_; }
    ~InAggregation() { --tokens_.aggregations_; }
    InAggregation(const InAggregation&) = delete;
    InAggregation& operator=(const InAggregation&) = delete;

   private:
    TokenStream& tokens_;
  };

 private:
  Lexer lexer_;
  std::optional<Token> next_;
  uint32_t consumed_end_ = 0;
  size_t aggregations_ = 0;
  size_t parts_ = 0;
  ParseStatus error_;
};

}  // namespace statmill::promql
