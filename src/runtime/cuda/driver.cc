#include "runtime/cuda/driver.h"

#include <dlfcn.h>

#include <utility>

#include "base/status.h"

namespace sinter::runtime::cuda {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";

absl::StatusOr<void*> Open(const std::string& path) {
  const char* name = path.empty() ? kLibrary : path.c_str();
  // One that the host brought along, under whatever path, is the one its own contexts belong to.
  void* library = path.empty() ? dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD) : nullptr;
  if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    return Unavailable("no CUDA driver: {}", reason != nullptr ? reason : name);
  }
  return library;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Driver>> Driver::Resolve(
    const std::function<void*(const char* symbol)>& find) {
  auto driver = std::make_shared<Driver>();
  const char* missing = nullptr;
#define SINTER_CUDA_FIND(Name, symbol, ...)                              \
  driver->Name = reinterpret_cast<decltype(driver->Name)>(find(symbol)); \
  if (driver->Name == nullptr && missing == nullptr) missing = symbol;
  SINTER_CUDA_ENTRY_POINTS(SINTER_CUDA_FIND)
  const char* needed = std::exchange(missing, nullptr);
  SINTER_CUDA_CAPTURE_ENTRY_POINTS(SINTER_CUDA_FIND)
#undef SINTER_CUDA_FIND
  driver->captures = missing == nullptr;
  missing = needed;
  Result versioned = Result::kSuccess;
  if (driver->DriverGetVersion != nullptr) versioned = driver->DriverGetVersion(&driver->version);
  if (missing != nullptr) {
    return Unavailable("the CUDA driver (version {}) has no {}; {} or later is needed",
                       VersionText(driver->version), missing, VersionText(kOldestDriver));
  }
  if (versioned != Result::kSuccess) return driver->Error(versioned, "cuDriverGetVersion");
  if (driver->version < kOldestDriver) {
    return Unavailable("the CUDA driver is of version {}; {} or later is needed",
                       VersionText(driver->version), VersionText(kOldestDriver));
  }
  if (Result r = driver->Init(0); r != Result::kSuccess) return driver->Error(r, "cuInit");
  return driver;
}

absl::StatusOr<std::shared_ptr<const Driver>> Driver::Load(const std::string& path) {
  ASSIGN_OR_RETURN(void* library, Open(path));
  auto driver = Resolve([library](const char* symbol) { return dlsym(library, symbol); });
  // A driver that serves stays: it does not support being unloaded.
  if (!driver.ok()) dlclose(library);
  return driver;
}

std::string Driver::Describe(Result result) const {
  const char *name = nullptr, *text = nullptr;
  if (GetErrorName(result, &name) != Result::kSuccess || name == nullptr) {
    return Format("CUDA error {}", static_cast<int>(result));
  }
  if (GetErrorString(result, &text) != Result::kSuccess || text == nullptr) return name;
  return Format("{} ({})", name, text);
}

absl::Status Driver::Error(Result result, std::string_view what) const {
  std::string text = Format("{}: {}", what, Describe(result));
  switch (result) {
    case Result::kSuccess:
      return absl::OkStatus();
    case Result::kOutOfMemory:
      return ResourceExhausted("{}", text);
    case Result::kStubLibrary:
    case Result::kDeviceUnavailable:
    case Result::kNoDevice:
    case Result::kInvalidDevice:
    case Result::kDeinitialized:
    case Result::kJitCompilerNotFound:
    case Result::kUnsupportedPtxVersion:
    case Result::kNotSupported:
    case Result::kSystemNotReady:
    case Result::kSystemDriverMismatch:
    case Result::kCompatNotSupportedOnDevice:
      return Unavailable("{}", text);
    default:
      return Internal("{}", text);
  }
}

bool IsSticky(Result result) {
  switch (result) {
    case Result::kEccUncorrectable:
    case Result::kIllegalAddress:
    case Result::kLaunchTimeout:
    case Result::kContextIsDestroyed:
    case Result::kAssert:
    case Result::kHardwareStackError:
    case Result::kIllegalInstruction:
    case Result::kMisalignedAddress:
    case Result::kInvalidAddressSpace:
    case Result::kInvalidPc:
    case Result::kLaunchFailed:
      return true;
    default:
      return false;
  }
}

std::string VersionText(int version) {
  return Format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace sinter::runtime::cuda
