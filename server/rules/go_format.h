// Go's printf (pkg.go.dev/fmt), for templates: %v %s %q %d %f %e %g %t %x %c %%, with flags, width and
// precision.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "server/rules/template_value.h"

namespace statmill::rules {

// A verb that does not fit its argument becomes `%!d(string=x)`, as in Go. Widths above 100 are 100. The
// result may be a little longer than `bytes_max`, after which nothing is added.
std::string go_format(std::string_view format, std::span<const TemplateValue> arguments, size_t bytes_max);

}  // namespace statmill::rules
