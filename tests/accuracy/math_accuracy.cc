// The errors of the elementary functions as machine code: F32 over 2^24 arguments against the C
// library in F64, F64 over 2^16 against MPFR. `accuracy_math [table]` prints the table of the
// largest ones; SINTER_SWEEP_BITS sets the number of F32 arguments, up to all 2^32 where there is
// one operand.
#include <cstdlib>
#include <iostream>

#include "accuracy/reference.h"

namespace sinter::emit::testing {
namespace {

int SweepBits() {
  const char* bits = std::getenv("SINTER_SWEEP_BITS");
  return bits != nullptr ? std::atoi(bits) : 24;
}

Worst SweepF32(const Function& f) {
  const Tile tile;
  const Runner run = Machine(f, ElementType::F32, tile, cpu::Target::Host().value());
  std::mt19937_64 random(4);
  const int bits = SweepBits(), low = 32 - bits;
  constexpr size_t kBatch = 1 << 16;
  Worst worst;
  for (uint64_t start = 0; start < uint64_t{1} << bits; start += kBatch) {
    Arguments<float> a;
    for (size_t i = 0; i < kBatch; ++i) {
      if (f.unary == nullptr) {
        AddPair(f, random, a);
      } else {
        const uint64_t tail = low > 0 ? random() >> (64 - low) : 0;
        a.Add(FromBits<float>(static_cast<uint32_t>((start + i) << low | tail)));
      }
    }
    Worst here = Sweep<float>(f, run, std::move(a), tile);
    worst.Note(here.error, here.x, here.y, here.result);
  }
  return worst;
}

Worst SweepF64(const Function& f) {
  const Tile tile;
  const Runner run = Machine(f, ElementType::F64, tile, cpu::Target::Host().value());
  const Arguments<double> a = ArgumentsF64(f, 1 << 16);
  std::vector<double> out(a.x.size());
  run(a.x.data(), a.y.data(), out.data(), static_cast<int64_t>(out.size()));
  Reference reference;
  Worst worst;
  for (size_t i = 0; i < out.size(); ++i)
    worst.Note(reference.Error(f, a.x[i], a.y[i], out[i]), a.x[i], a.y[i], out[i]);
  return worst;
}

TEST_CASE("F32 against the C library") {
  for (const Function& f : Functions()) {
    Worst worst = SweepF32(f);
    INFO(worst.Text(f));
    CHECK(worst.error <= f.bound);
  }
}

TEST_CASE("F64 against MPFR") {
  for (const Function& f : Functions()) {
    Worst worst = SweepF64(f);
    INFO(worst.Text(f));
    CHECK(worst.error <= f.bound);
  }
}

TEST_CASE("Table of the largest errors", "[.][table]") {
  for (const Function& f : Functions()) {
    std::cout << Format("F32 {}\nF64 {}\n", SweepF32(f).Text(f), SweepF64(f).Text(f)) << std::flush;
  }
}

}  // namespace
}  // namespace sinter::emit::testing
