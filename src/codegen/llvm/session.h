// A compilation by LLVM, as the compilers of all targets run it.
#pragma once

#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status.h"
#include "codegen/llvm/compiled.h"
#include "codegen/llvm/fatal.h"
#include "codegen/llvm/module.h"
#include "llvm/IR/LLVMContext.h"

namespace sinter::codegen {

// A target's code generators, each reused by the next compilation once one is done with it.
// Thread-safe.
template <class Generator>
class GeneratorPool {
 public:
  template <class Target>
  absl::StatusOr<std::unique_ptr<Generator>> Acquire(const Target& target) {
    {
      std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Generator> generator = std::move(idle_.back());
        idle_.pop_back();
        return generator;
      }
    }
    return Generator::Create(target);
  }
  void Release(std::unique_ptr<Generator> generator) {
    std::lock_guard lock(mutex_);
    idle_.push_back(std::move(generator));
  }
  // Shows now, not at the first kernel, whether there is a code generator for the target.
  template <class Target>
  absl::Status Try(const Target& target) {
    return CatchFatalErrors([&]() -> absl::Status {
      ASSIGN_OR_RETURN(std::unique_ptr<Generator> generator, Acquire(target));
      Release(std::move(generator));
      return absl::OkStatus();
    });
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Generator>> idle_;
};

// The LLVM objects of one compilation.
template <class Generator>
struct Session {
  std::string errors;  // that LLVM reported
  std::unique_ptr<Generator> generator;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;

  // `names`: values keep theirs, for those who read the module.
  void Start(std::unique_ptr<Generator> with, std::string_view name, bool names) {
    generator = std::move(with);
    context.setDiscardValueNames(!names);
    context.setDiagnosticHandler(std::make_unique<Diagnostics>(errors));
    module = generator->NewModule(context, std::string(name));
  }
};

// What `body(session)` returns, a StatusOr<Compiled>. Where LLVM would end the process, Internal;
// where there is no memory, ResourceExhausted; the session is then leaked, in whatever state it is.
template <class Session, class Body>
absl::StatusOr<Compiled> RunSession(std::string_view name, const Body& body) {
  FatalErrorsThrow guard;  // first: contexts need memory too
  std::unique_ptr<Session> session;
  try {
    session = std::make_unique<Session>();
    return body(*session);
  } catch (const FatalError& e) {
    (void)session.release();
    return Internal("kernel {}: LLVM: {}", name, e.what());
  } catch (const std::bad_alloc&) {
    (void)session.release();
    return ResourceExhausted("kernel {}: the system has no memory for compiling it", name);
  }
}

}  // namespace sinter::codegen
