#include "passes/expand/fft.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "pass/expansion.h"
#include "passes/expand/formula.h"

namespace sinter {
namespace {

using expand::Array;
using expand::Formula;
using E = ElementType;

constexpr int64_t kLongestTable = 4096, kLargestRadix = 31, kLane = 16;

int64_t LargestPrime(int64_t n) {
  int64_t largest = 1;
  for (int64_t p = 2; p * p <= n; ++p) {
    while (n % p == 0) n /= p, largest = p;
  }
  return std::max(largest, n);
}

// A divisor of n near its root: the larger of the two factors if they differ.
int64_t FactorNearRoot(int64_t n) {
  auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(n)));
  while (root * root < n) ++root;
  while (n % root != 0) ++root;
  return root;
}

int64_t Radix(int64_t n) {
  if (n % 4 == 0) return 4;
  for (int64_t p = 2; p <= kLargestRadix; ++p) {
    if (n % p == 0) return p;
  }
  return n;
}

// One transform along one axis; arrays are [outer, n, inner].
class Transform {
 public:
  // `sign` is that of the exponent.
  Transform(Formula& f, E type, int sign) : f_(f), type_(type), sign_(sign) {}

  Array Along(Array x) {
    const int64_t outer = x.shape().dimension(0), n = x.shape().dimension(1),
                  inner = x.shape().dimension(2);
    if (n == 1) return x;
    if (LargestPrime(n) > kLargestRadix) return Bluestein(x);
    if (n <= kLongestTable && (inner >= kLane || (n < 64 && outer * inner < kLane)))
      return Stockham(x);
    if (n <= 64 && outer > 1) {
      // The axis first, all others behind it.
      Array y = f_.Reshape(f_.Transpose(x, {1, 0, 2}), {1, n, outer * inner});
      y = f_.Reshape(Stockham(y), {n, outer, inner});
      return f_.Transpose(y, {1, 0, 2});
    }
    const int64_t n1 = FactorNearRoot(n);
    if (n1 == n) return Stockham(x);
    return InTwoSteps(x, n1, n / n1);
  }

 private:
  // e^(sign 2 pi i k / n) for an array of integers 0 <= k < n, of U64.
  Array Roots(Array k, int64_t n) {
    // An angle within an eighth of a turn has the smallest error: 4k = quarter n + rest.
    const auto un = static_cast<uint64_t>(n);
    Array scaled = k * f_.Like(k, 4);
    Array quarter =
        f_.Elementwise(HloOpcode::Divide, {scaled + f_.Like(k, un / 2), f_.Like(k, un)});
    Array rest = f_.Bitcast(scaled - quarter * f_.Like(k, un), E::S64);
    const E real = type_ == E::C128 ? E::F64 : E::F32;
    // In F64, whose rounding does not show in F32.
    Array angle = f_.Convert(rest, E::F64);
    angle = angle * f_.Like(angle, sign_ * std::numbers::pi / (2 * static_cast<double>(n)));
    angle = f_.Convert(angle, real);
    Array c = f_.Elementwise(HloOpcode::Cosine, {angle});
    Array s = f_.Elementwise(HloOpcode::Sine, {angle});
    // Turned by the quarters: odd ones exchange the parts.
    Array turn = quarter % f_.Like(quarter, 4);
    auto is = [&](uint64_t value) {
      return f_.Compare(ComparisonDirection::kEq, turn, f_.Like(turn, value));
    };
    auto minus = [&](Array x) { return f_.Elementwise(HloOpcode::Negate, {x}); };
    // A turn by sign i takes (c, s) to sign (-s, c).
    Array minus_c = minus(c), minus_s = minus(s);
    Array back_re = sign_ < 0 ? minus_s : s, turned_re = sign_ < 0 ? s : minus_s;
    Array back_im = sign_ < 0 ? c : minus_c, turned_im = sign_ < 0 ? minus_c : c;
    Array re = f_.Select(is(1), turned_re, f_.Select(is(2), minus_c, f_.Select(is(3), back_re, c)));
    Array im = f_.Select(is(1), turned_im, f_.Select(is(2), minus_s, f_.Select(is(3), back_im, s)));
    return f_.MakeComplex(re, im);
  }

  // e^(sign 2 pi i k / n), for a table.
  std::complex<double> Root(int64_t k, int64_t n) const {
    k %= n;
    const int64_t quarter = (4 * k + n / 2) / n;
    const double angle =
        std::numbers::pi / 2 * static_cast<double>(4 * k - quarter * n) / static_cast<double>(n);
    const double c = std::cos(angle), s = std::sin(angle);
    const std::complex<double> turned[] = {{c, s}, {-s, c}, {-c, -s}, {s, -c}};
    const std::complex<double> w = turned[quarter % 4];
    return sign_ < 0 ? std::conj(w) : w;
  }

  // A constant of `dims` whose element i is at(i).
  template <class At>
  Array Table(const Dims& dims, At at) {
    Literal values{Shape(type_, dims)};
    for (int64_t i = 0; i < values.shape().element_count(); ++i) {
      const std::complex<double> w = at(i);
      const auto k = static_cast<size_t>(i);
      if (type_ == E::C128) {
        values.data<std::complex<double>>()[k] = w;
      } else {
        values.data<std::complex<float>>()[k] = std::complex<float>(w);
      }
    }
    return f_.Constant(std::move(values));
  }

  // A pass takes [outer, r, m, s] to [outer, m, r, s], the transforms of length r of its columns
  // times roots of unity; the next one runs on length m with r s neighbours.
  Array Stockham(Array x) {
    const Dims dims = x.shape().dimensions();
    const int64_t outer = dims[0];
    int64_t s = dims[2];
    for (int64_t n = dims[1]; n > 1;) {
      const int64_t r = Radix(n), m = n / r;
      const Dims to{outer, m, r, s};
      x = f_.Reshape(x, {outer, r, m, s});
      Array sum;
      for (int64_t k = 0; k < r; ++k) {
        // w_r^(j k) w_n^(p j) at (p, j).
        Array table = Table({m, r}, [&](int64_t i) {
          const int64_t p = i / r, j = i % r;
          return Root(j * (k * m + p), n);
        });
        Array part = f_.Reshape(f_.Slice(x, 1, k, k + 1), {outer, m, s});
        part = f_.Broadcast(part, to, {0, 1, 3});
        // Of k = 0 and of one column the products with 1 are none.
        const bool ones = k == 0 && m == 1;
        Array term = ones ? part : part * f_.Broadcast(table, to, {1, 2});
        sum = k == 0 ? term : sum + term;
      }
      x = sum;
      n = m, s *= r;
    }
    return f_.Reshape(x, dims);
  }

  // x[j1 n2 + j2]: transforms along j1, times w_n^(k1 j2), transforms along j2; the result's place
  // is k1 + n1 k2.
  Array InTwoSteps(Array x, int64_t n1, int64_t n2) {
    const Dims dims = x.shape().dimensions();
    const int64_t outer = dims[0], n = dims[1], inner = dims[2];
    Array y = Along(f_.Reshape(x, {outer, n1, n2 * inner}));
    const Dims whole{outer, n1, n2, inner};
    y = f_.Reshape(y, whole);
    if (n <= kLongestTable) {
      Array table = Table({n1, n2}, [&](int64_t i) { return Root(i / n2 * (i % n2), n); });
      y = y * f_.Broadcast(table, whole, {1, 2});
    } else {
      Array k = f_.Iota(E::U64, {n1, n2}, 0) * f_.Iota(E::U64, {n1, n2}, 1);
      y = y * f_.Broadcast(Roots(k, n), whole, {1, 2});
    }
    y = f_.Reshape(f_.Transpose(y, {0, 2, 1, 3}), {outer, n2, n1 * inner});
    return f_.Reshape(Along(y), dims);
  }

  // w^(j k) = w^(j^2 / 2) w^(k^2 / 2) w^(-(k - j)^2 / 2): a convolution with the last factor, whose
  // length is a power of 2 that holds it without overlap.
  Array Bluestein(Array x) {
    const Dims dims = x.shape().dimensions();
    const int64_t outer = dims[0], n = dims[1], inner = dims[2];
    int64_t length = 1;
    while (length < 2 * n - 1) length *= 2;
    const auto un = static_cast<uint64_t>(n);
    const Dims line{1, n, 1};
    Array j = f_.Iota(E::U64, line, 1);
    Array squares = (j * j) % f_.Like(j, 2 * un);
    Array chirp = n <= kLongestTable
                      ? Table(line, [&](int64_t i) { return Root(i * i % (2 * n), 2 * n); })
                      : Roots(squares, 2 * n);
    auto parts = [&](Array z, int imaginary_sign) {
      Array im = f_.Part(HloOpcode::Imag, z);
      if (imaginary_sign < 0) im = f_.Elementwise(HloOpcode::Negate, {im});
      return f_.MakeComplex(f_.Part(HloOpcode::Real, z), im);
    };
    // The filter at 0 .. n - 1 and, from the end, at -1 .. -(n - 1).
    Array inverse = parts(chirp, -1);
    Array head = f_.PadTo(inverse, 1, length - (n - 1));
    Array tail = f_.Reverse(f_.Slice(inverse, 1, 1, n), 1);
    Array filter = n == 1 ? head : f_.Concatenate({head, tail}, 1);
    Transform forward(f_, type_, -1), backward(f_, type_, 1);
    Array spectrum = forward.Along(filter);
    const Dims given{outer, n, inner}, padded{outer, length, inner};
    Array a = x * f_.Broadcast(f_.Reshape(chirp, {n}), given, {1});
    Array y = forward.Along(f_.PadTo(a, 1, length));
    y = y * f_.Broadcast(f_.Reshape(spectrum, {length}), padded, {1});
    y = f_.Slice(backward.Along(y), 1, 0, n);
    y = y * f_.Broadcast(f_.Reshape(chirp, {n}), given, {1});
    return y * f_.Like(y, 1.0 / static_cast<double>(length));
  }

  Formula& f_;
  const E type_;
  const int sign_;
};

// Along dimension d of any array.
Array TransformDimension(Formula& f, Array x, int64_t d, int sign) {
  const Dims dims = x.shape().dimensions();
  int64_t outer = 1, inner = 1;
  for (int64_t k = 0; k < x.shape().rank(); ++k) {
    if (k < d) outer *= dims[static_cast<size_t>(k)];
    if (k > d) inner *= dims[static_cast<size_t>(k)];
  }
  Array y = f.Reshape(x, {outer, dims[static_cast<size_t>(d)], inner});
  return f.Reshape(Transform(f, x.type(), sign).Along(y), dims);
}

HloInstruction* ExpandFft(HloComputation& c, const HloInstruction& i) {
  Formula f(c, i);
  const auto& a = i.attrs<FftAttrs>();
  Array x = f.Of(i.operand(0));
  const Dims& result = i.shape().dimensions();
  if (x.shape().element_count() == 0 || i.shape().element_count() == 0)
    return f.Splat(i.shape().element_type(), result, 0.0).i;
  const int64_t rank = x.shape().rank(), last = rank - 1;
  const int64_t first = rank - static_cast<int64_t>(a.fft_length.size());
  const int64_t n = a.fft_length.back();
  const bool inverse = a.fft_type == FftType::kIfft || a.fft_type == FftType::kIrfft;
  const int sign = inverse ? 1 : -1;
  double scale = 1;
  for (int64_t length : a.fft_length) scale /= static_cast<double>(length);
  switch (a.fft_type) {
    case FftType::kRfft:
      x = f.MakeComplex(x, f.Like(x, 0.0));
      // Half of the spectrum mirrors the other: the outer dimensions need not transform it.
      x = f.Slice(TransformDimension(f, x, last, sign), last, 0, result.back());
      for (int64_t d = last - 1; d >= first; --d) x = TransformDimension(f, x, d, sign);
      return x.i;
    case FftType::kIrfft: {
      for (int64_t d = first; d < last; ++d) x = TransformDimension(f, x, d, sign);
      // The whole spectrum: its upper half is the conjugate of the lower one. What is not real in
      // its ends would only give imaginary parts.
      const int64_t half = x.shape().dimension(last);
      if (half < n) {
        Array upper = f.Reverse(f.Slice(x, last, 1, n - half + 1), last);
        Array im = f.Elementwise(HloOpcode::Negate, {f.Part(HloOpcode::Imag, upper)});
        x = f.Concatenate({x, f.MakeComplex(f.Part(HloOpcode::Real, upper), im)}, last);
      }
      x = f.Part(HloOpcode::Real, TransformDimension(f, x, last, sign));
      return (x * f.Like(x, scale)).i;
    }
    default:
      for (int64_t d = last; d >= first; --d) x = TransformDimension(f, x, d, sign);
      return inverse ? (x * f.Like(x, scale)).i : x.i;
  }
}

}  // namespace

std::unique_ptr<Pass> MakeExpandFftPass(const TargetInfo& target) {
  return MakeExpansionPass(
      "expand-fft",
      [target](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (i.op() != HloOpcode::Fft) return nullptr;
        const bool empty =
            i.operand(0)->shape().element_count() == 0 || i.shape().element_count() == 0;
        if (target.calls_library() && !empty) return nullptr;
        return ExpandFft(c, i);
      });
}

}  // namespace sinter
