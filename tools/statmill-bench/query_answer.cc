#include "tools/statmill-bench/query_answer.h"

#include <boost/json.hpp>
#include <cmath>
#include <cstdlib>

#include "base/text.h"
#include "tools/statmill/parse_json.h"

namespace statmill {
namespace {

namespace json = boost::json;

void add_point(AnswerShape& shape, double value) {
  ++shape.points;
  shape.sum += value;
}

// [TIME,"VALUE"]
void add_sample(AnswerShape& shape, const json::array& sample) {
  if (sample.size() == 2 && sample[1].is_string())
    add_point(shape, std::strtod(sample[1].get_string().c_str(), nullptr));
}

// A row of Prometheus' API: an object with "value" or "values", or an entry of a list.
void add_row(AnswerShape& shape, const json::value& row) {
  ++shape.rows;
  const json::object* const object = row.if_object();
  if (object == nullptr) return;
  if (const auto* value = object->if_contains("value"); value != nullptr && value->is_array())
    add_sample(shape, value->get_array());
  const auto* values = object->if_contains("values");
  if (values == nullptr || !values->is_array()) return;
  for (const json::value& sample : values->get_array()) {
    if (sample.is_array()) add_sample(shape, sample.get_array());
  }
}

// A row of statmill's API: each array is a column.
void add_columns(AnswerShape& shape, const json::value& row) {
  ++shape.rows;
  if (!row.is_object()) return;
  for (const auto& [key, column] : row.get_object()) {
    if (!column.is_array()) continue;
    for (const json::value& value : column.get_array()) {
      if (value.is_number()) add_point(shape, value.to_number<double>());
    }
  }
}

std::string text_of(const AnswerShape& shape) {
  std::string out =
      std::to_string(shape.rows) + " rows with " + std::to_string(shape.points) + " points of the sum ";
  append_number(out, shape.sum);
  return out;
}

}  // namespace

Result<AnswerShape> shape_of_answer(std::string_view body) {
  boost::system::error_code error;
  const json::value answer = parse_json(body, error);
  const Error corrupt{ErrorCode::kCorrupt, "no answer: " + std::string(body.substr(0, 200))};
  if (error || !answer.is_object()) return corrupt;
  AnswerShape shape;
  const json::object& object = answer.get_object();
  if (const auto* series = object.if_contains("series"); series != nullptr && series->is_array()) {
    for (const json::value& row : series->get_array()) add_columns(shape, row);
    return shape;
  }
  const json::value* data = object.if_contains("data");
  if (data != nullptr && data->is_object()) data = data->get_object().if_contains("result");
  if (data == nullptr || !data->is_array()) return corrupt;
  for (const json::value& row : data->get_array()) add_row(shape, row);
  return shape;
}

Status check_answer(std::string_view body, const AnswerShape& want, double tolerance) {
  const Result<AnswerShape> shape = shape_of_answer(body);
  if (!shape) return shape.error();
  const bool has_sum = std::abs(shape->sum - want.sum) <= tolerance * std::abs(want.sum);
  if (shape->rows == want.rows && shape->points == want.points && has_sum) return Status::ok();
  return Error{ErrorCode::kCorrupt,
               "the answer has " + text_of(*shape) + ", and should have " + text_of(want)};
}

std::string_view lasting_part(std::string_view body) {
  const size_t cost = body.rfind(",\"cost\":");
  return body.substr(0, cost != std::string_view::npos ? cost : body.rfind(",\"ms\":"));
}

}  // namespace statmill
