#include "jit/loader.h"

#include <atomic>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "codegen/llvm/fatal.h"
#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

namespace sinter::jit {
namespace {

using program::Code;
using program::LoadedCode;
using program::StageFunction;

// ORC's session and what links into it. Shared by the loader and the code that it loaded.
class Session {
 public:
  explicit Session(std::unique_ptr<llvm::orc::ExecutorProcessControl> process)
      : session_(std::move(process)),
        layer_(session_, std::make_unique<llvm::jitlink::InProcessMemoryManager>(
                             llvm::sys::Process::getPageSizeEstimate())) {
    // Otherwise ORC prints errors that it cannot return.
    session_.setErrorReporter([this](llvm::Error error) {
      std::lock_guard lock(mutex_);
      errors_ += llvm::toString(std::move(error));
    });
  }
  ~Session() { llvm::consumeError(session_.endSession()); }

  absl::StatusOr<std::vector<StageFunction>> Link(const Code& code, llvm::orc::JITDylib& library) {
    // A program without kernels, for instance of constants only, has no object.
    if (code.symbols.empty()) return std::vector<StageFunction>();
    const llvm::StringRef bytes(reinterpret_cast<const char*>(code.object.data()),
                                code.object.size());
    if (auto error = layer_.add(library, llvm::MemoryBuffer::getMemBufferCopy(bytes, "code")))
      return Failed(std::move(error));
    llvm::orc::SymbolLookupSet wanted;
    for (const std::string& symbol : code.symbols) wanted.add(session_.intern(symbol));
    auto found = session_.lookup({{&library, llvm::orc::JITDylibLookupFlags::MatchAllSymbols}},
                                 std::move(wanted));
    if (!found) return Failed(found.takeError());
    std::vector<StageFunction> functions;
    for (const std::string& symbol : code.symbols)
      functions.push_back((*found)[session_.intern(symbol)].getAddress().toPtr<StageFunction>());
    return functions;
  }

  llvm::orc::JITDylib& NewLibrary() {
    return session_.createBareJITDylib("code" + std::to_string(next_++));
  }
  void Remove(llvm::orc::JITDylib& library) {
    llvm::consumeError(session_.removeJITDylib(library));
  }

 private:
  absl::Status Failed(llvm::Error error) {
    std::string message = llvm::toString(std::move(error));
    std::lock_guard lock(mutex_);
    message += std::exchange(errors_, {});
    return Internal("linking generated code: {}", message);
  }

  std::mutex mutex_;
  std::string errors_;
  std::atomic<int64_t> next_ = 0;
  llvm::orc::ExecutionSession session_;
  llvm::orc::ObjectLinkingLayer layer_;
};

class Loaded final : public LoadedCode {
 public:
  explicit Loaded(std::shared_ptr<Session> session)
      : session_(std::move(session)), library_(session_->NewLibrary()) {}
  ~Loaded() override { session_->Remove(library_); }

  absl::Status Link(const Code& code) {
    ASSIGN_OR_RETURN(functions_, session_->Link(code, library_));
    return absl::OkStatus();
  }
  absl::Span<const StageFunction> functions() const override { return functions_; }

 private:
  const std::shared_ptr<Session> session_;
  llvm::orc::JITDylib& library_;
  std::vector<StageFunction> functions_;
};

class OrcLoader final : public program::Loader {
 public:
  explicit OrcLoader(std::shared_ptr<Session> session) : session_(std::move(session)) {}

  absl::StatusOr<std::shared_ptr<LoadedCode>> Load(const Code& code) override {
    return codegen::CatchFatalErrors([&]() -> absl::StatusOr<std::shared_ptr<LoadedCode>> {
      auto loaded = std::make_shared<Loaded>(session_);
      RETURN_IF_ERROR(loaded->Link(code));
      return loaded;
    });
  }

 private:
  const std::shared_ptr<Session> session_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<program::Loader>> CreateLoader() {
  return codegen::CatchFatalErrors([]() -> absl::StatusOr<std::unique_ptr<program::Loader>> {
    auto process = llvm::orc::SelfExecutorProcessControl::Create();
    if (!process)
      return Unavailable("preparing to run generated code: {}",
                         llvm::toString(process.takeError()));
    return std::make_unique<OrcLoader>(std::make_shared<Session>(std::move(*process)));
  });
}

}  // namespace sinter::jit
