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
  struct Type {
    std::string name;
    Deleter deleter = nullptr;
  };
  std::map<int64_t, Type> by_id;
  int64_t next_type = 1;
};
Tables& TheTables() {
  static auto* tables = new Tables;  // outlives whatever registers or calls
  return *tables;
}

thread_local PJRT_ExecuteContext* context_of_run = nullptr;

absl::Status RegisterTypeOf(PJRT_FFI_Type_Register_Args& args) {
  const PJRT_FFI_Type_Info* info = args.type_info;
  ASSIGN_OR_RETURN(args.type_id,
                   RegisterType(Bytes(args.type_name, args.type_name_size), args.type_id,
                                info == nullptr ? nullptr : info->deleter));
  return absl::OkStatus();
}

absl::Status AddUserData(PJRT_FFI_UserData_Add_Args& args) {
  if (args.context == nullptr) return InvalidArgument("PJRT_FFI_UserData_Add: no context");
  std::lock_guard<std::mutex> lock(args.context->mutex);
  if (!args.context->user_data.emplace(args.user_data.type_id, args.user_data.data).second)
    return InvalidArgument("the context has data of type {} already", args.user_data.type_id);
  return absl::OkStatus();
}

absl::Status Register(std::string_view target, std::string_view platform,
                      const ffi::Handlers& handlers) {
  if (platform == "sinter" || platform == "SINTER") platform = "Host";
  ASSIGN_OR_RETURN(CustomCallFactory made, ffi::MakeTarget(std::string(target), handlers));
  return TheTables().handlers->RegisterFactory(target, platform, std::move(made));
}

absl::Status RegisterHandler(PJRT_FFI_Register_Handler_Args& args) {
  ffi::Handlers handlers;
  handlers.execute = reinterpret_cast<ffi::Handler*>(args.handler);
  return Register(Bytes(args.target_name, args.target_name_size),
                  Bytes(args.platform_name, args.platform_name_size), handlers);
}

absl::Status RegisterStages(PJRT_Gpu_Register_Custom_Call_Args& args) {
  const std::string_view target = Bytes(args.function_name, args.function_name_size);
  if (args.api_version != 1)
    return Unimplemented("{}: version {} of custom calls", target, args.api_version);
  ffi::Handlers handlers;
  handlers.instantiate = reinterpret_cast<ffi::Handler*>(args.handler_instantiate);
  handlers.prepare = reinterpret_cast<ffi::Handler*>(args.handler_prepare);
  handlers.initialize = reinterpret_cast<ffi::Handler*>(args.handler_initialize);
  handlers.execute = reinterpret_cast<ffi::Handler*>(args.handler_execute);
  return Register(target, "sinter", handlers);
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

absl::StatusOr<int64_t> RegisterType(std::string_view name, int64_t id, Deleter deleter) {
  if (name.empty()) return InvalidArgument("a type without a name");
  Tables& tables = TheTables();
  std::lock_guard<std::mutex> lock(tables.mutex);
  if (const auto found = tables.types.find(name); found != tables.types.end()) {
    if (id == 0 || id == found->second) {
      if (deleter != nullptr) tables.by_id[found->second].deleter = deleter;
      return found->second;
    }
    return InvalidArgument("the type {} has the id {}, not {}", name, found->second, id);
  }
  if (id == 0) {
    while (tables.by_id.contains(tables.next_type)) ++tables.next_type;
    id = tables.next_type++;
  }
  if (const auto found = tables.by_id.find(id); found != tables.by_id.end())
    return InvalidArgument("the id {} is that of the type {}", id, found->second.name);
  tables.by_id[id] = {std::string(name), deleter};
  tables.types.emplace(name, id);
  return id;
}

absl::StatusOr<Deleter> DeleterOfType(int64_t id) {
  Tables& tables = TheTables();
  std::lock_guard<std::mutex> lock(tables.mutex);
  const auto found = tables.by_id.find(id);
  if (found == tables.by_id.end()) return InvalidArgument("no type has the id {}", id);
  return found->second.deleter;
}

PJRT_Extension_Base* FfiStagesExtension(PJRT_Extension_Base* next) {
  static PJRT_Gpu_Custom_Call extension = {
      {sizeof(PJRT_Gpu_Custom_Call), PJRT_Extension_Type_Gpu_Custom_Call, next},
      ExtensionFunction<&RegisterStages>::Call,
      false,
  };
  return &extension.base;
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
