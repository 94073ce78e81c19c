// The PJRT C API, version 0.114, as C declarations: what libsinter_pjrt.so exports, and what any
// program needs that loads it or another plugin.
//
//   const PJRT_Api* api = ((const PJRT_Api* (*)(void))dlsym(library, "GetPjrtApi"))();
//   PJRT_Client_Create_Args args = {.struct_size = sizeof args};
//   PJRT_Error* error = api->PJRT_Client_Create(&args);
//
// Every function takes one struct, which begins with its own size and a list of extensions (null:
// none), and gives null or an error, which is the caller's to destroy. Structs and the table only
// grow: a side that is older states a smaller size. Functions may be called by several threads, on
// the same objects too, but that nothing may be used while it is destroyed.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Callers may be newer: a value that is not listed is no undefined behaviour.
#ifdef __cplusplus
#define PJRT_ENUM typedef enum : int
#else
#define PJRT_ENUM typedef enum
#endif

#define PJRT_API_MAJOR 0
#define PJRT_API_MINOR 114

// --- extensions: further tables, behind PJRT_Api::extension_start (sinter/pjrt_extensions.h)

PJRT_ENUM{
    PJRT_Extension_Type_Gpu_Custom_Call,
    PJRT_Extension_Type_Profiler,
    PJRT_Extension_Type_Custom_Partitioner,
    PJRT_Extension_Type_Stream,
    PJRT_Extension_Type_Layouts,
    PJRT_Extension_Type_FFI,
    PJRT_Extension_Type_MemoryDescriptions,
    PJRT_Extension_Type_Shardings = 19,
} PJRT_Extension_Type;

typedef struct PJRT_Extension_Base {
  size_t struct_size;
  PJRT_Extension_Type type;
  struct PJRT_Extension_Base* next;
} PJRT_Extension_Base;

typedef struct PJRT_Api_Version {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  int major_version;
  int minor_version;
} PJRT_Api_Version;

// --- objects, made and destroyed by the plugin

typedef struct PJRT_Error PJRT_Error;
typedef struct PJRT_Event PJRT_Event;
typedef struct PJRT_Client PJRT_Client;
typedef struct PJRT_Device PJRT_Device;
typedef struct PJRT_Memory PJRT_Memory;
typedef struct PJRT_DeviceDescription PJRT_DeviceDescription;
typedef struct PJRT_TopologyDescription PJRT_TopologyDescription;
typedef struct PJRT_Executable PJRT_Executable;
typedef struct PJRT_LoadedExecutable PJRT_LoadedExecutable;
typedef struct PJRT_Buffer PJRT_Buffer;
typedef struct PJRT_ExecuteContext PJRT_ExecuteContext;
typedef struct PJRT_AsyncHostToDeviceTransferManager PJRT_AsyncHostToDeviceTransferManager;
typedef struct PJRT_AsyncTrackingEvent PJRT_AsyncTrackingEvent;
typedef struct PJRT_CopyToDeviceStream PJRT_CopyToDeviceStream;
typedef struct PJRT_FulfillAliasBufferCallback PJRT_FulfillAliasBufferCallback;
typedef struct PJRT_MultiSlice_Config PJRT_MultiSlice_Config;

// What holds bytes that a function has returned, and the function that frees it.
typedef struct PJRT_SerializedExecutable PJRT_SerializedExecutable;
typedef struct PJRT_SerializedCompileOptions PJRT_SerializedCompileOptions;
typedef struct PJRT_SerializedTopology PJRT_SerializedTopology;
typedef struct PJRT_DeviceAssignmentSerialized PJRT_DeviceAssignmentSerialized;
typedef struct PJRT_Device_Attributes PJRT_Device_Attributes;
typedef void (*PJRT_SerializedExecutable_Deleter)(PJRT_SerializedExecutable* holder);
typedef void (*PJRT_CompileOptions_Deleter)(PJRT_SerializedCompileOptions* holder);
typedef void (*PJRT_SerializedTopology_Deleter)(PJRT_SerializedTopology* holder);
typedef void (*PJRT_DeviceAssignment_Deleter)(PJRT_DeviceAssignmentSerialized* holder);
typedef void (*PJRT_DeviceAttributes_Deleter)(PJRT_Device_Attributes* holder);
typedef void (*PJRT_SerializedShape_Deleter)(const char* bytes);

// --- errors

// Those of absl::StatusCode.
PJRT_ENUM{
    PJRT_Error_Code_OK,
    PJRT_Error_Code_CANCELLED,
    PJRT_Error_Code_UNKNOWN,
    PJRT_Error_Code_INVALID_ARGUMENT,
    PJRT_Error_Code_DEADLINE_EXCEEDED,
    PJRT_Error_Code_NOT_FOUND,
    PJRT_Error_Code_ALREADY_EXISTS,
    PJRT_Error_Code_PERMISSION_DENIED,
    PJRT_Error_Code_RESOURCE_EXHAUSTED,
    PJRT_Error_Code_FAILED_PRECONDITION,
    PJRT_Error_Code_ABORTED,
    PJRT_Error_Code_OUT_OF_RANGE,
    PJRT_Error_Code_UNIMPLEMENTED,
    PJRT_Error_Code_INTERNAL,
    PJRT_Error_Code_UNAVAILABLE,
    PJRT_Error_Code_DATA_LOSS,
    PJRT_Error_Code_UNAUTHENTICATED,
} PJRT_Error_Code;

typedef void (*PJRT_Error_PayloadVisitor)(const char* key, size_t key_size, const char* value,
                                          size_t value_size, void* user_arg);

// Every error begins with a pointer to its own functions, so that either side can make errors.
typedef struct PJRT_Error_FunctionTable {
  size_t struct_size;
  size_t instance_size;
  PJRT_Extension_Base* extension_start;
  void (*destroy)(PJRT_Error* error);
  void (*message)(const PJRT_Error* error, const char** message, size_t* message_size);
  PJRT_Error_Code (*get_code)(const PJRT_Error* error);
  void (*for_each_payload)(const PJRT_Error* error, PJRT_Error_PayloadVisitor visitor,
                           void* user_arg);
} PJRT_Error_FunctionTable;
struct PJRT_Error {
  const PJRT_Error_FunctionTable* vtable;
};

// Makes an error of the plugin's, for callbacks of the host's; copies the message.
typedef PJRT_Error* (*PJRT_CallbackError)(PJRT_Error_Code code, const char* message,
                                          size_t message_size);

// The callback owns the error.
typedef void (*PJRT_Event_OnReadyCallback)(PJRT_Error* error, void* user_arg);

// --- values

PJRT_ENUM{
    PJRT_NamedValue_kString, PJRT_NamedValue_kInt64, PJRT_NamedValue_kInt64List,
    PJRT_NamedValue_kFloat,  PJRT_NamedValue_kBool,
} PJRT_NamedValue_Type;

typedef struct PJRT_NamedValue {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const char* name;
  size_t name_size;
  PJRT_NamedValue_Type type;
  union {
    const char* string_value;
    int64_t int64_value;
    const int64_t* int64_array_value;
    float float_value;
    bool bool_value;
  };
  size_t value_size;  // of text and lists their length; else 1
} PJRT_NamedValue;

// Those of StableHLO, named as there.
PJRT_ENUM{
    PJRT_Buffer_Type_INVALID,
    PJRT_Buffer_Type_PRED,
    PJRT_Buffer_Type_S8,
    PJRT_Buffer_Type_S16,
    PJRT_Buffer_Type_S32,
    PJRT_Buffer_Type_S64,
    PJRT_Buffer_Type_U8,
    PJRT_Buffer_Type_U16,
    PJRT_Buffer_Type_U32,
    PJRT_Buffer_Type_U64,
    PJRT_Buffer_Type_F16,
    PJRT_Buffer_Type_F32,
    PJRT_Buffer_Type_F64,
    PJRT_Buffer_Type_BF16,
    PJRT_Buffer_Type_C64,
    PJRT_Buffer_Type_C128,
    PJRT_Buffer_Type_F8E5M2,
    PJRT_Buffer_Type_F8E4M3FN,
    PJRT_Buffer_Type_F8E4M3B11FNUZ,
    PJRT_Buffer_Type_F8E5M2FNUZ,
    PJRT_Buffer_Type_F8E4M3FNUZ,
    PJRT_Buffer_Type_S4,
    PJRT_Buffer_Type_U4,
    PJRT_Buffer_Type_TOKEN,
    PJRT_Buffer_Type_S2,
    PJRT_Buffer_Type_U2,
    PJRT_Buffer_Type_F8E4M3,
    PJRT_Buffer_Type_F8E3M4,
    PJRT_Buffer_Type_F8E8M0FNU,
    PJRT_Buffer_Type_F4E2M1FN,
    PJRT_Buffer_Type_S1,
    PJRT_Buffer_Type_U1,
    PJRT_Buffer_Type_F6E2M3FN,
    PJRT_Buffer_Type_F6E3M2FN,
} PJRT_Buffer_Type;

typedef struct PJRT_ShapeSpec {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const int64_t* dims;
  size_t num_dims;
  PJRT_Buffer_Type element_type;
} PJRT_ShapeSpec;

// Until when the host leaves memory alone that it gives, and who may write to it: as
// sinter::HostBufferSemantics (sinter/options.h).
PJRT_ENUM{
    PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
    PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes,
    PJRT_HostBufferSemantics_kImmutableZeroCopy,
    PJRT_HostBufferSemantics_kMutableZeroCopy,
} PJRT_HostBufferSemantics;

// The order of an array in memory: dimensions from minor to major with tiles of them (`tile_dims`
// is all tiles one after another, `tile_dim_sizes` how many dimensions each has), or the distance
// in bytes along each dimension, which may be negative.
PJRT_ENUM{
    PJRT_Buffer_MemoryLayout_Type_Tiled,
    PJRT_Buffer_MemoryLayout_Type_Strides,
} PJRT_Buffer_MemoryLayout_Type;

typedef struct PJRT_Buffer_MemoryLayout_Tiled {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const int64_t* minor_to_major;
  size_t minor_to_major_size;
  const int64_t* tile_dims;
  const size_t* tile_dim_sizes;
  size_t num_tiles;
} PJRT_Buffer_MemoryLayout_Tiled;

typedef struct PJRT_Buffer_MemoryLayout_Strides {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const int64_t* byte_strides;
  size_t num_byte_strides;
} PJRT_Buffer_MemoryLayout_Strides;

typedef struct PJRT_Buffer_MemoryLayout {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  union {
    PJRT_Buffer_MemoryLayout_Tiled tiled;
    PJRT_Buffer_MemoryLayout_Strides strides;
  };
  PJRT_Buffer_MemoryLayout_Type type;
} PJRT_Buffer_MemoryLayout;

// Every memory begins with a pointer to functions by which the host keeps data of its own with it.
typedef struct PJRT_Memory_FunctionTable {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  size_t instance_struct_size;
  void* (*get_user_data)(PJRT_Memory* memory, const void* key);
  void (*set_user_data)(PJRT_Memory* memory, const void* key, void* data, void (*dtor)(void*));
} PJRT_Memory_FunctionTable;
struct PJRT_Memory {
  const PJRT_Memory_FunctionTable* vtable;
};

// --- callbacks of the host's key-value store, by which processes of one program find each other

typedef void (*PJRT_KeyValueGetCallback_ValueDeleter)(char* value);
typedef struct PJRT_KeyValueGetCallback_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const char* key;
  size_t key_size;
  int timeout_in_ms;
  PJRT_CallbackError* callback_error;
  void* user_arg;
  char* value;
  size_t value_size;
  PJRT_KeyValueGetCallback_ValueDeleter value_deleter_callback;
} PJRT_KeyValueGetCallback_Args;
typedef PJRT_Error* (*PJRT_KeyValueGetCallback)(PJRT_KeyValueGetCallback_Args* args);

typedef struct PJRT_KeyValueTryGetCallback_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const char* key;
  size_t key_size;
  PJRT_CallbackError* callback_error;
  void* user_arg;
  char* value;
  size_t value_size;
  PJRT_KeyValueGetCallback_ValueDeleter value_deleter_callback;
} PJRT_KeyValueTryGetCallback_Args;
typedef PJRT_Error* (*PJRT_KeyValueTryGetCallback)(PJRT_KeyValueTryGetCallback_Args* args);

typedef struct PJRT_KeyValuePutCallback_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const char* key;
  size_t key_size;
  const char* value;
  size_t value_size;
  PJRT_CallbackError* callback_error;
  void* user_arg;
} PJRT_KeyValuePutCallback_Args;
typedef PJRT_Error* (*PJRT_KeyValuePutCallback)(PJRT_KeyValuePutCallback_Args* args);

typedef struct PJRT_ProcessInfo {
  size_t struct_size;
  int task_id;
  uint64_t incarnation_id;
  int state;
  int error_code;
  const char* error_message;
  size_t error_message_size;
} PJRT_ProcessInfo;

// --- programs and runs

// `format` is "mlir" (text or bytecode), "hlo" or "hlo_with_config" (protocol buffers).
typedef struct PJRT_Program {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  char* code;
  size_t code_size;
  const char* format;
  size_t format_size;
} PJRT_Program;

typedef struct PJRT_LoadOptions {
  size_t struct_size;
  const int32_t* computation_origin;
  size_t computation_origin_size;
  PJRT_MultiSlice_Config* multi_slice_config;
} PJRT_LoadOptions;

typedef struct PJRT_LogicalDeviceIds {
  int replica;
  int partition;
} PJRT_LogicalDeviceIds;

// The callee calls the deleter.
typedef struct PJRT_Chunk {
  void* data;
  size_t size;
  void (*deleter)(void* data, void* deleter_arg);
  void* deleter_arg;
} PJRT_Chunk;

typedef PJRT_Error* (*PJRT_SendCallback)(PJRT_Chunk* chunk, PJRT_CallbackError* callback_error,
                                         size_t total_size_in_bytes, bool done, void* user_arg);
typedef void (*PJRT_RecvCallback)(PJRT_CopyToDeviceStream* stream, void* user_arg);
typedef struct PJRT_SendCallbackInfo {
  int64_t channel_id;
  void* user_arg;
  PJRT_SendCallback send_callback;
} PJRT_SendCallbackInfo;
typedef struct PJRT_RecvCallbackInfo {
  int64_t channel_id;
  void* user_arg;
  PJRT_RecvCallback recv_callback;
} PJRT_RecvCallbackInfo;
typedef struct PJRT_HloOutputCallbackInfo PJRT_HloOutputCallbackInfo;

typedef struct PJRT_ExecuteOptions {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_SendCallbackInfo** send_callbacks;  // a list for each device
  PJRT_RecvCallbackInfo** recv_callbacks;
  size_t num_send_ops;
  size_t num_recv_ops;
  int launch_id;  // 0: none
  // Arguments that this run must not consume.
  const int64_t* non_donatable_input_indices;
  size_t num_non_donatable_input_indices;
  PJRT_ExecuteContext* context;
  const char* call_location;  // "file:line" of the host's program, for messages
  size_t num_tasks;
  int* task_ids;
  int64_t* incarnation_ids;
  PJRT_MultiSlice_Config* multi_slice_config;
  bool use_major_to_minor_data_layout_for_callbacks;
  PJRT_HloOutputCallbackInfo* hlo_output_callbacks;
  size_t num_hlo_output_callbacks;
} PJRT_ExecuteOptions;

// --- what buffers call back and are called back with

typedef void (*PJRT_OnDeleteCallback)(void* device_buffer_ptr, void* user_arg);

typedef struct PJRT_Buffer_CopyRawToHostFuture_Callback_Args {
  size_t struct_size;
  void* callback_data;
  PJRT_Error_Code error_code;
  const char* error_message;
  size_t error_message_size;
  void* dst;
} PJRT_Buffer_CopyRawToHostFuture_Callback_Args;
typedef void (*PJRT_CopyRawToHostFuture_Callback)(
    PJRT_Buffer_CopyRawToHostFuture_Callback_Args* args);

typedef struct PJRT_Buffer_DonateWithControlDependency_Callback_Args {
  size_t struct_size;
  void* callback_data;
  PJRT_Error_Code error_code;
  const char* error_message;
  size_t error_message_size;
} PJRT_Buffer_DonateWithControlDependency_Callback_Args;
typedef void (*PJRT_DonateWithControlDependency_Callback)(
    PJRT_Buffer_DonateWithControlDependency_Callback_Args* args);

// --- the functions: PJRT_Event_IsReady takes a PJRT_Event_IsReady_Args, and so on

#define PJRT_NONE
#define PJRT_IN(type, name) type name;
#define PJRT_OUT(type, name) type name;
#define PJRT_IN_OUT(type, name) type name;
#define PJRT_LATER_IN(type, name) type name;
#define PJRT_LATER_OUT(type, name) type name;

#define PJRT_ARGUMENTS(slot, fields)      \
  typedef struct PJRT_##slot##_Args {     \
    size_t struct_size;                   \
    PJRT_Extension_Base* extension_start; \
    fields                                \
  } PJRT_##slot##_Args;
#define PJRT_SLOT(slot, fields) \
  PJRT_ARGUMENTS(slot, fields)  \
  typedef PJRT_Error* PJRT_##slot(PJRT_##slot##_Args* args);
#define PJRT_VOID_SLOT(slot, fields) \
  PJRT_ARGUMENTS(slot, fields)       \
  typedef void PJRT_##slot(PJRT_##slot##_Args* args);
#include "sinter/pjrt_slots.inc"
#undef PJRT_ARGUMENTS

typedef struct PJRT_Api {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Api_Version pjrt_api_version;
#define PJRT_SLOT(slot, fields) PJRT_##slot* PJRT_##slot;
#define PJRT_VOID_SLOT(slot, fields) PJRT_##slot* PJRT_##slot;
#include "sinter/pjrt_slots.inc"
} PJRT_Api;

// What a plugin exports. The table lives as long as the plugin is loaded.
const PJRT_Api* GetPjrtApi(void);

#ifdef __cplusplus
}
#endif
