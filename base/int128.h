// 128-bit integers: an extension of both compilers we build with, named once.
#pragma once

namespace statmill {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

}  // namespace statmill
