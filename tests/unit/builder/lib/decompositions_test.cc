// Values of sinter/lib/qr.h, lu_decomposition.h, svd.h, self_adjoint_eig.h and logdet.h; references
// of NumPy and LAPACK.
#include <cmath>

#include "sinter/lib/constants.h"
#include "sinter/lib/logdet.h"
#include "sinter/lib/lu_decomposition.h"
#include "sinter/lib/matrix.h"
#include "sinter/lib/qr.h"
#include "sinter/lib/self_adjoint_eig.h"
#include "sinter/lib/slicing.h"
#include "sinter/lib/svd.h"
#include "sinter/ops.h"
#include "unit/builder/lib/run.h"

namespace sinter {
namespace {

// 1 and the largest difference of two arrays.
Op Distance(Op x, Op y) {
  return ReduceAll(Abs(x - y), 0, [](Op l, Op r) { return Max(l, r); }) + 1;
}
Op Square(Op q) { return BatchDot(q, true, q, false, Precision::kHighest); }
// Ones on the diagonals, of x's dimensions.
Op Ones(Op x) { return Select(GetDiagonalMask(x), OnesLike(x), ZerosLike(x)); }

const std::vector<double>& Tall() {
  static const auto& values = *new std::vector<double>{
      0,        0.296875,  -0.28125,  -0.890625, -0.453125, -0.984375, 0.0625,    1.34375,
      -0.5,     -0.625,    0.484375,  0.359375,  0.109375,  -0.9375,   -0.03125,  0.6875,
      -1.34375, -0.453125, -1.90625,  -1.296875, -1.84375,  -0.234375, -1.265625, 0.265625,
      0.15625,  -0.1875,   -2.515625, -0.53125,  -0.046875, 0.109375};
  return values;
}
const std::vector<double>& Wide() {
  static const auto& values = *new std::vector<double>{
      -1.53125,  -0.484375, -0.984375, -0.8125, 1.0625,   -0.8125,   -0.03125, 0.890625,
      -0.578125, -0.109375, 0.109375,  0.0625,  -1.21875, 0.078125,  1.359375, -1.546875,
      0.859375,  0.125,     -0.640625, 2,       0.765625, -1.203125, 0.078125, 0.578125};
  return values;
}
const std::vector<double>& Even() {
  static const auto& values = *new std::vector<double>{
      -0.1875,  0.6875,  -0.0625,   0.671875,  1.4375,   -0.671875, 0.203125,  -0.46875,
      0.125,    -1.1875, -0.578125, -0.203125, 0.90625,  1.140625,  -1.328125, -0.796875,
      0.640625, -2,      -0.46875,  -0.09375,  1.25,     0.6875,    -0.328125, -0.375,
      -0.25,    1.53125, -0.421875, -0.296875, 0.359375, -0.125,    -0.203125, -1.109375};
  return values;
}

struct Matrix {
  std::vector<int64_t> sizes;
  const std::vector<double>& (*values)();
  std::vector<double> r, lu, permutation, pivots, singular;
};
// R, L U, its permutation, the rows exchanged, and singular values, of LAPACK.
const std::vector<Matrix>& Matrices() {
  static const auto& all = *new std::vector<Matrix>{
      {{2, 5, 3},
       Tall,
       {-1.0953113855201178, -0.0751159822792592, -0.563704211229218, 0, 1.7908110100122856,
        -0.08281176850170269, 0, 0, 1.0505248352561996, -2.1137685725085893, -0.8707557657036367,
        -1.2724653496162577, 0, 2.0900941081369693, 0.967594973853215, 0, 0, -2.731339762936858},
       {-0.890625,
        -0.453125,
        -0.984375,
        -0.07017543859649122,
        1.311951754385965,
        -0.569078947368421,
        0.7017543859649122,
        0.6115754283326368,
        1.3981991746761386,
        -0.0,
        0.2262849979105725,
        -0.10905168186721587,
        -0.12280701754385964,
        -0.7569995821145006,
        -0.41691533924543633,
        -1.90625,
        -1.296875,
        -1.84375,
        -0.36065573770491804,
        -1.8114754098360657,
        -1.1180840163934427,
        -0.0819672131147541,
        0.16218891402714933,
        -2.485411216770362,
        0.12295081967213116,
        0.6106476244343891,
        -0.4727873256426918,
        0.27868852459016397,
        -0.17364253393665158,
        -0.17263140302795674},
       {1, 2, 3, 0, 4, 1, 0, 3, 2, 4},
       {1, 2, 3, 1, 1, 3},
       {1.7944555426968731, 1.3932811424719354, 0.8241802807587479, 3.577026903769603,
        1.9720052008710025, 1.7106798589876944}},
      {{2, 3, 4},
       Wide,
       {1.9513742152967484,
        -0.029901804030000867,
        0.7230231192024048,
        1.1039896182457205,
        0,
        0.9517584585207275,
        0.5377982890901757,
        -0.31930662508258933,
        0,
        0,
        0.41224284481420037,
        0.3694936976580717,
        1.6763229383832938,
        -0.542219834891486,
        -1.2810544366654604,
        2.41399241561278,
        0,
        -1.084082991242022,
        0.7033448776944482,
        -0.684918336530838,
        0,
        0,
        0.3586220994246186,
        0.6561846317141284},
       {-1.53125,
        -0.484375,
        -0.984375,
        -0.8125,
        -0.6938775510204082,
        -1.1485969387755102,
        -0.7142857142857143,
        0.3268494897959183,
        0.37755102040816324,
        -0.06399222654081066,
        0.43531805247084954,
        0.3901760306774014,
        -1.21875,
        0.078125,
        1.359375,
        -1.546875,
        -0.6282051282051282,
        -1.1540464743589745,
        0.9320913461538461,
        -0.3936298076923077,
        -0.7051282051282051,
        -0.15604929699704911,
        0.4633608531504947,
        0.8478291529248394},
       {0, 1, 2, 0, 2, 1},
       {0, 1, 2, 0, 2, 2},
       {2.375668174354512, 1.14297852244147, 0.4512310010921396, 3.3364096039368203,
        1.3057620657792557, 0.6588689820101113}},
      {{2, 4, 4},
       Even,
       {1.7141985189878095,
        -0.12219859831269031,
        -0.5671268280665884,
        -0.9026744942958407,
        0,
        1.9027142215320763,
        -0.5660937366558181,
        -0.0006173804490841039,
        0,
        0,
        1.2252410330547958,
        0.42954307488858856,
        0,
        0,
        0,
        0.5899857899808997,
        -1.471241238291668,
        0.5774779505137615,
        0.46082076683238915,
        0.5799670796108028,
        0,
        -2.549416997897838,
        0.06856675011529553,
        0.282868071344834,
        0,
        0,
        0.5740850816818319,
        0.40224334970733944,
        0,
        0,
        0,
        -0.9434436110057609},
       {1.4375,
        -0.671875,
        0.203125,
        -0.46875,
        0.6304347826086957,
        1.5641983695652173,
        -1.4561820652173914,
        -0.5013586956521738,
        0.08695652173913043,
        -0.7218241042345278,
        -1.6468953583061892,
        -0.5242569218241042,
        -0.13043478260869565,
        0.38349619978284477,
        -0.31722407303249256,
        0.6366959341063471,
        1.25,
        0.6875,
        -0.328125,
        -0.375,
        0.5125000000000001,
        -2.35234375,
        -0.30058593749999996,
        0.09843750000000001,
        -0.2,
        -0.7093988708070408,
        -0.7007353246429757,
        -0.30204354865493194,
        0.28750000000000003,
        0.13716373297907672,
        0.09641239831302369,
        -0.9859438120443293},
       {1, 3, 2, 0, 1, 0, 2, 3},
       {1, 3, 2, 3, 1, 1, 2, 3},
       {2.178064514963619, 1.980045402021313, 1.066324545112714, 0.5126989994926081,
        2.6453784075200177, 1.7243007001375956, 0.8889310136084637, 0.5010119773537134}},
  };
  return all;
}

TEST_CASE("QR decompositions") {
  for (ElementType type : {kF32, ElementType::F64}) {
    const double tolerance = type == kF32 ? 4e-6 : 1e-14;
    for (const Matrix& m : Matrices()) {
      const Literal x = LiteralOfValues(type, m.sizes, m.values());
      INFO(x.shape().ToString());
      Builder b("t");
      Op a = Argument(b, 0, x), q, r, full_q, full_r;
      QrExplicit(a, /*full_matrices=*/false, q, r);
      QrExplicit(a, /*full_matrices=*/true, full_q, full_r);
      Op product = Einsum(q, r, "...mk,...kn->...mn", Precision::kHighest);
      Op full_product = Einsum(full_q, full_r, "...mk,...kn->...mn", Precision::kHighest);
      CheckValues(b,
                  {r, Distance(product, a), Distance(full_product, a),
                   Distance(Square(q), Ones(Square(q))), Distance(Square(full_q), Ones(full_q))},
                  {x}, {m.r, {1}, {1}, {1}, {1}}, {tolerance, 1});
    }
  }
}

TEST_CASE("LU decompositions") {
  for (const Matrix& m : Matrices()) {
    const Literal x = LiteralOfValues(ElementType::F64, m.sizes, m.values());
    Builder b("t");
    LuDecompositionResult d = LuDecomposition(Argument(b, 0, x));
    CheckValues(b, {d.lu, d.pivots, d.permutation}, {x}, {m.lu, m.pivots, m.permutation},
                {1e-14, 1});
  }
}

TEST_CASE("singular values") {
  for (ElementType type : {kF32, ElementType::F64}) {
    const double tolerance = type == kF32 ? 4e-6 : 1e-14;
    for (const Matrix& m : Matrices()) {
      const Literal x = LiteralOfValues(type, m.sizes, m.values());
      INFO(x.shape().ToString());
      Builder b("t");
      Op a = Argument(b, 0, x);
      SVDResult s = SVD(a);
      const int64_t k = std::min(m.sizes[1], m.sizes[2]);
      Op u = SliceInMinorDims(s.u, {0, 0}, {m.sizes[1], k});
      Op v = SliceInMinorDims(s.v, {0, 0}, {m.sizes[2], k});
      Op product = Einsum(Mul(u, s.d, {0, 2}), v, "...mk,...nk->...mn", Precision::kHighest);
      CheckValues(b,
                  {s.d, Distance(product, a), Distance(Square(s.u), Ones(s.u)),
                   Distance(Square(s.v), Ones(s.v))},
                  {x}, {m.singular, {1}, {1}, {1}}, {tolerance, 1});
    }
  }
}

TEST_CASE("singular values of matrices of less than full rank") {
  // Of rank 1, of rank 0, and with elements whose squares are out of range.
  const Literal x = LiteralOfValues(kF32, {3, 3, 2},
                                    {1, 2, 2, 4, 3, 6, 0, 0, 0, 0, 0, 0, 3e30, 0, 0, 4e30, 0, 0});
  Builder c("t");
  SVDResult s = SVD(Argument(c, 0, x));
  Op scale = ConstantR1<float>(&c, {1.0f, 1.0f, 1e-30f});
  CheckValues(
      c, {Mul(s.d, scale, {0}), Distance(Square(s.u), Ones(s.u)), Distance(Square(s.v), Ones(s.v))},
      {x}, {{std::sqrt(70.0), 0, 0, 0, 4, 3}, {1}, {1}}, {2e-6, 1});
}

TEST_CASE("eigenvalues of symmetric matrices") {
  for (ElementType type : {kF32, ElementType::F64}) {
    const double tolerance = type == kF32 ? 1e-5 : 1e-12;
    const Literal x = LiteralOfValues(type, {2, 4, 4}, Even());
    Builder b("t");
    Op a = Argument(b, 0, x);
    SelfAdjointEigResult e = SelfAdjointEig(a, true, 30, 1e-14f);
    SelfAdjointEigResult upper = SelfAdjointEig(TransposeInMinorDims(a), false, 30, 1e-14f);
    Op image = BatchDot(Symmetrize(a, true), e.v, Precision::kHighest);
    CheckValues(
        b, {e.w, upper.w, Distance(image, Mul(e.v, e.w, {0, 2})), Distance(Square(e.v), Ones(e.v))},
        {x},
        {{-2.551867413477227, -1.940046074449539, -0.1728836293453272, 2.4304221172720926,
          -1.8730554918709654, -1.21065397289415, 0.5799527245893944, 2.3006317401757213},
         {-2.551867413477227, -1.940046074449539, -0.1728836293453272, 2.4304221172720926,
          -1.8730554918709654, -1.21065397289415, 0.5799527245893944, 2.3006317401757213},
         {1},
         {1}},
        {tolerance, 1});
  }
}

TEST_CASE("determinants") {
  for (ElementType type : {kF32, ElementType::F64}) {
    const Literal x = LiteralOfValues(type, {2, 4, 4}, Even());
    const Literal y = LiteralOfValues(type, {3, 2, 2}, {1, 2, 3, 4, 0, 0, 0, 5, 2, 0, 0, 3});
    Builder b("t");
    Op p = Argument(b, 0, x), q = Argument(b, 1, y);
    SignAndLogDet d = SLogDet(p), e = SLogDet(q);
    CheckValues(b, {d.sign, d.logdet, e.sign, e.logdet, LogDet(q)}, {x, y},
                {{-1, 1},
                 {0.8577077991154369, 0.7087747796087287},
                 {-1, 0, 1},
                 {std::log(2.0), -INFINITY, std::log(6.0)},
                 {NAN, -INFINITY, std::log(6.0)}},
                {type == kF32 ? 4e-6 : 1e-14, 1});
  }
  // Of complex numbers: (1 + 2i) (3 - i) - 4i (2 + i), which is 9 - 3i.
  Builder b("t");
  Op z =
      Complex(ConstantR2<double>(&b, {{1, 0}, {2, 3}}), ConstantR2<double>(&b, {{2, 4}, {1, -1}}));
  SignAndLogDet d = SLogDet(z);
  const double size = std::sqrt(90.0);
  CheckValues(b, {Real(d.sign), Imag(d.sign), d.logdet}, {},
              {{9 / size}, {-3 / size}, {std::log(size)}}, {1e-14, 1});
}

TEST_CASE("decompositions of what has none") {
  struct Case {
    void (*record)(Op);
    const char* error;
  };
  const Case cases[] = {
      {[](Op x) { Qr(x); }, "qr: s32[2,3] is not of floats or complex numbers"},
      {[](Op x) { LuDecomposition(Reshape(x, {6})); },
       "lu-decomposition: expected an array of rank 2 or more, got s32[6]"},
      {[](Op x) { SelfAdjointEig(ConvertElementType(x, kF32)); },
       "self-adjoint-eig: f32[2,3] is not square"},
      {[](Op x) { SLogDet(ConvertElementType(x, kF32)); }, "slogdet: f32[2,3] is not square"},
      {[](Op x) { SVD(x); }, "svd: s32[2,3] is not of floats"},
  };
  for (const Case& c : cases) {
    Builder b("t");
    c.record(Parameter(&b, 0, Shape(ElementType::S32, {2, 3}), "x"));
    INFO(ErrorOf(b));
    CHECK(ErrorOf(b).find(c.error) != std::string::npos);
  }
}

}  // namespace
}  // namespace sinter
