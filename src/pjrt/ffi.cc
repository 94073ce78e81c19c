#include "pjrt/ffi.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "pjrt/extensions.h"
#include "pjrt/ffi_call.h"
#include "pjrt/objects.h"
#include "pjrt/wire.h"

namespace sinter::pjrt {
namespace {

// Registration is of the plugin, not of a client, so that it has its own tables: the process's are
// left alone.
struct Tables {
  std::shared_ptr<CustomCallRegistry> handlers = std::make_shared<CustomCallRegistry>();
  std::shared_ptr<const CustomCallRegistry> shared = handlers;
  std::mutex mutex;
  std::map<std::string, int64_t, std::less<>> types;
  std::map<int64_t, std::string> names;
  int64_t next_type = 1;
};
Tables& TheTables() {
  static auto* tables = new Tables;  // outlives whatever registers or calls
  return *tables;
}

thread_local PJRT_ExecuteContext* context_of_run = nullptr;

absl::Status RegisterTypeOf(PJRT_FFI_Type_Register_Args& args) {
  ASSIGN_OR_RETURN(args.type_id,
                   RegisterType(Bytes(args.type_name, args.type_name_size), args.type_id));
  return absl::OkStatus();
}

absl::Status AddUserData(PJRT_FFI_UserData_Add_Args& args) {
  if (args.context == nullptr) return InvalidArgument("PJRT_FFI_UserData_Add: no context");
  std::lock_guard<std::mutex> lock(args.context->mutex);
  if (!args.context->user_data.emplace(args.user_data.type_id, args.user_data.data).second)
    return InvalidArgument("the context has data of type {} already", args.user_data.type_id);
  return absl::OkStatus();
}

absl::Status RegisterHandler(PJRT_FFI_Register_Handler_Args& args) {
  const std::string_view target = Bytes(args.target_name, args.target_name_size);
  std::string_view platform = Bytes(args.platform_name, args.platform_name_size);
  if (args.handler == nullptr) return InvalidArgument("{}: no handler", target);
  if (platform == "sinter" || platform == "SINTER") platform = "Host";
  ASSIGN_OR_RETURN(
      CustomCallFunction function,
      ffi::MakeTarget(std::string(target), reinterpret_cast<ffi::Handler*>(args.handler)));
  return TheTables().handlers->Register(target, platform, std::move(function));
}

}  // namespace

const std::shared_ptr<const CustomCallRegistry>& Handlers() { return TheTables().shared; }

ContextOfRun::ContextOfRun(PJRT_ExecuteContext* context)
    : before_(std::exchange(context_of_run, context)) {
  if (context == nullptr) return;
  std::lock_guard<std::mutex> lock(context->mutex);
  has_data_ = !context->user_data.empty();
}
ContextOfRun::~ContextOfRun() { context_of_run = before_; }

absl::StatusOr<void*> UserDataOfRun(int64_t type) {
  if (context_of_run == nullptr) return InvalidArgument("the run has no context");
  std::lock_guard<std::mutex> lock(context_of_run->mutex);
  const auto found = context_of_run->user_data.find(type);
  if (found == context_of_run->user_data.end())
    return InvalidArgument("the context of the run has no data of type {}", type);
  return found->second;
}

absl::StatusOr<int64_t> RegisterType(std::string_view name, int64_t id) {
  if (name.empty()) return InvalidArgument("a type without a name");
  Tables& tables = TheTables();
  std::lock_guard<std::mutex> lock(tables.mutex);
  if (const auto found = tables.types.find(name); found != tables.types.end()) {
    if (id == 0 || id == found->second) return found->second;
    return InvalidArgument("the type {} has the id {}, not {}", name, found->second, id);
  }
  if (id == 0) {
    while (tables.names.contains(tables.next_type)) ++tables.next_type;
    id = tables.next_type++;
  }
  if (const auto [at, is_new] = tables.names.try_emplace(id, name); !is_new)
    return InvalidArgument("the id {} is that of the type {}", id, at->second);
  tables.types.emplace(name, id);
  return id;
}

PJRT_Extension_Base* FfiExtension(PJRT_Extension_Base* next) {
  static PJRT_FFI_Extension extension = {
      {sizeof(PJRT_FFI_Extension), PJRT_Extension_Type_FFI, next},
      ExtensionFunction<&RegisterTypeOf>::Call,
      ExtensionFunction<&AddUserData>::Call,
      ExtensionFunction<&RegisterHandler>::Call,
  };
  return &extension.base;
}

}  // namespace sinter::pjrt
