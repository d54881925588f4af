// The binary operators of PromQL: how they are written, and which bind tighter.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "server/promql/ast.h"

namespace statmill::promql {

struct BinaryOpInfo {
  std::string_view text;
  int precedence;  // higher binds tighter
};

inline constexpr int kPrecedenceMin = 1;

// By BinaryOp.
inline constexpr std::array kBinaryOps = {
    BinaryOpInfo{"+", 4},  BinaryOpInfo{"-", 4},   BinaryOpInfo{"*", 5},     BinaryOpInfo{"/", 5},
    BinaryOpInfo{"%", 5},  BinaryOpInfo{"^", 6},   BinaryOpInfo{"atan2", 5}, BinaryOpInfo{"==", 3},
    BinaryOpInfo{"!=", 3}, BinaryOpInfo{"<", 3},   BinaryOpInfo{"<=", 3},    BinaryOpInfo{">", 3},
    BinaryOpInfo{">=", 3}, BinaryOpInfo{"and", 2}, BinaryOpInfo{"or", 1},    BinaryOpInfo{"unless", 2}};

constexpr std::string_view op_text(BinaryOp op) { return kBinaryOps[static_cast<size_t>(op)].text; }
constexpr int precedence(BinaryOp op) { return kBinaryOps[static_cast<size_t>(op)].precedence; }
constexpr bool is_comparison(BinaryOp op) {
  return op >= BinaryOp::kEqual && op <= BinaryOp::kGreaterOrEqual;
}
// and, or, unless.
constexpr bool is_set_op(BinaryOp op) { return op >= BinaryOp::kAnd; }

}  // namespace statmill::promql
