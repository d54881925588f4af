#include "server/query/numbers.h"

namespace statmill {

Numbers Numbers::of_reals(size_t size) {
  return {.present = Presence(size), .scale = kReal, .integers = {}, .reals = std::vector<double>(size)};
}

Numbers Numbers::of_decimals(size_t size, int8_t scale) {
  return {.present = Presence(size), .scale = scale, .integers = std::vector<int64_t>(size), .reals = {}};
}

AnswerNumber Numbers::number(size_t i) const {
  return is_real() ? AnswerNumber::real(reals[i]) : AnswerNumber::decimal(integers[i], scale);
}

void Numbers::remove(size_t i) {
  present.clear(i);
  if (is_real()) {
    reals[i] = 0;
  } else {
    integers[i] = 0;
  }
}

void Numbers::make_real() {
  if (is_real()) return;
  reals.resize(size());
  for (size_t i = present.next(0); i < size(); i = present.next(i + 1)) reals[i] = number(i).value();
  scale = kReal;
  integers = {};
}

}  // namespace statmill
