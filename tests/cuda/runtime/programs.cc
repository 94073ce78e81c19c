#include "programs.h"

#include <chrono>
#include <thread>

#include "base/status.h"
#include "cuda/driver/fake_driver.h"
#include "fake_program.h"
#include "ir/module.h"

namespace sinter::cuda_test {
namespace {

using fake::ProgramBuilder;
using program::Slice;
using program::Step;

constexpr int kThreads = 64;
constexpr int64_t kBlocks = (kElements + kThreads - 1) / kThreads;

constexpr const char* kPtx = "// hand-made\n.version 8.0\n.target sm_90\n";
constexpr const char* kIr = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
; b1[i] = b0[i] + 1, i < n
define ptx_kernel void @add_one(ptr addrspace(1) %b0, ptr addrspace(1) %b1, i64 %n) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %m = mul i32 %c, 64
  %s = add i32 %m, %t
  %i = zext i32 %s to i64
  %ok = icmp ult i64 %i, %n
  br i1 %ok, label %body, label %end
body:
  %p0 = getelementptr float, ptr addrspace(1) %b0, i64 %i
  %p1 = getelementptr float, ptr addrspace(1) %b1, i64 %i
  %x = load float, ptr addrspace(1) %p0, align 4
  %y = fadd float %x, 1.0
  store float %y, ptr addrspace(1) %p1, align 4
  br label %end
end:
  ret void
}
; b1 = b0[0] < limit
define ptx_kernel void @less_than(ptr addrspace(1) %b0, ptr addrspace(1) %b1, i64 %limit) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ok = icmp eq i32 %t, 0
  br i1 %ok, label %body, label %end
body:
  %x = load float, ptr addrspace(1) %b0, align 4
  %l = sitofp i64 %limit to float
  %c = fcmp olt float %x, %l
  %b = zext i1 %c to i8
  store i8 %b, ptr addrspace(1) %b1, align 1
  br label %end
end:
  ret void
}
attributes #0 = { "nvvm.maxntid"="64" }
)";

const Shape kVector(ElementType::F32, {kElements});

Step Launch(int function, std::vector<Slice> buffers, int64_t blocks, int64_t dim) {
  Step step = ProgramBuilder::Launch(function, std::move(buffers), blocks, 0, {dim});
  std::get<program::Launch>(step.op).stages[0].threads = kThreads;
  return step;
}
Step AddOne(Slice from, Slice to, int64_t n = kElements) {
  return Launch(0, {from, to}, kBlocks, n);
}

void Chain(ProgramBuilder& b) {
  Slice x = b.Argument(kVector), y = b.Result(kVector);
  Slice t0 = b.Temp(kVector.byte_size()), t1 = b.Temp(kVector.byte_size());
  // Of the argument, so that a graph's copy is patched when that lies elsewhere.
  b.Add({program::Copy{x, t0}});
  for (int i = 0; i < 3; ++i) {
    b.Add(AddOne(t0, t1));
    b.Add(AddOne(t1, t0));
  }
  b.Add(AddOne(t0, t1));
  b.Add(AddOne(t1, y));
}

void Loop(ProgramBuilder& b) {
  b.Argument(kVector);
  Slice s = b.Argument(Shape(ElementType::S32, {}));
  Slice x = b.Result(kVector, 0), more = b.Temp(1);
  program::While loop;
  loop.condition = {Launch(1, {x, more}, 1, 5)};
  loop.body = {AddOne(x, x)};
  loop.predicate = more;
  b.Add({loop});
  program::Conditional pick;
  pick.selector = s;
  pick.branches = {{AddOne(x, x)}, {AddOne(x, x), AddOne(x, x)}};
  b.Add({pick});
}

void Constant(ProgramBuilder& b) {
  Slice x = b.Argument(kVector), y = b.Result(kVector);
  std::vector<float> ones(static_cast<size_t>(kElements));
  for (size_t i = 0; i < ones.size(); ++i) ones[i] = static_cast<float>(i);
  Step step = AddOne(b.Constant(*Literal::FromSpan<float>({kElements}, ones)), y);
  std::get<program::Launch>(step.op).task_bytes = 100 << 10;  // more than goes without asking
  b.Add(step);
  b.ResultFrom(kVector, x);
}

void Custom(ProgramBuilder& b) {
  Slice x = b.Argument(kVector), y = b.Result(kVector);
  Slice t0 = b.Temp(kVector.byte_size()), t1 = b.Temp(kVector.byte_size());
  b.Add(AddOne(x, t0));
  b.Add({program::CustomCall{"test.copy", "bytes", {t0}, {t1}, {kVector}, {kVector}}});
  b.Add(AddOne(t1, y));
}

}  // namespace

absl::StatusOr<api::Compiled> CompileByName(const std::string& name) {
  fake_cuda::RegisterDeviceIr(kPtx, kIr);
  ProgramBuilder b(name);
  if (name == "chain" || name == "torn") Chain(b);
  if (name == "loop") Loop(b);
  if (name == "constant") Constant(b);
  if (name == "wild") {
    Slice x = b.Argument(kVector);
    // Beyond what the client rounds allocations up to.
    b.Add(Launch(0, {x, b.Result(kVector)}, kBlocks + 4, kElements + 256));
  }
  if (name == "custom") Custom(b);
  program::Program program = b.Build(2);
  std::string ptx = name == "torn" ? ".version 99\n" : kPtx;
  program.codes[0].target = "sm_90";
  program.codes[0].object.assign(ptx.begin(), ptx.end());
  program.codes[0].symbols = {"add_one", "less_than"};
  return api::Compiled{std::move(program), {}};
}

absl::StatusOr<std::shared_ptr<Client>> MakeClient(const runtime::cuda::CudaDeviceOptions& options,
                                                   const CudaOptions& client) {
  ASSIGN_OR_RETURN(auto device, runtime::cuda::MakeCudaDevice(options));
  api::Compiler compiler;
  compiler.compile = [](const HloModule& m, const CompileOptions&, Workers&) {
    return CompileByName(m.name());
  };
  ASSIGN_OR_RETURN(auto core, api::ClientCore::Cuda({std::move(device)}, compiler, {}, client));
  return std::make_shared<Client>(std::move(core));
}

absl::StatusOr<Executable> Compile(Client& client, const std::string& name) {
  HloModule module(name);
  return client.core()->CompileModule(module, {});
}

Literal Iota(float first) {
  Literal literal(kVector);
  for (size_t i = 0; i < static_cast<size_t>(kElements); ++i)
    literal.data<float>()[i] = first + static_cast<float>(i);
  return literal;
}

absl::Status ExpectIota(const absl::StatusOr<Literal>& literal, float first) {
  if (!literal.ok()) return literal.status();
  auto data = literal->data<float>();
  for (size_t i = 0; i < data.size(); ++i) {
    if (data[i] == first + static_cast<float>(i)) continue;
    return absl::DataLossError(
        Format("element {} is {}, expected {}", i, data[i], first + static_cast<float>(i)));
  }
  return absl::OkStatus();
}

fake_cuda::Alive AliveInTheEnd() {
  fake_cuda::Alive alive;
  for (int i = 0; i < 10000; ++i) {
    alive = fake_cuda::AliveNow();
    if (alive == fake_cuda::Alive()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return alive;
}

absl::Status UseClient(Client& client) {
  ASSIGN_OR_RETURN(Executable chain, Compile(client, "chain"));
  ASSIGN_OR_RETURN(Executable loop, Compile(client, "loop"));
  ASSIGN_OR_RETURN(Executable constant, Compile(client, "constant"));
  // Twice from the same memory, then from other memory: plain, as a graph, patched.
  ASSIGN_OR_RETURN(Buffer x, client.BufferFromLiteral(Iota(0)));
  for (int i = 0; i < 3; ++i) {
    if (i == 2) {
      ASSIGN_OR_RETURN(x, client.BufferFromLiteral(Iota(0)));
    }
    ASSIGN_OR_RETURN(std::vector<Buffer> y, chain.Execute({x}));
    RETURN_IF_ERROR(ExpectIota(y[0].ToLiteral(), 8));
  }
  // An asynchronous chain with a run whose submission waits, and donation.
  ASSIGN_OR_RETURN(std::vector<Buffer> a, chain.ExecuteAsync({x}));
  ASSIGN_OR_RETURN(Buffer zero, client.BufferFromLiteral(Literal::R0<int32_t>(0)));
  ExecuteOptions keep;
  keep.keep = {0};
  ASSIGN_OR_RETURN(std::vector<Buffer> kept, loop.ExecuteAsync({x, zero}, keep));
  ASSIGN_OR_RETURN(std::vector<Buffer> b, loop.ExecuteAsync({kept[0], zero}));
  ASSIGN_OR_RETURN(std::vector<Buffer> c, chain.ExecuteAsync({b[0]}));
  RETURN_IF_ERROR(c[0].Await());
  RETURN_IF_ERROR(ExpectIota(c[0].ToLiteral(), 15));
  std::vector<float> host(static_cast<size_t>(kElements));
  RETURN_IF_ERROR(a[0].CopyToHostAsync(host.data(), kElements * 4).Wait());
  RETURN_IF_ERROR(ExpectIota(Literal::FromSpan<float>({kElements}, host), 8));
  ASSIGN_OR_RETURN(std::vector<Buffer> d, constant.Execute({x}));
  RETURN_IF_ERROR(ExpectIota(d[0].ToLiteral(), 1));
  RETURN_IF_ERROR(ExpectIota(d[1].ToLiteral(), 0));
  // More than the pinned chunks hold at a time, given for later.
  Literal large(Shape(ElementType::S32, {700001}));
  for (size_t i = 0; i < 700001; ++i) large.data<int32_t>()[i] = static_cast<int32_t>(i);
  ASSIGN_OR_RETURN(Buffer sent,
                   client.BufferFromHost(large.untyped_data(), large.shape(),
                                         HostBufferSemantics::kImmutableUntilTransferCompletes));
  RETURN_IF_ERROR(sent.Await());
  ASSIGN_OR_RETURN(Literal back, sent.ToLiteral());
  if (!(back == large)) return absl::DataLossError("a large buffer came back changed");
  // A buffer's memory seen as the host's.
  DeviceMemoryOptions memory;
  memory.stream = reinterpret_cast<void*>(1);  // CU_STREAM_LEGACY
  ASSIGN_OR_RETURN(std::shared_ptr<const void> view, a[0].DeviceView(memory.stream));
  ASSIGN_OR_RETURN(Buffer same,
                   client.BufferFromDevice(const_cast<void*>(view.get()), a[0].shape(), memory));
  ASSIGN_OR_RETURN(std::vector<Buffer> e, chain.Execute({same}));
  RETURN_IF_ERROR(ExpectIota(e[0].ToLiteral(), 16));
  ProfileOptions limits;
  limits.bytes_per_second = limits.operations_per_second = 1e9;
  ASSIGN_OR_RETURN(Profile profile, loop.Profile({x, zero}, limits));
  RETURN_INTERNAL_IF(profile.steps.empty(), "a profile without steps");
  client.memory_stats();
  client.TrimMemory();
  ASSIGN_OR_RETURN(double milliseconds,
                   client.core()->cuda(0)->Time([] { return absl::OkStatus(); }));
  RETURN_INTERNAL_IF(milliseconds < 0, "time runs backwards");
  return absl::OkStatus();
}

}  // namespace sinter::cuda_test
