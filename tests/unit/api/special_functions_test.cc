// The special functions that the builder composes, run by the interpreter, against values computed
// with mpmath. The arguments are numbers of BF16, so they are the same in every type.
#include <catch2/catch.hpp>
#include <cmath>

#include "base/text.h"
#include "eval/eval.h"
#include "ir/verify/verify.h"
#include "sinter/builder.h"
#include "sinter/lib/math.h"

namespace sinter {
namespace {

constexpr double kInf = INFINITY, kNan = NAN;
constexpr ElementType kTypes[] = {ElementType::F64, ElementType::F32, ElementType::F16,
                                  ElementType::BF16};

double Epsilon(ElementType t) {
  switch (t) {
    case ElementType::F64:
      return 0x1p-52;
    case ElementType::F32:
      return 0x1p-23;
    case ElementType::F16:
      return 0x1p-10;
    default:
      return 0x1p-7;
  }
}

// f of the columns of `arguments`, computed in `type`.
template <class F>
std::vector<double> Apply(ElementType type, const std::vector<std::vector<double>>& arguments,
                          F f) {
  Builder b("t");
  std::vector<Op> x;
  std::vector<Literal> values;
  for (const auto& column : arguments) {
    values.push_back(Literal::R1<double>(absl::Span<const double>(column)));
    Op p = Parameter(&b, static_cast<int64_t>(x.size()), values.back().shape(),
                     Format("x{}", x.size()));
    x.push_back(ConvertElementType(p, type));
  }
  Op y = ConvertElementType(f(x), ElementType::F64);
  auto c = b.Build(y);
  INFO(c.status().message());
  REQUIRE(c.ok());
  REQUIRE(VerifyModule(*c->module()).ok());
  auto result = Evaluate(*c->module(), values);
  INFO(result.status().message());
  REQUIRE(result.ok());
  auto data = result->template data<double>();
  return {data.begin(), data.end()};
}

// Within `ulps` of a type's place (F16 and BF16 are rounded from F32), where the type can hold it.
// `floor`: the least size of a result in relation to which errors are measured.
void CheckClose(ElementType type, double is, double should, double ulps, double at,
                double floor = 0) {
  INFO(Name(type) << " at " << at << ": " << is << ", not " << should);
  if (std::isnan(should)) {
    CHECK(std::isnan(is));
    return;
  }
  const double largest = type == ElementType::F16   ? 65504
                         : type == ElementType::F64 ? 1.7e308
                                                    : 3.3e38;
  if (is == should || std::fabs(should) > largest) return;
  const double least = type == ElementType::F16   ? 0x1p-14
                       : type == ElementType::F64 ? 0x1p-1022
                                                  : 0x1p-126;
  const double scale = std::max({std::fabs(should), least, floor});
  INFO(std::fabs(is - should) / (Epsilon(type) * scale) << " units, allowed " << ulps);
  CHECK(std::fabs(is - should) <= ulps * Epsilon(type) * scale);
}

// Checks a function of one operand in every type. `floor` as of CheckClose: of functions that are 0
// where their argument is not.
void CheckUnary(Op (*function)(const Operand&), const std::vector<double>& arguments,
                const std::vector<double>& results, double floor = 0) {
  REQUIRE(arguments.size() == results.size());
  for (ElementType type : kTypes) {
    // What F16 cannot hold as an argument is left out.
    std::vector<double> at, is;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const double a = std::fabs(arguments[i]);
      if (type == ElementType::F16 && a != 0 && (a < 0x1p-10 || a > 60000)) continue;
      at.push_back(arguments[i]);
      is.push_back(results[i]);
    }
    std::vector<double> y =
        Apply(type, {at}, [&](const std::vector<Op>& x) { return function(x[0]); });
    for (size_t i = 0; i < y.size(); ++i) CheckClose(type, y[i], is[i], 8, at[i], floor);
  }
}

void CheckBinary(Op (*function)(const Operand&, const Operand&), const std::vector<double>& x,
                 const std::vector<double>& y, const std::vector<double>& results) {
  REQUIRE(x.size() == results.size());
  for (ElementType type : kTypes) {
    std::vector<double> z = Apply(type, {x, y}, [&](const std::vector<Op>& operands) {
      return function(operands[0], operands[1]);
    });
    for (size_t i = 0; i < z.size(); ++i) CheckClose(type, z[i], results[i], 20, x[i]);
  }
}

TEST_CASE("Erfc is close to its definition") {
  CheckUnary(Erfc,
             {-6.0, -2.5, -1.0, -0.5, -0.375, -1.0011717677116394e-08, 0.0, 1.0011717677116394e-08,
              0.25, 0.484375, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 9.0},
             {2.0, 1.999593047982555, 1.8427007929497148, 1.5204998778130465, 1.4041169094348223,
              1.0000000112970135, 1.0, 0.9999999887029863, 0.7236736098317631, 0.49333780362708207,
              0.4795001221869535, 0.28884436634648486, 0.15729920705028513, 0.033894853524689274,
              0.004677734981047266, 2.209049699858544e-05, 1.537459794428035e-12,
              1.1224297172982926e-29, 4.13703174651381e-37});
}

TEST_CASE("ErfInv is close to its definition") {
  CheckUnary(ErfInv,
             {-0.99609375, -0.75, -0.5, -0.10009765625, -1.0011717677116394e-08, 0.0,
              1.0011717677116394e-08, 0.10009765625, 0.25, 0.5, 0.75, 0.9375, 0.984375, 0.99609375},
             {-2.0404520146056093, -0.8134198475976185, -0.4769362762044699, -0.088943222784422,
              -8.87265377549189e-09, 0.0, 8.87265377549189e-09, 0.088943222784422,
              0.2253120550121781, 0.4769362762044699, 0.8134198475976185, 1.3171503349861307,
              1.7094723742995115, 2.0404520146056093});
}

TEST_CASE("Lgamma is close to its definition") {
  CheckUnary(Lgamma,
             {-100.5,
              -20.25,
              -3.5,
              -2.75,
              -1.5,
              -0.5,
              -0.10009765625,
              1.0005576689441423e-20,
              0.010009765625,
              0.25,
              0.5,
              0.75,
              0.99609375,
              1.0,
              1.0078125,
              1.25,
              1.5,
              1.75,
              1.984375,
              2.0,
              2.015625,
              2.5,
              3.0,
              4.5,
              6.0,
              7.75,
              8.0,
              10.0,
              30.0,
              100.0,
              1000.0,
              9999220736.0,
              1.0002555517425873e+30},
             {-364.90096830942736,    -41.60096191534053,
              -1.309006684993042,     0.004487897535955773,
              0.860047015376481,      1.2655121234846454,
              2.3680589792585707,     46.05114434637631,
              4.5984983147492215,     1.2880225246980774,
              0.5723649429247001,     0.20328095143129538,
              0.00226732248790912,    0.0,
              -0.0044594880379522995, -0.09827183642181316,
              -0.12078223763524522,   -0.08440112102048555,
              -0.006527019770560387,  0.0,
              0.006684476830232185,   0.2846828704729192,
              0.6931471805599453,     2.4537365708424423,
              4.787491742782046,      8.025458396315983,
              8.525161361065415,      12.801827480081469,
              71.25703896716801,      359.1342053695754,
              5905.220423209181,      220240566102.47495,
              6.809520571146104e+31},
             0.5);
}

TEST_CASE("Digamma is close to its definition") {
  CheckUnary(Digamma,
             {-100.5, -3.5, -1.25, -0.10009765625, 0.010009765625, 0.25, 0.5, 1.0, 1.25, 2.0, 3.5,
              9.75, 10.0, 100.0, 99840.0, 9.972771014849226e+19},
             {4.6151246013380645, 1.388870926359529, 3.714139120213528, 9.235129189180185,
              -100.46330865020715, -4.2274535333762655, -1.9635100260214235, -0.5772156649015329,
              -0.22745353337626542, 0.42278433509846713, 1.103156640645243, 2.225109535044576,
              2.251752589066721, 4.600161852738087, 11.511319175582074, 46.04897524753455},
             0.5);
}

TEST_CASE("BesselI0e is close to its definition") {
  CheckUnary(BesselI0e,
             {-30.0, -8.0, -1.0, 0.0, 1.0011717677116394e-08, 0.5, 1.0, 2.0, 5.0, 7.75, 8.0, 9.0,
              20.0, 100.0, 9984.0},
             {0.0731459464822373, 0.14343178185685032, 0.46575960759364043, 1.0, 0.9999999899882824,
              0.6450352704491501, 0.46575960759364043, 0.30850832255367105, 0.18354081260932836,
              0.1458122743089143, 0.14343178185685032, 0.134959524581723, 0.08978031188482602,
              0.03994437929909668, 0.003992668167741207});
}

TEST_CASE("BesselI1e is close to its definition") {
  CheckUnary(BesselI1e,
             {-30.0, -8.0, -1.0, 0.0, 1.0011717677116394e-08, 0.5, 1.0, 2.0, 5.0, 7.75, 8.0, 9.0,
              20.0, 100.0, 9984.0},
             {-0.07191633059864755, -0.13414249329269817, -0.20791041534970844, 0.0,
              5.005858788440952e-09, 0.1564208031848717, 0.20791041534970844, 0.21526928924893765,
              0.16397226694454237, 0.1360511000803391, 0.13414249329269817, 0.1272249839358912,
              0.08750622218328867, 0.03974415302513025, 0.0039924682094001395});
}

TEST_CASE("Zeta is close to its definition") {
  CheckBinary(
      Zeta, {1.5, 2.0, 2.0, 3.0, 4.0, 10.0, 30.0, 2.0, 1.25, 1.0078125, 3.0, 2.0},
      {1.0, 1.0, 0.5, 2.5, 10.0, 1.0, 1.5, 100.0, 0.125, 3.0, -1.5, -2.5},
      {2.612375348685488, 1.6449340668482264, 4.934802200544679, 0.1181020258208637,
       0.00038665021738164474, 1.000994575127818, 5.215096203815732e-06, 0.010050166663333571,
       17.843951959328802, 127.08048453106328, 0.1181020258208637, 9.539246644989124});
}

TEST_CASE("Polygamma is close to its definition") {
  CheckBinary(Polygamma, {0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 2.0, 3.0, 5.0, 10.0},
              {1.0, 3.5, 1.0, 0.25, 30.0, 1.0, 2.5, 0.5, 4.0, 2.0},
              {-0.5772156649015329, 1.103156640645243, 1.6449340668482264, 17.19732915450711,
               0.033895060357739946, -2.4041138063191885, -0.2362040516417274, 97.40909103400244,
               0.041558384635954376, -1793.311606628713});
}

TEST_CASE("zeta and polygamma below zero and far from it") {
  const std::vector<double> x = {2,  2, 3, 2,  4,  5, 3,         2,   7,
                                 12, 2, 3, 40, 50, 2, 1.0078125, 100, 30},
                            q = {-8.875,  -9.5,        -9.25,        -10.125,      -20.25, -100.5,
                                 -0.0625, -0.00390625, -15.875,      -3.5,         -250.5, -12.5,
                                 1.5,     2.25,        9999220736.0, 9999220736.0, 1.0,    300.0},
                            is = {67.287308472869672,
                                  9.7696874450302319,
                                  -62.007307411332633,
                                  67.299826017487103,
                                  259.7575388239817,
                                  2.402254625346707e-9,
                                  -4094.5679680290224,
                                  65537.654374929643,
                                  2097149.8844939387,
                                  8192.015448855568,
                                  9.8656203426141514,
                                  0.0029542182928941204,
                                  9.0437726959059037e-8,
                                  2.4596544520383169e-18,
                                  1.0000779325230049e-10,
                                  106.92647110999583,
                                  1.0,
                                  5.2713097833378422e-74};
  const std::vector<double> n = {1, 1, 2, 3, 0, 1, 4, 7, 20, 25, 1, 2},
                            at = {-9.5,    -8.875,  -9.25, -20.25, -100.5,       -250.5,
                                  -0.0625, -12.125, 3.5,   2.0,    9999220736.0, -0.5},
                            polygamma = {
                                9.7696874450302319,     67.287308472869672,     124.01461482266527,
                                1558.5452329438902,     4.6151246013380641,     9.8656203426141514,
                                25165789.830849302,     84557185319.092672,     -9182070.2049456267,
                                2.3114114691498317e+17, 1.0000779325230049e-10, -0.82879664423432};
  for (ElementType type : {ElementType::F64, ElementType::F32}) {
    std::vector<double> y =
        Apply(type, {x, q}, [](const std::vector<Op>& v) { return Zeta(v[0], v[1]); });
    for (size_t i = 0; i < y.size(); ++i) CheckClose(type, y[i], is[i], 20, q[i]);
    y = Apply(type, {n, at}, [](const std::vector<Op>& v) { return Polygamma(v[0], v[1]); });
    // Factorials beyond 20! come from their logarithms.
    for (size_t i = 0; i < y.size(); ++i)
      CheckClose(type, y[i], polygamma[i], n[i] > 20 ? 100 : 20, at[i]);
  }
}

TEST_CASE("special values of special functions") {
  struct Case {
    Op (*function)(const Operand&);
    std::vector<double> at, is;
  };
  const Case cases[] = {
      {Erfc, {kInf, -kInf, kNan, 30}, {0, 2, kNan, 0}},
      {ErfInv, {1, -1, 2, -1.5, kNan, kInf}, {kInf, -kInf, kNan, kNan, kNan, kNan}},
      {Lgamma, {0, -1, -100, kInf, -kInf, kNan}, {kInf, kInf, kInf, kInf, kInf, kNan}},
      {Digamma,
       {0, -0.0, -1, -100, kInf, -kInf, kNan},
       {-kInf, -kInf, kNan, kNan, kInf, kNan, kNan}},
      {BesselI0e, {kInf, -kInf, kNan}, {0, 0, kNan}},
      {BesselI1e, {kInf, -kInf, kNan}, {0, 0, kNan}},
  };
  for (const Case& c : cases) {
    for (ElementType type : kTypes) {
      std::vector<double> y =
          Apply(type, {c.at}, [&](const std::vector<Op>& x) { return c.function(x[0]); });
      INFO("case " << &c - cases);
      for (size_t i = 0; i < y.size(); ++i) CheckClose(type, y[i], c.is[i], 0, c.at[i]);
    }
  }
  auto zeta = [](const std::vector<Op>& x) { return Zeta(x[0], x[1]); };
  std::vector<double> z =
      Apply(ElementType::F64,
            {{1, 0.5, 2, 3, 2.5, kNan, 2, 2, 1.5, kInf, kInf, kInf, 1e30, 1e30, 2, 3},
             {2, 2, -3, -3, -1.5, 1, 0, kNan, kInf, 1, 2, 0.5, 1, 1.5, -1e15, -1e15}},
            zeta);
  const double expected[] = {kInf, kNan, kInf, kNan, kNan, kNan, kInf, kNan,
                             0,    1,    0,    kInf, 1,    0,    kInf, kNan};
  for (size_t i = 0; i < z.size(); ++i)
    CheckClose(ElementType::F64, z[i], expected[i], 0, static_cast<double>(i));
  auto polygamma = [](const std::vector<Op>& x) { return Polygamma(x[0], x[1]); };
  for (double y : Apply(ElementType::F64, {{-1, 0.5}, {2, 2}}, polygamma)) CHECK(std::isnan(y));
}

TEST_CASE("the next number") {
  const std::vector<double> from = {1, 1, -1, 0, 0, 2, kInf, 1, kNan},
                            to = {2, 0, 0, 1, -1, 2, 0, kNan, 1};
  for (ElementType type : kTypes) {
    std::vector<double> y =
        Apply(type, {from, to}, [](const std::vector<Op>& x) { return NextAfter(x[0], x[1]); });
    const double eps = Epsilon(type);
    const double tiny = type == ElementType::F64   ? 0x1p-1074
                        : type == ElementType::F32 ? 0x1p-149
                        : type == ElementType::F16 ? 0x1p-24
                                                   : 0x1p-133;
    INFO(Name(type));
    CHECK(y[0] == 1 + eps);
    CHECK(y[1] == 1 - eps / 2);
    CHECK(y[2] == -1 + eps / 2);
    CHECK(y[3] == tiny);
    CHECK(y[4] == -tiny);
    CHECK(y[5] == 2);
    CHECK(std::isfinite(y[6]));
    CHECK((std::isnan(y[7]) && std::isnan(y[8])));
  }
}

TEST_CASE("Infinities are told by predicates, of types that have none too") {
  const std::vector<float> values = {1, -INFINITY, INFINITY, NAN};
  for (const ElementType type : {ElementType::F4E2M1FN, ElementType::F8E4M3FN, ElementType::F8E5M2,
                                 ElementType::F16, ElementType::F32, ElementType::F64}) {
    CAPTURE(std::string(Name(type)));
    Builder b("t");
    const Literal x = Literal::R1<float>(absl::Span<const float>(values));
    Op y = ConvertElementType(Parameter(&b, 0, x.shape(), "x"), type);
    auto c = b.Build(Tuple(&b, {IsInf(y), IsPosInf(y), IsNegInf(y)}));
    INFO(c.status().message());
    REQUIRE(c.ok());
    auto result = Evaluate(*c->module(), {x});
    REQUIRE(result.ok());
    const bool has_any = type != ElementType::F4E2M1FN && type != ElementType::F8E4M3FN;
    CHECK(result->tuple()[0].ToString() == Format("pred[4] {{false, {0}, {0}, false}}", has_any));
    CHECK(result->tuple()[1].ToString() == Format("pred[4] {{false, false, {}, false}}", has_any));
    CHECK(result->tuple()[2].ToString() == Format("pred[4] {{false, {}, false, false}}", has_any));
  }
}

}  // namespace
}  // namespace sinter
