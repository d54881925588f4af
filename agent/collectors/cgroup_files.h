// What the files of a cgroup say, as pure functions over their text: Documentation/admin-guide/cgroup-v2.rst
// and cgroup-v1/*.rst.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace statmill {

struct CgroupField {
  // How its number stands in the file.
  enum class Form : uint8_t {
    kNumber,   // alone
    kKeyed,    // in a line of `key number`
    kDevices,  // in lines of `major:minor key=number ...`, one each device: their sum
    kOldIo,    // in lines of `major:minor key number`, likewise
  };
  std::string_view controller;  // of version 1, where each has a hierarchy of its own
  std::string_view file;
  Form form = Form::kNumber;
  std::string_view key;
  std::string_view series;  // behind the cgroup's name; ends in the unit
  bool is_total = true;     // else it goes up and down
  uint64_t factor = 1;      // to the series' unit
};

// Fields of one file stand together.
std::span<const CgroupField> cgroup_fields_v2();
std::span<const CgroupField> cgroup_fields_v1();

// The field's number in its file's text, in the series' unit. None: it is not there, or "max".
std::optional<uint64_t> find_cgroup_number(std::string_view text, const CgroupField& field);

}  // namespace statmill
