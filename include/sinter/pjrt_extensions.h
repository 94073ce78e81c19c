// Extensions of the PJRT C API that libsinter_pjrt.so has: tables behind PJRT_Api::extension_start.
//
//   for (const PJRT_Extension_Base* e = api->extension_start; e != NULL; e = e->next)
//     if (e->type == PJRT_Extension_Type_FFI) ffi = (const PJRT_FFI_Extension*)e;
#pragma once

#include "sinter/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- layouts (version 4): the order of arrays in memory

typedef struct PJRT_Layouts_MemoryLayout PJRT_Layouts_MemoryLayout;
typedef struct PJRT_Layouts_SerializedLayout PJRT_Layouts_SerializedLayout;

typedef struct PJRT_Layouts_MemoryLayout_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Layouts_MemoryLayout* layout;
} PJRT_Layouts_MemoryLayout_Destroy_Args;

// The bytes are text, "{1,0}": dimensions from minor to major.
typedef struct PJRT_Layouts_MemoryLayout_Serialize_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Layouts_MemoryLayout* layout;
  const char* serialized_bytes;
  size_t serialized_bytes_size;
  PJRT_Layouts_SerializedLayout* serialized_layout;
  void (*serialized_layout_deleter)(PJRT_Layouts_SerializedLayout* holder);
} PJRT_Layouts_MemoryLayout_Serialize_Args;

typedef struct PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  PJRT_Layouts_MemoryLayout* layout;
} PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args;

typedef struct PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  PJRT_Buffer_Type type;
  const int64_t* dims;
  size_t num_dims;
  PJRT_Layouts_MemoryLayout* layout;
} PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args;

typedef struct PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_TopologyDescription* topology_description;
  PJRT_Buffer_Type type;
  const int64_t* dims;
  size_t num_dims;
  PJRT_Layouts_MemoryLayout* layout;
} PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args;

// These layouts are the executable's.
typedef struct PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_outputs;
  PJRT_Layouts_MemoryLayout** layouts;
} PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args;

typedef struct PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_parameters;
  PJRT_Layouts_MemoryLayout** layouts;
} PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args;

typedef struct PJRT_Layouts_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*PJRT_Layouts_MemoryLayout_Destroy)(PJRT_Layouts_MemoryLayout_Destroy_Args* args);
  PJRT_Error* (*PJRT_Layouts_MemoryLayout_Serialize)(
      PJRT_Layouts_MemoryLayout_Serialize_Args* args);
  PJRT_Error* (*PJRT_Layouts_PJRT_Client_GetDefaultLayout)(
      PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args* args);
  PJRT_Error* (*PJRT_Layouts_PJRT_Buffer_MemoryLayout)(
      PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args* args);
  PJRT_Error* (*PJRT_Layouts_PJRT_Topology_GetDefaultLayout)(
      PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args* args);
  PJRT_Error* (*PJRT_Layouts_PJRT_Executable_GetOutputLayouts)(
      PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args* args);
  PJRT_Error* (*PJRT_Layouts_PJRT_Executable_GetParameterLayouts)(
      PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args* args);
} PJRT_Layouts_Extension;

// --- shardings (version 1): how arguments and results are spread over the partitions of a program
// that was made of one with shardings

// Serialized xla.OpSharding, one an array, which are the executable's; null where each partition
// runs the program as it was written.
typedef struct PJRT_Shardings_PJRT_Executable_ParameterShardings_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_parameters;
  const char* const* shardings;
  const size_t* sharding_sizes;
} PJRT_Shardings_PJRT_Executable_ParameterShardings_Args;

typedef struct PJRT_Shardings_PJRT_Executable_OutputShardings_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_outputs;
  const char* const* shardings;
  const size_t* sharding_sizes;
} PJRT_Shardings_PJRT_Executable_OutputShardings_Args;

typedef struct PJRT_Shardings_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*PJRT_Shardings_PJRT_Executable_ParameterShardings)(
      PJRT_Shardings_PJRT_Executable_ParameterShardings_Args* args);
  PJRT_Error* (*PJRT_Shardings_PJRT_Executable_OutputShardings)(
      PJRT_Shardings_PJRT_Executable_OutputShardings_Args* args);
} PJRT_Shardings_Extension;

// --- foreign functions (version 3): the targets of custom calls, XLA_FFI_Handlers

typedef struct PJRT_FFI_Type_Info {
  void (*deleter)(void* object);
  void (*serialize)(void);
  void (*deserialize)(void);
} PJRT_FFI_Type_Info;

// A type id of 0 is replaced by that of the name.
typedef struct PJRT_FFI_Type_Register_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const char* type_name;
  size_t type_name_size;
  int64_t type_id;
  PJRT_FFI_Type_Info* type_info;
} PJRT_FFI_Type_Register_Args;

typedef struct PJRT_FFI_UserData {
  int64_t type_id;
  void* data;
} PJRT_FFI_UserData;

// What handlers of a run with this context find under the type; it must live as long as the run.
typedef struct PJRT_FFI_UserData_Add_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_ExecuteContext* context;
  PJRT_FFI_UserData user_data;
} PJRT_FFI_UserData_Add_Args;

PJRT_ENUM{
    PJRT_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE = 1u << 0,
} PJRT_FFI_Handler_TraitsBits;

// For all clients of the plugin. Platforms are "sinter", "cpu" and "Host", which are one, and
// "CUDA".
typedef struct PJRT_FFI_Register_Handler_Args {
  size_t struct_size;
  const char* target_name;
  size_t target_name_size;
  void* handler;  // XLA_FFI_Handler*
  const char* platform_name;
  size_t platform_name_size;
  PJRT_FFI_Handler_TraitsBits traits;
} PJRT_FFI_Register_Handler_Args;

typedef struct PJRT_FFI_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*type_register)(PJRT_FFI_Type_Register_Args* args);
  PJRT_Error* (*user_data_add)(PJRT_FFI_UserData_Add_Args* args);
  PJRT_Error* (*register_handler)(PJRT_FFI_Register_Handler_Args* args);
} PJRT_FFI_Extension;

// --- foreign functions of several stages (version 3). The C API has them for GPUs alone and names
// them so; here they are targets of the host.

// Handlers other than handler_execute may be null. An api_version other than 1, a typed call, is
// UNIMPLEMENTED.
typedef struct PJRT_Gpu_Register_Custom_Call_Args {
  size_t struct_size;
  const char* function_name;
  size_t function_name_size;
  int api_version;
  void* handler_instantiate;  // XLA_FFI_Handler*
  void* handler_prepare;
  void* handler_initialize;
  void* handler_execute;
  uint32_t traits;  // means nothing here
} PJRT_Gpu_Register_Custom_Call_Args;

typedef struct PJRT_Gpu_Custom_Call {
  PJRT_Extension_Base base;
  PJRT_Error* (*custom_call)(PJRT_Gpu_Register_Custom_Call_Args* args);
  bool custom_call_handles_traits;
} PJRT_Gpu_Custom_Call;

// --- memory descriptions (version 1): the memories of a device that need not be here

typedef struct PJRT_MemoryDescription PJRT_MemoryDescription;

typedef struct PJRT_DeviceDescription_MemoryDescriptions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_DeviceDescription* device_description;
  const PJRT_MemoryDescription* const* memory_descriptions;
  size_t num_memory_descriptions;
  size_t default_memory_index;
} PJRT_DeviceDescription_MemoryDescriptions_Args;

typedef struct PJRT_MemoryDescription_Kind_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_MemoryDescription* memory_description;
  const char* kind;
  size_t kind_size;
  int kind_id;
} PJRT_MemoryDescription_Kind_Args;

typedef struct PJRT_MemoryDescriptions_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*PJRT_DeviceDescription_MemoryDescriptions)(
      PJRT_DeviceDescription_MemoryDescriptions_Args* args);
  PJRT_Error* (*PJRT_MemoryDescription_Kind)(PJRT_MemoryDescription_Kind_Args* args);
} PJRT_MemoryDescriptions_Extension;

#ifdef __cplusplus
}
#endif
