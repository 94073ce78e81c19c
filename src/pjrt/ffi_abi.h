// The binary interface of XLA's foreign functions, version 0.5: what a handler is called with.
// Source: openxla/xla, xla/ffi/api/c_api.h, which wheels of jaxlib install.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sinter::pjrt::ffi {

inline constexpr int kMajorVersion = 0, kMinorVersion = 5;

struct Error;
struct Future;
struct InvokeContext;
struct Api;

struct InternalExtension {
  size_t struct_size;
  int type;  // 1: MetadataExtension
  InternalExtension* next;
};
inline constexpr int kMetadata = 1;

struct ApiVersion {
  size_t struct_size;
  InternalExtension* extension_start;
  int major_version;
  int minor_version;
};

// --- arrays and attributes

enum class ArgKind : int { kBuffer = 1 };
enum class AttrKind : int { kArray = 1, kDictionary = 2, kScalar = 3, kString = 4 };

struct Buffer {
  size_t struct_size;
  InternalExtension* extension_start;
  int dtype;  // xla.PrimitiveType
  void* data;
  int64_t rank;
  const int64_t* dims;
};
struct ByteSpan {
  const char* data;
  size_t size;
};
struct Scalar {
  int dtype;
  void* value;
};
struct Array {
  int dtype;
  size_t size;
  void* data;
};
// Operands or results.
struct Args {
  size_t struct_size;
  InternalExtension* extension_start;
  int64_t size;
  ArgKind* kinds;
  void** values;
};
// Sorted by name.
struct Attrs {
  size_t struct_size;
  InternalExtension* extension_start;
  int64_t size;
  AttrKind* kinds;
  ByteSpan** names;
  void** values;
};

// --- a call

enum class Stage : int { kInstantiate, kPrepare, kInitialize, kExecute, kRecord };

struct CallFrame {
  size_t struct_size;
  InternalExtension* extension_start;
  const Api* api;
  InvokeContext* context;
  Stage stage;
  Args operands;
  Args results;
  Attrs attributes;
  Future* future;  // out: the call goes on after the handler has returned
};
// The size that handlers expect a frame to state: they do not count the last field.
inline constexpr size_t kCallFrameSize = offsetof(CallFrame, future);
using Handler = Error*(CallFrame* frame);

struct Metadata {
  size_t struct_size;
  ApiVersion api_version;
  uint32_t traits;
  int64_t state_type_id;
};
struct MetadataExtension {
  InternalExtension base;
  Metadata* metadata;
};

// --- what handlers call: a struct begins with its size and a list of extensions

struct ErrorCreateArgs {
  size_t struct_size;
  InternalExtension* extension_start;
  const char* message;
  int code;
};
struct ErrorDetailsArgs {
  size_t struct_size;
  InternalExtension* extension_start;
  Error* error;
  const char* message;
  int code;
};
struct ErrorDestroyArgs {
  size_t struct_size;
  InternalExtension* extension_start;
  Error* error;
};
struct HandlerRegisterArgs;
struct StreamArgs {
  size_t struct_size;
  InternalExtension* extension_start;
  InvokeContext* context;
  void* stream;
};
struct TypeInfo {
  size_t struct_size;
  InternalExtension* extension_start;
  void (*deleter)(void* object);
};
struct TypeRegisterArgs {
  size_t struct_size;
  InternalExtension* extension_start;
  ByteSpan name;
  int64_t* type_id;
  const TypeInfo* type_info;
};
struct ContextGetArgs {
  size_t struct_size;
  InternalExtension* extension_start;
  InvokeContext* context;
  const int64_t* type_id;
  void* data;
};
struct StateArgs {
  size_t struct_size;
  InternalExtension* extension_start;
  InvokeContext* context;
  Stage stage;
  const int64_t* type_id;
  void* state;
};
struct MemoryAllocateArgs {
  size_t struct_size;
  InternalExtension* extension_start;
  InvokeContext* context;
  size_t size;
  size_t alignment;
  void* data;
};
struct MemoryFreeArgs {
  size_t struct_size;
  InternalExtension* extension_start;
  InvokeContext* context;
  size_t size;
  void* data;
};
struct ScheduleArgs {
  size_t struct_size;
  InternalExtension* extension_start;
  InvokeContext* context;
  void (*task)(void* data);
  void* data;
};
struct ThreadCountArgs {
  size_t struct_size;
  InternalExtension* extension_start;
  InvokeContext* context;
  int64_t* threads;
};
struct FutureCreateArgs {
  size_t struct_size;
  InternalExtension* extension_start;
  Future* future;
};
struct FutureErrorArgs {
  size_t struct_size;
  InternalExtension* extension_start;
  Future* future;
  Error* error;
};
struct RunIdArgs {
  size_t struct_size;
  InternalExtension* extension_start;
  InvokeContext* context;
  int64_t run_id;
};
struct DeviceOrdinalArgs {
  size_t struct_size;
  InternalExtension* extension_start;
  InvokeContext* context;
  int32_t device_ordinal;
};
struct FindExtensionArgs {
  size_t struct_size;
  InternalExtension* extension_start;
  InvokeContext* context;
  int64_t extension_type;
  const void* extension;
};
struct CustomOptionsArgs {
  size_t struct_size;
  InternalExtension* extension_start;
  InvokeContext* context;
  const Attrs* attributes;
};

struct Api {
  size_t struct_size;
  InternalExtension* extension_start;
  ApiVersion api_version;
  const void* internal_api;

  Error* (*error_create)(ErrorCreateArgs* args);
  void (*error_details)(ErrorDetailsArgs* args);
  void (*error_destroy)(ErrorDestroyArgs* args);
  Error* (*handler_register)(HandlerRegisterArgs* args);
  Error* (*stream)(StreamArgs* args);
  Error* (*type_register)(TypeRegisterArgs* args);
  Error* (*context_get)(ContextGetArgs* args);
  Error* (*state_set)(StateArgs* args);
  Error* (*state_get)(StateArgs* args);
  Error* (*memory_allocate)(MemoryAllocateArgs* args);
  Error* (*memory_free)(MemoryFreeArgs* args);
  Error* (*schedule)(ScheduleArgs* args);
  Error* (*thread_count)(ThreadCountArgs* args);
  Error* (*future_create)(FutureCreateArgs* args);
  Error* (*future_set)(FutureErrorArgs* args);  // which has no error
  Error* (*future_set_error)(FutureErrorArgs* args);
  Error* (*run_id)(RunIdArgs* args);
  Error* (*device_ordinal)(DeviceOrdinalArgs* args);
  Error* (*find_extension)(FindExtensionArgs* args);
  Error* (*custom_options)(CustomOptionsArgs* args);
};

}  // namespace sinter::pjrt::ffi
