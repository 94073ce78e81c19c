#include "cuda/kernels/differential.h"

#include <cmath>
#include <cstring>
#include <map>

#include "base/status.h"
#include "codegen/kernel/interpret.h"
#include "codegen/kernel/stages.h"
#include "sinter/float_types.h"

namespace sinter::emulator {
namespace {

template <class T>
double FloatAt(const uint8_t* p) {
  T x;
  std::memcpy(&x, p, sizeof x);
  return static_cast<double>(static_cast<float>(x));
}

bool Same(ElementType elem, const uint8_t* a, const uint8_t* b, double tolerance) {
  if (std::memcmp(a, b, static_cast<size_t>(ByteWidth(elem))) == 0) return true;
  if (!IsFloat(elem)) return false;
  double x = 0, y = 0;
  switch (elem) {
    case ElementType::F64:
      std::memcpy(&x, a, 8);
      std::memcpy(&y, b, 8);
      break;
    case ElementType::F32:
      x = FloatAt<float>(a), y = FloatAt<float>(b);
      break;
    case ElementType::F16:
      x = FloatAt<half>(a), y = FloatAt<half>(b);
      break;
    case ElementType::BF16:
      x = FloatAt<bfloat16>(a), y = FloatAt<bfloat16>(b);
      break;
    default:
      return false;
  }
  if (std::isnan(x) && std::isnan(y)) return true;
  return std::abs(x - y) <= tolerance * std::max({std::abs(x), std::abs(y), 1.0});
}

}  // namespace

absl::StatusOr<std::unique_ptr<CompiledKernel>> CompiledKernel::Compile(
    const kernel::Kernel& kernel, std::string_view gpu) {
  static auto* compilers = new std::map<std::string, std::unique_ptr<gpu::Compiler>, std::less<>>;
  auto found = compilers->find(gpu);
  if (found == compilers->end()) {
    ASSIGN_OR_RETURN(gpu::Target target, gpu::Target::Parse(gpu));
    ASSIGN_OR_RETURN(auto made, gpu::Compiler::Create(std::move(target)));
    found = compilers->emplace(gpu, std::move(made)).first;
  }
  gpu::Compiler* compiler = found->second.get();
  std::unique_ptr<CompiledKernel> out(new CompiledKernel(kernel));
  gpu::Artifacts artifacts;
  ASSIGN_OR_RETURN(out->compiled_, compiler->Compile({&kernel}, "test", &artifacts));
  out->ir_ = artifacts.llvm_ir;
  ASSIGN_OR_RETURN(out->module_, Module::Load(artifacts.llvm_ir));
  return out;
}

absl::Status CompiledKernel::Check(const Job& job, uint64_t seed, double tolerance) const {
  std::vector<Bytes> expected = job.buffers;
  std::vector<void*> pointers;
  for (Bytes& b : expected) pointers.push_back(b.data());
  RETURN_IF_ERROR(kernel::Interpret(kernel_, pointers, job.params));

  Memory memory;
  std::vector<void*> device;
  for (const Bytes& b : job.buffers) {
    ASSIGN_OR_RETURN(void* p, memory.Allocate(b.size()));
    if (!b.empty()) std::memcpy(p, b.data(), b.size());
    device.push_back(p);
  }
  const gpu::KernelInfo& info = compiled_.kernels[0];
  ASSIGN_OR_RETURN(auto stages, kernel::StagesOf(kernel_));
  std::vector<int64_t> params = job.params;
  for (size_t i = 0; i < stages.size(); i++) {
    const auto tasks = kernel::TasksOf(kernel_, *stages[i], params);
    RETURN_INTERNAL_IF(!tasks, "stage {} has no number of tasks", i);
    if (*tasks == 0) continue;
    Launch launch;
    launch.symbol = compiled_.code.symbols[static_cast<size_t>(info.stages[i].function)];
    launch.grid[0] = static_cast<uint32_t>(*tasks);
    launch.block[0] = static_cast<uint32_t>(info.threads);
    launch.shared_bytes = static_cast<size_t>(info.task_bytes);
    for (void*& p : device) launch.arguments.push_back(&p);
    for (int64_t& d : params) launch.arguments.push_back(&d);
    launch.seed = seed + i;
    RETURN_IF_ERROR(module_->Run(launch, memory));
  }
  size_t at = 0;
  for (const kernel::Buffer& b : kernel_.buffers) {
    if (b.space != kernel::Space::kArgument && b.space != kernel::Space::kScratch) continue;
    const auto width = static_cast<size_t>(ByteWidth(b.elem));
    const auto* got = static_cast<const uint8_t*>(device[at]);
    for (size_t i = 0; i + width <= expected[at].size(); i += width) {
      if (Same(b.elem, got + i, expected[at].data() + i, tolerance)) continue;
      uint64_t bits[2] = {0, 0};
      std::memcpy(&bits[0], got + i, width);
      std::memcpy(&bits[1], expected[at].data() + i, width);
      return Internal("wrong value: buffer {} element {}: {:#x}, expected {:#x}", b.name, i / width,
                      bits[0], bits[1]);
    }
    at++;
  }
  return absl::OkStatus();
}

}  // namespace sinter::emulator
