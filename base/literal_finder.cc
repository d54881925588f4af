#include "base/literal_finder.h"

#include <utility>

namespace statmill {
namespace {

// Roughly how common a byte is in names: digits distinguish names, dots and separators do not.
int commonness(char c) {
  if ('0' <= c && c <= '9') return 0;
  return c == '.' || c < '!' ? 2 : 1;
}

}  // namespace

// Chooses the first of the rarest bytes, and the last of the rarest among the others: the further apart they
// are, the less one implies the other.
LiteralFinder::LiteralFinder(std::string literal) : literal_(std::move(literal)) {
  for (size_t i = 1; i < literal_.size(); ++i) {
    if (commonness(literal_[i]) < commonness(literal_[first_])) first_ = i;
  }
  second_ = first_ == 0 ? literal_.size() - 1 : 0;
  for (size_t i = 0; i < literal_.size(); ++i) {
    if (i != first_ && commonness(literal_[i]) <= commonness(literal_[second_])) second_ = i;
  }
}

}  // namespace statmill
