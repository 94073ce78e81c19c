#include "runtime/cuda/nccl.h"

#include <dlfcn.h>

#include "base/status.h"

namespace sinter::runtime::cuda {
namespace {

constexpr const char* kNcclLibrary = "libnccl.so.2";

absl::StatusOr<void*> OpenNccl(const std::string& path) {
  const char* name = path.empty() ? kNcclLibrary : path.c_str();
  void* library = path.empty() ? dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD) : nullptr;
  if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    return Unavailable("no NCCL, by which devices exchange: {}", reason != nullptr ? reason : name);
  }
  return library;
}

std::string NcclVersionText(int version) {
  return Format("{}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Nccl>> Nccl::Load(const std::string& path) {
  ASSIGN_OR_RETURN(void* library, OpenNccl(path));
  auto nccl = std::make_shared<Nccl>();
  const char* missing = nullptr;
#define SINTER_NCCL_FIND(Returned, Name, symbol, ...)                          \
  nccl->Name = reinterpret_cast<decltype(nccl->Name)>(dlsym(library, symbol)); \
  if (nccl->Name == nullptr && missing == nullptr) missing = symbol;
  SINTER_NCCL_ENTRY_POINTS(SINTER_NCCL_FIND)
#undef SINTER_NCCL_FIND
  absl::Status status;
  if (nccl->GetVersion != nullptr && nccl->GetErrorString != nullptr)
    status = nccl->Check(nccl->GetVersion(&nccl->version), "ncclGetVersion");
  if (status.ok() && (missing != nullptr || nccl->version < kOldestNccl)) {
    status = Unavailable("NCCL is of version {}{}{}; {} or later is needed",
                         NcclVersionText(nccl->version), missing == nullptr ? "" : " and has no ",
                         missing == nullptr ? "" : missing, NcclVersionText(kOldestNccl));
  }
  // One that serves stays: it has threads.
  if (!status.ok()) dlclose(library);
  RETURN_IF_ERROR(status);
  return nccl;
}

absl::Status Nccl::Check(NcclResult result, std::string_view call) const {
  if (result == NcclResult::kSuccess || result == NcclResult::kInProgress) return absl::OkStatus();
  const char* said = GetErrorString(result);
  const std::string text = Format("{}: NCCL error {} ({})", call, static_cast<int>(result),
                                  said == nullptr ? "unknown" : said);
  // By the programs here it is used well: what this build of NCCL has not.
  if (result == NcclResult::kInvalidUsage) return Unimplemented("{}", text);
  const bool environment = result == NcclResult::kUnhandledCudaError ||
                           result == NcclResult::kSystemError || result == NcclResult::kRemoteError;
  return environment ? Unavailable("{}", text) : Internal("{}", text);
}

}  // namespace sinter::runtime::cuda
