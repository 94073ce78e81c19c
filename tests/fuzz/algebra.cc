// Fourier transforms, and linear algebra on matrices that are far from singular, so that all
// methods agree within bounds that follow from their extents.
#include <algorithm>
#include <cmath>
#include <string>

#include "base/text.h"
#include "fuzz/maker.h"

namespace sinter::fuzz {
namespace {

using E = ElementType;

bool Fft(Maker& m) {
  const bool wide = m.random.Chance(40);
  const std::string kind = m.random.Of(
      {std::string("FFT"), std::string("IFFT"), std::string("RFFT"), std::string("IRFFT")});
  const E complex = wide ? E::C128 : E::C64, real = wide ? E::F64 : E::F32;
  // Lengths of every kind: powers of two, with small and with large prime factors.
  Dims lengths;
  const int64_t rank = m.random.Of({1, 1, 1, 2, 3});
  double count = 1, log = 1;
  for (int64_t d = 0; d < rank; ++d) {
    lengths.push_back(
        rank == 1 ? m.random.Of({1,  2,  3,  4,  5,  6,   7,   8,   12,  15,  16,  17,  31,
                                 32, 33, 61, 64, 97, 100, 128, 131, 143, 255, 256, 625, 1000})
                  : m.random.Of({1, 2, 3, 4, 5, 7, 8, 9, 16}));
    count *= static_cast<double>(lengths.back());
  }
  log += std::log2(count);
  // Batches that fill vectors and those that leave lanes.
  Dims from{m.Extent({1, 2, 3, 5, 16, 19})}, to = from;
  if (m.random.Chance(30)) from.clear(), to.clear();
  from.insert(from.end(), lengths.begin(), lengths.end());
  to.insert(to.end(), lengths.begin(), lengths.end());
  if (kind == "RFFT") to.back() = to.back() / 2 + 1;
  if (kind == "IRFFT") from.back() = from.back() / 2 + 1;
  int x = -1;
  const Facts facts = Facts::Within(-2, 2);
  if (kind != "RFFT" && m.random.Chance(40)) {
    const std::vector<int> parts{m.Parameter(real, from, facts), m.Parameter(real, from, facts)};
    x = m.Add("complex", complex, from, parts, facts);
  } else {
    x = m.Parameter(kind == "RFFT" ? real : complex, from, facts);
  }
  // Along another dimension than the last one.
  Dims there, back;
  const bool stays_complex = kind == "FFT" || kind == "IFFT";
  if (stays_complex && lengths.size() == 1 && from.size() == 2 && m.random.Chance(50)) {
    // What is there has the dimension first.
    there = {1, 0};
    if (m.random.Chance(30)) {
      // And one more behind it.
      const int64_t more = m.random.In(1, 4);
      from = {from[0], more, from[1]}, to = from;
      there = m.random.Chance(50) ? Dims{0, 2, 1} : Dims{1, 2, 0};
    }
    back.resize(there.size());
    Dims given(there.size());
    for (size_t d = 0; d < there.size(); ++d) {
      back[static_cast<size_t>(there[d])] = static_cast<int64_t>(d);
      given[static_cast<size_t>(there[d])] = from[d];
    }
    if (m.at(x).op == "complex") {
      const std::vector<int> parts{m.Parameter(real, given, facts),
                                   m.Parameter(real, given, facts)};
      x = m.Add("complex", complex, given, parts, facts);
    } else {
      x = m.Parameter(complex, given, facts);
    }
    x = m.Transpose(x, there);
  }
  // Sums of `count` numbers of modulus below 3; the inverses divide by that many.
  const double most = kind[0] == 'I' ? 3 : 3 * count;
  const int y = m.Add("fft", kind == "IRFFT" ? real : complex, to, {x},
                      Facts::Near(most, 8 * log * most * EpsilonOf(real)),
                      Format(", fft_type={}, fft_length={{{}}}", kind, Join(lengths, ",")));
  if (y >= 0 && !there.empty()) return m.Transpose(y, back) >= 0;
  return y >= 0;
}

// Whether the row is the column.
int Diagonal(Maker& m, const Dims& dims) {
  const int64_t rank = static_cast<int64_t>(dims.size());
  auto index = [&](int64_t d) {
    return m.Add("iota", E::S32, dims, {}, Facts::Wild(), Format(", iota_dimension={}", d));
  };
  const int rows = index(rank - 2), columns = index(rank - 1);
  return m.Add("compare", E::PRED, dims, {rows, columns}, Facts::Wild(), ", direction=EQ");
}

// [.., n, n] with 5/4 to 7/4 on the diagonal and at most 1/4n elsewhere.
int Dominant(Maker& m, E type, const Dims& dims) {
  const double n = static_cast<double>(std::max<int64_t>(dims.back(), 1));
  const int x = m.Parameter(type, dims, Facts::Within(-1, 1));
  const int small = m.Binary("multiply", x, m.Splat(type, dims, .25 / n));
  const int one = m.Select(Diagonal(m, dims), m.Splat(type, dims, 1.5), m.Splat(type, dims, 0));
  return small < 0 || one < 0 ? -1 : m.Binary("add", small, one);
}

Dims MatrixDims(Maker& m, int64_t rows, int64_t columns) {
  Dims dims;
  // Few, as many as fill the lanes of vectors, or so many small ones that their elements become
  // arrays.
  if (std::max(rows, columns) <= 8 && m.random.Chance(40)) {
    dims.push_back(m.Extent({64, 70, 97}));
  } else if (m.random.Chance(40)) {
    dims.push_back(m.Extent({1, 2, 3, 9, 17}));
  }
  if (m.random.Chance(20)) dims.push_back(2);
  dims.push_back(rows);
  dims.push_back(columns);
  return dims;
}

int64_t DrawSize(Maker& m) { return m.Extent({1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33}); }

bool Cholesky(Maker& m) {
  const E type = m.random.Of({E::F32, E::F32, E::F64});
  const int64_t n = m.random.Chance(20) ? m.random.Of({48, 65, 96, 131}) : DrawSize(m);
  const int a = Dominant(m, type, MatrixDims(m, n, n));
  if (a < 0) return false;
  return m.Add("cholesky", type, m.at(a).dims, {a},
               Facts::Near(2, 16 * static_cast<double>(n) * EpsilonOf(type)),
               std::string(", lower=") + (m.random.Chance(50) ? "true" : "false")) >= 0;
}

bool TriangularSolve(Maker& m) {
  const E type = m.random.Of({E::F32, E::F32, E::F64, E::C64});
  const int64_t n = DrawSize(m), k = DrawSize(m);
  const int a = Dominant(m, type, MatrixDims(m, n, n));
  if (a < 0) return false;
  const bool left = m.random.Chance(50);
  Dims dims = m.at(a).dims;
  dims[dims.size() - (left ? 1 : 2)] = k;
  const int b = m.Parameter(type, dims, Facts::Within(-2, 2));
  const char* transposes[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  auto flag = [&](const char* name) {
    return Format(", {}={}", name, m.random.Chance(50) ? "true" : "false");
  };
  std::string attributes = Format(", left_side={}", left ? "true" : "false");
  attributes += flag("lower") + flag("unit_diagonal");
  attributes += Format(", transpose_a={}", transposes[m.random.Below(3)]);
  // |x| <= |b| / (1 - 1/4) in the largest norm of rows, of complex numbers' parts twice that.
  return m.Add("triangular-solve", type, dims, {a, b},
               Facts::Near(8, 32 * static_cast<double>(n) * EpsilonOf(type)), attributes) >= 0;
}

// The columns of a dominant matrix are nearly orthogonal and of lengths near 3/2, so that no
// reflection has a choice of signs.
bool Qr(Maker& m) {
  if (m.inner) return false;
  const E type = m.random.Of({E::F32, E::F32, E::F64});
  const int64_t n = DrawSize(m);
  const Dims square = MatrixDims(m, n, n);
  const int a = Dominant(m, type, square);
  if (a < 0) return false;
  Dims vector = square;
  vector.pop_back();
  const double error = 64 * static_cast<double>(n) * EpsilonOf(type);
  Node call;
  call.op = "custom-call";
  call.tuple = "(" + ShapeText(type, square) + ", " + ShapeText(type, vector) + ")";
  call.operands = {a};
  call.attributes = ", custom_call_target=\"Qr\"";
  call.facts = Facts::Near(4, error);
  const int both = m.Add(call);
  const int packed = m.Element(both, 0, type, square, Facts::Near(4, error)),
            taus = m.Element(both, 1, type, vector, Facts::Near(3, error));
  if (m.random.Chance(50)) return packed >= 0 && taus >= 0;
  return m.Add("custom-call", type, square, {packed, taus}, Facts::Near(2, 4 * error),
               ", custom_call_target=\"ProductOfElementaryHouseholderReflectors\"") >= 0;
}

// Rows of a dominant matrix in reverse: each pivot is larger than what it is chosen among by far.
bool Lu(Maker& m) {
  if (m.inner) return false;
  const E type = m.random.Of({E::F32, E::F32, E::F64});
  const int64_t n = m.random.Chance(20) ? m.random.Of({48, 65, 96, 131}) : DrawSize(m);
  const Dims square = MatrixDims(m, n, n);
  const int dominant = Dominant(m, type, square);
  if (dominant < 0) return false;
  const int a = m.random.Chance(50)
                    ? dominant
                    : m.Add("reverse", type, square, {dominant}, m.at(dominant).facts,
                            Format(", dimensions={{{}}}", square.size() - 2));
  Dims vector = square;
  vector.pop_back();
  const Facts near = Facts::Near(4, 32 * static_cast<double>(n) * EpsilonOf(type)),
              rows = Facts::Within(0, static_cast<double>(n - 1), true);
  Node call;
  call.op = "custom-call";
  const std::string exchanged = ShapeText(E::S32, vector);
  call.tuple = "(" + ShapeText(type, square) + ", " + exchanged + ", " + exchanged + ")";
  call.operands = {a};
  call.attributes = ", custom_call_target=\"LuDecomposition\"";
  call.facts = near;
  const int all = m.Add(call), factors = m.Element(all, 0, type, square, near);
  if (factors < 0) return false;
  if (m.random.Chance(40)) {
    // As of a determinant: of the factors nothing else is needed.
    const int diagonal = m.Select(Diagonal(m, square), factors, m.Splat(type, square, 0));
    return diagonal >= 0 &&
           m.Reduce(diagonal, {static_cast<int64_t>(square.size()) - 1}, "add") >= 0;
  }
  return m.Element(all, m.random.Chance(50) ? 1 : 2, E::S32, vector, rows) >= 0;
}

}  // namespace

bool AlgebraPattern(Maker& m) {
  if (m.inner) return false;
  switch (m.random.Below(6)) {
    case 0:
    case 1:
      return Fft(m);
    case 2:
      return Cholesky(m);
    case 3:
      return TriangularSolve(m);
    case 4:
      return Lu(m);
    default:
      return Qr(m);
  }
}

}  // namespace sinter::fuzz
