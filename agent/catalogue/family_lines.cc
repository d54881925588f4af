#include "agent/catalogue/family_lines.h"

#include "agent/catalogue/catalogue.h"
#include "proto/istatd/family_line.h"

namespace statmill {

std::string family_lines() {
  std::string out;
  for (const Family* const family : all_families())
    append_family_line(out, {family->kind, family->path, family->unit, family->help});
  return out;
}

}  // namespace statmill
