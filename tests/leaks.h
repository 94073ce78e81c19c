// For tests of what is leaked on purpose.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace sinter::testing {

// What the thread allocates during its life may be leaked.
struct MayLeak {
#if defined(__SANITIZE_ADDRESS__)
  __lsan::ScopedDisabler disabler;
#else
  MayLeak() {}  // not trivial, so that nobody calls it unused
#endif
};

}  // namespace sinter::testing
