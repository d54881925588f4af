#include "server/http/influx_answers.h"

#include <algorithm>
#include <numeric>

#include "server/http/ignoring_case.h"
#include "server/json.h"

namespace statmill {
namespace {

std::string_view code_of(unsigned status) {
  switch (status) {
    case 413:
      return "request too large";
    case 503:
      return "unavailable";
    default:
      return "invalid";
  }
}

// "bad_time 2, kind_mismatch 1".
std::string reasons_of(const LinesAccount& samples) {
  std::string out;
  for (size_t i = 0; i < kRefusalCount; ++i) {
    if (samples.refused[i] == 0) continue;
    if (!out.empty()) out += ", ";
    out.append(refusal_label(static_cast<Refusal>(i))).append(" ").append(std::to_string(samples.refused[i]));
  }
  return out;
}

// Reasons of the table come after those of the parsers.
bool is_of_table(Refusal reason) { return reason == Refusal::kBadBucket || reason >= Refusal::kTooOld; }

std::string message_of(const InfluxAccount& account, uint64_t refused) {
  const LinesAccount& samples = account.samples;
  std::string out;
  if (samples.accepted > 0) out = "partial write: ";
  if (account.first) {
    out.append(is_of_table(account.first->reason) ? "unable to write '" : "unable to parse '")
        .append(account.first->text)
        .append("': ")
        .append(refusal_label(account.first->reason))
        .append("; ");
  }
  out.append(std::to_string(refused)).append(" of ").append(std::to_string(samples.received));
  return out.append(" samples refused (").append(reasons_of(samples)).append(") dropped=") +
         std::to_string(refused);
}

// Removes and returns the first word, without the quotes of an identifier.
std::string_view consume_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(" \t\r\n"));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace

HttpResponse influx_error(InfluxApi api, unsigned status, std::string_view message) {
  HttpResponse response{.status = status, .body = {}, .fields = influx_fields()};
  {
    JsonObject object(response.body);
    if (api == InfluxApi::k2) object.text("code", code_of(status));
    object.text(api == InfluxApi::k2 ? "message" : "error", message);
  }
  response.body += '\n';
  return response;
}

HttpResponse influx_write_answer(InfluxApi api, const InfluxAccount& account) {
  const auto& by_reason = account.samples.refused;
  const uint64_t refused = std::accumulate(by_reason.begin(), by_reason.end(), uint64_t{0});
  if (refused == 0) return {.status = 204, .body = {}, .fields = influx_fields()};
  const bool may_retry = by_reason[static_cast<size_t>(Refusal::kMemoryLimit)] == account.samples.received;
  HttpResponse response = influx_error(api, may_retry ? 503 : 400, message_of(account, refused));
  response.may_retry = may_retry;
  return response;
}

HttpResponse influx_statement_answer(std::string_view statement) {
  const std::string_view whole = statement;
  while (!statement.empty() && (statement.back() == ';' || statement.back() == ' '))
    statement.remove_suffix(1);
  const std::string_view verb = consume_word(statement);
  const std::string_view object = consume_word(statement);
  const std::string_view rest = consume_word(statement);
  HttpResponse response{.status = 200, .body = {}, .fields = influx_fields()};
  if (equals_ignoring_case(verb, "show") && equals_ignoring_case(object, "databases") && rest.empty()) {
    response.body =
        R"({"results":[{"statement_id":0,"series":[{"name":"databases","columns":["name"],"values":[["statmill"]]}]}]})"
        "\n";
    return response;
  }
  if (equals_ignoring_case(verb, "create") && equals_ignoring_case(object, "database") && !rest.empty()) {
    response.body = R"({"results":[{"statement_id":0}]})"
                    "\n";
    return response;
  }
  return influx_error(
      InfluxApi::k1, 400,
      whole.empty() ? "missing required parameter \"q\""
                    : "of InfluxQL there are only SHOW DATABASES and CREATE DATABASE here; read with PromQL");
}

}  // namespace statmill
