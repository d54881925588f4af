// What an answer of a query holds, so that no wrong answer is measured.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace statmill {

struct AnswerShape {
  size_t rows = 0;    // series, or names of a list
  size_t points = 0;  // of all rows together, without absent ones
  double sum = 0;     // of all points
};

// Understands answers of /api/v1/query, of /api/v1/series, and of Prometheus' API: matrix, vector, and lists.
// Errors: kCorrupt.
Result<AnswerShape> shape_of_answer(std::string_view body);

// `tolerance`: of the sum, relative. Errors: kCorrupt, with both shapes; those of shape_of_answer().
Status check_answer(std::string_view body, const AnswerShape& want, double tolerance);

// Returns the part of an answer that is the same whenever it is asked: all before its cost.
std::string_view lasting_part(std::string_view body);

}  // namespace statmill
