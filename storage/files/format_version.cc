#include "storage/files/data_directory.h"

namespace statmill {

const uint16_t kFormatMinor = 2;

}  // namespace statmill
