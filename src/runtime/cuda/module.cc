#include "runtime/cuda/module.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "base/status.h"

namespace sinter::runtime::cuda {
namespace {

// Dynamic shared memory that every kernel may have without asking.
constexpr int64_t kPlainSharedBytes = int64_t{48} << 10;
constexpr size_t kLogBytes = 8 << 10;

}  // namespace

absl::StatusOr<std::shared_ptr<Module>> Module::Load(std::shared_ptr<Context> context,
                                                     const Cubin& cubin,
                                                     const std::vector<std::string>& symbols) {
  Context::Scope scope(*context);
  RETURN_IF_ERROR(scope.status());
  ModuleHandle handle = nullptr;
  RETURN_IF_CUDA_ERROR(*context, ModuleLoadData, &handle, cubin.data());
  std::shared_ptr<Module> module(new Module(context, handle));
  for (const std::string& symbol : symbols) {
    Kernel kernel;
    absl::Status status =
        SINTER_CUDA_CHECK(*context, ModuleGetFunction, &kernel.function, handle, symbol.c_str());
    if (!status.ok()) return Annotate(status, Format("kernel {}", symbol));
    RETURN_IF_CUDA_ERROR(*context, FuncGetAttribute, &kernel.max_threads,
                         FunctionAttribute::kMaxThreadsPerBlock, kernel.function);
    kernel.shared_bytes = kPlainSharedBytes;
    module->kernels_.push_back(kernel);
  }
  return module;
}

Module::~Module() {
  // Kernels of it may still run.
  context_->Synchronize().IgnoreError();
  Context::Scope scope(*context_);
  context_->driver().ModuleUnload(module_);
}

absl::StatusOr<FunctionHandle> Module::Function(int index, int threads, int64_t shared_bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto i = static_cast<size_t>(index);
  RETURN_INTERNAL_IF(i >= kernels_.size(), "function {} of {}", index, kernels_.size());
  Kernel& kernel = kernels_[i];
  RETURN_INTERNAL_IF(threads <= 0 || threads > kernel.max_threads,
                     "{} threads a block for a kernel of at most {}", threads, kernel.max_threads);
  int64_t most = context_->properties().shared_bytes_per_block;
  RETURN_INTERNAL_IF(shared_bytes < 0 || shared_bytes > most,
                     "{} bytes of shared memory a block; the device has {}", shared_bytes, most);
  if (shared_bytes > kernel.shared_bytes) {
    RETURN_IF_CUDA_ERROR(*context_, FuncSetAttribute, kernel.function,
                         FunctionAttribute::kMaxDynamicSharedBytes, static_cast<int>(shared_bytes));
    kernel.shared_bytes = shared_bytes;
  }
  return kernel.function;
}

absl::StatusOr<std::shared_ptr<const Cubin>> CubinCache::Get(const program::Code& code) {
  Hasher hasher;
  hasher.Add(
      std::string_view(reinterpret_cast<const char*>(code.object.data()), code.object.size()));
  hasher.Add(context_->driver().version);
  hasher.Add(context_->properties().compute_capability);
  Hash128 key = hasher.Finish();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (auto found = known_.find(key); found != known_.end()) return found->second;
  }
  // Without the lock: several texts can be linked at a time.
  ASSIGN_OR_RETURN(std::shared_ptr<const Cubin> cubin, Link(code));
  std::lock_guard<std::mutex> lock(mutex_);
  if (!known_.emplace(key, cubin).second) return cubin;
  order_.push_back(key);
  if (order_.size() > kCapacity) {
    known_.erase(order_.front());
    order_.pop_front();
  }
  return cubin;
}

absl::StatusOr<std::shared_ptr<const Cubin>> CubinCache::Link(const program::Code& code) const {
  Context::Scope scope(*context_);
  RETURN_IF_ERROR(scope.status());
  const Driver& driver = context_->driver();
  std::array<char, kLogBytes> errors{}, infos{};
  std::array options{JitOption::kErrorLogBuffer, JitOption::kErrorLogBytes,
                     JitOption::kInfoLogBuffer, JitOption::kInfoLogBytes};
  std::array<void*, 4> values{errors.data(), reinterpret_cast<void*>(errors.size()), infos.data(),
                              reinterpret_cast<void*>(infos.size())};
  auto with_log = [&](const absl::Status& status) {
    if (status.ok()) return status;
    std::string log(errors.data(), strnlen(errors.data(), errors.size()));
    if (log.empty()) return Annotate(status, Format("PTX for {}", code.target));
    return Annotate(absl::Status(status.code(), Format("{}\n{}", MessageOf(status), log)),
                    Format("PTX for {}", code.target));
  };
  LinkHandle link = nullptr;
  RETURN_IF_CUDA_ERROR(*context_, LinkCreate, static_cast<unsigned>(options.size()), options.data(),
                       values.data(), &link);
  // The text ends with a null character for the driver.
  std::string text(code.object.begin(), code.object.end());
  absl::Status status =
      with_log(SINTER_CUDA_CHECK(*context_, LinkAddData, link, kJitInputPtx, text.data(),
                                 text.size() + 1, "program", 0, nullptr, nullptr));
  void* data = nullptr;
  size_t bytes = 0;
  if (status.ok())
    status = with_log(SINTER_CUDA_CHECK(*context_, LinkComplete, link, &data, &bytes));
  std::shared_ptr<const Cubin> cubin;
  if (status.ok()) {
    // The link owns the code.
    const char* begin = static_cast<const char*>(data);
    cubin = std::make_shared<const Cubin>(begin, begin + bytes);
  }
  driver.LinkDestroy(link);
  if (!status.ok()) return status;
  return cubin;
}

}  // namespace sinter::runtime::cuda
