// Special functions composed of operations. Coefficients of polynomials are fits of our own
// (src/codegen/emit/math/minimax.py), highest power first.

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "builder/lib/of_floats.h"
#include "builder/lib/polynomial.h"
#include "sinter/lib/constants.h"
#include "sinter/lib/loops.h"
#include "sinter/lib/math.h"

namespace sinter {

Op LgammaOverArgument(Op t) {
  return Polynomial(t, {-0x1.091581ed1824cp-25, 0x1.15fea950e850cp-24,  -0x1.9a854c4b75893p-24,
                        0x1.b1a8c84265b09p-23,  -0x1.e40f950f78f0dp-22, 0x1.01462b609e6bcp-20,
                        -0x1.11a8568a3e472p-19, 0x1.258c965163010p-18,  -0x1.3cbce9a38b1cfp-17,
                        0x1.580e2601263ebp-16,  -0x1.78de5a3d2ecc6p-15, 0x1.a127af44aadc2p-14,
                        -0x1.d3fd4c7b8f649p-13, 0x1.0b36af88b2887p-11,  -0x1.38ac5c2bf50a2p-10,
                        0x1.7add6eadb2c11p-9,   -0x1.e404fc218f61fp-8,  0x1.51322ac7d849bp-6,
                        -0x1.13e001a557606p-4,  0x1.4a34cc4a60fa6p-2,   0x1.b0ee6072093cep-2});
}

namespace {

constexpr double kPi = std::numbers::pi;

bool IsF64(Op x) {
  absl::StatusOr<Shape> shape = x.shape();
  return shape.ok() && shape->element_type() == ElementType::F64;
}

// f of F64s, rounded to the operand's type; of two operands f is told whether that is F64 too.
template <class F>
Op InF64(const Operand& operand, std::string_view name, F f) {
  return OfFloats(operand, name, [&](Op x) {
    if (IsF64(x)) return f(x);
    return ConvertElementType(f(ConvertElementType(x, ElementType::F64)), ElementType::F32);
  });
}
template <class F>
Op InF64(const Operand& x, const Operand& y, std::string_view name, F f) {
  ComposedAt at(x);
  absl::StatusOr<Shape> shape = x.op().shape();
  const ElementType type = shape.ok() ? shape->element_type() : ElementType::F64;
  return InF64(x, name, [&](Op wide_x) {
    // A type that does not match is an error of the functions' first operation.
    const bool wide = type == ElementType::F64;
    return f(wide_x, wide ? y.op() : ConvertElementType(y, ElementType::F64), wide);
  });
}

// The distance from the nearest integer, exactly; NaN for infinities.
Op FromInteger(Op x) { return x - RoundNearestEven(x); }

// e^(-x^2) erfc's factor: (1 + 2x) e^(x^2) erfc(x), a polynomial in (x - c) / (x + c) (after M. M.
// Shepherd, J. G. Laframboise, Chebyshev Approximation of (1 + 2x) exp(x^2) erfc x, Math. Comp. 36,
// 1981). The square is split, so that its rounding does not reach the power: what is left of it is
// below 0.05 (F64: 3e-5). Below 1/2, erf by its series.
Op ErfcOf(Op x) {
  const bool wide = IsF64(x);
  const double center = wide ? 4 : 2;
  Op a = Min(Abs(x), wide ? 28 : 10.25);  // 0 from there on
  Op t = (a - center) / (a + center);
  Op p =
      wide ? Polynomial(t, {0x1.a2589602d336cp-30,  0x1.4b286167107e8p-29,  -0x1.f93da47eb6002p-27,
                            -0x1.5313b0f90d0bcp-26, 0x1.dad85fe59a5f0p-24,  0x1.4b5736f5979e9p-24,
                            -0x1.bb3449da34a12p-21, 0x1.395e32c068bb0p-22,  0x1.7f2a83c4cab96p-18,
                            -0x1.78845bcf81ddap-17, -0x1.995967601186fp-16, 0x1.3be03d6973264p-13,
                            -0x1.a1df247977f53p-13, -0x1.8d4a99f8e1093p-11, 0x1.49c6728507c5dp-8,
                            -0x1.09623884f6f33p-6,  0x1.3079edf686182p-5,   -0x1.0fb06dfe49e43p-4,
                            0x1.7fee004e123d8p-4,   -0x1.9ddb23c3e906ep-4,  0x1.16ecefcfa539ep-4,
                            0x1.f7f5df66fd7afp-7,   -0x1.1df1ad154a28ep-3,  0x1.3ba5916e9fd7fp+0})
           : Polynomial(t, {0x1.f48584p-13, -0x1.51d0b6p-12, -0x1.867d20p-10, 0x1.40ed48p-10,
                            0x1.1e2d4ep-7, -0x1.070212p-7, -0x1.bc2e86p-5, 0x1.4ff9d8p-3,
                            -0x1.5407b6p-3, -0x1.7bf5eap-4, 0x1.46e80ep+0});
  Op high = ReducePrecision(a, wide ? 11 : 8, wide ? 25 : 11);
  Op rest = (high - a) * (high + a);
  Op of_rest = wide ? Polynomial(rest, {1.0 / 6, 0.5, 1.0, 1.0})
                    : Polynomial(rest, {1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0});
  Op tail = Exp(-(high * high)) * of_rest * (p / (a * 2 + 1));
  Op far = Select(Lt(x, 0), 2 - tail, tail);
  std::vector<double> series;  // 2 / sqrt(pi) (-1)^k / ((2 k + 1) k!)
  for (int k = wide ? 12 : 6; k >= 0; --k)
    series.push_back(2 * std::numbers::inv_sqrtpi * (k % 2 == 0 ? 1 : -1) /
                     ((2 * k + 1) * std::tgamma(k + 1.0)));
  Op near = 1 - x * Polynomial(x * x, series);
  return Select(Lt(a, 0.5), near, far);
}

// x times a function of w = -log(1 - x^2), or where that is large of its root (M. Giles,
// Approximating the erfinv Function, GPU Computing Gems, 2011).
Op ErfInvOf(Op x) {
  Op w = -Log((1 - x) * (x + 1));
  Op root = Sqrt(Max(w, 0));
  Op p;
  if (IsF64(x)) {
    Op near = Polynomial(w - 3.125,
                         {0x1.e9b7424c3df16p-69,  -0x1.5083f4c26ecb9p-70, -0x1.9d28734db4b44p-62,
                          0x1.536d0a23fdc5bp-60,  0x1.1f4b6cea998dep-56,  -0x1.2c26594013042p-53,
                          -0x1.73880dd2f2b48p-55, 0x1.db523b79700c2p-48,  -0x1.686645db6ec71p-45,
                          -0x1.6d9ec454f7fe4p-44, 0x1.723527fcc2ac9p-39,  -0x1.c89564d54fd11p-37,
                          -0x1.dc3ee8c63acdcp-35, 0x1.20f4e6bf69fb9p-30,  -0x1.1a9eb1bc47f3cp-28,
                          -0x1.f36ce4ae90b4ep-26, 0x1.c6b4f89091cf0p-22,  -0x1.6e8a53f105da6p-20,
                          -0x1.d1d1f7ca40274p-17, 0x1.879c2a20da42ep-13,  -0x1.84576948353e1p-11,
                          -0x1.8b6c33114eeaep-8,  0x1.ebd80d9b13df9p-3,   0x1.a755e7c99ae86p+0});
    Op far = Polynomial(root - 3.25,
                        {0x1.07e3c2020286fp-27,  -0x1.06f1da245bfd3p-26, -0x1.674f1725daa65p-26,
                         0x1.1a9484c4d3628p-23,  -0x1.079a074d69940p-22, -0x1.da75906425fdap-26,
                         0x1.8db69feb41fb6p-20,  -0x1.0b79e820e8497p-18, 0x1.899aa0e374402p-19,
                         0x1.a241c6f237f34p-17,  -0x1.8cf463501e9a0p-15, 0x1.1e6abbe66ca02p-14,
                         0x1.932e8fd4360edp-16,  -0x1.7448bcc8e9aa7p-12, 0x1.f3cc545d9ca81p-11,
                         -0x1.ba9240d8768c3p-10, 0x1.468eeca944c44p-9,   -0x1.ebadabba02be5p-9,
                         0x1.5ffcfe5b6cd38p-8,   0x1.0158a6d641d55p+0,   0x1.8abcc380d5a48p+1});
    Op last =
        Polynomial(root - 5, {-0x1.48a695acb87d0p-36, 0x1.7bb2741005c64p-35, 0x1.10b5f6ed7e0c0p-34,
                              -0x1.e25d4a99d593ep-32, 0x1.6d908cd16944bp-30, -0x1.dcda13a70ddf6p-29,
                              0x1.0c44958b42a1dp-27, -0x1.061ac640d2e85p-26, 0x1.f2ac6c19856d2p-26,
                              -0x1.22261dd3cb8ecp-24, 0x1.ebe1a332b79b9p-23, -0x1.0a9078958d95ep-20,
                              0x1.2fbcffc2bcd3dp-18, -0x1.4a348fb6ee248p-16, 0x1.3ebf4ef7ba26fp-14,
                              -0x1.c2f36aa2626bfp-13, -0x1.22ea5df1bc3fep-13, 0x1.02a30d1fba10dp+0,
                              0x1.3664ddd1ad7fbp+2});
    p = Select(Lt(w, 6.25), near, Select(Lt(w, 16), far, last));
  } else {
    Op near = Polynomial(
        w - 2.5, {-0x1.32e4d0p-27, 0x1.90e868p-26, 0x1.f6a670p-22, -0x1.d0ed9ap-19, -0x1.4db15ep-18,
                  0x1.c9e96ep-13, -0x1.48650cp-10, -0x1.11c506p-8, 0x1.f91e8ap-3, 0x1.805c5ep+0});
    Op far = Polynomial(
        root - 3, {0x1.07a066p-13, -0x1.4d1e60p-12, -0x1.28d8a0p-14, 0x1.87cd0ap-10, -0x1.d69ef0p-9,
                   0x1.747b12p-8, -0x1.f49a50p-8, 0x1.3583d0p-7, 0x1.006dc6p+0, 0x1.6a9efcp+1});
    p = Select(Lt(w, 5), near, far);
  }
  Op y = Select(Eq(Abs(x), 1), x * kInfinity, x * p);
  return Select(Gt(Abs(x), 1), FullLike(x, kNan), y);
}

// For z >= 1/2: Stirling's formula from 8 on; below, by the recurrence, a polynomial around 2,
// which is a zero. For x < 1/2: log(pi / |sin(pi x)|) - lgamma(1 - x).
Op LgammaOf(Op x) {
  Op reflected = Lt(x, 0.5);
  Op z = Select(reflected, 1 - x, x);
  Op y = z, product = OnesLike(x);
  for (int step = 0; step < 6; ++step) {
    Op above = Ge(y, 2.5);
    y = Select(above, y - 1, y);
    product = Select(above, product * y, product);
  }
  Op low = Lt(z, 1.5);
  Op t = Select(low, z - 1, y - 2);
  Op p = LgammaOverArgument(t);
  Op log = Log1p(Select(low, t, product - 1));
  Op near = t * p + Select(low, -log, log);
  Op inverse = 1 / z;
  Op rest = Polynomial(
      inverse * inverse,
      {-0x1.55b3a69f41fdbp-6, 0x1.96db404425ca5p-8, -0x1.f5ff2fda221f6p-10, 0x1.b94f6d658153cp-11,
       -0x1.38137ec06ff8ep-11, 0x1.a01a019ee0dbcp-11, -0x1.6c16c16c16b29p-9, 0x1.5555555555555p-4});
  Op far = (z - 0.5) * (Log(z) - 1) + (inverse * rest + (std::log(2 * kPi) / 2 - 0.5));
  Op right = Select(Lt(z, 8), near, far);
  Op sine = Abs(Sin(FromInteger(x) * kPi));
  Op left = std::log(kPi) - Log(sine) - right;
  Op y_of_x = Select(reflected, left, right);
  return Select(Eq(Abs(x), kInfinity), FullLike(x, kInfinity), y_of_x);
}

// For z >= 1/2: the asymptotic series from 10 on, reached by the recurrence. For x < 1/2:
// digamma(1 - x) - pi / tan(pi x). As XLA has it, -inf at zeros of either sign, NaN at the other
// poles.
Op DigammaOf(Op x) {
  Op reflected = Lt(x, 0.5);
  Op z = Select(reflected, 1 - x, x);
  Op sum = ZerosLike(x);
  for (int step = 0; step < 10; ++step) {
    Op below = Lt(z, 10);
    sum = Select(below, sum + 1 / z, sum);
    z = Select(below, z + 1, z);
  }
  Op inverse = 1 / z;
  Op y = inverse * inverse;
  // Bernoulli's numbers B_2k / 2k.
  Op series = y * Polynomial(y, {1.0 / 12, -691.0 / 32760, 1.0 / 132, -1.0 / 240, 1.0 / 252,
                                 -1.0 / 120, 1.0 / 12});
  Op right = Log(z) - inverse * 0.5 - series - sum;
  Op angle = FromInteger(x) * kPi;
  Op left = right - kPi * (Cos(angle) / Sin(angle));
  Op pole = And(Le(x, 0), Eq(x, Floor(x)));
  Op y_of_pole = Select(Eq(x, 0), FullLike(x, -kInfinity), FullLike(x, kNan));
  return Select(pole, y_of_pole, Select(reflected, left, right));
}

// Below 8 the series, whose terms are positive; above, a polynomial in 8 / x.
Op BesselNear(Op x, int order) {
  const int terms = IsF64(x) ? 24 : 16;
  Op y = x * x * 0.25;
  // 1 / (k! (k + order)!)
  Op sum = FullLike(x, 1 / (std::tgamma(terms + 1.0) * std::tgamma(terms + 1.0 + order)));
  for (int k = terms - 1; k >= 0; --k)
    sum = sum * y + 1 / (std::tgamma(k + 1.0) * std::tgamma(k + 1.0 + order));
  return sum * Exp(-Abs(x));
}
Op BesselI0eOf(Op x) {
  Op a = Abs(x), inside = Lt(a, 8);
  Op z = 8 / Max(a, 8);
  Op far = IsF64(x) ? Polynomial(
                          z, {-0x1.3734bf65d105ep-10, 0x1.cd9ebf966ed3dp-7,   -0x1.3f273808b7017p-4,
                              0x1.111ed63d39912p-2,   -0x1.44040cf287ddap-1,  0x1.1adc82d0f19aap+0,
                              -0x1.78aa7efcae5ddp+0,  0x1.8765fba4b4efap+0,   -0x1.4229536488298p+0,
                              0x1.a82ef8eecc444p-1,   -0x1.c147122909ab8p-2,  0x1.7fbb875364ee5p-3,
                              -0x1.082c2d15cc42fp-4,  0x1.242e5bc61de8dp-6,   -0x1.01e89108af76fp-8,
                              0x1.67ccc272e49eap-11,  -0x1.8643a24954131p-14, 0x1.4f4c8971232ecp-17,
                              0x1.0fdf5a7b1742cp-23,  0x1.789e8a6e6c60fp-19,  0x1.6e7a0d5c596c9p-17,
                              0x1.debb2539f9328p-15,  0x1.cb94dd9cdbc68p-12,  0x1.9884533d441bbp-8,
                              0x1.9884533d43650p-2})
                    : Polynomial(z, {0x1.d211b8p-18, -0x1.35421ap-17, 0x1.59fb64p-16,
                                     0x1.bf58a6p-15, 0x1.cc4672p-12, 0x1.98839ap-8, 0x1.988454p-2});
  return Select(inside, BesselNear(Select(inside, x, ZerosLike(x)), 0), far / Sqrt(a));
}
Op BesselI1eOf(Op x) {
  Op a = Abs(x), inside = Lt(a, 8);
  Op z = 8 / Max(a, 8);
  Op far =
      IsF64(x)
          ? Polynomial(z, {0x1.43adf987383fcp-10,  -0x1.e0cf7a15e7e8dp-7,  0x1.4ceead0560598p-4,
                           -0x1.1d61de325ddcbp-2,  0x1.53293b774703bp-1,   -0x1.28a47a7717d07p+0,
                           0x1.8bd03af8e51aap+0,   -0x1.9c2cff0ec5c95p+0,  0x1.54086ed28b70ap+0,
                           -0x1.c0c8effc3bf19p-1,  0x1.dc868b1270a70p-2,   -0x1.981137a5019dep-3,
                           0x1.19aeb73772b37p-4,   -0x1.3868166b9086ap-6,  0x1.1487c1c7225c9p-8,
                           -0x1.82da327927775p-11, 0x1.a4b6bb4f68f5ap-14,  -0x1.6b3c3eabdd1b1p-17,
                           -0x1.de74bde80d441p-23, -0x1.cb8fbd96dd48ep-19, -0x1.d731d0a08c648p-17,
                           -0x1.4f1c970104959p-14, -0x1.7efc0e05097d8p-11, -0x1.32633e6df2bdap-6,
                           0x1.9884533d43651p-2})
          : Polynomial(z, {-0x1.06c80cp-17, 0x1.4fd228p-17, -0x1.a1552ep-16, -0x1.3d9714p-14,
                           -0x1.7f5f32p-11, -0x1.32630ap-6, 0x1.988454p-2});
  Op near_x = Select(inside, x, ZerosLike(x));
  return Select(inside, near_x * 0.5 * BesselNear(near_x, 1), Sign(x) * (far / Sqrt(a)));
}

// a^x, a >= 0, of F64s. Where the result is rounded to F32 (not `wide`), by the logarithm: the
// rounding of x log a, below 2^10, costs ten of the 53 bits, which Pow keeps with many more
// operations.
Op PowerOf(Op a, Op x, bool wide) {
  if (wide) return Pow(a, x);
  return Exp(Clamp(-0x1p126, x, 0x1p126) * Log(a));
}

// The sum over k >= 0 of (a + k)^-x for a >= 10, by Euler and Maclaurin's formula.
Op ZetaTail(Op x, Op a, bool wide) {
  x = Min(x, 400);  // from there on it is 0, and what it is made of would overflow
  // B_2j / (2j)!
  constexpr double kBernoulli[] = {1.0 / 12,
                                   -1.0 / 720,
                                   1.0 / 30240,
                                   -1.0 / 1209600,
                                   1.0 / 47900160,
                                   -691.0 / 1307674368000,
                                   1.0 / 74724249600,
                                   -3617.0 / 10670622842880000,
                                   43867.0 / 5109094217170944000};
  Op inverse = 1 / a;
  Op factor = x * inverse;
  Op series = FullLike(x, 0.5);
  for (int j = 0; j < 9; ++j) {
    series = series + factor * kBernoulli[j];
    factor = factor * ((x + (2 * j + 1)) * inverse) * ((x + (2 * j + 2)) * inverse);
  }
  // The power is smaller than the sum by the factor a: its root does not underflow before.
  Op root = PowerOf(a, x * -0.5, wide);
  return root * (a / (x - 1) + series) * root;
}

Op IsEven(Op x) {
  Op half = x * 0.5;
  return Eq(half, Floor(half));
}

// Where `there`, what the terms with negative bases give: of odd powers those are negative.
Op Reflected(Op x, Op terms, Op there) {
  return Select(there, Select(IsEven(x), terms, -terms), ZerosLike(x));
}

// Ten terms and the tail. Below 0 the terms with a negative base are those of f = q - floor(q),
// 1 - f counted upwards from there: their sum is a difference of two tails where they are more than
// ten. The n-th ones of both signs are added first, as those of odd powers cancel. Loops add them,
// the first one as long as any element has negative bases: twenty powers written out take longer to
// compile than most arrays take to run.
Op ZetaOf(Op x, Op q, bool wide) {
  constexpr int kTerms = 10;
  Op below = Floor(-q);                      // negative for q > 0; else one less than the terms
  Op first = -q - below;                     // the absolute value of the last negative base
  Op base = Select(Gt(q, 0), q, 1 - first);  // the first positive base
  // v: the number of the term, the sum, how many terms have to be paired, x, base, first, below.
  auto add_terms = [&](Op sum, Op from, Op to, bool paired) {
    auto goes_on = [](absl::Span<const Op> v, Builder*) -> absl::StatusOr<Op> {
      return Lt(v[0], v[2]);
    };
    auto add = [&](absl::Span<const Op> v, Builder*) -> absl::StatusOr<std::vector<Op>> {
      Op k = ConvertElementType(v[0], ElementType::F64), minus_x = -v[3];
      Op term = PowerOf(v[4] + k, minus_x, wide);
      if (paired) term = term + Reflected(v[3], PowerOf(v[5] + k, minus_x, wide), Ge(v[6], k));
      return std::vector<Op>{v[0] + 1, v[1] + term, v[2], v[3], v[4], v[5], v[6]};
    };
    absl::StatusOr<std::vector<Op>> last = WhileLoopHelper(
        goes_on, add, {from, sum, to, x, base, first, below}, "zeta_terms", x.builder());
    return last.ok() ? (*last)[1] : Op();  // else the builder has the error
  };
  Op zero = Zero(x.builder(), ElementType::S32);
  Op paired = ConvertElementType(Clamp(-1, below, kTerms - 1), ElementType::S32) + 1;
  Op most = ReduceAll(paired, zero, [](Op a, Op b) { return Max(a, b); });
  Op sum = add_terms(ZerosLike(x), zero, most, true);
  sum = add_terms(sum, most, FullLike(zero, kTerms), false);
  Op more = Ge(below, kTerms);
  Op tails =
      ZetaTail(x, base + kTerms, wide) + Reflected(x, ZetaTail(x, first + kTerms, wide), more);
  Op value = sum + (tails - Reflected(x, ZetaTail(x, 1 - Min(q, -kTerms), wide), more));
  value = Select(Eq(q, kInfinity), ZerosLike(x), value);
  // A pole at -q is approached from both sides: even powers agree.
  Op pole = And(Le(q, 0), Eq(q, Floor(q)));
  value = Select(pole, Select(IsEven(x), FullLike(x, kInfinity), FullLike(x, kNan)), value);
  value = Select(And(Lt(q, 0), Ne(x, Floor(x))), FullLike(x, kNan), value);
  value = Select(Eq(x, 1), FullLike(x, kInfinity), value);
  return Select(Lt(x, 1), FullLike(x, kNan), value);
}

// Of natural numbers: exactly up to 20!, from there on by the logarithm.
Op FactorialOf(Op n) {
  Op product = OnesLike(n);
  for (int k = 2; k <= 20; ++k) product = Select(Ge(n, k), product * k, product);
  return Select(Gt(n, 20), Exp(LgammaOf(n + 1)), product);
}

// (-1)^(n + 1) n! zeta(n + 1, x).
Op PolygammaOf(Op n, Op x, bool wide) {
  Op magnitude = FactorialOf(n) * ZetaOf(n + 1, x, wide);
  Op y = Select(Eq(n, 0), DigammaOf(x), Select(IsEven(n), -magnitude, magnitude));
  Op natural = And(Ge(n, 0), Eq(n, Floor(n)));
  return Select(natural, y, FullLike(x, kNan));
}

}  // namespace

Op Erfc(const Operand& x) { return OfFloats(x, "erfc", ErfcOf); }
Op ErfInv(const Operand& x) { return OfFloats(x, "erf-inv", ErfInvOf); }
Op Lgamma(const Operand& x) { return InF64(x, "lgamma", LgammaOf); }
Op Digamma(const Operand& x) { return InF64(x, "digamma", DigammaOf); }
Op BesselI0e(const Operand& x) { return OfFloats(x, "bessel-i0e", BesselI0eOf); }
Op BesselI1e(const Operand& x) { return OfFloats(x, "bessel-i1e", BesselI1eOf); }
Op Zeta(const Operand& x, const Operand& q) { return InF64(x, q, "zeta", ZetaOf); }
Op Polygamma(const Operand& n, const Operand& x) { return InF64(n, x, "polygamma", PolygammaOf); }

Op NextAfter(const Operand& from, const Operand& to) {
  ComposedAt at(from);
  absl::StatusOr<Shape> shape = from.op().shape();
  ElementType bits_type = ElementType::U32;
  if (shape.ok() && IsFloat(shape->element_type())) {
    const int width = BitWidth(shape->element_type());
    bits_type = width == 64 ? ElementType::U64 : width == 16 ? ElementType::U16 : ElementType::U32;
  }
  const uint64_t sign = bits_type == ElementType::U64   ? uint64_t{1} << 63
                        : bits_type == ElementType::U16 ? uint64_t{1} << 15
                                                        : uint64_t{1} << 31;
  Op x = BitcastConvertType(from, bits_type), y = BitcastConvertType(to, bits_type);
  Op x_sign = x & sign, y_sign = y & sign;
  Op x_size = x & (sign - 1), y_size = y & (sign - 1);
  // Numbers of one sign are in the order of their bits.
  Op inwards = Or(Ne(x_sign, y_sign), Gt(x_size, y_size));
  Op next = Select(inwards, x - 1, x + 1);
  next = Select(Eq(x_size, 0), y_sign | 1, next);
  Op result = BitcastConvertType(next, shape.ok() ? shape->element_type() : ElementType::F32);
  result = Select(Eq(from, to), to, result);
  return Select(Or(Ne(from, from), Ne(to, to)), Add(from, to), result);
}

}  // namespace sinter
