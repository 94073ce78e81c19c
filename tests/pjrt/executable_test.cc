// Compilation, runs, serialization, and what executables tell.
#include <cstring>
#include <map>

#include "plugin.h"

namespace sinter::plugin_test {
namespace {

std::string CompileError(std::string_view text, const char* format = "mlir",
                         std::string_view options = "") {
  TestClient client;
  auto program = Make<PJRT_Program>();
  program.code = const_cast<char*>(text.data());
  program.code_size = text.size();
  program.format = format;
  program.format_size = std::strlen(format);
  auto compile = Make<PJRT_Client_Compile_Args>();
  compile.client = client.get();
  compile.program = &program;
  compile.compile_options = options.data();
  compile.compile_options_size = options.size();
  const std::string error = TextOf(Api()->PJRT_Client_Compile(&compile));
  if (error.empty()) Destroy(compile.executable);
  return error;
}

TEST_CASE("axpy runs, short and long") {
  TestClient client;
  for (int64_t size : {16, 1 << 20}) {
    PJRT_LoadedExecutable* f = client.Compile(Axpy(size));
    std::vector<float> a(static_cast<size_t>(size)), b(a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<float>(i % 100);
      b[i] = 1;
    }
    PJRT_Buffer *x = client.Vector(a), *y = client.Vector(b);
    PJRT_Event* done = nullptr;
    RunOptions options;
    options.done = &done;
    PJRT_Buffer* z = Run(f, {x, y}, 1, options)[0];
    Await(done);
    Await(CALL(Buffer_ReadyEvent, args.buffer = z).event);
    const std::vector<float> values = ValuesOf(z);
    REQUIRE(values.size() == a.size());
    CHECK(values[7] == 15);
    CHECK(values.back() == 2 * a.back() + 1);
    for (PJRT_Buffer* buffer : {x, y, z}) Destroy(buffer);
    Destroy(f);
  }
}

TEST_CASE("a program without arguments and results has an event") {
  TestClient client;
  PJRT_LoadedExecutable* f = client.Compile("func.func @main() { return }");
  PJRT_Event* done = nullptr;
  RunOptions options;
  options.done = &done;
  CHECK(Run(f, {}, 0, options).empty());
  Await(done);
  Destroy(f);
}

TEST_CASE("donated arguments are consumed, unless the run keeps them") {
  TestClient client;
  PJRT_LoadedExecutable* f = client.Compile(Axpy(64, " {tf.aliasing_output = 0 : i32}"));
  const std::vector<float> ones(64, 1);
  PJRT_Buffer *x = client.Vector(ones), *y = client.Vector(ones);
  const uintptr_t address = CALL(Buffer_UnsafePointer, args.buffer = y).buffer_pointer;
  RunOptions keep;
  keep.keep = {1};
  PJRT_Buffer* kept = Run(f, {x, y}, 1, keep)[0];
  CHECK_FALSE(CALL(Buffer_IsDeleted, args.buffer = y).is_deleted);
  PJRT_Buffer* z = Run(f, {x, y})[0];
  CHECK(CALL(Buffer_IsDeleted, args.buffer = y).is_deleted);
  CHECK(CALL(Buffer_UnsafePointer, args.buffer = z).buffer_pointer == address);
  CHECK(ValuesOf(z) == std::vector<float>(64, 3));
  std::string error;
  RunOptions fails;
  fails.error = &error;
  Run(f, {x, y}, 1, fails);
  CHECK(error.find("INVALID_ARGUMENT") == 0);
  CHECK(error.find("donated") != std::string::npos);
  fails.keep = {9};
  Run(f, {x, x}, 1, fails);
  CHECK(error.find("names argument 9 of 2") != std::string::npos);
  for (PJRT_Buffer* b : {x, y, z, kept}) Destroy(b);
  Destroy(f);
}

TEST_CASE("runs refuse what does not fit") {
  TestClient client, other;
  PJRT_LoadedExecutable* f = client.Compile(Axpy(2));
  PJRT_Buffer *x = client.Vector({1, 2}), *wrong = client.Vector({1, 2, 3}),
              *foreign = other.Vector({1, 2});
  std::string error;
  RunOptions fails;
  fails.error = &error;
  Run(f, {x}, 1, fails);
  CHECK(error.find("expected 2 arguments, given 1") != std::string::npos);
  Run(f, {x, wrong}, 1, fails);
  CHECK(error.find("expected f32[2], given f32[3]") != std::string::npos);
  Run(f, {x, foreign}, 1, fails);
  CHECK(error.find("belongs to another client") != std::string::npos);
  Run(f, {x, nullptr}, 1, fails);
  CHECK(error.find("argument 1 is null") != std::string::npos);

  PJRT_Buffer* const* arguments = nullptr;
  PJRT_Buffer* out = nullptr;
  PJRT_Buffer** outs = &out;
  auto options = Make<PJRT_ExecuteOptions>();
  auto execute = [&](auto change) {
    return ERROR_OF(LoadedExecutable_Execute, args.executable = f; args.options = &options;
                    args.argument_lists = &arguments; args.num_devices = 1;
                    args.output_lists = &outs; change(args));
  };
  CHECK(execute([](auto& args) { args.options = nullptr; }).find("no options") !=
        std::string::npos);
  CHECK(execute([](auto& args) { args.num_devices = 2; }).find("2 devices are given") !=
        std::string::npos);
  CHECK(execute([](auto& args) { args.num_args = 2; }).find("no arguments") != std::string::npos);
  CHECK(execute([](auto& args) { args.output_lists = nullptr; }).find("no room for results") !=
        std::string::npos);
  CHECK(execute([&](auto& args) {
          args.execute_device = other.device();
        }).find("the device belongs to another client") != std::string::npos);
  CHECK(execute([](auto& args) { args.options->num_send_ops = 1; }) ==
        "INVALID_ARGUMENT: PJRT_ExecuteOptions: no callbacks of send for device 0");
  options.num_send_ops = 0;
  CHECK(execute([](auto& args) {
          args.options->struct_size = 8;
        }).find("PJRT_ExecuteOptions: struct_size is 8") != std::string::npos);
  options.struct_size = sizeof options;
  options.call_location = "model.py:17";
  CHECK(execute([](auto&) {}).find("INVALID_ARGUMENT: model.py:17: ") == 0);
  for (PJRT_Buffer* b : {x, wrong, foreign}) Destroy(b);
  Destroy(f);
}

TEST_CASE("compile errors are of the program") {
  CHECK(CompileError("module {").find("INVALID_ARGUMENT: program:1:9") == 0);
  CHECK(CompileError("x", "spir-v") ==
        "INVALID_ARGUMENT: program format spir-v; there are mlir, hlo and hlo_with_config");
  CHECK(CompileError("\n\x05jit_f", "hlo") ==
        "INVALID_ARGUMENT: HloModuleProto: an HloModuleProto without computations");
  // A module c1 whose only instruction, i1, is a parameter f32[]; then the same beside a
  // configuration.
  const std::string module(
      "\x1a\x1a\x12\x14\x12\x09parameter\x1a\x02\x10\x0b\x98\x02\x01\x48\x00\x28\x01\x30\x01\x30"
      "\x01",
      30);
  CHECK(CompileError(module, "hlo") == "");
  CHECK(CompileError("\x0a\x1e" + module, "hlo_with_config") == "");
  CHECK(CompileError("HloModule m\nENTRY e { ROOT x = f32[] parameter(0) }", "hlo") == "");
  TestClient client;
  CHECK(ERROR_OF(Client_Compile, args.client = client.get()) ==
        "INVALID_ARGUMENT: there is no program");
}

TEST_CASE("compile options are honoured or refused by name") {
  const std::string f = Axpy(2);
  CHECK(CompileError(f, "mlir", "\x1a\x02\x20\x02") ==
        "INVALID_ARGUMENT: device 1: the client has 1");
  CHECK(CompileError(f, "mlir", "\x1a\x02\x28\x03") ==
        "INVALID_ARGUMENT: device 1: the client has 1");
  CHECK(CompileError(f, "mlir", "\x1a\x7f") ==
        "INVALID_ARGUMENT: no protocol buffer: a field is longer than its message");
  // env_option_overrides["sinter_isa"] = "z80", ["sinter_colour"], ["xla_of_others"]
  CHECK(CompileError(f, "mlir", "\x3a\x13\x0a\x0asinter_isa\x12\x05\x0a\x03z80").find("z80") !=
        std::string::npos);
  CHECK(CompileError(f, "mlir", "\x3a\x13\x0a\x0dsinter_colour\x12\x02\x10\x01")
            .find("UNIMPLEMENTED: compile option sinter_colour") == 0);
  CHECK(CompileError(f, "mlir", "\x3a\x13\x0a\x0dxla_of_others\x12\x02\x10\x01") == "");
  CHECK(CompileError(f, "mlir", "\x3a\x0c\x0a\x06nobody\x12\x02\x10\x01")
            .find("No such compile option: 'nobody'") != std::string::npos);
}

TEST_CASE("executables tell what they are") {
  TestClient client;
  const std::string text = Axpy(4);
  PJRT_LoadedExecutable* loaded = client.Compile(text, std::string_view("\x10\x00", 2));
  PJRT_Executable* e =
      CALL(LoadedExecutable_GetExecutable, args.loaded_executable = loaded).executable;
  CHECK(CALL(Executable_Name, args.executable = e).executable_name_size > 0);
  CHECK(CALL(Executable_NumReplicas, args.executable = e).num_replicas == 1);
  CHECK(CALL(Executable_NumPartitions, args.executable = e).num_partitions == 1);
  CHECK(CALL(Executable_NumOutputs, args.executable = e).num_outputs == 1);
  CHECK(CALL(Executable_SizeOfGeneratedCodeInBytes, args.executable = e).size_in_bytes > 0);
  const auto types = CALL(Executable_OutputElementTypes, args.executable = e);
  REQUIRE(types.num_output_types == 1);
  CHECK(types.output_types[0] == PJRT_Buffer_Type_F32);
  const auto dims = CALL(Executable_OutputDimensions, args.executable = e);
  REQUIRE(dims.num_outputs == 1);
  CHECK(dims.dim_sizes[0] == 1);
  CHECK(dims.dims[0] == 4);
  const auto kinds = CALL(Executable_OutputMemoryKinds, args.executable = e);
  REQUIRE(kinds.num_outputs == 1);
  CHECK(std::string(kinds.memory_kinds[0], kinds.memory_kind_sizes[0]) == "device");
  CHECK(CALL(Executable_ParameterMemoryKinds, args.executable = e).num_parameters == 2);
  const auto costs = CALL(Executable_GetCostAnalysis, args.executable = e);
  std::map<std::string, float> cost;
  for (size_t i = 0; i < costs.num_properties; ++i)
    cost[costs.properties[i].name] = costs.properties[i].float_value;
  CHECK(cost["flops"] == 8);
  CHECK(cost["bytes accessed"] == 48);
  CHECK(cost["kernels"] == 1);
  const auto memory = CALL(Executable_GetCompiledMemoryStats, args.executable = e);
  CHECK(memory.argument_size_in_bytes == 32);
  CHECK(memory.output_size_in_bytes == 16);
  CHECK(memory.alias_size_in_bytes == 0);
  CHECK(memory.peak_memory_in_bytes == 48);

  auto program = Make<PJRT_Program>();
  CALL(Executable_OptimizedProgram, args.executable = e; args.program = &program);
  CHECK(std::string(program.format, program.format_size) == "mlir");
  std::string code(program.code_size, '\0');
  program.code = code.data();
  CALL(Executable_OptimizedProgram, args.executable = e; args.program = &program);
  CHECK(code.starts_with("module @"));
  CHECK(code.find("stablehlo.multiply") != std::string::npos);
  program.code_size = 3;
  CHECK(ERROR_OF(Executable_OptimizedProgram, args.executable = e; args.program = &program)
            .find("there is room for 3") != std::string::npos);

  auto options = CALL(Executable_GetCompileOptions, args.executable = e);
  CHECK(std::string(options.serialized_bytes, options.serialized_bytes_size) ==
        std::string("\x10\x00", 2));
  options.serialized_compile_options_deleter(options.serialized_compile_options);

  CHECK(
      CALL(LoadedExecutable_AddressableDevices, args.executable = loaded).num_addressable_devices ==
      1);
  const auto ids = CALL(LoadedExecutable_AddressableDeviceLogicalIds, args.executable = loaded);
  CHECK(ids.num_addressable_device_logical_ids == 1);
  auto assignment = CALL(LoadedExecutable_GetDeviceAssignment, args.executable = loaded);
  CHECK(std::string(assignment.serialized_bytes, assignment.serialized_bytes_size) ==
        std::string("\x08\x01\x10\x01\x1a\x03\x0a\x01\x00", 9));
  assignment.serialized_device_assignment_deleter(assignment.serialized_device_assignment);

  const auto fingerprint = CALL(Executable_Fingerprint, args.executable = e);
  CHECK(std::string(fingerprint.executable_fingerprint) ==
        CALL(LoadedExecutable_Fingerprint, args.executable = loaded).executable_fingerprint);
  PJRT_LoadedExecutable* another = client.Compile(Axpy(5));
  CHECK(std::string(fingerprint.executable_fingerprint) !=
        CALL(LoadedExecutable_Fingerprint, args.executable = another).executable_fingerprint);
  Destroy(another);
  CALL(Executable_Destroy, args.executable = e);
  Destroy(loaded);
}

TEST_CASE("a serialized executable is loaded again") {
  TestClient client;
  PJRT_LoadedExecutable* loaded = client.Compile(Axpy(2));
  PJRT_Executable* e =
      CALL(LoadedExecutable_GetExecutable, args.loaded_executable = loaded).executable;
  auto bytes = CALL(Executable_Serialize, args.executable = e);
  Destroy(loaded);
  CALL(Executable_Destroy, args.executable = e);
  TestClient other;
  const std::string copy(bytes.serialized_bytes, bytes.serialized_bytes_size);
  bytes.serialized_executable_deleter(bytes.serialized_executable);
  auto load = [&](std::string_view text) {
    auto args = Make<PJRT_Executable_DeserializeAndLoad_Args>();
    args.client = other.get();
    args.serialized_executable = text.data();
    args.serialized_executable_size = text.size();
    const std::string error = TextOf(Api()->PJRT_Executable_DeserializeAndLoad(&args));
    return std::make_pair(args.loaded_executable, error);
  };
  PJRT_LoadedExecutable* again = load(copy).first;
  REQUIRE(again != nullptr);
  PJRT_Buffer* x = other.Vector({1, 2});
  PJRT_Buffer* y = Run(again, {x, x})[0];
  CHECK(ValuesOf(y) == std::vector<float>{3, 6});
  Destroy(y);
  Destroy(again);
  // Nothing is compiled: the program need not even be one.
  std::string broken = copy;
  const size_t program = broken.rfind("func.func");
  REQUIRE(program != std::string::npos);
  broken[program] = '!';
  again = load(broken).first;
  REQUIRE(again != nullptr);
  y = Run(again, {x, x})[0];
  CHECK(ValuesOf(y) == std::vector<float>{3, 6});
  Destroy(x);
  Destroy(y);
  Destroy(again);
  // Without code that this build can take it is compiled.
  std::string foreign = copy;
  const size_t build = foreign.find("sinter image");
  REQUIRE(build != std::string::npos);
  foreign[build + 21] ^= 1;
  again = load(foreign).first;
  REQUIRE(again != nullptr);
  Destroy(again);
  foreign[program] = '!';
  CHECK(load(foreign).second.find("INVALID_ARGUMENT") == 0);
  CHECK(load("").second.find("INVALID_ARGUMENT: the bytes are no executable") == 0);
  // Whatever is cut off, it is an error or a program.
  for (size_t size = 0; size < copy.size(); ++size) CHECK(load(copy.substr(0, size)).second != "");
}

TEST_CASE("a deleted executable refuses to run") {
  TestClient client;
  PJRT_LoadedExecutable* f = client.Compile(Axpy(2));
  CHECK_FALSE(CALL(LoadedExecutable_IsDeleted, args.executable = f).is_deleted);
  CALL(LoadedExecutable_Delete, args.executable = f);
  CHECK(CALL(LoadedExecutable_IsDeleted, args.executable = f).is_deleted);
  PJRT_Buffer* x = client.Vector({1, 2});
  std::string error;
  RunOptions fails;
  fails.error = &error;
  Run(f, {x, x}, 1, fails);
  CHECK(error == "INVALID_ARGUMENT: the executable has been deleted");
  CHECK(ERROR_OF(LoadedExecutable_GetExecutable, args.loaded_executable = f) == error);
  Destroy(x);
  Destroy(f);
}

}  // namespace
}  // namespace sinter::plugin_test
