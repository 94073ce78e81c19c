// Linking, modules, kernels and their launches.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/status.h"
#include "cuda/driver/world.h"

namespace sinter::fake_cuda {
namespace {

constexpr std::string_view kMagic = "fake machine code\n";

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// Whether the IR of a text is known, or found among the dumps of compilations in the folder that
// SINTER_FAKE_CUDA_DUMPS names.
bool FindIr(const std::string& ptx) {
  if (emulator::DeviceIrOf(ptx).ok()) return true;
  const char* dumps = std::getenv("SINTER_FAKE_CUDA_DUMPS");
  if (dumps == nullptr) return false;
  std::error_code error;
  for (const auto& folder : std::filesystem::directory_iterator(dumps, error)) {
    if (ReadFile(folder.path() / "70-module.ptx") != ptx) continue;
    std::string ir = ReadFile(folder.path() / "60-module.ll");
    if (ir.empty()) return false;
    emulator::RegisterDeviceIr(ptx, std::move(ir));
    return true;
  }
  return false;
}

// The runnable form of PTX, made once.
std::shared_ptr<emulator::Module> CodeOf(const std::string& ptx) {
  World& w = TheWorld();
  {
    std::lock_guard lock(w.mutex);
    if (auto found = w.code.find(ptx); found != w.code.end()) return found->second;
  }
  auto ir = emulator::DeviceIrOf(ptx);
  if (!ir.ok()) return nullptr;
  auto module = emulator::Module::Load(*ir);
  std::lock_guard lock(w.mutex);
  if (!module.ok()) {
    w.kernel_error = MessageOf(module.status());
    return nullptr;
  }
  return w.code[ptx] = *std::move(module);
}

}  // namespace

Result FakeLinkCreate(unsigned count, JitOption* options, void** values, LinkHandle* link) {
  SINTER_FAKE_CUDA_ENTER(LinkCreate);
  auto made = std::make_unique<Link>();
  made->context = World::Current();
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == JitOption::kErrorLogBuffer) made->error_log = static_cast<char*>(values[i]);
    if (options[i] == JitOption::kErrorLogBytes)
      made->error_log_bytes = reinterpret_cast<size_t>(values[i]);
  }
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  *link = made.get();
  w.links[made.get()] = std::move(made);
  return Result::kSuccess;
}

Result FakeLinkAddData(LinkHandle handle, int type, void* data, size_t bytes, const char*, unsigned,
                       JitOption*, void**) {
  SINTER_FAKE_CUDA_ENTER(LinkAddData);
  auto* link = static_cast<Link*>(handle);
  const char* text = static_cast<const char*>(data);
  if (type != kJitInputPtx || bytes == 0 || text[bytes - 1] != 0) return Result::kInvalidValue;
  std::string ptx(text, bytes - 1);
  if (!FindIr(ptx)) {
    if (link->error_log != nullptr)
      std::strncpy(link->error_log, "ptxas: unknown text", link->error_log_bytes);
    return Result::kInvalidPtx;
  }
  link->ptx = std::move(ptx);
  return Result::kSuccess;
}

Result FakeLinkComplete(LinkHandle handle, void** cubin, size_t* bytes) {
  SINTER_FAKE_CUDA_ENTER(LinkComplete);
  auto* link = static_cast<Link*>(handle);
  link->cubin = std::string(kMagic) + link->ptx;
  *cubin = link->cubin.data();
  *bytes = link->cubin.size() + 1;
  return Result::kSuccess;
}

Result FakeLinkDestroy(LinkHandle link) {
  Result result = EnterDestroying(EntryPoint::kLinkDestroy);
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  return w.links.erase(static_cast<Link*>(link)) == 1 ? result : Result::kInvalidHandle;
}

Result FakeModuleLoadData(ModuleHandle* module, const void* image) {
  SINTER_FAKE_CUDA_ENTER(ModuleLoadData);
  std::string_view text(static_cast<const char*>(image));
  std::string ptx(text.starts_with(kMagic) ? text.substr(kMagic.size()) : text);
  if (!FindIr(ptx)) return text.starts_with(kMagic) ? Result::kInvalidImage : Result::kInvalidPtx;
  auto made = std::make_unique<Module>();
  made->context = World::Current();
  made->code = CodeOf(ptx);
  if (made->code == nullptr) return Result::kInvalidImage;
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  *module = made.get();
  w.modules[made.get()] = std::move(made);
  return Result::kSuccess;
}

Result FakeModuleUnload(ModuleHandle module) {
  Result result = EnterDestroying(EntryPoint::kModuleUnload);
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  return w.modules.erase(static_cast<Module*>(module)) == 1 ? result : Result::kInvalidHandle;
}

Result FakeModuleGetFunction(FunctionHandle* function, ModuleHandle handle, const char* name) {
  SINTER_FAKE_CUDA_ENTER(ModuleGetFunction);
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  auto found = w.modules.find(static_cast<Module*>(handle));
  if (found == w.modules.end()) return Result::kInvalidHandle;
  Module* module = found->first;
  auto attributes = module->code->Attributes(name);
  if (!attributes.ok()) return Result::kNotFound;
  std::unique_ptr<Function>& f = module->functions[name];
  if (f == nullptr) f = std::make_unique<Function>(Function{module, name, *attributes});
  *function = f.get();
  return Result::kSuccess;
}

Result FakeFuncGetAttribute(int* value, FunctionAttribute attribute, FunctionHandle function) {
  SINTER_FAKE_CUDA_ENTER(FuncGetAttribute);
  auto* f = static_cast<Function*>(function);
  switch (attribute) {
    case FunctionAttribute::kMaxThreadsPerBlock:
      *value = static_cast<int>(f->attributes.max_threads);
      return Result::kSuccess;
    case FunctionAttribute::kLocalBytes:
      *value = 0;
      return Result::kSuccess;
    case FunctionAttribute::kRegisters:
      *value = 32;
      return Result::kSuccess;
    case FunctionAttribute::kMaxDynamicSharedBytes:
      *value = static_cast<int>(f->max_dynamic_shared);
      return Result::kSuccess;
  }
  return Result::kInvalidValue;
}

Result FakeFuncSetAttribute(FunctionHandle function, FunctionAttribute attribute, int value) {
  SINTER_FAKE_CUDA_ENTER(FuncSetAttribute);
  if (attribute != FunctionAttribute::kMaxDynamicSharedBytes || value < 0 ||
      value > static_cast<int>(227 << 10)) {
    return Result::kInvalidValue;
  }
  static_cast<Function*>(function)->max_dynamic_shared = value;
  return Result::kSuccess;
}

Result FillKernel(Function* function, const std::array<unsigned, 3>& grid,
                  const std::array<unsigned, 3>& block, unsigned shared_bytes, void** parameters,
                  Node& node) {
  uint64_t threads = uint64_t{block[0]} * block[1] * block[2];
  uint64_t blocks = uint64_t{grid[0]} * grid[1] * grid[2];
  if (threads == 0 || blocks == 0 || grid[0] > INT32_MAX ||
      threads > function->attributes.max_threads ||
      shared_bytes > static_cast<uint64_t>(function->max_dynamic_shared)) {
    return Result::kInvalidValue;
  }
  node.code = function->module->code;
  node.function = function;
  node.launch.symbol = function->symbol;
  node.launch.grid = grid;
  node.launch.block = block;
  node.launch.shared_bytes = shared_bytes;
  node.arguments.clear();
  for (size_t i = 0; i < function->attributes.parameter_bytes.size(); ++i) {
    const char* value = static_cast<const char*>(parameters[i]);
    std::vector<char>& argument =
        node.arguments.emplace_back(value, value + function->attributes.parameter_bytes[i]);
    if (argument.size() != sizeof(DevicePointer)) continue;
    // A null pointer and a number stay what they are.
    DevicePointer p;
    std::memcpy(&p, argument.data(), sizeof p);
    if (!IsDevicePointer(p)) continue;
    char* address = HostAddress(p);
    std::memcpy(argument.data(), &address, sizeof address);
  }
  return Result::kSuccess;
}

Result Execute(const Node& node) {
  if (node.work != nullptr) return node.work();
  World& w = TheWorld();
  if (node.code == nullptr) {
    std::lock_guard lock(w.mutex);
    bool there = w.memory.Check(HostAddress(node.to), node.bytes).ok() &&
                 w.memory.Check(HostAddress(node.from), node.bytes).ok();
    if (!there) return Result::kIllegalAddress;
    std::memcpy(HostAddress(node.to), HostAddress(node.from), node.bytes);
    ++w.done.copies;
    return Result::kSuccess;
  }
  emulator::Launch launch = node.launch;
  std::vector<std::vector<char>> values = node.arguments;
  for (std::vector<char>& value : values) launch.arguments.push_back(value.data());
  {
    std::lock_guard lock(w.mutex);
    launch.seed = w.random();
  }
  absl::Status status = node.code->Run(launch, w.memory);
  std::lock_guard lock(w.mutex);
  ++w.done.launches;
  if (status.ok()) return Result::kSuccess;
  w.kernel_error = MessageOf(status);
  return Result::kIllegalAddress;
}

Result FakeLaunchKernel(FunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        StreamHandle stream, void** parameters, void** extra) {
  SINTER_FAKE_CUDA_ENTER(LaunchKernel);
  std::shared_ptr<Stream> s = StreamOf(stream);
  if (s == nullptr || function == nullptr || extra != nullptr) return Result::kInvalidHandle;
  Node node;
  Result filled = FillKernel(static_cast<Function*>(function), {grid_x, grid_y, grid_z},
                             {block_x, block_y, block_z}, shared_bytes, parameters, node);
  if (filled != Result::kSuccess) return filled;
  return Submit(*s, std::move(node));
}

}  // namespace sinter::fake_cuda
