/* A program in plain C on sinter, through the PJRT C API: it loads the plugin by name, compiles
   y = 3.14 * x + y, runs it and prints the result. Any other PJRT plugin would do.

     pjrt_client libsinter_pjrt.so */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinter/pjrt_c_api.h"

static const PJRT_Api* api;

/* Ends the program with the error's message, if there is one. */
static void check(PJRT_Error* error) {
  if (error == NULL) return;
  PJRT_Error_Message_Args message = {.struct_size = sizeof message, .error = error};
  api->PJRT_Error_Message(&message);
  fprintf(stderr, "%.*s\n", (int)message.message_size, message.message);
  PJRT_Error_Destroy_Args destroy = {.struct_size = sizeof destroy, .error = error};
  api->PJRT_Error_Destroy(&destroy);
  exit(1);
}

static void await(PJRT_Event* event) {
  PJRT_Event_Await_Args wait = {.struct_size = sizeof wait, .event = event};
  check(api->PJRT_Event_Await(&wait));
  PJRT_Event_Destroy_Args destroy = {.struct_size = sizeof destroy, .event = event};
  check(api->PJRT_Event_Destroy(&destroy));
}

static PJRT_Buffer* to_device(PJRT_Client* client, PJRT_Device* device, const float* data,
                              int64_t size) {
  PJRT_Client_BufferFromHostBuffer_Args make = {
      .struct_size = sizeof make,
      .client = client,
      .data = data,
      .type = PJRT_Buffer_Type_F32,
      .dims = &size,
      .num_dims = 1,
      .host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
      .device = device};
  check(api->PJRT_Client_BufferFromHostBuffer(&make));
  await(make.done_with_host_buffer);
  return make.buffer;
}

static void destroy_buffer(PJRT_Buffer* buffer) {
  PJRT_Buffer_Destroy_Args destroy = {.struct_size = sizeof destroy, .buffer = buffer};
  check(api->PJRT_Buffer_Destroy(&destroy));
}

static char axpy[] =
    "func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %a = stablehlo.constant dense<3.14> : tensor<4xf32>\n"
    "  %0 = stablehlo.multiply %a, %x : tensor<4xf32>\n"
    "  %1 = stablehlo.add %0, %y : tensor<4xf32>\n"
    "  return %1 : tensor<4xf32>\n"
    "}\n";

int main(int argc, char** argv) {
  void* library = dlopen(argc > 1 ? argv[1] : "libsinter_pjrt.so", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const PJRT_Api* (*get)(void);
  *(void**)&get = dlsym(library, "GetPjrtApi");
  if (get == NULL) return 1;
  api = get();

  PJRT_Client_Create_Args create = {.struct_size = sizeof create};
  check(api->PJRT_Client_Create(&create));
  PJRT_Client_AddressableDevices_Args devices = {.struct_size = sizeof devices,
                                                 .client = create.client};
  check(api->PJRT_Client_AddressableDevices(&devices));
  PJRT_Device* device = devices.addressable_devices[0];

  PJRT_Program program = {.struct_size = sizeof program,
                          .code = axpy,
                          .code_size = strlen(axpy),
                          .format = "mlir",
                          .format_size = strlen("mlir")};
  PJRT_Client_Compile_Args compile = {
      .struct_size = sizeof compile, .client = create.client, .program = &program};
  check(api->PJRT_Client_Compile(&compile));

  const float x[] = {1, 2, 3, 4}, y[] = {10.5f, 20.5f, 30.5f, 40.5f};
  PJRT_Buffer* arguments[] = {to_device(create.client, device, x, 4),
                              to_device(create.client, device, y, 4)};
  PJRT_Buffer* const* argument_list = arguments;
  PJRT_Buffer* result = NULL;
  PJRT_Buffer** result_list = &result;
  PJRT_ExecuteOptions options = {.struct_size = sizeof options};
  PJRT_LoadedExecutable_Execute_Args execute = {.struct_size = sizeof execute,
                                                .executable = compile.executable,
                                                .options = &options,
                                                .argument_lists = &argument_list,
                                                .num_devices = 1,
                                                .num_args = 2,
                                                .output_lists = &result_list};
  check(api->PJRT_LoadedExecutable_Execute(&execute));

  float z[4];
  PJRT_Buffer_ToHostBuffer_Args copy = {
      .struct_size = sizeof copy, .src = result, .dst = z, .dst_size = sizeof z};
  check(api->PJRT_Buffer_ToHostBuffer(&copy));
  await(copy.event);
  printf("%.2f %.2f %.2f %.2f\n", z[0], z[1], z[2], z[3]);

  destroy_buffer(result);
  destroy_buffer(arguments[0]);
  destroy_buffer(arguments[1]);
  PJRT_LoadedExecutable_Destroy_Args unload = {.struct_size = sizeof unload,
                                               .executable = compile.executable};
  check(api->PJRT_LoadedExecutable_Destroy(&unload));
  PJRT_Client_Destroy_Args destroy = {.struct_size = sizeof destroy, .client = create.client};
  check(api->PJRT_Client_Destroy(&destroy));
  return z[0] > 13.63f && z[0] < 13.65f ? 0 : 1;
}
