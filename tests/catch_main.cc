#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#if defined(__SANITIZE_THREAD__)
// Debian's Abseil is compiled without the sanitizer, which does not see that the counts of a status
// order its last use before its end. The sanitizer's library looks for the function by name.
extern "C" __attribute__((visibility("default"))) const char*
__tsan_default_suppressions();  // NOLINT
extern "C" const char* __tsan_default_suppressions() { return "race:absl::*Status::Unref\n"; }
#endif
