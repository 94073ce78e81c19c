#include "jit/loader.h"

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "codegen/cpu/compiler.h"
#include "codegen/kernel/builder.h"

namespace sinter::jit {
namespace {

using kernel::Builder;
using kernel::Kernel;
using kernel::LoopKind;
using kernel::Tail;
using kernel::Type;
using kernel::Value;
using kernel::Values;

// o = x + c for 64 elements.
Kernel AddConstant(double c) {
  Builder b("add");
  const std::vector<int64_t> shape{64};
  const int x = b.AddBuffer("x", ElementType::F32, shape),
            o = b.AddBuffer("o", ElementType::F32, shape);
  b.For(LoopKind::kPar, b.Int(0), b.Int(64), 16, Tail::kExact, {}, [&](Value i, const Values&) {
    Value v = b.Load(x, {{i, 0, 1}}, {ElementType::F32, 1, 16});
    b.Store(b.Add(v, b.Const(ElementType::F32, c)), o, {{i, 0, 1}});
    return Values{};
  });
  return b.Take();
}

float Run(const program::LoadedCode& code) {
  std::vector<float> x(64, 1), o(64);
  void* buffers[] = {x.data(), o.data()};
  code.functions()[0](buffers, nullptr, 0, 4, nullptr);
  for (float f : o) CHECK(f == o[0]);
  return o[0];
}

TEST_CASE("Code outlives its loader") {
  auto compiler = cpu::Compiler::Create(cpu::Target::Host().value()).value();
  const Kernel k = AddConstant(2);
  auto compiled = compiler->Compile({&k}, "k").value();
  std::shared_ptr<program::LoadedCode> code;
  {
    auto loader = CreateLoader().value();
    code = loader->Load(compiled.code).value();
  }
  CHECK(Run(*code) == 3);
}

TEST_CASE("The same code twice, and symbols of the same name") {
  auto compiler = cpu::Compiler::Create(cpu::Target::Host().value()).value();
  auto loader = CreateLoader().value();
  const Kernel a = AddConstant(2), c = AddConstant(5);
  auto first = compiler->Compile({&a}, "k").value(), second = compiler->Compile({&c}, "k").value();
  auto one = loader->Load(first.code).value(), again = loader->Load(first.code).value();
  auto other = loader->Load(second.code).value();
  CHECK(Run(*one) == 3);
  one.reset();
  CHECK(Run(*again) == 3);
  CHECK(Run(*other) == 6);
}

TEST_CASE("What is no object, or lacks a symbol, is an error") {
  auto compiler = cpu::Compiler::Create(cpu::Target::Host().value()).value();
  auto loader = CreateLoader().value();
  const Kernel k = AddConstant(2);
  auto compiled = compiler->Compile({&k}, "k").value();
  program::Code missing = compiled.code;
  missing.symbols.push_back("printf");  // nothing of the process is found
  CHECK(loader->Load(missing).status().code() == absl::StatusCode::kInternal);
  program::Code garbage = compiled.code;
  garbage.object.assign(100, 7);
  CHECK(loader->Load(garbage).status().code() == absl::StatusCode::kInternal);
  garbage.object.clear();
  CHECK(loader->Load(garbage).status().code() == absl::StatusCode::kInternal);
  CHECK(Run(*loader->Load(compiled.code).value()) == 3);
}

TEST_CASE("Threads compile and load side by side") {
  auto compiler = cpu::Compiler::Create(cpu::Target::Host().value()).value();
  auto loader = CreateLoader().value();
  std::vector<float> results(4);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < results.size(); t++) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5; i++) {
        const Kernel k = AddConstant(static_cast<double>(t));
        auto compiled = compiler->Compile({&k}, "k").value();
        auto code = loader->Load(compiled.code).value();
        std::vector<float> x(64, 1), o(64);
        void* buffers[] = {x.data(), o.data()};
        code->functions()[0](buffers, nullptr, 0, 4, nullptr);
        results[t] = o[17];
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (size_t t = 0; t < results.size(); t++) CHECK(results[t] == 1 + static_cast<float>(t));
}

}  // namespace
}  // namespace sinter::jit
