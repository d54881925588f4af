// Answers to clients of InfluxDB in its form. The two versions of its API report errors differently.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/influx_intake.h"
#include "server/http/http_message.h"

namespace statmill {

// What we say in X-Influxdb-Version: whose protocol this is. Clients look for a leading 1.
inline constexpr std::string_view kInfluxVersion = "1.8.10-statmill";

// The fields of each answer.
inline std::vector<std::pair<std::string_view, std::string>> influx_fields() {
  return {{"X-Influxdb-Version", std::string(kInfluxVersion)}};
}

enum class InfluxApi : uint8_t { k1, k2 };

// {"error":"..."}, or {"code":"invalid","message":"..."}.
HttpResponse influx_error(InfluxApi api, unsigned status, std::string_view message);
// 204 if nothing was refused, else 400 with the number of samples refused, by reason, and the first of them.
// 503 if only the lack of memory has refused all of them, so that they may be sent again.
HttpResponse influx_write_answer(InfluxApi api, const InfluxAccount& account);
// The answer to an InfluxQL statement that clients send before they write: SHOW DATABASES or CREATE DATABASE.
// 400 to any other.
HttpResponse influx_statement_answer(std::string_view statement);

}  // namespace statmill
