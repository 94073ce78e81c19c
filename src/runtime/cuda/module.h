// Code on the device: PTX linked to machine code once, modules loaded from it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/statusor.h"
#include "base/hash.h"
#include "program/program.h"
#include "runtime/cuda/context.h"

namespace sinter::runtime::cuda {

using Cubin = std::vector<char>;

// A loaded module and its kernels, in the order of Code::symbols.
class Module {
 public:
  static absl::StatusOr<std::shared_ptr<Module>> Load(std::shared_ptr<Context> context,
                                                      const Cubin& cubin,
                                                      const std::vector<std::string>& symbols);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  // Makes a kernel ready for blocks of `threads` threads with `shared_bytes` of dynamic shared
  // memory. Internal where the kernel or the device does not admit them. Within a Scope.
  absl::StatusOr<FunctionHandle> Function(int index, int threads, int64_t shared_bytes);

 private:
  Module(std::shared_ptr<Context> context, ModuleHandle module)
      : context_(std::move(context)), module_(module) {}

  struct Kernel {
    FunctionHandle function = nullptr;
    int max_threads = 0;
    int64_t shared_bytes = 0;  // that blocks may have
  };
  const std::shared_ptr<Context> context_;
  const ModuleHandle module_;
  std::mutex mutex_;
  std::vector<Kernel> kernels_;
};

// The machine code of a client's programs, by text, driver and GPU.
class CubinCache {
 public:
  explicit CubinCache(std::shared_ptr<Context> context) : context_(std::move(context)) {}

  // Links PTX. Internal, with the driver's log, where the driver refuses the text; Unavailable
  // where it is too old for its version of PTX; ResourceExhausted.
  absl::StatusOr<std::shared_ptr<const Cubin>> Get(const program::Code& code);

 private:
  static constexpr size_t kCapacity = 256;

  absl::StatusOr<std::shared_ptr<const Cubin>> Link(const program::Code& code) const;

  const std::shared_ptr<Context> context_;
  std::mutex mutex_;
  std::map<Hash128, std::shared_ptr<const Cubin>> known_;
  std::deque<Hash128> order_;  // the oldest first
};

}  // namespace sinter::runtime::cuda
