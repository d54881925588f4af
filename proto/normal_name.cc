#include "proto/normal_name.h"

namespace statmill {

bool is_normal_name(std::string_view name) {
  for (const char c : name) {
    if (normal_byte(c) != c) return false;
  }
  return true;
}

std::string normal_name(std::string_view name) {
  std::string normal(name);
  for (char& c : normal) c = normal_byte(c);
  return normal;
}

}  // namespace statmill
