// Runs a kernel on the interpreter and as machine code, at each level of instruction set that the
// machine has, and compares every byte of every buffer. Buffers end (and, in a second run, begin)
// at a page that may not be touched.
#pragma once

#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/text.h"
#include "codegen/cpu/compiler.h"
#include "codegen/cpu/target.h"
#include "codegen/kernel/interpret.h"
#include "codegen/kernel/kernel.h"
#include "codegen/kernel/text.h"
#include "codegen/kernel/verify.h"
#include "jit/loader.h"
#include "kernels/memory.h"

namespace sinter::cpu::testing {

using sinter::testing::Bytes;
using sinter::testing::Guarded;
using sinter::testing::SameElement;

template <class T>
Bytes BytesOf(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

inline size_t Width(ElementType e) { return static_cast<size_t>(ByteWidth(e)); }

// A compiler for a level, or for the host, and a loader.
struct Machine {
  std::string level;
  std::unique_ptr<Compiler> compiler;
};

inline std::vector<Machine>& Machines() {
  static std::vector<Machine>* machines = [] {
    auto* all = new std::vector<Machine>;
    for (const std::string& level : Target::RunnableLevels()) {
      auto compiler = Compiler::Create(Target::Level(level).value());
      REQUIRE(compiler.ok());
      all->push_back({level, std::move(compiler).value()});
    }
    auto host = Compiler::Create(Target::Host().value());
    REQUIRE(host.ok());
    all->push_back({"host", std::move(host).value()});
    return all;
  }();
  return *machines;
}

inline program::Loader& TheLoader() {
  static program::Loader* loader = jit::CreateLoader().value().release();
  return *loader;
}

struct Job {
  const kernel::Kernel* kernel;
  std::vector<Bytes> buffers;  // of arguments and scratch, as they are before
  std::vector<int64_t> params;
};

inline std::string Describe(ElementType elem, const uint8_t* p) {
  uint64_t bits = 0;
  std::memcpy(&bits, p, static_cast<size_t>(ByteWidth(elem)));
  std::string text = Format("{:#x}", bits);
  if (elem == ElementType::F32) {
    float f;
    std::memcpy(&f, p, 4);
    text += Format(" = {}", f);
  }
  return text;
}

// Runs all stages of a compiled kernel, each in two pieces.
inline void RunStages(const kernel::Kernel& kernel, const Compiled& compiled,
                      const program::LoadedCode& code, const std::vector<void*>& buffers,
                      const std::vector<int64_t>& params) {
  const KernelInfo& info = compiled.kernels[0];
  std::vector<uint8_t> scratch(static_cast<size_t>(info.task_bytes) + 64, 0xcd);
  void* aligned = scratch.data() + (64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64) % 64;
  for (size_t i = 0; i < info.stages.size(); i++) {
    const int64_t tasks = TaskCount(kernel, static_cast<int>(i), params).value();
    if (info.stages[i].tasks) CHECK(*info.stages[i].tasks == tasks);
    auto function = code.functions()[static_cast<size_t>(info.stages[i].function)];
    const int64_t middle = tasks / 3;
    function(buffers.data(), params.data(), middle, tasks, aligned);
    function(buffers.data(), params.data(), 0, middle, aligned);
  }
}

// Kernels as code for each machine. That of the last kernel is cached: tests run one kernel on much
// data.
struct Loaded {
  Compiled compiled;
  std::shared_ptr<program::LoadedCode> code;
};
inline const std::vector<Loaded>& CodeOf(const kernel::Kernel& kernel) {
  static std::string text;
  static std::vector<Loaded> loaded;
  const std::string now = kernel::Print(kernel);
  if (now == text) return loaded;
  text.clear();
  loaded.clear();
  for (const Machine& machine : Machines()) {
    INFO("level " << machine.level);
    auto compiled = machine.compiler->Compile({&kernel}, "test");
    if (!compiled.ok()) FAIL(compiled.status().ToString() << "\n" << now);
    auto code = TheLoader().Load(compiled->code);
    if (!code.ok()) FAIL(code.status().ToString());
    loaded.push_back({std::move(compiled).value(), std::move(code).value()});
  }
  text = now;
  return loaded;
}

// Where set, what Differential does instead: the tests of this folder are built for other targets
// too.
inline void (*other_target)(const Job&) = nullptr;

inline void Differential(const Job& job) {
  if (other_target != nullptr) return other_target(job);
  const kernel::Kernel& kernel = *job.kernel;
  INFO("kernel " << kernel.name);
  std::vector<Bytes> expected = job.buffers;
  std::vector<void*> pointers;
  for (Bytes& b : expected) pointers.push_back(b.data());
  absl::Status status = kernel::Interpret(kernel, pointers, job.params);
  if (!status.ok()) FAIL(status.ToString() << "\n" << kernel::Print(kernel));
  std::vector<ElementType> elems;
  std::vector<std::string> names;
  for (const kernel::Buffer& b : kernel.buffers) {
    if (b.space != kernel::Space::kArgument && b.space != kernel::Space::kScratch) continue;
    elems.push_back(b.elem);
    names.push_back(b.name);
  }
  const std::vector<Loaded>& loaded = CodeOf(kernel);
  for (size_t which = 0; which < loaded.size(); which++) {
    INFO("level " << Machines()[which].level);
    for (bool at_end : {true, false}) {
      std::vector<std::unique_ptr<Guarded>> memory;
      std::vector<void*> buffers;
      for (const Bytes& b : job.buffers) {
        memory.push_back(std::make_unique<Guarded>(b, at_end));
        buffers.push_back(memory.back()->data());
      }
      RunStages(kernel, loaded[which].compiled, *loaded[which].code, buffers, job.params);
      for (size_t i = 0; i < memory.size(); i++) {
        const Bytes got = memory[i]->bytes();
        if (got == expected[i]) continue;
        const auto width = static_cast<size_t>(ByteWidth(elems[i]));
        for (size_t at = 0; at < got.size(); at += width) {
          if (SameElement(elems[i], got.data() + at, expected[i].data() + at)) continue;
          FAIL("buffer " << names[i] << " element " << at / width << ": "
                         << Describe(elems[i], got.data() + at) << ", expected "
                         << Describe(elems[i], expected[i].data() + at));
        }
      }
    }
  }
}

// Random bytes that are plausible elements: predicates 0 or 1, floats of all magnitudes.
inline Bytes RandomData(ElementType elem, size_t count, std::mt19937_64& random) {
  Bytes bytes(count * static_cast<size_t>(ByteWidth(elem)));
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(random());
  if (IsPredicate(elem))
    for (uint8_t& b : bytes) b &= 1;
  return bytes;
}
// Floats in (-1, 1).
inline Bytes RandomFloats(size_t count, std::mt19937_64& random) {
  std::vector<float> values(count);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (float& v : values) v = uniform(random);
  return BytesOf(values);
}

}  // namespace sinter::cpu::testing
