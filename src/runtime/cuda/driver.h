// The CUDA driver of this machine, found at run time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/cuda/entry_points.h"

namespace sinter::runtime::cuda {

// CUDA 12.0, whose drivers understand PTX 8.0.
inline constexpr int kOldestDriver = 12000;

inline DevicePointer Address(const void* p) { return reinterpret_cast<DevicePointer>(p); }

struct Driver {
#define SINTER_CUDA_MEMBER(Name, symbol, ...) Result (*Name)(__VA_ARGS__) = nullptr;
  SINTER_CUDA_ENTRY_POINTS(SINTER_CUDA_MEMBER)
  SINTER_CUDA_CAPTURE_ENTRY_POINTS(SINTER_CUDA_MEMBER)
#undef SINTER_CUDA_MEMBER
  bool captures = false;  // it has what captures need
  int version = 0;        // 12040: CUDA 12.4

  // The driver at `path`, initialised; "" for libcuda.so.1, of which a copy that the process has
  // loaded already is preferred. The library stays loaded. Unavailable where there is none, where
  // it is too old (the message names the entry point that it lacks), or where it finds no device.
  static absl::StatusOr<std::shared_ptr<const Driver>> Load(const std::string& path);
  // The same from `find`, which returns null for a symbol that there is not.
  static absl::StatusOr<std::shared_ptr<const Driver>> Resolve(
      const std::function<void*(const char* symbol)>& find);

  // "CUDA_ERROR_OUT_OF_MEMORY (out of memory)"
  std::string Describe(Result result) const;
  // The status of a result that is no success; `what` names the call and what it was to do.
  absl::Status Error(Result result, std::string_view what) const;
};

// The context that returned it can do no more work.
bool IsSticky(Result result);

// "12.4"
std::string VersionText(int version);

}  // namespace sinter::runtime::cuda
