#include "codegen/llvm/fatal.h"

#include <mutex>
#include <new>

#include "llvm/Support/ErrorHandling.h"

namespace sinter::codegen {
namespace {

thread_local int guards = 0;

// Returning lets LLVM do as it does without a handler.
void OnFatalError(void*, const char* reason, bool) {
  // lint: allow throw: the only way out of LLVM; Compile turns it into a status
  if (guards > 0) throw FatalError(reason);
}
void OnBadAlloc(void*, const char*, bool) {
  // lint: allow throw: as above
  if (guards > 0) throw std::bad_alloc();
}

}  // namespace

// The handlers belong to the LLVM that is linked into this library.
FatalErrorsThrow::FatalErrorsThrow() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::install_fatal_error_handler(OnFatalError);
    llvm::install_bad_alloc_error_handler(OnBadAlloc);
  });
  ++guards;
}
FatalErrorsThrow::~FatalErrorsThrow() { --guards; }

}  // namespace sinter::codegen
