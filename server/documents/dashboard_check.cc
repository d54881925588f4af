#include "server/documents/dashboard_check.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "server/documents/json_fields.h"

namespace statmill {
namespace {

namespace json = boost::json;

constexpr size_t kIdBytesMax = 64;
constexpr size_t kTitleBytesMax = 200;
constexpr size_t kNotesBytesMax = size_t{16} << 10;
constexpr size_t kWordBytesMax = 64;
constexpr size_t kExpressionBytesMax = size_t{64} << 10;
constexpr size_t kVariablesMax = 32;
constexpr size_t kVariableNameBytesMax = 32;
constexpr size_t kSeriesMax = 100;
constexpr size_t kStatsMax = 16;
constexpr size_t kTableColumnsMax = 16;
constexpr int64_t kColumns = 12;
constexpr int64_t kRowsMax = 10'000;

bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

class Checker {
 public:
  DashboardCheck run(std::string_view text) && {
    const Result<json::object> object = parse_json_object(text);
    if (!object) {
      fault("", object.error().message);
    } else {
      check(*object);
    }
    return std::move(out_);
  }

 private:
  void fault(std::string at, std::string error) {
    if (out_.faults.size() < kDashboardFaultsMax) out_.faults.push_back({std::move(at), std::move(error)});
  }

  // Returns the text at a key, or an empty one if it is missing.
  std::string text_at(const json::object& object, const std::string& at, std::string_view key,
                      size_t bytes_max) {
    const json::value* value = object.if_contains({key.data(), key.size()});
    if (value == nullptr) return {};
    return text_of(*value, at + "/" + std::string(key), bytes_max);
  }
  std::string text_of(const json::value& value, const std::string& at, size_t bytes_max) {
    const auto* text = value.if_string();
    if (text == nullptr) {
      fault(at, "must be a text");
      return {};
    }
    if (text->size() > bytes_max) fault(at, "has more than " + std::to_string(bytes_max) + " bytes");
    return std::string(view_of(*text));
  }
  // Returns the array at a key; nullptr if it is missing or faulty.
  const json::array* array_at(const json::object& object, const std::string& at, std::string_view key,
                              size_t size_max) {
    const json::value* value = object.if_contains({key.data(), key.size()});
    if (value == nullptr) return nullptr;
    const auto* array = value->if_array();
    const std::string here = at + "/" + std::string(key);
    if (array == nullptr) {
      fault(here, "must be an array");
      return nullptr;
    }
    if (array->size() <= size_max) return array;
    fault(here, "has more than " + std::to_string(size_max) + " elements");
    return nullptr;
  }
  void check_texts(const json::object& object, const std::string& at, std::string_view key, size_t size_max,
                   size_t bytes_max) {
    const json::array* texts = array_at(object, at, key, size_max);
    if (texts == nullptr) return;
    for (size_t i = 0; i < texts->size(); ++i) {
      const std::string here = at + "/" + std::string(key) + "/" + std::to_string(i);
      const size_t before = out_.faults.size();
      if (text_of((*texts)[i], here, bytes_max).empty() && out_.faults.size() == before)
        fault(here, "is empty");
    }
  }

  void check(const json::object& object) {
    const json::value* format = object.if_contains("format");
    if (format == nullptr || !format->is_int64() || format->get_int64() != 1) fault("/format", "must be 1");
    out_.summary.title = text_at(object, "", "title", kTitleBytesMax);
    if (out_.summary.title.empty()) fault("/title", "is missing or empty");
    out_.summary.folder = text_at(object, "", "folder", kTitleBytesMax);
    text_at(object, "", "notes", kNotesBytesMax);
    check_variables(object);
    check_time(object);
    const json::array* panels = array_at(object, "", "panels", kDashboardPanelsMax);
    if (!object.contains("panels")) fault("/panels", "is missing");
    if (panels == nullptr) return;
    out_.summary.panels = panels->size();
    for (size_t i = 0; i < panels->size(); ++i) check_panel((*panels)[i], "/panels/" + std::to_string(i));
  }

  void check_variables(const json::object& object) {
    const json::array* variables = array_at(object, "", "vars", kVariablesMax);
    if (variables == nullptr) return;
    for (size_t i = 0; i < variables->size(); ++i) {
      const std::string at = "/vars/" + std::to_string(i);
      const auto* variable = (*variables)[i].if_object();
      if (variable == nullptr) {
        fault(at, "must be an object");
        continue;
      }
      const std::string name = text_at(*variable, at, "name", kVariableNameBytesMax);
      if (name.empty() || !std::ranges::all_of(name, is_word_byte)) {
        fault(at + "/name", "must be of letters, digits and _");
      } else if (!variables_.insert(name).second) {
        fault(at + "/name", "is the name of another variable");
      }
      text_at(*variable, at, "from", kExpressionBytesMax);
    }
  }

  void check_time(const json::object& object) {
    const json::value* time = object.if_contains("time");
    if (time == nullptr) return;
    const auto* range = time->if_object();
    if (range == nullptr) return fault("/time", "must be an object");
    for (const std::string_view key : {"from", "until"}) {
      const json::value* bound = range->if_contains({key.data(), key.size()});
      if (bound != nullptr && !bound->is_string() && !number_of(*bound))
        fault("/time/" + std::string(key), "must be a text or a number");
    }
  }

  void check_panel(const json::value& value, const std::string& at) {
    const auto* panel = value.if_object();
    if (panel == nullptr) return fault(at, "must be an object");
    check_place(*panel, at);
    for (const std::string_view key : {"kind", "y", "unit"}) text_at(*panel, at, key, kWordBytesMax);
    text_at(*panel, at, "title", kTitleBytesMax);
    text_at(*panel, at, "text", kNotesBytesMax);
    text_at(*panel, at, "expr", kExpressionBytesMax);
    check_texts(*panel, at, "series", kSeriesMax, kExpressionBytesMax);
    check_texts(*panel, at, "stats", kStatsMax, kWordBytesMax);
    check_table(*panel, at);
    const std::string repeat = text_at(*panel, at, "repeat", kVariableNameBytesMax);
    if (!repeat.empty() && !variables_.contains(repeat))
      fault(at + "/repeat", "there is no variable \"" + repeat + "\"");
  }

  // What makes a table of rows: "row" and "columns", as in GET /api/v1/table.
  void check_table(const json::object& panel, const std::string& at) {
    const bool has_rows = !text_at(panel, at, "row", kExpressionBytesMax).empty();
    text_at(panel, at, "match", kExpressionBytesMax);
    for (const std::string_view key : {"sort", "spark"}) text_at(panel, at, key, kWordBytesMax);
    const json::array* columns = array_at(panel, at, "columns", kTableColumnsMax);
    if (columns == nullptr) {
      if (has_rows && !panel.contains("columns")) fault(at + "/columns", "is missing");
      return;
    }
    for (size_t i = 0; i < columns->size(); ++i)
      check_column((*columns)[i], at + "/columns/" + std::to_string(i));
  }

  // A column is a text, or an object with the text and how it is shown.
  void check_column(const json::value& value, const std::string& at) {
    const auto* column = value.if_object();
    const size_t before = out_.faults.size();
    const std::string text = column == nullptr ? text_of(value, at, kExpressionBytesMax)
                                               : text_at(*column, at, "column", kExpressionBytesMax);
    if (text.empty() && out_.faults.size() == before)
      fault(column == nullptr ? at : at + "/column", "is missing or empty");
    if (column == nullptr) return;
    text_at(*column, at, "title", kTitleBytesMax);
    text_at(*column, at, "unit", kWordBytesMax);
  }

  // "at": [column, row, width, height].
  void check_place(const json::object& panel, const std::string& at) {
    const std::string here = at + "/at";
    const json::value* value = panel.if_contains("at");
    const auto* place = value == nullptr ? nullptr : value->if_array();
    if (place == nullptr || place->size() != 4)
      return fault(here, "must be an array of column, row, width and height");
    std::array<int64_t, 4> numbers{};
    for (size_t i = 0; i < numbers.size(); ++i) {
      const auto* number = (*place)[i].if_int64();
      const int64_t least = i < 2 ? 0 : 1;
      if (number == nullptr || *number < least || *number > kRowsMax)
        return fault(here + "/" + std::to_string(i),
                     "must be an integer from " + std::to_string(least) + " to " + std::to_string(kRowsMax));
      numbers[i] = *number;
    }
    if (numbers[0] + numbers[2] > kColumns) fault(here, "there are 12 columns");
  }

  DashboardCheck out_;
  std::set<std::string> variables_;
};

}  // namespace

DashboardCheck check_dashboard(std::string_view text) { return Checker().run(text); }

bool is_dashboard_id(std::string_view id) {
  const auto is_byte = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !id.empty() && id.size() <= kIdBytesMax && std::ranges::all_of(id, is_byte);
}

}  // namespace statmill
