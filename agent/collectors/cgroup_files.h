// Parsers for the files of a cgroup, as pure functions of their text: Documentation/admin-guide/cgroup-v2.rst
// and cgroup-v1/*.rst.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "agent/catalogue/catalogue.h"

namespace statmill {

struct CgroupField {
  // The format of the number in the file.
  enum class Form : uint8_t {
    kNumber,   // only the number
    kKeyed,    // a line of `key number`
    kDevices,  // lines of `major:minor key=number ...`, one per device; summed up
    kOldIo,    // lines of `major:minor key number`; summed up
  };
  std::string_view controller;  // in version 1, where each controller has its own hierarchy
  std::string_view file;
  Form form = Form::kNumber;
  std::string_view key;
  std::variant<EventFamily, GaugeFamily> family;  // an event if the number is a total
  std::string_view op = {};                       // the value of its tag `op`; empty: it only has `cgroup`
  uint64_t factor = 1;                            // converts to the unit of the family
};

// Fields of the same file are adjacent.
std::span<const CgroupField> cgroup_fields_v2();
std::span<const CgroupField> cgroup_fields_v1();

// Returns the field's number in the file's text, in the unit of the series; nullopt if it is
// missing or "max".
std::optional<uint64_t> find_cgroup_number(std::string_view text, const CgroupField& field);

}  // namespace statmill
