// Products of tiles of words, for processors with AMX: code is made everywhere, and run where there
// is one.
#include <catch2/catch.hpp>

#include "codegen/kernel/builder.h"
#include "differential.h"

namespace sinter::cpu::testing {
namespace {

using Catch::Matchers::Contains;
using kernel::Builder;
using kernel::Kernel;
using kernel::LoopKind;
using kernel::Tail;
using kernel::Type;
using kernel::Value;
using kernel::Values;

constexpr int kTile = 16;

struct Form {
  ElementType left = ElementType::U32, right = ElementType::U32, sum = ElementType::F32;
  int down = 2, across = 2, turns = 3;
  double start = 0;
};

// o[down x across tiles] = a times b, of tiles times 16 words.
Kernel Product(const Form& f) {
  Builder b("tiles");
  b.kernel().lanes = 16;
  const int64_t rows = f.down * kTile, cols = f.across * kTile, depth = f.turns * kTile;
  const int a = b.AddBuffer("a", f.left, std::vector<int64_t>{rows, depth + 5}),
            w = b.AddBuffer("b", f.right, std::vector<int64_t>{depth, cols}),
            o = b.AddBuffer("o", f.sum, std::vector<int64_t>{rows, cols});
  b.For(LoopKind::kPar, b.Int(0), b.Int(1), 1, Tail::kExact, {}, [&](Value, const Values&) {
    const Type sum{f.sum, kTile, kTile};
    const Value start = IsFloat(f.sum) ? b.Const(f.sum, f.start) : b.ConstInt(f.sum, 0);
    const Values sums =
        b.For(LoopKind::kSeq, b.Int(0), b.Int(depth), kTile, Tail::kExact,
              Values(static_cast<size_t>(f.down * f.across), b.Splat(start, sum)),
              [&](Value q, const Values& c) {
                Values next = c;
                for (int i = 0; i < f.down; ++i) {
                  const Value left =
                      b.Load(a, {{b.Int(i * kTile), 1, 0}, {q, 0, 1}}, {f.left, kTile, kTile});
                  for (int j = 0; j < f.across; ++j) {
                    const Value right =
                        b.Load(w, {{q, 1, 0}, {b.Int(j * kTile), 0, 1}}, {f.right, kTile, kTile});
                    Value& at = next[static_cast<size_t>(i * f.across + j)];
                    at = b.Dot(left, right, at);
                  }
                }
                return next;
              });
    for (int i = 0; i < f.down; ++i) {
      for (int j = 0; j < f.across; ++j) {
        b.Store(sums[static_cast<size_t>(i * f.across + j)], o,
                {{b.Int(i * kTile), 1, 0}, {b.Int(j * kTile), 0, 1}});
      }
    }
    return Values{};
  });
  return b.Take();
}

Compiler& TilesCompiler() {
  static Compiler* compiler =
      Compiler::Create(Target::Level("avx512-amx").value()).value().release();
  return *compiler;
}

// Pairs of BF16: special values, and such that sums of products are near the least normal number.
Bytes Pairs(size_t words, std::mt19937_64& random) {
  Bytes pairs = Interesting(ElementType::BF16, 2 * words, random);
  for (size_t at = 0; at < pairs.size(); at += 2) {
    if (random() % 16 == 0 && random() % 4 != 0) continue;
    const auto bits = static_cast<uint16_t>((random() & 0x807f) | (60 + random() % 8) << 7);
    std::memcpy(pairs.data() + at, &bits, sizeof bits);
  }
  return pairs;
}

void Check(const Form& f, std::mt19937_64& random) {
  const Kernel k = Product(f);
  REQUIRE(kernel::Verify(k).ok());
  const auto compiled = TilesCompiler().Compile({&k}, "test");
  INFO(compiled.status().ToString());
  REQUIRE(compiled.ok());
  if (!Target::RunsLevel("avx512-amx")) return;
  const auto code = TheLoader().Load(compiled->code);
  REQUIRE(code.ok());
  const auto rows = static_cast<size_t>(f.down * kTile),
             cols = static_cast<size_t>(f.across * kTile),
             depth = static_cast<size_t>(f.turns * kTile);
  for (int round = 0; round < 20; ++round) {
    Bytes a = IsFloat(f.sum) ? Pairs(rows * (depth + 5), random)
                             : RandomData(ElementType::S32, rows * (depth + 5), random),
          b = IsFloat(f.sum) ? Pairs(depth * cols, random)
                             : RandomData(ElementType::S32, depth * cols, random);
    Bytes expected(rows * cols * 4), got(expected.size());
    void* buffers[] = {a.data(), b.data(), expected.data()};
    REQUIRE(kernel::Interpret(k, buffers, {}).ok());
    RunStages(k, *compiled, **code, {a.data(), b.data(), got.data()}, {});
    for (size_t i = 0; i < rows * cols; ++i) {
      const uint8_t *x = expected.data() + 4 * i, *y = got.data() + 4 * i;
      if (!SameElement(f.sum, x, y)) {
        INFO("element " << i);
        CHECK(Describe(f.sum, x) == Describe(f.sum, y));
        return;
      }
    }
  }
}

TEST_CASE("products in tile registers") {
  if (!Target::RunsLevel("avx512-amx")) WARN("no AMX here: tiles are compiled, not run");
  std::mt19937_64 random(7);
  const ElementType s32 = ElementType::S32, u32 = ElementType::U32;
  for (int turns : {1, 2, 5}) {
    for (const auto& [down, across] : {std::pair{1, 1}, {2, 2}, {1, 2}, {2, 1}, {1, 4}}) {
      INFO(down << " x " << across << ", " << turns << " turns");
      Check({.down = down, .across = across, .turns = turns}, random);
      for (ElementType left : {s32, u32}) {
        for (ElementType right : {s32, u32}) Check({left, right, s32, down, across, turns}, random);
      }
    }
  }
}

TEST_CASE("what tile registers have no room or no instruction for is an error") {
  auto error = [](const Form& f, Compiler& compiler) {
    const Kernel k = Product(f);
    REQUIRE(kernel::Verify(k).ok());
    return compiler.Compile({&k}, "test").status().ToString();
  };
  CHECK_THAT(error({.down = 2, .across = 4}, TilesCompiler()), Contains("carries 8 sums"));
  CHECK_THAT(error({.down = 1, .across = 7}, TilesCompiler()), Contains("too many tiles"));
  CHECK_THAT(error({.start = 1}, TilesCompiler()), Contains("does not begin with zeros"));
  auto older = Compiler::Create(Target::Level("avx512").value()).value();
  CHECK_THAT(error({}, *older), Contains("has no tiles for a dot"));
}

}  // namespace
}  // namespace sinter::cpu::testing
