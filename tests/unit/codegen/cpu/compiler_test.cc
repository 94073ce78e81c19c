#include "codegen/cpu/compiler.h"

#include <xmmintrin.h>
#include <catch2/catch.hpp>

#include "codegen/cpu/generator.h"
#include "differential.h"
#include "leaks.h"
#include "llvm/IR/IRBuilder.h"
#include "unit/codegen/kernel/samples.h"

namespace sinter::cpu::testing {
namespace {

namespace samples = kernel::samples;
using kernel::Kernel;

TEST_CASE("Levels by name") {
  CHECK(Target::Level("avx512")->vector_bytes == 64);
  CHECK(Target::Level("avx2")->Lanes(8) == 4);
  CHECK(Target::Level("avx512-bf16")->dot_bf16);
  CHECK(Target::Level("avx512-bf16")->dot_bytes);
  CHECK(Target::Level("avx2-vnni")->dot_bytes);
  CHECK_FALSE(Target::Level("avx2-vnni")->dot_bf16);
  CHECK_FALSE(Target::Level("avx512")->dot_bytes);
  for (const std::string& level : Target::Levels()) CHECK(Target::Level(level).ok());
  CHECK(Target::Level("avx512-amx")->dot_tiles);
  CHECK_FALSE(Target::Level("avx512-bf16")->dot_tiles);
  CHECK(Target::RunsLevel("avx512-amx") == Target::Host()->dot_tiles);
  for (const std::string& level : Target::RunnableLevels()) CHECK(Target::RunsLevel(level));
  CHECK_FALSE(Target::RunsLevel("avx9"));
  if (!Target::RunsLevel("avx512-bf16")) {
    CHECK_FALSE(Target::Host()->dot_bf16);
    WARN("this processor has no AVX512_BF16: dot instructions are compiled, not run");
  }
  CHECK(Target::Level("avx9").status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(Target::Level("avx2")->Key() != Target::Level("sse4.2")->Key());
}

TEST_CASE("Code for levels that this machine need not have") {
  const Kernel k = samples::Softmax();
  for (const char* level : {"sse4.2", "avx2", "avx512"}) {
    auto compiler = Compiler::Create(Target::Level(level).value());
    REQUIRE(compiler.ok());
    Artifacts artifacts;
    auto compiled = (*compiler)->Compile({&k}, "softmax", &artifacts);
    REQUIRE(compiled.ok());
    CHECK(compiled->code.symbols == std::vector<std::string>{"softmax_0_0"});
    CHECK(compiled->kernels[0].task_bytes >= 4096);
    CHECK(artifacts.llvm_ir.find("define void @softmax_0_0") != std::string::npos);
    const bool zmm = artifacts.assembly.find("%zmm") != std::string::npos;
    const bool ymm = artifacts.assembly.find("%ymm") != std::string::npos;
    CHECK(zmm == (level == std::string("avx512")));
    if (level == std::string("sse4.2")) CHECK_FALSE(ymm);
  }
}

TEST_CASE("Equal loops in branches are one function, and give what they gave") {
  kernel::Builder b("branches");
  const std::vector<int64_t> shape{64};
  const int x = b.AddBuffer("x", ElementType::F32, shape),
            y = b.AddBuffer("y", ElementType::F32, shape);
  for (const int buffer : {x, y}) b.kernel().buffers[static_cast<size_t>(buffer)].written = true;
  b.For(
      kernel::LoopKind::kPar, b.Int(0), b.Int(1), 1, kernel::Tail::kExact, {},
      [&](kernel::Value, const kernel::Values&) {
        for (const int buffer : {x, y, x}) {
          // What is in vectors around the branch has to stay.
          const kernel::Value kept = b.Load(buffer, {{b.Int(0), 0, 1}}, {ElementType::F32, 1, 16});
          const kernel::Value first = b.Load(buffer, {{b.Int(0)}}, {ElementType::F32});
          b.If(
              b.Compare(kernel::Predicate::kGt, first, b.Const(ElementType::F32, 1)),
              [&] {
                b.For(kernel::LoopKind::kSeq, b.Int(0), b.Int(64), 1, kernel::Tail::kExact, {},
                      [&](kernel::Value i, const kernel::Values&) {
                        const kernel::Value v = b.Load(buffer, {{i}}, {ElementType::F32});
                        b.Store(b.Mul(v, b.Const(ElementType::F32, 3)), buffer, {{i}});
                        return kernel::Values{};
                      });
                return kernel::Values{};
              },
              [] { return kernel::Values{}; });
          const kernel::Value now = b.Load(buffer, {{b.Int(0), 0, 1}}, {ElementType::F32, 1, 16});
          b.Store(b.Add(now, kept), buffer, {{b.Int(0), 0, 1}});
        }
        return kernel::Values{};
      });
  const Kernel k = b.Take();
  for (const Machine& machine : Machines()) {
    Artifacts artifacts;
    auto compiled = machine.compiler->Compile({&k}, "k", &artifacts);
    REQUIRE(compiled.ok());
    size_t functions = 0;
    for (size_t at = 0; (at = artifacts.llvm_ir.find("\ndefine ", at)) != std::string::npos; ++at)
      functions++;
    CHECK(functions == 2);
    auto code = TheLoader().Load(compiled->code).value();
    std::vector<float> in(64, 2), other(64, 0.5F);
    void* buffers[] = {in.data(), other.data()};
    code->functions()[0](buffers, nullptr, 0, 1, nullptr);
    CHECK(in[0] == 32);  // 2 * 3 + 2, then 8 * 3 + 8
    CHECK(in[63] == 18);
    CHECK(other[0] == 1);
    CHECK(other[63] == 0.5F);
  }
}

TEST_CASE("What LLVM would end the process for is a status") {
  const sinter::testing::MayLeak what_llvm_worked_on;
  Target target = Target::Level("sse4.2").value();
  target.cpu = "i386";
  target.features = "-64bit";
  auto compiler = Compiler::Create(target);
  REQUIRE(compiler.ok());
  const Kernel k = samples::Softmax();
  for (int i = 0; i < 2; i++) {
    const absl::Status s = (*compiler)->Compile({&k}, "k").status();
    CHECK(s.code() == absl::StatusCode::kInternal);
    CHECK_THAT(s.ToString(), Catch::Matchers::Contains("64-bit code requested"));
  }
  // Others go on.
  CHECK(Machines().back().compiler->Compile({&k}, "k").ok());
}

TEST_CASE("The same kernel gives the same bytes") {
  const Kernel k = samples::Gemm();
  auto& compiler = *Machines().back().compiler;
  auto first = compiler.Compile({&k}, "k"), second = compiler.Compile({&k}, "k");
  REQUIRE(first.ok());
  CHECK(first->code.object == second->code.object);
}

TEST_CASE("What was compiled before leaves no trace") {
  const std::vector<Kernel> kernels = {samples::Gemm(), samples::Softmax(), samples::ArgMax()};
  for (const char* level : {"sse4.2", "avx2", "avx512"}) {
    auto used = Compiler::Create(Target::Level(level).value());
    REQUIRE(used.ok());
    for (int round = 0; round < 2; round++) {
      for (const Kernel& k : kernels) {
        auto fresh = Compiler::Create(Target::Level(level).value());
        REQUIRE(fresh.ok());
        auto a = (*used)->Compile({&k}, "k"), b = (*fresh)->Compile({&k}, "k");
        REQUIRE(a.ok());
        REQUIRE(b.ok());
        CHECK(a->code.object == b->code.object);
      }
    }
  }
}

TEST_CASE("Stages, their tasks, and what they take") {
  const Kernel k = samples::SumFma();
  auto compiled = Machines().back().compiler->Compile({&k}, "k");
  REQUIRE(compiled.ok());
  const KernelInfo& info = compiled->kernels[0];
  REQUIRE(info.stages.size() == 2);
  CHECK_FALSE(info.stages[0].tasks.has_value());
  CHECK(info.stages[1].tasks == 1);
  CHECK(info.buffers == std::vector<int>{0, 1, 2, 3, 4});
  CHECK(TaskCount(k, 0, {1000, 7}).value() == 7);
  CHECK(TaskCount(k, 2, {1000, 7}).status().code() == absl::StatusCode::kInternal);
}

TEST_CASE("An object that refers to a symbol is refused") {
  auto generator = Generator::Create(Target::Level("sse4.2").value()).value();
  llvm::LLVMContext context;
  auto module = generator->NewModule(context, "m");
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  auto callee = module->getOrInsertFunction("sinf", type);
  auto* f = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", *module);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", f));
  b.CreateCall(callee);
  b.CreateRetVoid();
  auto object = generator->Generate(*module, llvm::CodeGenFileType::ObjectFile);
  REQUIRE(object.ok());
  const absl::Status status = CheckSelfContained(*object);
  CHECK(status.code() == absl::StatusCode::kInternal);
  CHECK(std::string(status.message()).find("sinf") != std::string::npos);
}

TEST_CASE("Kernels that cannot be compiled are internal errors") {
  Kernel k = samples::Softmax();
  k.lanes = 12;
  CHECK(Machines().back().compiler->Compile({&k}, "k").status().code() ==
        absl::StatusCode::kInternal);
  kernel::Builder b("no stage");
  b.For(kernel::LoopKind::kSeq, b.Int(0), b.Int(4), 1, kernel::Tail::kExact, {},
        [](kernel::Value, const kernel::Values&) { return kernel::Values{}; });
  const Kernel loop = b.Take();
  CHECK(Machines().back().compiler->Compile({&loop}, "k").status().code() ==
        absl::StatusCode::kInternal);
}

TEST_CASE("A kernel flushes denormals as its caller does, and leaves the state") {
  kernel::Builder b("denormals");
  const std::vector<int64_t> shape{16};
  const int x = b.AddBuffer("x", ElementType::F32, shape),
            o = b.AddBuffer("o", ElementType::F32, shape);
  b.For(kernel::LoopKind::kPar, b.Int(0), b.Int(1), 1, kernel::Tail::kExact, {},
        [&](kernel::Value, const kernel::Values&) {
          kernel::Value v = b.Load(x, {{b.Int(0), 0, 1}}, {ElementType::F32, 1, 16});
          b.Store(b.Mul(v, b.Const(ElementType::F32, 0.5)), o, {{b.Int(0), 0, 1}});
          return kernel::Values{};
        });
  const Kernel k = b.Take();
  auto compiled = Machines().back().compiler->Compile({&k}, "k").value();
  auto code = TheLoader().Load(compiled.code).value();
  std::vector<float> in(16, 1e-38F), out(16);
  void* buffers[] = {in.data(), out.data()};
  const unsigned before = _mm_getcsr();
  constexpr unsigned kDenormals = 0x8040u;
  for (const unsigned flushes : {0u, kDenormals}) {
    in[4] = 1e-38F;  // of which the half is denormal
    in[5] = 3e-39F;
    const unsigned host = (before & ~(0x3fu | kDenormals)) | flushes;
    _mm_setcsr(host);
    code->functions()[0](buffers, nullptr, 0, 1, nullptr);
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    CHECK((after & ~0x3fu) == host);
    CHECK(out[4] == (flushes != 0 ? 0 : 1e-38F * 0.5F));
    CHECK((out[4] == 0) == (flushes != 0));
    CHECK((out[5] == 0) == (flushes != 0));
  }
}

}  // namespace
}  // namespace sinter::cpu::testing
