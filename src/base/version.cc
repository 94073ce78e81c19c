#include "sinter/version.h"

namespace sinter {

// SINTER_VERSION comes from project() in CMakeLists.txt.
const char* Version() { return SINTER_VERSION; }

}  // namespace sinter
