// The minor version of a statmilld that was released later than this one.
#include "storage/files/data_directory.h"

namespace statmill {

const uint16_t kFormatMinor = 99;

}  // namespace statmill
