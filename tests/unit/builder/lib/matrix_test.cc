// Values of sinter/lib/matrix.h; references of NumPy.
#include <cmath>

#include "sinter/lib/matrix.h"
#include "sinter/ops.h"
#include "unit/builder/lib/run.h"

namespace sinter {
namespace {

TEST_CASE("identity matrices") {
  Builder b("t");
  CheckValues(b, {IdentityMatrix(&b, kF32, 2, 3), IdentityMatrix(&b, ElementType::S32, 2, 2)}, {},
              {{1, 0, 0, 0, 1, 0}, {1, 0, 0, 1}});
}

TEST_CASE("diagonals of matrices") {
  struct Case {
    int k;
    std::vector<double> is;
  };
  // Of 0, 1, ... as [2, 3, 4].
  const Case cases[] = {
      {-4, {}},
      {-3, {}},
      {-2, {8, 20}},
      {-1, {4, 9, 16, 21}},
      {0, {0, 5, 10, 12, 17, 22}},
      {1, {1, 6, 11, 13, 18, 23}},
      {2, {2, 7, 14, 19}},
      {3, {3, 15}},
      {4, {}},
      {5, {}},
  };
  for (ElementType type : {kF32, ElementType::S32, ElementType::S64}) {
    const Literal x = IotaLiteral(type, {2, 3, 4});
    for (const Case& c : cases) {
      INFO("diagonal " << c.k);
      Builder b("t");
      Op p = Argument(b, 0, x);
      CheckValues(b, {GetMatrixDiagonal(p, c.k), GetMatrixDiagonalViaGather(p, c.k)}, {x},
                  {c.is, c.is});
    }
  }
}

TEST_CASE("diagonals of matrices are set") {
  struct Case {
    int k;
    int64_t length;
    std::vector<double> is;
  };
  const Case cases[] = {
      {-2, 1, {0,  1,  2,  3,  4,  5,  6,  7,  0,  9,  10, 11,
               12, 13, 14, 15, 16, 17, 18, 19, -1, 21, 22, 23}},
      {-1, 2, {0,  1,  2,  3,  0,  5,  6,  7,  8,  -1, 10, 11,
               12, 13, 14, 15, -2, 17, 18, 19, 20, -3, 22, 23}},
      {0, 3, {0,  1,  2,  3,  4,  -1, 6,  7,  8,  9,  -2, 11,
              -3, 13, 14, 15, 16, -4, 18, 19, 20, 21, -5, 23}},
      {1, 3, {0,  0,  2,  3,  4,  5,  -1, 7,  8,  9,  10, -2,
              12, -3, 14, 15, 16, 17, -4, 19, 20, 21, 22, -5}},
      {2, 2, {0,  1,  0,  3,  4,  5,  6,  -1, 8,  9,  10, 11,
              12, 13, -2, 15, 16, 17, 18, -3, 20, 21, 22, 23}},
      {3, 1, {0,  1,  2,  0,  4,  5,  6,  7,  8,  9,  10, 11,
              12, 13, 14, -1, 16, 17, 18, 19, 20, 21, 22, 23}},
  };
  const Literal x = IotaLiteral(kF32, {2, 3, 4});
  for (const Case& c : cases) {
    INFO("diagonal " << c.k);
    Builder b("t");
    const Literal d = IotaLiteral(kF32, {2, c.length});
    CheckValues(b, {SetMatrixDiagonal(Argument(b, 0, x), -Argument(b, 1, d), c.k)}, {x, d}, {c.is});
  }
  Builder b("t");
  Op p = Argument(b, 0, x);
  SetMatrixDiagonal(p, SliceInDim(p, 0, 1, 1, 1), 0);
  CHECK(ErrorOf(b).find("set-matrix-diagonal: f32[2,1,4] as diagonal 0 of f32[2,3,4]") !=
        std::string::npos);
}

TEST_CASE("masks and triangles") {
  const Literal x = IotaLiteral(ElementType::S32, {2, 3, 4});
  Builder b("t");
  Op p = Argument(b, 0, x);
  CheckValues(
      b, {GetDiagonalMask(p, 1), TriangleMask(p, -1), LowerTriangle(p), UpperTriangle(p)}, {x},
      {{0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
       {0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0},
       {0, 0, 0, 0, 4, 5, 0, 0, 8, 9, 10, 0, 12, 0, 0, 0, 16, 17, 0, 0, 20, 21, 22, 0},
       {0, 1, 2, 3, 0, 5, 6, 7, 0, 0, 10, 11, 12, 13, 14, 15, 0, 17, 18, 19, 0, 0, 22, 23}});
}

TEST_CASE("symmetric matrices of a triangle") {
  const Literal x = LiteralOfValues(kF32, {3, 3}, {1, NAN, NAN, 2, 3, NAN, 4, 5, 6});
  const std::vector<double> full = {1, 2, 4, 2, 3, 5, 4, 5, 6};
  Builder b("t");
  Op p = Argument(b, 0, x);
  Op imaginary = Select(Ne(p, p), p, p + 3);
  Op z = Symmetrize(Complex(p, imaginary), true);
  CheckValues(b,
              {Symmetrize(p, true), Symmetrize(TransposeInMinorDims(p), false), Real(z), Imag(z)},
              {x}, {full, full, full, {0, -5, -7, 5, 0, -8, 7, 8, 0}});
}

TEST_CASE("products of batches of matrices") {
  const Literal x = IotaLiteral(kF32, {2, 2, 3}), y = IotaLiteral(kF32, {1, 3, 2});
  Builder b("t");
  Op p = Argument(b, 0, x), q = Argument(b, 1, y);
  CheckValues(
      b,
      {BatchDot(p, q), BatchDot(TransposeInMinorDims(p), true, TransposeInMinorDims(q), true),
       BatchDot(p, true, p, false, Precision::kHighest, ElementType::F64),
       MaybeTransposeInMinorDims(q, false), MaybeTransposeInMinorDims(q, true)},
      {x, y},
      {{10, 13, 28, 40, 46, 67, 64, 94},
       {10, 13, 28, 40, 46, 67, 64, 94},
       {9, 12, 15, 12, 17, 22, 15, 22, 29, 117, 132, 147, 132, 149, 166, 147, 166, 185},
       {0, 1, 2, 3, 4, 5},
       {0, 2, 4, 1, 3, 5}});
}

TEST_CASE("sums of products by labels") {
  struct Case {
    const char* labels;
    std::vector<int64_t> x, y;
    std::vector<double> is;
  };
  // Of 0, 1, ... under these dimensions.
  const Case cases[] = {
      {"ab,bc->ac", {2, 3}, {3, 2}, {10, 13, 28, 40}},
      {"ab,cb->ac", {2, 3}, {2, 3}, {5, 14, 14, 50}},
      {"ab,bc", {2, 3}, {3, 2}, {10, 13, 28, 40}},
      {"ab,cd->dcba", {1, 2}, {2, 2}, {0, 0, 0, 2, 0, 1, 0, 3}},
      {"abc,abd->cbd", {2, 2, 3}, {2, 2, 2}, {24, 30, 60, 72, 28, 36, 68, 82, 32, 42, 76, 92}},
      {"...ab,...bc->...ac", {2, 2, 3}, {2, 3, 2}, {10, 13, 28, 40, 172, 193, 244, 274}},
      {"a...bc,...abd->cbd...",
       {2, 3, 2, 2},
       {3, 2, 2, 1},
       {24, 112, 264, 44, 156, 332, 26, 122, 282, 48, 168, 352}},
      {"...b,...bc->...c", {2, 3}, {2, 3, 2}, {10, 13, 100, 112}},
      {"...abz,...bc->...ac", {2, 2, 3, 2}, {2, 3, 2}, {46, 61, 118, 169, 712, 799, 1000, 1123}},
      {"abb,bcc->ac", {2, 3, 3}, {3, 2, 2}, {80, 116, 188, 305}},
      {"...mk,...kn->...mn",
       {2, 3, 2, 3},
       {3, 3, 1},
       {5, 14, 86, 122, 275, 338, 59, 68, 302, 338, 653, 716}},
      {"ab,ab->", {2, 3}, {2, 3}, {55}},
      {"ab,bc->ac", {2, 1}, {3, 2}, {0, 0, 6, 9}},
      {"ab,ab->ab", {1, 3}, {2, 3}, {0, 1, 4, 0, 4, 10}},
      {"a,a->a", {3}, {1}, {0, 0, 0}},
      {"ab,b->a", {2, 3}, {1}, {0, 0}},
      {"aab,b->a", {2, 2, 3}, {3}, {5, 32}},
      {"a,b->ab", {2}, {3}, {0, 0, 0, 0, 1, 2}},
  };
  for (ElementType type : {kF32, ElementType::S32}) {
    for (const Case& c : cases) {
      INFO(c.labels);
      Builder b("t");
      const Literal x = IotaLiteral(type, c.x), y = IotaLiteral(type, c.y);
      CheckValues(b, {Einsum(Argument(b, 0, x), Argument(b, 1, y), c.labels)}, {x, y}, {c.is});
    }
  }
}

TEST_CASE("sums of elements by labels") {
  const Literal x = IotaLiteral(kF32, {2, 3, 3});
  Builder b("t");
  Op p = Argument(b, 0, x);
  CheckValues(
      b,
      {Einsum(p, "...aa->...a"), Einsum(p, "...aa->..."), Einsum(p, "abc->cb"),
       Einsum(p, {0, 1, 2}, p, {0, 1, 2}, {1})},
      {x}, {{0, 4, 8, 9, 13, 17}, {12, 39}, {9, 15, 21, 11, 17, 23, 13, 19, 25}, {307, 559, 919}});
}

TEST_CASE("labels that do not fit") {
  const Literal x = IotaLiteral(kF32, {2, 3});
  for (const char* labels : {"ab,ab->c", "ab,ab->aa", "ab,cb,dc->ad", "a...b...,ab->ab", "a1,ab->b",
                             "ab,ca->bc", "abc...,ab->ab", "abc,ab->ab"}) {
    INFO(labels);
    Builder b("t");
    Op p = Argument(b, 0, x);
    Einsum(p, p, labels);
    CHECK(ErrorOf(b).find("einsum: ") != std::string::npos);
  }
}

TEST_CASE("text of labels is read") {
  auto same = [](const absl::StatusOr<std::array<std::vector<int64_t>, 3>>& is,
                 const std::array<std::vector<int64_t>, 3>& should) {
    return is.ok() && *is == should;
  };
  CHECK(same(ParseEinsumString("ab,cb->ac", 2, 2), {{{'a', 'b'}, {'c', 'b'}, {'a', 'c'}}}));
  CHECK(same(ParseEinsumString("...ab,...bcd->...acd", 4, 5),
             {{{-2, -1, 'a', 'b'}, {-2, -1, 'b', 'c', 'd'}, {-2, -1, 'a', 'c', 'd'}}}));
  CHECK(same(ParseEinsumString("...a,a...b->b...", 1, 4),
             {{{'a'}, {'a', -2, -1, 'b'}, {'b', -2, -1}}}));
  for (const char* labels : {"", "a", "ab->ba", "ab,bc,cd->ad", "a...b...,bc->a...c", "ab,bc"}) {
    INFO(labels);
    CHECK(!ParseEinsumString(labels, 3, 3).ok());
  }
  CHECK(NormalizeEinsumString("a,b->ab") == "");
  CHECK(NormalizeEinsumString("ba") == "ba->ab");
  CHECK(NormalizeEinsumString("ab,dc") == "ab,dc->abcd");
  CHECK(NormalizeEinsumString("...ba,ca...") == "...ba,ca...->...bc");
}

}  // namespace
}  // namespace sinter
