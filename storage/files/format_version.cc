#include "storage/files/data_directory.h"

namespace statmill {

const uint16_t kFormatMinor = 5;

}  // namespace statmill
