// Operands of different dimensions, as XLA's builder brings them together.
#include "record.h"

namespace sinter {
namespace {

TEST_CASE("scalars are repeated") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {2, 3}), y = Param(b, 1, kF32, {});
  x* y;
  CHECK(Body(b) ==
        "broadcast = f32[2,3] broadcast(y), dimensions={}\nROOT multiply = f32[2,3] multiply(x, "
        "broadcast)");
  x = Param(b, 0, kF32, {2, 3}), y = Param(b, 1, kF32, {});
  y - x;
  CHECK(Body(b) ==
        "broadcast = f32[2,3] broadcast(y), dimensions={}\nROOT subtract = f32[2,3] "
        "subtract(broadcast, x)");
}

TEST_CASE("sizes of 1 are repeated") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {2, 1}), y = Param(b, 1, kF32, {1, 3});
  x + y;
  CHECK(
      Body(b) ==
      "reshape = f32[2] reshape(x)\nbroadcast = f32[2,3] broadcast(reshape), dimensions={0}\n"
      "reshape.1 = f32[3] reshape(y)\nbroadcast.1 = f32[2,3] broadcast(reshape.1), dimensions={1}\n"
      "ROOT add = f32[2,3] add(broadcast, broadcast.1)");
}

TEST_CASE("broadcast_dimensions say where the dimensions of the smaller operand are") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {2, 3}), y = Param(b, 1, kF32, {3});
  Add(x, y, {1});
  CHECK(Body(b) ==
        "broadcast = f32[2,3] broadcast(y), dimensions={1}\nROOT add = f32[2,3] add(x, broadcast)");
  x = Param(b, 0, kF32, {2, 3}), y = Param(b, 1, kF32, {2});
  Sub(y, x, {0});
  CHECK(Body(b) ==
        "broadcast = f32[2,3] broadcast(y), dimensions={0}\nROOT subtract = f32[2,3] "
        "subtract(broadcast, x)");
  // A size of 1 beside a larger one, on either side.
  x = Param(b, 0, kF32, {2, 1}), y = Param(b, 1, kF32, {3});
  Add(x, y, {1});
  CHECK(Body(b) ==
        "broadcast = f32[2,3] broadcast(y), dimensions={1}\nreshape = f32[2] reshape(x)\n"
        "broadcast.1 = f32[2,3] broadcast(reshape), dimensions={0}\n"
        "ROOT add = f32[2,3] add(broadcast.1, broadcast)");
  // Equal ranks: only the identity.
  x = Param(b, 0, kF32, {2, 3}), y = Param(b, 1, kF32, {2, 3});
  Add(x, y, {0, 1});
  CHECK(Body(b) == "ROOT add = f32[2,3] add(x, y)");
}

TEST_CASE("what does not go together") {
  Builder b("t");
  auto two = [&](std::vector<int64_t> l, std::vector<int64_t> r, absl::Span<const int64_t> dims) {
    Add(Param(b, 0, kF32, std::move(l)), Param(b, 1, kF32, std::move(r)), dims);
    std::string error = ErrorOf(b);
    return error;
  };
  SECTION("ranks") {
    CHECK(two({3}, {2, 3}, {}) ==
          "add: the operands' ranks differ, so broadcast_dimensions must say which dimensions of "
          "the larger one those "
          "of the smaller one are; operands f32[3], f32[2,3]");
  }
  SECTION("sizes") {
    CHECK(two({2, 3}, {2, 4}, {}) ==
          "add: dimension 1 of size 3 does not go with dimension 1 of size 4; operands f32[2,3], "
          "f32[2,4]");
  }
  SECTION("number") {
    CHECK(two({3}, {2, 3}, {0, 1}) ==
          "add: broadcast_dimensions={0,1} must have an entry for each of 1 dimensions; operands "
          "f32[3], f32[2,3]");
  }
  SECTION("range") {
    CHECK(
        two({3}, {2, 3}, {2}) ==
        "add: broadcast_dimensions={2}: 2 is no dimension of f32[2,3]; operands f32[3], f32[2,3]");
  }
  SECTION("order") {
    CHECK(two({3, 2}, {2, 3, 4}, {1, 0}) ==
          "add: broadcast_dimensions={1,0} must increase; operands f32[3,2], f32[2,3,4]");
  }
  SECTION("equal ranks") {
    CHECK(two({3, 2}, {2, 3}, {1, 0}) ==
          "add: broadcast_dimensions={1,0} must be all dimensions in order or left out for "
          "operands of equal rank; "
          "operands f32[3,2], f32[2,3]");
  }
  SECTION("element types") {
    Add(Param(b, 0, kF32, {2}), Param(b, 1, kS32, {2}));
    CHECK(ErrorOf(b) ==
          "add: the operands' element types differ (ConvertElementType converts); operands f32[2], "
          "s32[2]");
  }
  SECTION("tuples") {
    Op t = Tuple(&b, {Param(b, 0, kF32, {})});
    Add(t, t);
    CHECK(ErrorOf(b) == "add: the operands must be arrays; operands (f32[]), (f32[])");
  }
}

TEST_CASE("broadcasts said by the program") {
  Builder b("t");
  Broadcast(Param(b, 0, kF32, {3}), {2});
  CHECK(Body(b) == "ROOT broadcast = f32[2,3] broadcast(x), dimensions={1}");
  BroadcastInDim(Param(b, 0, kF32, {3}), {3, 2}, {0});
  CHECK(Body(b) == "ROOT broadcast = f32[3,2] broadcast(x), dimensions={0}");
  BroadcastInDim(Param(b, 0, kF32, {1, 3}), {2, 3}, {0, 1});
  CHECK(
      Body(b) ==
      "reshape = f32[3] reshape(x)\nROOT broadcast = f32[2,3] broadcast(reshape), dimensions={1}");
  BroadcastInDim(Param(b, 0, kF32, {2}), {2, 3}, {1});
  CHECK(ErrorOf(b) ==
        "broadcast: (C5) dimension 0 of the operand is 2, neither 1 nor 3 like dimension 1 of the "
        "result; operands "
        "f32[2]; result f32[2,3]");
}

}  // namespace
}  // namespace sinter
