// fft: sums over the elements times roots of unity, in long double.
#include <cmath>
#include <numbers>

#include "eval/functions.h"

namespace sinter::eval {
namespace {

using Wide = std::complex<long double>;

// e^(sign 2 pi i k / n), from an angle within an eighth of a turn.
Wide Root(int64_t k, int64_t n, int sign) {
  const int64_t quarter = 4 * k / n,
                left = 4 * k - quarter * n;  // the rest of the angle, in 1/(4n)
  const bool past = 2 * left > n;
  const long double angle = std::numbers::pi_v<long double> / 2 *
                            static_cast<long double>(past ? n - left : left) /
                            static_cast<long double>(n);
  long double c = std::cos(angle), s = std::sin(angle);
  if (past) std::swap(c, s);
  const Wide turned[] = {{c, s}, {-s, c}, {-c, -s}, {s, -c}};
  const Wide w = turned[quarter % 4];
  return sign < 0 ? std::conj(w) : w;
}

// X[k] = sum over j of x[j] e^(sign 2 pi i j k / n). The elements j = r, r + p, r + 2p, ... make p
// transforms of length n / p, for the least prime factor p.
void Transform(std::vector<Wide>& x, int sign) {
  const auto n = static_cast<int64_t>(x.size());
  if (n < 2) return;
  int64_t p = 2;
  while (n % p != 0) p = p * p > n ? n : p + 1;
  const int64_t m = n / p;
  std::vector<std::vector<Wide>> parts;
  for (int64_t r = 0; r < p; ++r) {
    std::vector<Wide>& part = parts.emplace_back();
    for (int64_t j = r; j < n; j += p) part.push_back(x[static_cast<size_t>(j)]);
    Transform(part, sign);
  }
  std::vector<Wide> roots;
  for (int64_t k = 0; k < n; ++k) roots.push_back(Root(k, n, sign));
  for (int64_t k = 0; k < n; ++k) {
    Wide sum = 0;
    for (int64_t r = 0; r < p; ++r)
      sum += roots[static_cast<size_t>(r * k % n)] *
             parts[static_cast<size_t>(r)][static_cast<size_t>(k % m)];
    x[static_cast<size_t>(k)] = sum;
  }
}

// Along one dimension of row-major data.
void TransformAlong(std::vector<Wide>& data, const Dims& dims, size_t d, int sign) {
  int64_t inner = 1, outer = 1;
  for (size_t k = 0; k < dims.size(); ++k) (k < d ? outer : inner) *= k == d ? 1 : dims[k];
  const int64_t n = dims[d];
  std::vector<Wide> line(static_cast<size_t>(n));
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      auto at = [&](int64_t k) { return static_cast<size_t>((o * n + k) * inner + i); };
      for (int64_t k = 0; k < n; ++k) line[static_cast<size_t>(k)] = data[at(k)];
      Transform(line, sign);
      for (int64_t k = 0; k < n; ++k) data[at(k)] = line[static_cast<size_t>(k)];
    }
  }
}

// What element i of an array of dimensions `dims` is in one of dimensions `other`; -1: outside.
int64_t PositionIn(const Dims& other, const Dims& dims, int64_t i) {
  int64_t position = 0, stride = 1;
  for (size_t d = dims.size(); d-- > 0;) {
    const int64_t c = i % dims[d];
    if (c >= other[d]) return -1;
    position += c * stride;
    i /= dims[d], stride *= other[d];
  }
  return position;
}

// Of numbers, or of their parts.
Wide LoadWide(const Input& in, int64_t i) {
  const Literal& x = in.array(0);
  if (in.instruction.operands().size() == 2)
    return {LoadOne<double>(x, i), LoadOne<double>(in.array(1), i)};
  if (IsComplex(x.shape().element_type())) return Wide(LoadOne<Complex>(x, i));
  return Wide(LoadOne<double>(x, i));
}

}  // namespace

absl::StatusOr<Value> Fft(const Input& in) {
  const auto& a = in.instruction.attrs<FftAttrs>();
  const Literal& x = in.array(0);
  Literal result = NewResult(in);
  if (x.shape().element_count() == 0 || result.shape().element_count() == 0)
    return Value(std::move(result));
  const bool inverse = a.fft_type == FftType::kIfft || a.fft_type == FftType::kIrfft;
  const int sign = inverse ? 1 : -1;
  const Dims given = x.shape().dimensions(), wanted = result.shape().dimensions();
  // The whole spectrum or signal.
  Dims dims = a.fft_type == FftType::kIrfft ? wanted : given;
  const size_t rank = dims.size(), count = a.fft_length.size();
  int64_t total = 1, scale = 1;
  for (int64_t d : dims) total *= d;
  for (int64_t n : a.fft_length) scale *= n;
  std::vector<Wide> data(static_cast<size_t>(total));
  if (a.fft_type == FftType::kIrfft) {
    // The other dimensions first, on the half that there is.
    std::vector<Wide> half(static_cast<size_t>(x.shape().element_count()));
    for (size_t i = 0; i < half.size(); ++i) half[i] = LoadWide(in, static_cast<int64_t>(i));
    for (size_t d = rank - count; d + 1 < rank; ++d) TransformAlong(half, given, d, sign);
    // The last one from a spectrum whose upper half mirrors the lower one: that of real numbers.
    const int64_t n = dims.back(), m = given.back();
    for (int64_t i = 0; i < total; ++i) {
      const int64_t line = i / n, k = i % n;
      const Wide w = half[static_cast<size_t>(line * m + (k < m ? k : n - k))];
      Wide& to = data[static_cast<size_t>(i)];
      to = k < m ? w : std::conj(w);
      if (k == 0 || 2 * k == n) to = w.real();
    }
    TransformAlong(data, dims, rank - 1, sign);
  } else {
    for (int64_t i = 0; i < total; ++i) data[static_cast<size_t>(i)] = LoadWide(in, i);
    const size_t end = rank - static_cast<size_t>(a.trailing);
    for (size_t d = end - count; d < end; ++d) TransformAlong(data, dims, d, sign);
  }
  for (int64_t i = 0; i < result.shape().element_count(); ++i) {
    const int64_t from = PositionIn(dims, wanted, i);
    Wide w = data[static_cast<size_t>(from)];
    if (inverse) w /= static_cast<long double>(scale);
    if (a.fft_type == FftType::kIrfft) {
      const auto real = static_cast<double>(w.real());
      Store(result, i, 1, &real);
    } else {
      const Complex y(w);
      Store(result, i, 1, &y);
    }
  }
  return Value(std::move(result));
}

}  // namespace sinter::eval
