#include "passes/expand/powers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "pass/expansion.h"
#include "passes/expand/formula.h"

namespace sinter {
namespace expand {
namespace {

constexpr double kMostFactors = 32;         // of floats
constexpr double kMostIntegerFactors = 64;  // below it

// The one value of an array of floats or integers.
std::optional<double> ValueOf(const HloInstruction* i) {
  const bool is_float = IsFloat(i->shape().element_type());
  while (i->op() == HloOpcode::Broadcast || i->op() == HloOpcode::Reshape ||
         (i->op() == HloOpcode::Convert && is_float)) {
    i = i->operand(0);
    if (IsFloat(i->shape().element_type()) != is_float) return std::nullopt;
  }
  if (i->op() != HloOpcode::Constant || i->shape().element_count() != 1) return std::nullopt;
  return i->literal().GetAsDouble(0);
}

// x^n, n > 0, by squaring.
Array Whole(Array x, int n) {
  std::optional<Array> product;
  for (Array square = x;; square = square * square) {
    if (n % 2 != 0) product = product.has_value() ? *product * square : square;
    n /= 2;
    if (n == 0) return *product;
  }
}
Array Inverse(Array x) { return x.f->Elementwise(HloOpcode::Divide, {x.f->Like(x, 1.0), x}); }

// The exponents whose powers have at most three roundings in Close.
bool IsClose(double y) {
  constexpr double kExponents[] = {1, 2, 3, 4, -1, -2, 0.5, -0.5, 1.5, -1.5, 2.5};
  return std::find(std::begin(kExponents), std::end(kExponents), y) != std::end(kExponents);
}
// x^y in the type of x, F32 or F64.
Array Close(Formula& f, Array x, double y) {
  // The inverse first, since the square of what is not yet inverted may be infinite.
  const int whole = static_cast<int>(std::abs(y));
  if (y == std::floor(y)) return Whole(y < 0 ? Inverse(x) : x, whole);
  // Roots of -0 are +0, and of -inf +inf; those of other negative numbers NaN.
  const double infinity = std::numeric_limits<double>::infinity();
  Array w = f.Select(f.Compare(ComparisonDirection::kEq, x, f.Like(x, -infinity)),
                     f.Like(x, infinity), x + f.Like(x, 0.0));
  Array root = f.Elementwise(y < 0 ? HloOpcode::Rsqrt : HloOpcode::Sqrt, {w});
  return whole == 0 ? root : Whole(y < 0 ? Inverse(w) : w, whole) * root;
}

// x^y for a known y, or null.
HloInstruction* Power(HloComputation& c, const HloInstruction& i) {
  const std::optional<double> known = ValueOf(i.operand(1));
  if (!known.has_value()) return nullptr;
  const double y = *known;
  const ElementType type = i.shape().element_type();
  Formula f(c, i);
  Array x = f.Of(i.operand(0));
  if (y == 0) return f.Like(x, 1.0).i;  // of NaN too
  if (IsInteger(type))
    return y > 0 && y < kMostIntegerFactors ? Whole(x, static_cast<int>(y)).i : nullptr;
  if (IsClose(y)) {
    const bool narrow = type != ElementType::F64 && type != ElementType::F32;
    return f.Convert(Close(f, narrow ? f.Convert(x, ElementType::F32) : x, y), type).i;
  }
  if (type == ElementType::F64 || y != std::floor(y) || std::abs(y) > kMostFactors) return nullptr;
  // Too large or too small in the wide type is so in the other, for the inverse first.
  Array wide = f.Convert(x, type == ElementType::F32 ? ElementType::F64 : ElementType::F32);
  return f.Convert(Whole(y < 0 ? Inverse(wide) : wide, static_cast<int>(std::abs(y))), type).i;
}

}  // namespace
}  // namespace expand

std::unique_ptr<Pass> MakeExpandPowersPass() {
  return MakeExpansionPass(
      "expand-powers", [](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (i.op() != HloOpcode::Power || IsComplex(i.shape().element_type())) return nullptr;
        return expand::Power(c, i);
      });
}

}  // namespace sinter
