#include "tools/statmill-bench/asked_query.h"

namespace statmill {

Status AskedQuery::check(std::string_view body) const {
  if (lasting_part(body) == answer) return Status::ok();
  return check_answer(body, want, tolerance);
}

Result<AskedQuery> ask_first(HttpConnection& connection, AskedQuery asked) {
  const auto answer = connection.get(asked.target);
  if (!answer) return answer.error();
  if (Status s = check_answer(answer->body, asked.want, asked.tolerance); !s) return s.error();
  asked.answer = lasting_part(answer->body);
  return asked;
}

}  // namespace statmill
