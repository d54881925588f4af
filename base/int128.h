// Int128 and Uint128: names for the 128-bit integers of g++ and clang.
#pragma once

namespace statmill {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

}  // namespace statmill
