// family_lines(): unit and help of all families of the catalogue, as a server gets them.
#pragma once

#include <string>

namespace statmill {

// Returns one `$m` line for each family (proto/istatd/family_line.h). Cost: about 20 KiB of text.
std::string family_lines();

}  // namespace statmill
