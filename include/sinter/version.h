// The version of the library that the program runs with, which need not be the one it was compiled
// with.
//
//   std::puts(sinter::Version());  // "0.1.0"
#pragma once

#include "sinter/export.h"

namespace sinter {

// "MAJOR.MINOR.PATCH"; never null, lives as long as the process.
SINTER_API const char* Version();

}  // namespace sinter
