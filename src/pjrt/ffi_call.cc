#include "pjrt/ffi_call.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "base/status.h"
#include "pjrt/array.h"
#include "pjrt/ffi.h"
#include "pjrt/ffi_attributes.h"
#include "sinter/event.h"

namespace sinter::pjrt::ffi {

struct Error {
  absl::Status status;
  std::string message;
};
struct Future {
  Promise done;
};
// What a stage of a target's leaves to those that follow.
struct State {
  int64_t type = 0;  // 0: nothing
  void* object = nullptr;
  Deleter deleter = nullptr;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (deleter != nullptr && object != nullptr) deleter(object);
  }
};
// Of the stages before execution: the first is of a place that calls, the others of one call.
using States = std::array<State*, 3>;

// Of one call.
struct InvokeContext {
  Stage stage = Stage::kExecute;
  States states{};
  void* stream = nullptr;
  int64_t run = 0;
  std::mutex mutex;
  std::set<void*> memory;

  ~InvokeContext() {
    for (void* p : memory) std::free(p);
  }
};

namespace {

Error* NewError(absl::Status status) {
  std::string message = MessageOf(status);
  return new Error{std::move(status), std::move(message)};
}
// The status of an error, which is destroyed.
absl::Status Take(Error* error) {
  const std::unique_ptr<Error> owned(error);
  return error == nullptr ? absl::OkStatus() : std::move(error->status);
}

// Handlers are C functions: nothing may be thrown through them.
template <class Body>
Error* Status(const Body& body) noexcept {
  try {
    absl::Status s = body();
    return s.ok() ? nullptr : NewError(std::move(s));
  } catch (...) {
    static Error out_of_memory{ResourceExhausted("the system has no memory"),
                               "the system has no memory"};
    return &out_of_memory;
  }
}

Error* CreateError(ErrorCreateArgs* args) {
  const auto code = static_cast<absl::StatusCode>(args->code);
  return NewError(absl::Status(code, args->message == nullptr ? "" : args->message));
}
void ErrorDetails(ErrorDetailsArgs* args) {
  args->message = args->error->message.c_str();
  args->code = args->error->status.raw_code();
}
void DestroyError(ErrorDestroyArgs* args) { delete args->error; }

Error* RegisterHandler(HandlerRegisterArgs*) {
  return Status([] { return Unimplemented("a handler that registers others"); });
}

Error* GetStream(StreamArgs* args) {
  return Status([&]() -> absl::Status {
    if (args->context->stream == nullptr) return Unimplemented("the host has no streams");
    args->stream = args->context->stream;
    return absl::OkStatus();
  });
}

Error* RegisterNamedType(TypeRegisterArgs* args) {
  return Status([&]() -> absl::Status {
    const TypeInfo* info = args->type_info;
    ASSIGN_OR_RETURN(*args->type_id,
                     RegisterType({args->name.data, args->name.size}, *args->type_id,
                                  info == nullptr ? nullptr : info->deleter));
    return absl::OkStatus();
  });
}

Error* GetContext(ContextGetArgs* args) {
  return Status([&]() -> absl::Status {
    ASSIGN_OR_RETURN(args->data, UserDataOfRun(*args->type_id));
    return absl::OkStatus();
  });
}

// The state that a stage has left, or may leave.
absl::StatusOr<State*> StateOf(const StateArgs& args) {
  const auto n = static_cast<size_t>(args.stage);
  const States& states = args.context->states;
  if (n >= states.size() || states[n] == nullptr)
    return InvalidArgument("stage {} has no state here", n);
  return states[n];
}

Error* SetState(StateArgs* args) {
  return Status([&]() -> absl::Status {
    ASSIGN_OR_RETURN(State* const state, StateOf(*args));
    if (args->stage != args->context->stage) {
      return InvalidArgument("stage {} sets the state of stage {}",
                             static_cast<int>(args->context->stage), static_cast<int>(args->stage));
    }
    if (state->type != 0) return InvalidArgument("the state is set a second time");
    ASSIGN_OR_RETURN(state->deleter, DeleterOfType(*args->type_id));
    state->type = *args->type_id;
    state->object = args->state;
    return absl::OkStatus();
  });
}

Error* GetState(StateArgs* args) {
  return Status([&]() -> absl::Status {
    ASSIGN_OR_RETURN(const State* const state, StateOf(*args));
    if (state->type == 0)
      return InvalidArgument("stage {} has set no state", static_cast<int>(args->stage));
    if (state->type != *args->type_id)
      return InvalidArgument("the state is of type {}, not {}", state->type, *args->type_id);
    args->state = state->object;
    return absl::OkStatus();
  });
}

Error* AllocateMemory(MemoryAllocateArgs* args) {
  return Status([&]() -> absl::Status {
    if (args->context->stream != nullptr) return Unimplemented("device memory for handlers");
    const size_t alignment = std::max<size_t>(args->alignment, 64);
    if ((alignment & (alignment - 1)) != 0 || args->size > SIZE_MAX - alignment)
      return InvalidArgument("{} bytes aligned to {}", args->size, args->alignment);
    const size_t size = (std::max<size_t>(args->size, 1) + alignment - 1) / alignment * alignment;
    void* p = std::aligned_alloc(alignment, size);
    if (p == nullptr) return ResourceExhausted("the system has no memory");
    std::lock_guard<std::mutex> lock(args->context->mutex);
    args->context->memory.insert(p);
    args->data = p;
    return absl::OkStatus();
  });
}

Error* FreeMemory(MemoryFreeArgs* args) {
  return Status([&]() -> absl::Status {
    std::lock_guard<std::mutex> lock(args->context->mutex);
    if (args->context->memory.erase(args->data) == 0)
      return InvalidArgument("memory that this call has not been given");
    std::free(args->data);
    return absl::OkStatus();
  });
}

// Tasks may run at once: nothing is promised of their threads.
Error* Schedule(ScheduleArgs* args) {
  return Status([&]() -> absl::Status {
    args->task(args->data);
    return absl::OkStatus();
  });
}
Error* CountThreads(ThreadCountArgs* args) {
  *args->threads = 1;
  return nullptr;
}

Error* CreateFuture(FutureCreateArgs* args) {
  return Status([&]() -> absl::Status {
    args->future = new Future;
    return absl::OkStatus();
  });
}
Error* SetFuture(FutureErrorArgs* args) {
  return Status([&]() -> absl::Status {
    const Promise done = args->future->done;
    done.Set(absl::OkStatus());
    return absl::OkStatus();
  });
}
Error* SetFutureError(FutureErrorArgs* args) {
  return Status([&]() -> absl::Status {
    const Promise done = args->future->done;
    done.Set(Take(args->error));
    return absl::OkStatus();
  });
}

Error* GetRun(RunIdArgs* args) {
  args->run_id = args->context->run;
  return nullptr;
}
Error* GetDevice(DeviceOrdinalArgs* args) {
  args->device_ordinal = 0;
  return nullptr;
}
Error* FindExtension(FindExtensionArgs* args) {
  args->extension = nullptr;
  return nullptr;
}
Error* GetCustomOptions(CustomOptionsArgs* args) {
  static const Attrs kNone{sizeof(Attrs), nullptr, 0, nullptr, nullptr, nullptr};
  args->attributes = &kNone;
  return nullptr;
}

constexpr Api kApi = {
    .struct_size = sizeof(Api),
    .extension_start = nullptr,
    .api_version = {sizeof(ApiVersion), nullptr, kMajorVersion, kMinorVersion},
    .internal_api = nullptr,
    .error_create = &CreateError,
    .error_details = &ErrorDetails,
    .error_destroy = &DestroyError,
    .handler_register = &RegisterHandler,
    .stream = &GetStream,
    .type_register = &RegisterNamedType,
    .context_get = &GetContext,
    .state_set = &SetState,
    .state_get = &GetState,
    .memory_allocate = &AllocateMemory,
    .memory_free = &FreeMemory,
    .schedule = &Schedule,
    .thread_count = &CountThreads,
    .future_create = &CreateFuture,
    .future_set = &SetFuture,
    .future_set_error = &SetFutureError,
    .run_id = &GetRun,
    .device_ordinal = &GetDevice,
    .find_extension = &FindExtension,
    .custom_options = &GetCustomOptions,
};

// Arrays in the form of the interface, which stay where they are.
class Arrays {
 public:
  explicit Arrays(absl::Span<const CustomCallFrame::Array> arrays) {
    buffers_.reserve(arrays.size());
    for (const CustomCallFrame::Array& a : arrays) {
      buffers_.push_back({sizeof(Buffer), nullptr, PrimitiveType(a.shape->element_type()), a.data,
                          a.shape->rank(), a.shape->dimensions().data()});
      kinds_.push_back(ArgKind::kBuffer);
      values_.push_back(&buffers_.back());
    }
  }
  Args list() {
    return {sizeof(Args), nullptr, static_cast<int64_t>(values_.size()), kinds_.data(),
            values_.data()};
  }

 private:
  std::vector<Buffer> buffers_;
  std::vector<ArgKind> kinds_;
  std::vector<void*> values_;
};

// A place that calls a target.
class Site {
 public:
  explicit Site(const Handlers& handlers) : handlers_(handlers) {}

  absl::Status Instantiate(const CustomCallSite& site) {
    ASSIGN_OR_RETURN(attributes_, AttributeList::Parse(site.opaque));
    if (handlers_.instantiate == nullptr) return absl::OkStatus();
    InvokeContext context;
    context.states[0] = &state_;
    // There are no arrays yet.
    Arrays none({});
    return Run(handlers_.instantiate, Stage::kInstantiate, none, none, context);
  }

  absl::Status Call(const CustomCallFrame& frame) {
    static std::atomic<int64_t> runs{0};
    State prepared, initialized;
    InvokeContext context;
    context.states = {&state_, &prepared, &initialized};
    context.stream = frame.stream;
    context.run = ++runs;
    Arrays operands(frame.operands), results(frame.results);
    for (auto [handler, stage] : {std::pair(handlers_.prepare, Stage::kPrepare),
                                  std::pair(handlers_.initialize, Stage::kInitialize),
                                  std::pair(handlers_.execute, Stage::kExecute)}) {
      if (handler != nullptr) RETURN_IF_ERROR(Run(handler, stage, operands, results, context));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Run(Handler* handler, Stage stage, Arrays& operands, Arrays& results,
                   InvokeContext& context) const {
    context.stage = stage;
    CallFrame call{};
    call.struct_size = kCallFrameSize;
    call.api = &kApi;
    call.context = &context;
    call.stage = stage;
    call.operands = operands.list();
    call.results = results.list();
    call.attributes = attributes_->list();
    Error* error = handler(&call);
    const std::unique_ptr<Future> future(call.future);
    RETURN_IF_ERROR(Take(error));
    return future == nullptr ? absl::OkStatus() : future->done.event().Wait();
  }

  const Handlers handlers_;
  std::shared_ptr<const AttributeList> attributes_;
  State state_;
};

// Whether the handler can be called.
absl::Status CheckHandler(std::string_view name, Handler* handler) {
  Metadata metadata{};
  metadata.struct_size = sizeof metadata;
  metadata.api_version.struct_size = sizeof metadata.api_version;
  MetadataExtension extension{{sizeof extension, kMetadata, nullptr}, &metadata};
  CallFrame question{};
  question.struct_size = kCallFrameSize;
  question.api = &kApi;
  question.extension_start = &extension.base;
  if (absl::Status s = Take(handler(&question)); !s.ok()) return Annotate(s, name);
  if (metadata.api_version.major_version == kMajorVersion) return absl::OkStatus();
  return Unimplemented("{}: a handler of version {}.{} of the interface", name,
                       metadata.api_version.major_version, metadata.api_version.minor_version);
}

}  // namespace

absl::StatusOr<CustomCallFactory> MakeTarget(std::string name, const Handlers& handlers) {
  if (handlers.execute == nullptr) return InvalidArgument("{}: no handler", name);
  for (Handler* handler :
       {handlers.instantiate, handlers.prepare, handlers.initialize, handlers.execute}) {
    if (handler != nullptr) RETURN_IF_ERROR(CheckHandler(name, handler));
  }
  return CustomCallFactory(
      [handlers](const CustomCallSite& place) -> absl::StatusOr<CustomCallFunction> {
        auto site = std::make_shared<Site>(handlers);
        RETURN_IF_ERROR(site->Instantiate(place));
        return CustomCallFunction(
            [site = std::move(site)](const CustomCallFrame& frame) { return site->Call(frame); });
      });
}

}  // namespace sinter::pjrt::ffi
