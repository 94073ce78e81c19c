#include "codegen/emit/math/reduce.h"

#include <array>
#include <cstring>
#include <iterator>

namespace sinter::emit {
namespace {

using kernel::Builder;
using kernel::OpCode;
using kernel::Space;
using kernel::Type;
using kernel::WithElem;
using E = ElementType;

// The binary digits of 1 / (2 pi): 64 zeros, which stand before the point, then 64 a word.
constexpr uint64_t kInverseTurn[] = {
    0,
    0x28be60db9391054aull,
    0x7f09d5f47d4d3770ull,
    0x36d8a5664f10e410ull,
    0x7f9458eaf7aef158ull,
    0x6dc91b8e909374b8ull,
    0x01924bba82746487ull,
    0x3f877ac72c4a69cfull,
    0xba208d7d4baed121ull,
    0x3a671c09ad17df90ull,
    0x4e64758e60d4ce7dull,
    0x272117e2ef7e4a0eull,
    0xc7fe25fff7816603ull,
    0xfbcbc462d6829b47ull,
    0xdb4d9fb3c9f2c26dull,
    0xd3d18fd9a797fa8bull,
    0x5d49eeb1faf97c5eull,
    0xcf41ce7de294a4baull,
    0x9afed7ec47e35742ull,
    0x1580cc11bf1edaeaull,
    0xfc33ef0826bd0d87ull,
};
// A window is the word that begins at a digit; there is one for every eighth digit.
constexpr int kDigitsAWindow = 8, kWindowsAWord = 64 / kDigitsAWindow;
constexpr int kWindows = (std::size(kInverseTurn) - 1) * kWindowsAWord;
constexpr char kTableName[] = "inverse_turn";

int WindowBuffer(Builder& b) {
  auto& buffers = b.kernel().buffers;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].space == Space::kConstant && buffers[i].name == kTableName)
      return static_cast<int>(i);
  }
  std::array<uint64_t, kWindows> windows;
  for (size_t i = 0; i < windows.size(); ++i) {
    const size_t word = i / kWindowsAWord, shift = i % kWindowsAWord * kDigitsAWindow;
    windows[i] = kInverseTurn[word] << shift;
    if (shift > 0) windows[i] |= kInverseTurn[word + 1] >> (64 - shift);
  }
  const int64_t count = kWindows;
  int id = b.AddBuffer(kTableName, E::U64, absl::MakeConstSpan(&count, 1), Space::kConstant);
  auto& data = b.kernel().buffers[static_cast<size_t>(id)].data;
  data.resize(sizeof windows);
  std::memcpy(data.data(), windows.data(), sizeof windows);
  return id;
}

Expr Int(Expr like, E elem, int64_t x) { return {like.b, like.b->ConstInt(elem, x)}; }
Expr MulHi(Expr a, Expr o) { return {a.b, a.b->Binary(OpCode::kMulHi, a, o)}; }

// Payne and Hanek: x is m * 2^e with an integer m; of m * 2^e / (2 pi) only the digits after the
// point matter, and of those only digits of 1 / (2 pi) from number e on. Three windows leave more
// than 64 after the worst cancellation.
Reduced ReduceHuge(Expr x, int quarters, bool with_rest) {
  Builder& b = *x.b;
  const int table = WindowBuffer(b);
  const bool wide = IsF64(x);
  const int mantissa = wide ? 52 : 23;
  Expr bits = x.As(wide ? E::U64 : E::U32);
  // Elements that are not huge also come along, so the number is clamped. Its low bits are left to
  // m, which has room.
  Expr e = ((bits >> bits.ci(mantissa)) & bits.ci(wide ? 0x7ff : 0xff)).To(E::S32);
  Expr digit{&b, b.Max(e - e.ci((wide ? 1023 : 127) + mantissa - 64), e.ci(0))};
  Expr index = digit >> digit.ci(3);
  auto window = [&](int k) {
    Expr at = index + index.ci(k * kWindowsAWord);
    return Expr{&b, b.Load(table, {{at, 0, 0}}, WithElem(b.type(at), E::U64))};
  };
  Expr m =
      ((bits & bits.ci((int64_t{1} << mantissa) - 1)) | bits.ci(int64_t{1} << mantissa)).To(E::U64);
  m = m << (digit & digit.ci(kDigitsAWindow - 1)).To(E::U64);

  // Turns, 64 digits of them in hi and for F64 64 more in lo.
  Expr w1 = window(1);
  Expr hi = m * window(0) + MulHi(m, w1), lo = hi;
  if (wide) {
    Expr low = m * w1;
    lo = low + MulHi(m, window(2));
    hi = hi + Select(Cmp(Predicate::kLt, lo, low), m.ci(1), m.ci(0));
  }
  // Of negative angles the complement, which is off by one unit.
  Expr negative = (bits.As(wide ? E::S64 : E::S32).To(E::S64) >> Int(x, E::S64, 63)).As(E::U64);
  hi = hi ^ negative;
  // Quarters: hi.lo << 2, of which the whole part is rounded to nearest.
  Expr q =
      (((hi + m.ci(int64_t{1} << 61)) >> m.ci(62)) + m.ci(quarters)).To(wide ? E::S64 : E::S32);
  constexpr double kQuarter = 0x1.921fb54442d18p+0, kQuarterRest = 0x1.1a62633145c07p-54;
  Expr nan = x - x;  // if x is infinite
  hi = hi << m.ci(2);
  if (!wide) {
    Expr angle = hi.As(E::S64).To(E::F64) * (kQuarter * 0x1p-64);
    Expr r = angle.To(E::F32);
    return {r + nan, q, with_rest ? (r.To(E::F64) - angle).To(E::F32) : r};
  }
  lo = lo ^ negative;
  // The magnitude: in a negative number, leading ones would take the place of digits that the sum
  // needs.
  hi = hi | (lo >> m.ci(62));
  lo = lo << m.ci(2);
  Expr sign = (hi.As(E::S64) >> Int(x, E::S64, 63)).As(E::U64);
  hi = hi ^ sign;
  lo = lo ^ sign;
  sign = sign & m.ci(INT64_MIN);
  auto with_sign = [&](Expr r) { return (r.As(E::U64) ^ sign).As(E::F64); };
  // 53 digits, and the 64 after them.
  Expr a = (hi & m.ci(-0x800)).As(E::S64).To(E::F64) * 0x1p-64;
  Expr c = (((hi & m.ci(0x7ff)) << m.ci(53)) | (lo >> m.ci(11))).To(E::F64) * 0x1p-117;
  Expr sum = a + c;
  c = c - (sum - a);
  Expr r = sum * kQuarter;
  Expr rest = Fma(c, c.c(-kQuarter), Fma(sum, sum.c(-kQuarterRest), Fma(sum, sum.c(-kQuarter), r)));
  if (with_rest) return {with_sign(r) + nan, q, with_sign(rest)};
  r = with_sign(r - rest) + nan;
  return {r, q, r};
}

// A task's memory for `count` elements, the same for all tiles: what is in it is of no use later.
int TaskBuffer(Builder& b, const char* name, E elem, int64_t count) {
  const Value extent = b.Int(count);
  const auto& buffers = b.kernel().buffers;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const kernel::Buffer& known = buffers[i];
    if (known.space == Space::kTask && known.name == name && known.elem == elem &&
        known.shape[0] == extent)
      return static_cast<int>(i);
  }
  return b.AddBuffer(name, elem, absl::MakeConstSpan(&count, 1), Space::kTask);
}

// ReduceHuge of a tile, element by element: its code must cost the compiler little, and its vectors
// must not take registers for constants from the loop around.
Reduced ReduceHugeTile(Expr x, int quarters, bool with_rest) {
  Builder& b = *x.b;
  const Type t = b.type(x);
  if (t.layout != 0 || t.is_scalar()) return ReduceHuge(x, quarters, with_rest);
  const int64_t count = int64_t{t.rows} * t.cols;
  const E word = IsF64(x) ? E::S64 : E::S32;
  // r takes the place of x.
  int angles = TaskBuffer(b, "angles", t.elem, count);
  int rests = with_rest ? TaskBuffer(b, "rests", t.elem, count) : -1;
  int counts = TaskBuffer(b, "quarters", word, count);
  const Value zero = b.Int(0);
  const kernel::Index whole[] = {{zero, t.cols, 1}};
  b.Store(x, angles, whole);
  b.For(kernel::LoopKind::kSeq, zero, b.Int(count), 1, kernel::Tail::kExact, {},
        [&](Value i, const Values&) {
          const kernel::Index at[] = {{i, 0, 0}};
          auto [r, q, rest] = ReduceHuge({&b, b.Load(angles, at, {t.elem})}, quarters, with_rest);
          b.Store(r, angles, at);
          if (with_rest) b.Store(rest, rests, at);
          b.Store(q, counts, at);
          return Values{};
        });
  Expr r{&b, b.Load(angles, whole, t)}, q{&b, b.Load(counts, whole, WithElem(t, word))};
  return {r, q, with_rest ? Expr{&b, b.Load(rests, whole, t)} : r};
}

// pi/2: a part so short that x - k * part is exact for any k of the fast range, and two of full
// length. All are positive, so that the remainder of -0 is -0.
constexpr double kQuarter32[] = {0x1.921fbp+0, 0x1.5110b4p-22, 0x1.84698ap-48};
constexpr double kQuarter64[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c06p-54,
                                 0x1.c1cd129024e09p-107};

}  // namespace

Reduced Reduce(Expr x, int quarters, bool with_rest) {
  Builder& b = *x.b;
  const bool wide = IsF64(x);
  const double* c = wide ? kQuarter64 : kQuarter32;
  Expr j = Fma(x, x.c(wide ? 0x1.45f306dc9c883p-1 : 0x1.45f306p-1), Magic(x) + quarters);
  Expr k = j - (Magic(x) + quarters);
  Expr r = Fma(k, x.c(-c[0]), x), rest = r;
  if (with_rest) {
    // As below, but what the subtraction rounds away is kept (exactly, unless little is left of the
    // first difference).
    Expr first = r, second = k * c[1];
    r = first - second;
    rest = Fma(k, x.c(c[2]), Fma(k, x.c(c[1]), -second)) + (second - (first - r));
  } else {
    r = Fma(k, x.c(-c[2]), Fma(k, x.c(-c[1]), r));
  }
  Expr q = Bits(j);

  Expr huge = Cmp(Predicate::kGt, Abs(x), wide ? 0x1p30 : 0x1p17);
  Value any = huge;
  auto either = [&](const Values& p, const Values& o) { return Values{b.Or(p[0], o[0])}; };
  if (b.type(any).rows > 1) any = b.Reduce({any}, kernel::Axis::kRows, either)[0];
  if (b.type(any).cols > 1) any = b.Reduce({any}, kernel::Axis::kCols, either)[0];
  Values v = b.If(
      any,
      [&] {
        Reduced slow = ReduceHugeTile(x, quarters, with_rest);
        Values both{Select(huge, slow.r, r), Select(huge, slow.q, q)};
        if (with_rest) both.push_back(Select(huge, slow.rest, rest));
        return both;
      },
      [&] {
        return with_rest ? Values{r, q, rest} : Values{r, q};
      });
  return {{&b, v[0]}, {&b, v[1]}, {&b, v.back()}};
}

}  // namespace sinter::emit
