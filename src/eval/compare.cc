// compare: numbers by value, floats also by IEEE 754 totalOrder.
#include <cstring>

#include "base/status.h"
#include "eval/functions.h"
#include "ir/ops/comparison.h"
#include "types/small_floats.h"

namespace sinter::eval {
namespace {

using Direction = ComparisonDirection;

using sinter::Holds;
bool Holds(Direction d, const Complex& x, const Complex& y) {
  return d == Direction::kNe ? x != y : x == y;
}

}  // namespace

int64_t TotalOrderKey(const Literal& x, int64_t i) {
  ElementType t = x.shape().element_type();
  auto width = static_cast<size_t>(ByteWidth(t));
  uint64_t bits = 0;  // little-endian
  std::memcpy(&bits, static_cast<const char*>(x.untyped_data()) + static_cast<size_t>(i) * width,
              width);
  uint64_t sign = uint64_t{1} << (BitWidth(t) - 1);
  const std::optional<FloatFormat> format = FormatOf(t);
  if (format && !format->has_sign) return static_cast<int64_t>(bits);
  // The NaN that has the pattern of -0 is negative: below all numbers.
  if (format && format->special == FloatFormat::Special::kNegativeZero && bits == sign)
    return -1 - static_cast<int64_t>(sign);
  auto magnitude = static_cast<int64_t>(bits & (sign - 1));
  return bits & sign ? -1 - magnitude : magnitude;
}

absl::StatusOr<Value> Compare(const Input& in) {
  const Literal &x = in.array(0), &y = in.array(1);
  const auto& attrs = in.instruction.attrs<CompareAttrs>();
  ElementType t = x.shape().element_type();
  Direction d = attrs.direction;
  Literal result = NewResult(in);
  if (IsFloat(t) && attrs.type == ComparisonType::kTotalOrder) {
    auto out = result.data<uint8_t>();
    for (int64_t i = 0; i < x.shape().element_count(); ++i) {
      out[static_cast<size_t>(i)] = Holds(d, TotalOrderKey(x, i), TotalOrderKey(y, i));
    }
    return Value(std::move(result));
  }
  if (IsComplex(t) && d != Direction::kEq && d != Direction::kNe) {
    return Unimplemented("compare of {} with direction {}", Name(t), Name(d));
  }
  VisitWide(t, [&](auto wide) {
    using W = decltype(wide);
    ForChunks(x.shape().element_count(), [&](int64_t first, int64_t count) {
      W a[kChunk], b[kChunk];
      bool r[kChunk];
      Load(x, first, count, a);
      Load(y, first, count, b);
      for (int64_t i = 0; i < count; ++i) r[i] = Holds(d, a[i], b[i]);
      Store(result, first, count, r);
    });
  });
  return Value(std::move(result));
}

}  // namespace sinter::eval
