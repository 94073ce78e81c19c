// Where a product's left operand is made of another product row by row, and where it is not.
#include "ir/analysis/product_chain.h"

#include <catch2/catch.hpp>

#include "base/text.h"
#include "ir/analysis/row_operations.h"
#include "unit/region.h"

namespace sinter {
namespace {

// A product s, `rows` of it, and a product of what they give, w.
std::unique_ptr<HloModule> ChainText(const std::string& rows, const std::string& root = "o") {
  return Region(
      "q = f32[2,100,96] parameter(0)\nk = f32[2,128,96] parameter(1)\n"
      "v = f32[2,128,96] parameter(2)\nzero = f32[] constant(0)\n"
      "s = f32[2,100,128] dot(q, k), lhs_batch_dims={0}, rhs_batch_dims={0}, "
      "lhs_contracting_dims={2}, rhs_contracting_dims={2}\n" +
      rows +
      "o = f32[2,100,96] dot(w, v), lhs_batch_dims={0}, rhs_batch_dims={0}, "
      "lhs_contracting_dims={2}, rhs_contracting_dims={1}\nROOT r = " +
      (root == "o" ? "f32[2,100,96] negate(o)" : root));
}
const HloInstruction* LastProduct(const HloModule& m) {
  const HloInstruction* last = nullptr;
  for (const auto& i : m.entry()->instructions())
    if (i->op() == HloOpcode::Dot) last = i.get();
  return last;
}
std::optional<ProductChain> ChainIn(const HloModule& m) { return ProductChainOf(*LastProduct(m)); }

constexpr const char* kNormalized =
    "e = f32[2,100,128] exponential(s)\n"
    "t = f32[2,100] reduce(e, zero), dimensions={2}, to_apply=add\n"
    "u = f32[2,100,128] broadcast(t), dimensions={0,1}\n"
    "w = f32[2,100,128] divide(e, u)\n";

TEST_CASE("elements and reductions of rows lead from one product to another") {
  auto m = ChainText(kNormalized);
  const auto chain = ChainIn(*m);
  REQUIRE(chain);
  CHECK(chain->first->name() == "s");
  CHECK(chain->members.size() == 5);
  REQUIRE(chain->reductions.size() == 1);
  CHECK(chain->reductions[0]->name() == "t");
  CHECK(ChainIn(*ChainText("w = f32[2,100,128] negate(s)\n")));
}

TEST_CASE("dimensions of one element may come and go on the way") {
  CHECK(
      ChainIn(*ChainText("e = f32[2,1,100,128] reshape(s)\n"
                         "t = f32[2,1,100] reduce(e, zero), dimensions={3}, to_apply=add\n"
                         "u = f32[2,1,100,128] broadcast(t), dimensions={0,1,2}\n"
                         "d = f32[2,1,100,128] divide(e, u)\n"
                         "f = f32[1,2,100,128] transpose(d), dimensions={1,0,2,3}\n"
                         "w = f32[2,100,128] reshape(f)\n")));
}

TEST_CASE("what is not row by row, or is needed elsewhere too, is no chain") {
  // Columns are reduced, or a value leaves.
  CHECK_FALSE(
      ChainIn(*ChainText("t = f32[2,128] reduce(s, zero), dimensions={1}, to_apply=add\n"
                         "u = f32[2,100,128] broadcast(t), dimensions={0,2}\n"
                         "w = f32[2,100,128] divide(s, u)\n")));
  CHECK_FALSE(ChainIn(*ChainText(kNormalized, "(f32[2,100,96], f32[2,100]) tuple(o, t)")));
  CHECK_FALSE(ChainIn(*ChainText(kNormalized, "(f32[2,100,96], f32[2,100,128]) tuple(o, s)")));
  CHECK_FALSE(ChainIn(*ChainText("w = f32[2,100,128] reverse(s), dimensions={1}\n")));
}

TEST_CASE("too deep products, and small ones of rows that do not fill vectors, are no chain") {
  auto of = [](int rows, int row, int depth) {
    return Region(Format(
        "q = f32[{0},{2}] parameter(0)\nk = f32[{2},{1}] parameter(1)\nv = f32[{1},96] "
        "parameter(2)\n"
        "s = f32[{0},{1}] dot(q, k), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n"
        "w = f32[{0},{1}] negate(s)\n"
        "ROOT o = f32[{0},96] dot(w, v), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n",
        rows, row, depth));
  };
  CHECK(ChainIn(*of(100, 128, 96)));
  CHECK(ChainIn(*of(100, 120, 96)));
  CHECK_FALSE(ChainIn(*of(100, 128, 700)));
  CHECK(ChainIn(*of(8, 128, 96)));
  CHECK_FALSE(ChainIn(*of(8, 120, 96)));
  // Few rows for large matrices.
  CHECK(ChainIn(*of(64, 512, 256)));
  CHECK_FALSE(ChainIn(*of(48, 512, 256)));
}

TEST_CASE("rows are followed from a product and to one, whatever else is not met") {
  auto m = ChainText(kNormalized);
  const HloInstruction& second = *LastProduct(*m);
  const HloInstruction* first = ProductOfRows(*second.operand(0));
  REQUIRE(first != nullptr);
  CHECK(first->name() == "s");
  const auto reader = ReaderOfRows(*first);
  REQUIRE(reader);
  CHECK(reader->product == &second);
  CHECK(reader->columns == 96);
  CHECK(AreWholeRows(second.operand(0)->shape(), {2}));
  CHECK_FALSE(AreWholeRows(second.operand(0)->shape(), {1}));
  CHECK_FALSE(AreWholeRows(second.operand(0)->shape(), {1, 2}));
  // What reverses rows is no operation on them.
  auto reversed = ChainText("w = f32[2,100,128] reverse(s), dimensions={1}\n");
  CHECK(ProductOfRows(*LastProduct(*reversed)->operand(0)) == nullptr);
  // Two products: neither is the one.
  auto both = ChainText(
      "s2 = f32[2,100,128] dot(q, v), lhs_batch_dims={0}, rhs_batch_dims={0}, "
      "lhs_contracting_dims={2}, rhs_contracting_dims={2}\n"
      "w = f32[2,100,128] add(s, s2)\n");
  CHECK(ProductOfRows(*LastProduct(*both)->operand(0)) == nullptr);
}

}  // namespace
}  // namespace sinter
