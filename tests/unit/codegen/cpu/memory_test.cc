// Loads and stores of all kinds. Buffers stand at pages that may not be touched, so that a lane
// that reads or writes what it must not ends the test.
#include <catch2/catch.hpp>

#include "codegen/kernel/builder.h"
#include "differential.h"

namespace sinter::cpu::testing {
namespace {

using kernel::Axis;
using kernel::Builder;
using kernel::Index;
using kernel::Kernel;
using kernel::LoopKind;
using kernel::Space;
using kernel::Tail;
using kernel::Type;
using kernel::Value;
using kernel::Values;

const std::vector<ElementType> kElements = {ElementType::PRED, ElementType::S8,  ElementType::BF16,
                                            ElementType::F16,  ElementType::S32, ElementType::F32,
                                            ElementType::U64,  ElementType::F64};

// One task that runs `body`.
Kernel OneTask(Builder& b, const std::function<void()>& body) {
  b.For(LoopKind::kPar, b.Int(0), b.Int(1), 1, Tail::kExact, {}, [&](Value, const Values&) {
    body();
    return Values{};
  });
  return b.Take();
}
Value Else(Builder& b, ElementType e) { return IsFloat(e) ? b.Const(e, -2) : b.ConstInt(e, 1); }

TEST_CASE("Contiguous, reversed and strided, masked to every count", "[.standard]") {
  std::mt19937_64 random(1);
  for (ElementType elem : kElements) {
    for (int step : {1, -1, 2, -3, 8, 9, 0}) {
      for (int cols : {1, 16, 37}) {
        for (bool masked : {false, true}) {
          // x has just the elements that a whole tile touches; `count` of them count if masked.
          const int64_t span = static_cast<int64_t>(cols - 1) * std::abs(step) + 1;
          Builder b("steps");
          Value count = b.AddParam("count", 0, cols);
          const int x = b.AddBuffer("x", elem, std::vector<int64_t>{span});
          const int o = b.AddBuffer("o", elem, std::vector<int64_t>{cols});
          const int back = b.AddBuffer("back", elem, std::vector<int64_t>{span});
          const Kernel k = OneTask(b, [&] {
            const Type t{elem, 1, cols};
            Value m = b.Mask(b.Int(0), count, WithElem(t, ElementType::PRED), Axis::kCols);
            if (!masked) m = kernel::kNone;
            const Index at{b.Int(step < 0 ? span - 1 : 0), 0, step};
            Value v = b.Load(x, {at}, t, m, masked ? Else(b, elem) : kernel::kNone);
            b.Store(v, o, {{b.Int(0), 0, 1}});
            if (step != 0) b.Store(v, back, {at}, m);
          });
          INFO(Name(elem) << " step " << step << " cols " << cols << " masked " << masked);
          const auto n = static_cast<size_t>(span);
          for (int64_t c : {0, 1, 4, 15, 16, 17, 37}) {
            if (c > cols || (!masked && c != 0)) continue;
            Bytes cut = RandomData(elem, n, random);
            Differential(
                {&k,
                 {cut, Bytes(static_cast<size_t>(cols) * Width(elem)), RandomData(elem, n, random)},
                 {c}});
          }
        }
      }
    }
  }
}

// The mask covers just what the buffer has: a lane past it would fault.
// LLVM 22 makes a store of one lane of a truncated vector as wide as the vector was before
// (llvm-project issue 179489).
TEST_CASE("Narrowed elements under constant masks") {
  std::mt19937_64 random(5);
  const std::pair<ElementType, ElementType> pairs[] = {
      {ElementType::F32, ElementType::BF16}, {ElementType::S32, ElementType::S16},
      {ElementType::S32, ElementType::S8},   {ElementType::S64, ElementType::S32},
      {ElementType::S64, ElementType::S16},  {ElementType::U16, ElementType::U8},
      {ElementType::F64, ElementType::F32},  {ElementType::S32, ElementType::PRED}};
  for (auto [wide, narrow] : pairs) {
    for (int64_t count : {1, 2, 9, 16, 17, 18, 31}) {
      Builder b("narrow");
      const int x = b.AddBuffer("x", wide, std::vector<int64_t>{count});
      const int o = b.AddBuffer("o", narrow, std::vector<int64_t>{count});
      const Kernel k = OneTask(b, [&] {
        const Type t{wide, 1, 32};
        Value m = b.Mask(b.Int(0), b.Int(count), WithElem(t, ElementType::PRED), Axis::kCols);
        Value v = b.Load(x, {{b.Int(0), 0, 1}}, t, m, Else(b, wide));
        b.Store(b.Convert(v, narrow), o, {{b.Int(0), 0, 1}}, m);
      });
      INFO(Name(wide) << " to " << Name(narrow) << ", " << count);
      const auto n = static_cast<size_t>(count);
      Differential({&k, {RandomData(wide, n, random), Bytes(n * Width(narrow))}, {}});
    }
  }
}

// Rows that are shorter than a vector, each twice what it is in x; in x itself, if in place.
Kernel TwiceRows(ElementType elem, int64_t rows, int64_t columns, bool in_place) {
  Builder b("rows");
  const int x = b.AddBuffer("x", elem, std::vector<int64_t>{rows, columns});
  const int o = b.AddBuffer("o", elem, std::vector<int64_t>{rows, columns});
  for (int k : {x, o})
    if (in_place) b.kernel().buffers[static_cast<size_t>(k)].alias_group = 0;
  b.For(LoopKind::kPar, b.Int(0), b.Int(rows), 1, Tail::kExact, {}, [&](Value row, const Values&) {
    const Type t{elem, 1, 16};
    Value m = b.Mask(b.Int(0), b.Int(columns), WithElem(t, ElementType::PRED), Axis::kCols);
    Value v = b.Load(x, {{row, 0, 0}, {b.Int(0), 0, 1}}, t, m, Else(b, elem));
    b.Store(b.Add(v, v), o, {{row, 0, 0}, {b.Int(0), 0, 1}}, m);
    return Values{};
  });
  return b.Take();
}
Artifacts ForAvx512(const Kernel& k) {
  auto compiler = Compiler::Create(Target::Level("avx512").value());
  REQUIRE(compiler.ok());
  Artifacts artifacts;
  REQUIRE((*compiler)->Compile({&k}, "k", &artifacts).ok());
  return artifacts;
}

// Not moved there through general registers in each turn.
TEST_CASE("Constant masks of loops are in mask registers before these begin") {
  for (ElementType elem : {ElementType::F32, ElementType::F64, ElementType::S8}) {
    const std::string assembly = ForAvx512(TwiceRows(elem, 100, 9, false)).assembly;
    INFO(assembly);
    const size_t load = assembly.find("kmov"), use = assembly.find("{%k");
    REQUIRE(load != std::string::npos);
    CHECK(load < use);
    CHECK(assembly.find("kmov", use) == std::string::npos);
    CHECK(assembly.find("\tmovw") == std::string::npos);
  }
}

// A load of the next row would wait for a masked store, of which all lanes count.
TEST_CASE("Rows that are changed in place are stored without masks") {
  std::mt19937_64 random(6);
  for (ElementType elem : {ElementType::F32, ElementType::F64, ElementType::S32}) {
    for (bool in_place : {false, true}) {
      const Kernel k = TwiceRows(elem, 40, 11, in_place);
      Differential({&k, {RandomData(elem, 440, random), Bytes(440 * Width(elem))}, {}});
      const std::string ir = ForAvx512(k).llvm_ir;
      INFO(ir);
      CHECK((ir.find("masked.store") == std::string::npos) == in_place);
    }
  }
}

// A processor looks for the memory of a load that wants none of it, and slowly finds that there is
// none: rows behind those of x are not looked for.
TEST_CASE("Loads of which no lane is wanted are from where the array begins") {
  std::mt19937_64 random(7);
  for (ElementType elem : {ElementType::F32, ElementType::S64, ElementType::BF16}) {
    Builder b("padded");
    const int x = b.AddBuffer("x", elem, std::vector<int64_t>{3, 300});
    const int o = b.AddBuffer("o", elem, std::vector<int64_t>{5, 300});
    b.For(LoopKind::kPar, b.Int(0), b.Int(5), 1, Tail::kExact, {}, [&](Value row, const Values&) {
      b.For(LoopKind::kSeq, b.Int(0), b.Int(300), 16, Tail::kMasked, {},
            [&](Value column, const Values&) {
              const Type t{elem, 1, 16}, lanes{ElementType::PRED, 1, 16};
              Value in_row = b.Mask(column, b.Int(300), lanes, Axis::kCols);
              Value is_in = b.Splat(b.Compare(kernel::Predicate::kLt, row, b.Int(3)), lanes);
              Value v =
                  b.Load(x, {{row, 0, 0}, {column, 0, 1}}, t, b.And(is_in, in_row), Else(b, elem));
              b.Store(v, o, {{row, 0, 0}, {column, 0, 1}}, in_row);
              return Values{};
            });
      return Values{};
    });
    const Kernel k = b.Take();
    Differential({&k, {RandomData(elem, 900, random), Bytes(1500 * Width(elem))}, {}});
    const std::string ir = ForAvx512(k).llvm_ir;
    INFO(ir);
    const size_t place = ir.find("select i1"), load = ir.find("@llvm.masked.load");
    REQUIRE(place != std::string::npos);
    CHECK(place < load);
  }
}

TEST_CASE("Masked lanes touch no memory") {
  std::mt19937_64 random(2);
  for (ElementType elem : kElements) {
    for (int cols : {1, 16, 37}) {
      for (int step : {1, -1, 2}) {
        Builder b("ends");
        Value count = b.AddParam("count", 0, cols);
        Value extent = b.AddParam("extent", 0, 1000);
        const int x = b.AddBuffer("x", elem, Values{extent});
        const int o = b.AddBuffer("o", elem, Values{extent});
        const Kernel k = OneTask(b, [&] {
          const Type t{elem, 1, cols};
          Value m = b.Mask(b.Int(0), count, WithElem(t, ElementType::PRED), Axis::kCols);
          const Index at{step > 0 ? b.Int(0) : b.Sub(extent, b.Int(1)), 0, step};
          Value v = b.Load(x, {at}, t, m, Else(b, elem));
          b.Store(v, o, {at}, m);
        });
        INFO(Name(elem) << " step " << step << " cols " << cols);
        for (int64_t c = 0; c <= cols; c += cols > 16 ? 3 : 1) {
          const int64_t n = c == 0 ? 0 : (c - 1) * std::abs(step) + 1;
          const auto size = static_cast<size_t>(n);
          Differential(
              {&k, {RandomData(elem, size, random), RandomData(elem, size, random)}, {c, n}});
        }
      }
    }
  }
}

// A select by the same mask invites code generation to read all that is permuted.
TEST_CASE("Reversed rows that are masked as a whole touch no memory") {
  std::mt19937_64 random(3);
  for (ElementType elem : kElements) {
    for (int cols : {2, 8, 16}) {
      Builder b("whole");
      Value count = b.AddParam("count", 0, 1);
      Value extent = b.AddParam("extent", 0, 1000);
      const int x = b.AddBuffer("x", elem, Values{extent});
      const int o = b.AddBuffer("o", elem, Values{b.Int(cols)});
      const Kernel k = OneTask(b, [&] {
        const Type t{elem, 1, cols};
        Value m = b.Mask(b.Int(0), count, WithElem(t, ElementType::PRED), Axis::kRows);
        Value other = b.Splat(Else(b, elem), t);
        Value v = b.Load(x, {{b.Sub(extent, b.Int(1)), 0, -1}}, t, m, Else(b, elem));
        b.Store(b.Select(m, v, other), o, {{b.Int(0), 0, 1}});
      });
      INFO(Name(elem) << " cols " << cols);
      for (int64_t c : {0, 1}) {
        Differential({&k,
                      {RandomData(elem, static_cast<size_t>(c * cols), random),
                       RandomData(elem, static_cast<size_t>(cols), random)},
                      {c, c * cols}});
      }
    }
  }
}

TEST_CASE("Random masks, of rows and of elements", "[.standard]") {
  std::mt19937_64 random(3);
  for (ElementType elem : kElements) {
    for (int rows : {1, 3}) {
      for (int cols : {5, 16, 37}) {
        for (bool per_row : {false, true}) {
          Builder b("masks");
          const int x = b.AddBuffer("x", elem, std::vector<int64_t>{rows, cols});
          const int mask = b.AddBuffer("mask", ElementType::PRED, std::vector<int64_t>{rows, cols});
          const int o = b.AddBuffer("o", elem, std::vector<int64_t>{rows, cols});
          const int p = b.AddBuffer("p", elem, std::vector<int64_t>{rows, cols});
          const Kernel k = OneTask(b, [&] {
            const Type t{elem, rows, cols}, m_type{ElementType::PRED, rows, per_row ? 1 : cols};
            const Index row{b.Int(0), 1, 0}, col{b.Int(0), 0, 1};
            Value m = b.Load(mask, {row, {b.Int(0), 0, per_row ? 0 : 1}}, m_type);
            Value v = b.Load(x, {row, col}, t, m, Else(b, elem));
            b.Store(v, o, {row, col});
            b.Store(v, p, {row, col}, m);
          });
          INFO(Name(elem) << " " << rows << " x " << cols << " per row " << per_row);
          const auto n = static_cast<size_t>(rows * cols);
          Differential({&k,
                        {RandomData(elem, n, random), RandomData(ElementType::PRED, n, random),
                         Bytes(n * Width(elem)), RandomData(elem, n, random)},
                        {}});
        }
      }
    }
  }
}

TEST_CASE("Gathers and scatters by tiles of indices", "[.standard]") {
  std::mt19937_64 random(4);
  constexpr int kTable = 50, kRowsOfTable = 7;
  for (ElementType elem : kElements) {
    for (ElementType index_type : {ElementType::S32, ElementType::S64}) {
      for (int cols : {1, 16, 37}) {
        for (int form = 0; form < 3; form++) {  // x[i], x[i, j], x[r, i] with a row a scalar
          Builder b("gather");
          const int x = b.AddBuffer("x", elem, std::vector<int64_t>{kRowsOfTable, kTable});
          const int at = b.AddBuffer("at", index_type, std::vector<int64_t>{2, 2, cols});
          const int mask = b.AddBuffer("mask", ElementType::PRED, std::vector<int64_t>{2, cols});
          const int o = b.AddBuffer("o", elem, std::vector<int64_t>{2, cols});
          const int s = b.AddBuffer("s", elem, std::vector<int64_t>{kRowsOfTable, kTable});
          const Kernel k = OneTask(b, [&] {
            const Type t{elem, 2, cols}, i_type{index_type, 2, cols};
            const Index row{b.Int(0), 1, 0}, col{b.Int(0), 0, 1};
            auto indices = [&](int which, int limit) {
              Value i = b.Load(at, {{b.Int(which)}, row, col}, i_type);
              i = b.Max(i, b.ConstInt(index_type, 0));
              return b.Min(i, b.ConstInt(index_type, limit - 1));
            };
            Value m = b.Load(mask, {row, col}, {ElementType::PRED, 2, cols});
            Index first{b.Int(3)}, second{indices(1, kTable)};
            if (form == 1) first = {indices(0, kRowsOfTable)};
            if (form == 2) first = {b.Int(2), 1, 0};
            Value v = b.Load(x, {first, second}, t, m, Else(b, elem));
            v = b.Select(m, v, b.Load(x, {first, second}, t));
            b.Store(v, o, {row, col});
            b.Store(v, s, {first, second}, m);
            if (form != 1) b.Store(v, s, {{b.Int(6)}, second});
          });
          INFO(Name(elem) << " by " << Name(index_type) << " cols " << cols << " form " << form);
          const size_t n = static_cast<size_t>(cols) * 2;
          std::vector<int64_t> wide(2 * n);
          for (int64_t& i : wide) i = static_cast<int64_t>(random() % 60) - 4;
          const std::vector<int32_t> narrow(wide.begin(), wide.end());
          const size_t table = kTable * kRowsOfTable;
          Differential({&k,
                        {RandomData(elem, table, random),
                         index_type == ElementType::S32 ? BytesOf(narrow) : BytesOf(wide),
                         RandomData(ElementType::PRED, n, random), Bytes(n * Width(elem)),
                         RandomData(elem, table, random)},
                        {}});
        }
      }
    }
  }
}

TEST_CASE("Strides that are parameters, columns along any dimension") {
  std::mt19937_64 random(5);
  for (ElementType elem : {ElementType::S8, ElementType::F32, ElementType::F64}) {
    Builder b("strides");
    Value rows = b.AddParam("rows", 1, 100), cols = b.AddParam("cols", 1, 100);
    const int x = b.AddBuffer("x", elem, Values{rows, cols});
    const int o = b.AddBuffer("o", elem, Values{cols, rows});
    const Kernel k = OneTask(b, [&] {
      b.For(LoopKind::kSeq, b.Int(0), rows, 3, Tail::kMasked, {}, [&](Value i, const Values&) {
        b.For(LoopKind::kSeq, b.Int(0), cols, 16, Tail::kPeel, {}, [&](Value j, const Values&) {
          Value m = b.And(b.Mask(i, rows, {ElementType::PRED, 3, 1}, Axis::kRows),
                          b.Mask(j, cols, {ElementType::PRED, 1, 16}, Axis::kCols));
          Value v = b.Load(x, {{i, 1, 0}, {j, 0, 1}}, {elem, 3, 16}, m, Else(b, elem));
          b.Store(v, o, {{j, 0, 1}, {i, 1, 0}}, m);
          return Values{};
        });
        return Values{};
      });
    });
    for (int64_t r : {1, 2, 3, 7})
      for (int64_t c : {1, 15, 16, 17, 40}) {
        const auto n = static_cast<size_t>(r * c);
        Differential({&k, {RandomData(elem, n, random), Bytes(n * Width(elem))}, {r, c}});
      }
  }
}

// A lane a row: y[i, (j + 1) % s] = -x[i, j] for each place j, or for all but one of them.
TEST_CASE("Short rows, each in a lane") {
  std::mt19937_64 random(6);
  for (ElementType elem : {ElementType::S8, ElementType::F32, ElementType::F64, ElementType::U16}) {
    for (int64_t places : {2, 3, 4, 7, 8, 9, 13, 16, 20, 64}) {
      for (bool whole : {true, false}) {
        Builder b("rows");
        Value rows = b.AddParam("rows", 1, 100);
        const int x = b.AddBuffer("x", elem, Values{rows, b.Int(places)});
        const int y = b.AddBuffer("y", elem, Values{rows, b.Int(places)});
        const Kernel k = OneTask(b, [&] {
          b.For(LoopKind::kSeq, b.Int(0), rows, 16, Tail::kPeel, {}, [&](Value i, const Values&) {
            const Type t{elem, 1, 16};
            for (int64_t j = whole ? 0 : 1; j < places; ++j) {
              Value m = b.Mask(i, rows, {ElementType::PRED, 1, 16}, Axis::kCols);
              Value v = b.Load(x, {{i, 0, 1}, {b.Int(j), 0, 0}}, t, m, Else(b, elem));
              Value negative = b.Sub(b.ConstInt(elem, 0), v);
              b.Store(negative, y, {{i, 0, 1}, {b.Int((j + 1) % places), 0, 0}}, m);
            }
            return Values{};
          });
        });
        INFO(Name(elem) << " " << places << " places, all of them: " << whole);
        for (int64_t r : {1, 15, 16, 33, 48}) {
          const auto n = static_cast<size_t>(r * places);
          Differential({&k, {RandomData(elem, n, random), RandomData(elem, n, random)}, {r}});
        }
      }
    }
  }
}

// As the parts of a window are: each of their places is told by itself.
TEST_CASE("Rows at equal indices are loaded once, whoever adds these up") {
  std::mt19937_64 random(8);
  auto sum_of_places = [](bool adds_up_anew) {
    Builder b("windows");
    const int x = b.AddBuffer("x", ElementType::F32, std::vector<int64_t>{33, 5});
    const int o = b.AddBuffer("o", ElementType::F32, std::vector<int64_t>{32});
    b.For(LoopKind::kPar, b.Int(0), b.Int(2), 1, Tail::kExact, {}, [&](Value task, const Values&) {
      const Value first = b.Mul(task, b.Int(16));
      const Type t{ElementType::F32, 1, 16};
      Value next = b.Add(first, b.Int(1)), sum = b.Load(x, {{next, 0, 1}, {b.Int(0)}}, t);
      for (int64_t place = 1; place < 5; ++place) {
        if (adds_up_anew) next = b.Add(first, b.Int(1));
        sum = b.Add(sum, b.Load(x, {{next, 0, 1}, {b.Int(place)}}, t));
      }
      b.Store(sum, o, {{first, 0, 1}});
      return Values{};
    });
    return b.Take();
  };
  const Kernel once = sum_of_places(false), anew = sum_of_places(true);
  Differential({&anew, {RandomData(ElementType::F32, 165, random), Bytes(128)}, {}});
  auto loads = [](const Kernel& k) {
    const std::string ir = ForAvx512(k).llvm_ir;
    size_t n = 0;
    for (size_t at = 0; (at = ir.find(" load <", at)) != std::string::npos; ++at) ++n;
    for (size_t at = 0;
         (at = ir.find(" call <16 x float> @llvm.masked.load", at)) != std::string::npos; ++at)
      ++n;
    return n;
  };
  CHECK(loads(once) > 0);
  CHECK(loads(anew) == loads(once));
}

TEST_CASE("Stores past the caches, aligned or not") {
  std::mt19937_64 random(6);
  for (ElementType elem : {ElementType::S8, ElementType::F32, ElementType::F64}) {
    for (int cols : {4, 16, 64}) {
      Builder b("past");
      Value stride = b.AddParam("stride", 1, 200), offset = b.AddParam("offset", 0, 100);
      const int x = b.AddBuffer("x", elem, Values{b.Int(3), stride});
      const int o = b.AddBuffer("o", elem, Values{b.Int(3), stride});
      const Kernel k = OneTask(b, [&] {
        const Index row{b.Int(0), 1, 0}, col{offset, 0, 1};
        Value v = b.Load(x, {row, col}, {elem, 3, cols});
        b.Store(v, o, {row, col}, kernel::kNone, /*non_temporal=*/true);
      });
      for (int64_t s : {128, 130, 165})
        for (int64_t at : {0, 1, 16}) {
          const auto n = static_cast<size_t>(3 * s);
          Differential({&k, {RandomData(elem, n, random), Bytes(n * Width(elem))}, {s, at}});
        }
    }
  }
}

TEST_CASE("What is wanted soon need not be there") {
  std::mt19937_64 random(8);
  for (ElementType elem : {ElementType::S8, ElementType::F32, ElementType::F64}) {
    for (int64_t ahead : {int64_t{16}, int64_t{-16}, int64_t{1} << 44}) {
      Builder b("ahead");
      const int x = b.AddBuffer("x", elem, std::vector<int64_t>{3, 40});
      const int o = b.AddBuffer("o", elem, std::vector<int64_t>{3, 40});
      const Kernel k = OneTask(b, [&] {
        const Index row{b.Int(0), 1, 0}, col{b.Int(0), 0, 1};
        Value v = b.Load(x, {row, col}, {elem, 3, 40}, kernel::kNone, kernel::kNone, ahead);
        b.Store(v, o, {row, col});
      });
      Differential({&k, {RandomData(elem, 120, random), Bytes(120 * Width(elem))}, {}});
      Artifacts artifacts;
      REQUIRE(Machines().back().compiler->Compile({&k}, "k", &artifacts).ok());
      CHECK(artifacts.assembly.find("prefetch") != std::string::npos);
    }
  }
}

TEST_CASE("Memory of a task, and constants of all types") {
  std::mt19937_64 random(7);
  for (ElementType elem : kElements) {
    Builder b("task");
    const int x = b.AddBuffer("x", elem, std::vector<int64_t>{4, 20});
    const int t = b.AddBuffer("t", elem, std::vector<int64_t>{20}, Space::kTask);
    const int big = b.AddBuffer("big", elem, std::vector<int64_t>{20, 500}, Space::kTask);
    const int c = b.AddBuffer("c", elem, std::vector<int64_t>{20}, Space::kConstant);
    b.kernel().buffers[static_cast<size_t>(c)].data = RandomData(elem, 20, random);
    const int o = b.AddBuffer("o", elem, std::vector<int64_t>{4, 3, 20});
    b.For(LoopKind::kPar, b.Int(0), b.Int(4), 1, Tail::kExact, {}, [&](Value i, const Values&) {
      const Type row{elem, 1, 20};
      const Index col{b.Int(0), 0, 1};
      b.Store(b.Load(x, {{i}, col}, row), t, {col});
      b.Store(b.Load(x, {{i}, col}, row), big, {col, {b.Int(3)}});
      b.Store(b.Load(t, {{b.Int(19), 0, -1}}, row), o, {{i}, {b.Int(0)}, col});
      b.Store(b.Load(big, {col, {b.Int(3)}}, row), o, {{i}, {b.Int(1)}, col});
      b.Store(b.Load(c, {col}, row), o, {{i}, {b.Int(2)}, col});
      return Values{};
    });
    const Kernel k = b.Take();
    Differential({&k, {RandomData(elem, 80, random), Bytes(240 * Width(elem))}, {}});
  }
}

}  // namespace
}  // namespace sinter::cpu::testing
