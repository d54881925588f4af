// The words of units: OpenTelemetry sends them in UCUM (ucum.org), "By", "ms", "{request}".
#pragma once

#include <string>
#include <string_view>

namespace statmill {

// Returns the word that statmill has for a unit of UCUM: "bytes" for By, "s" for s, "bytes/s" for By/s, what
// is in the braces of a plain {request}. Empty for 1, and for what would be no unit here.
std::string unit_of_ucum(std::string_view ucum);

}  // namespace statmill
