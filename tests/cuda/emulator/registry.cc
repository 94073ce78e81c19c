#include <map>
#include <mutex>

#include "base/hash.h"
#include "base/status.h"
#include "cuda/emulator/emulator.h"

namespace sinter::emulator {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<Hash128, std::string> modules;
};
Registry& TheRegistry() {
  static auto* registry = new Registry;  // outlives every test's statics
  return *registry;
}

}  // namespace

void RegisterDeviceIr(std::string_view ptx, std::string llvm_ir) {
  Registry& r = TheRegistry();
  std::lock_guard lock(r.mutex);
  r.modules.insert_or_assign(HashBytes(ptx.data(), ptx.size()), std::move(llvm_ir));
}

absl::StatusOr<std::string> DeviceIrOf(std::string_view ptx) {
  Registry& r = TheRegistry();
  std::lock_guard lock(r.mutex);
  auto found = r.modules.find(HashBytes(ptx.data(), ptx.size()));
  if (found == r.modules.end())
    return NotFound("no device LLVM IR was registered for this PTX of {} bytes", ptx.size());
  return found->second;
}

}  // namespace sinter::emulator
