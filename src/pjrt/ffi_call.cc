#include "pjrt/ffi_call.h"

#include <atomic>
#include <cstdlib>
#include <map>
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
// Of one call.
struct InvokeContext {
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
    ASSIGN_OR_RETURN(*args->type_id,
                     RegisterType({args->name.data, args->name.size}, *args->type_id));
    return absl::OkStatus();
  });
}

Error* GetContext(ContextGetArgs* args) {
  return Status([&]() -> absl::Status {
    ASSIGN_OR_RETURN(args->data, UserDataOfRun(*args->type_id));
    return absl::OkStatus();
  });
}

Error* NoState(StateArgs*) {
  return Status([] { return Unimplemented("handlers with state"); });
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
    .state_set = &NoState,
    .state_get = &NoState,
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

class Target {
 public:
  explicit Target(Handler* handler) : handler_(handler) {}

  absl::Status Call(const CustomCallFrame& frame) {
    ASSIGN_OR_RETURN(const std::shared_ptr<const AttributeList> attributes,
                     Attributes(frame.opaque));
    static std::atomic<int64_t> runs{0};
    InvokeContext context;
    context.stream = frame.stream;
    context.run = ++runs;
    Arrays operands(frame.operands), results(frame.results);
    CallFrame call{};
    call.struct_size = sizeof call;
    call.api = &kApi;
    call.context = &context;
    call.stage = Stage::kExecute;
    call.operands = operands.list();
    call.results = results.list();
    call.attributes = attributes->list();
    Error* error = handler_(&call);
    const std::unique_ptr<Future> future(call.future);
    RETURN_IF_ERROR(Take(error));
    return future == nullptr ? absl::OkStatus() : future->done.event().Wait();
  }

 private:
  // Read once for each place that calls.
  absl::StatusOr<std::shared_ptr<const AttributeList>> Attributes(std::string_view text) {
    constexpr size_t kMost = 64;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (const auto found = read_.find(text); found != read_.end()) return found->second;
    }
    ASSIGN_OR_RETURN(std::shared_ptr<const AttributeList> list, AttributeList::Parse(text));
    std::lock_guard<std::mutex> lock(mutex_);
    if (read_.size() >= kMost) read_.clear();
    read_.emplace(text, list);
    return list;
  }

  Handler* const handler_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const AttributeList>, std::less<>> read_;
};

}  // namespace

absl::StatusOr<CustomCallFunction> MakeTarget(std::string name, Handler* handler) {
  Metadata metadata{};
  metadata.struct_size = sizeof metadata;
  metadata.api_version.struct_size = sizeof metadata.api_version;
  MetadataExtension extension{{sizeof extension, kMetadata, nullptr}, &metadata};
  CallFrame question{};
  question.struct_size = sizeof question;
  question.api = &kApi;
  question.extension_start = &extension.base;
  if (absl::Status s = Take(handler(&question)); !s.ok()) return Annotate(s, name);
  if (metadata.api_version.major_version != kMajorVersion) {
    return Unimplemented("{}: a handler of version {}.{} of the interface", name,
                         metadata.api_version.major_version, metadata.api_version.minor_version);
  }
  if (metadata.state_type_id != 0) return Unimplemented("{}: a handler with state", name);
  auto target = std::make_shared<Target>(handler);
  return CustomCallFunction(
      [target = std::move(target)](const CustomCallFrame& frame) { return target->Call(frame); });
}

}  // namespace sinter::pjrt::ffi
