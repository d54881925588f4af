// AskedQuery: a request whose answer is known, so that no wrong answer is measured.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "tools/statmill-bench/http_connection.h"
#include "tools/statmill-bench/query_answer.h"

namespace statmill {

struct AskedQuery {
  std::string target;
  AnswerShape want = {};
  double tolerance = 0;     // how far the sum of an answer may be off
  std::string answer = {};  // its lasting part, when it was asked first

  // Errors: kCorrupt if it is another answer. The last digits may differ: some servers add in any order.
  Status check(std::string_view body) const;
};

// Asks for the first time. Errors: those of HttpConnection::get() and check_answer().
Result<AskedQuery> ask_first(HttpConnection& connection, AskedQuery asked);

}  // namespace statmill
