// CsvLine: the fields of a line of CSV (RFC 4180, without line ends inside fields).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace statmill {

inline constexpr size_t kCsvFieldsMax = 100'000;

// Confined to one thread.
class CsvLine {
 public:
  // Returns false if a quote does not end or more follows it, or there are more than kCsvFieldsMax fields.
  bool read(std::string_view line);
  // Valid until the next read(). The apostrophe that makes a text of "'=1" is removed (base/csv_text.h).
  const std::vector<std::string_view>& fields() const { return fields_; }

 private:
  bool read_quoted(std::string_view& rest);

  std::string texts_;  // of quoted fields
  std::vector<std::string_view> fields_;
};

}  // namespace statmill
