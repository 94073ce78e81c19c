#include "sinter/testing.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

#include "base/status.h"
#include "types/small_floats.h"

namespace sinter {
namespace {

using E = ElementType;

constexpr uint64_t kFar = std::numeric_limits<uint64_t>::max();

// One real part of an element: its bits, its value, and its distance from zero in units in the last
// place.
struct Part {
  uint64_t bits = 0;
  double value = 0;
  int64_t position = 0;
};

Part ReadPart(const Literal& l, int64_t index, int part) {
  E t = RealPart(l.shape().element_type());
  auto width = static_cast<size_t>(ByteWidth(t));
  int parts = IsComplex(l.shape().element_type()) ? 2 : 1;
  Part p;
  const auto* bytes = static_cast<const char*>(l.untyped_data());
  std::memcpy(&p.bits, bytes + static_cast<size_t>(index * parts + part) * width, width);
  if (t == E::F64) {
    std::memcpy(&p.value, &p.bits, sizeof(double));
  } else if (auto format = FormatOf(t)) {
    p.value = DecodeFloat(*format, static_cast<uint32_t>(p.bits));
  } else {
    p.value = l.GetAsDouble(index);
    return p;
  }
  bool has_sign = t == E::F64 || FormatOf(t)->has_sign;
  uint64_t sign = has_sign ? uint64_t{1} << (BitWidth(t) - 1) : 0;
  auto magnitude = static_cast<int64_t>(has_sign ? p.bits & (sign - 1) : p.bits);
  p.position = p.bits & sign ? -magnitude : magnitude;
  return p;
}

uint64_t FloatDistance(const Part& a, const Part& b) {
  if (std::isnan(a.value) && std::isnan(b.value)) return 0;
  if (a.value == b.value) return 0;
  if (!std::isfinite(a.value) || !std::isfinite(b.value)) return kFar;
  auto x = static_cast<uint64_t>(a.position), y = static_cast<uint64_t>(b.position);
  return a.position > b.position ? x - y : y - x;
}

uint64_t IntegerDistance(const Literal& a, const Literal& b, int64_t index) {
  E t = a.shape().element_type();
  uint64_t x = ReadPart(a, index, 0).bits, y = ReadPart(b, index, 0).bits;
  if (IsSigned(t)) {  // moved so that unsigned order is theirs
    uint64_t sign = uint64_t{1} << (std::max(BitWidth(t), 8) - 1);
    x ^= sign;
    y ^= sign;
  }
  return x > y ? x - y : y - x;
}

int PartsOf(const Literal& l) { return IsComplex(l.shape().element_type()) ? 2 : 1; }
bool HasUlps(E t) { return IsFloat(t) || IsComplex(t); }

// |a - b|, and |b| in `size`; infinite where an element is not finite, unless they agree.
double Difference(const Literal& a, const Literal& b, int64_t index, double& size) {
  if (PartsOf(a) == 1) {
    Part x = ReadPart(a, index, 0), y = ReadPart(b, index, 0);
    size = std::fabs(y.value);
    if (FloatDistance(x, y) == 0 && HasUlps(a.shape().element_type())) return 0;
    double d = std::fabs(x.value - y.value);
    return std::isfinite(d) ? d : std::numeric_limits<double>::infinity();
  }
  double parts[2], sizes[2];
  for (int k = 0; k < 2; ++k) {
    Part x = ReadPart(a, index, k), y = ReadPart(b, index, k);
    parts[k] = FloatDistance(x, y) == 0 ? 0 : std::fabs(x.value - y.value);
    sizes[k] = std::fabs(y.value);
    if (!std::isfinite(parts[k])) parts[k] = std::numeric_limits<double>::infinity();
  }
  size = std::hypot(sizes[0], sizes[1]);
  return std::hypot(parts[0], parts[1]);
}

bool PartsAreClose(const Literal& a, const Literal& b, int64_t index, const Tolerance& tolerance) {
  for (int k = 0; k < PartsOf(a); ++k) {
    Part x = ReadPart(a, index, k), y = ReadPart(b, index, k);
    if (FloatDistance(x, y) == 0) continue;
    double difference = std::fabs(x.value - y.value);
    // False for NaN.
    if (!(difference <= tolerance.atol + tolerance.rtol * std::fabs(y.value)) ||
        std::isinf(difference))
      return false;
  }
  return true;
}

bool BitEqual(const Literal& a, const Literal& b, int64_t index) {
  for (int k = 0; k < PartsOf(a); ++k) {
    Part x = ReadPart(a, index, k), y = ReadPart(b, index, k);
    if (x.bits != y.bits && !(std::isnan(x.value) && std::isnan(y.value))) return false;
  }
  return true;
}

std::string IndexText(const Shape& shape, int64_t index) {
  std::vector<int64_t> at(static_cast<size_t>(shape.rank()));
  for (size_t d = at.size(); d-- > 0; index /= shape.dimensions()[d]) {
    at[d] = index % shape.dimensions()[d];
  }
  return "[" + Join(at, ",") + "]";
}

// Compares every element with `passes(index)`; `path` is the index of the arrays in a tuple.
template <class Passes>
absl::Status CompareArrays(const Literal& a, const Literal& b, const std::string& path,
                           Passes passes) {
  int64_t failed = 0, worst = 0;
  uint64_t worst_distance = 0;
  int64_t count = a.shape().element_count();
  for (int64_t i = 0; i < count; ++i) {
    if (passes(i)) continue;
    uint64_t distance = UlpDistance(a, b, i);
    if (failed++ == 0 || distance > worst_distance) {
      worst = i;
      worst_distance = distance;
    }
  }
  if (failed == 0) return absl::OkStatus();
  double size = 0, difference = Difference(a, b, worst, size);
  std::string ulp = worst_distance == kFar ? "not comparable" : Format("{} ulp", worst_distance);
  if (!HasUlps(a.shape().element_type())) ulp = Format("apart {}", worst_distance);
  std::string relative;
  if (std::isfinite(difference) && size > 0)
    relative = Format(", relative {:.3g}", difference / size);
  return FailedPrecondition(
      "{} of {} elements of {}{} differ; the worst is at {}: {}, expected {} ({}{})", failed, count,
      a.shape().ToString(), path, IndexText(a.shape(), worst), a.ElementToString(worst),
      b.ElementToString(worst), ulp, relative);
}

// Calls leaf(a, b, path) for the arrays of two literals of the same shape.
template <class Leaf>
absl::Status ForLeaves(const Literal& a, const Literal& b, const std::string& path, Leaf leaf) {
  for (size_t i = 0; i < a.tuple().size(); ++i) {
    RETURN_IF_ERROR(ForLeaves(a.tuple()[i], b.tuple()[i],
                              path.empty() ? Format(" at element {}", i) : Format("{},{}", path, i),
                              leaf));
  }
  return a.shape().is_array() ? leaf(a, b, path) : absl::OkStatus();
}

absl::Status CheckShapes(const Literal& actual, const Literal& expected) {
  if (Shape::Compatible(actual.shape(), expected.shape())) return absl::OkStatus();
  return InvalidArgument("the shapes differ: {}, expected {}", actual.shape().ToString(),
                         expected.shape().ToString());
}

double Epsilon(E t) {
  t = RealPart(t);
  if (t == E::F64) return std::numeric_limits<double>::epsilon();
  auto format = FormatOf(t);
  return format ? std::ldexp(1.0, -format->mantissa_bits) : 0;
}

double LargestFinite(const Literal& l) {
  double largest = 0;
  for (int64_t i = 0; i < l.shape().element_count(); ++i) {
    double size = 0;
    for (int k = 0; k < PartsOf(l); ++k) size = std::hypot(size, ReadPart(l, i, k).value);
    if (std::isfinite(size)) largest = std::max(largest, size);
  }
  return largest;
}

// The number after `key` in text such as "max_ulp_difference = 5 : i64".
std::optional<double> NumberAfter(std::string_view text, std::string_view key) {
  size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + key.size());
  while (!text.empty() && std::strchr(" =:\"'", text[0])) text.remove_prefix(1);
  double value;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

}  // namespace

uint64_t UlpDistance(const Literal& a, const Literal& b, int64_t index) {
  if (!HasUlps(a.shape().element_type())) return IntegerDistance(a, b, index);
  uint64_t distance = 0;
  for (int k = 0; k < PartsOf(a); ++k) {
    distance = std::max(distance, FloatDistance(ReadPart(a, index, k), ReadPart(b, index, k)));
  }
  return distance;
}

absl::Status ExpectEqual(const Literal& actual, const Literal& expected) {
  RETURN_IF_ERROR(CheckShapes(actual, expected));
  return ForLeaves(actual, expected, "",
                   [](const Literal& a, const Literal& b, const std::string& path) {
                     return CompareArrays(a, b, path, [&](int64_t i) { return BitEqual(a, b, i); });
                   });
}

absl::Status ExpectClose(const Literal& actual, const Literal& expected,
                         const Tolerance& tolerance) {
  RETURN_IF_ERROR(CheckShapes(actual, expected));
  return ForLeaves(
      actual, expected, "", [&](const Literal& a, const Literal& b, const std::string& path) {
        E t = a.shape().element_type();
        double of_largest = tolerance.relative_to_largest > 0
                                ? tolerance.relative_to_largest * LargestFinite(b)
                                : 0;
        return CompareArrays(a, b, path, [&](int64_t i) {
          if (UlpDistance(a, b, i) <= (HasUlps(t) ? tolerance.max_ulp : 0)) return true;
          if (tolerance.by_parts && PartsOf(a) == 2) return PartsAreClose(a, b, i, tolerance);
          double size = 0, difference = Difference(a, b, i, size);
          return std::isfinite(difference) &&
                 (difference <= tolerance.atol + tolerance.rtol * size || difference <= of_largest);
        });
      });
}

bool IsCheck(std::string_view target) {
  return target == "check.expect_eq" || target == "check.expect_close" ||
         target == "check.expect_almost_eq";
}

absl::Status RunCheck(std::string_view target, std::string_view options,
                      absl::Span<const Literal> operands, const CheckRules& rules) {
  if (!IsCheck(target)) return InvalidArgument("'{}' is not a check", target);
  if (operands.size() != 2)
    return InvalidArgument("{} takes 2 operands, got {}", target, operands.size());
  const Literal &actual = operands[0], &expected = operands[1];
  absl::Status status;
  if (target == "check.expect_eq") {
    status = ExpectEqual(actual, expected);
  } else if (target == "check.expect_almost_eq" && !rules.by_ulp) {
    status = ExpectClose(
        actual, expected,
        {.max_ulp = 0, .atol = NumberAfter(options, "tolerance").value_or(1e-3), .by_parts = true});
  } else {
    Tolerance tolerance;
    if (auto ulp = NumberAfter(options, "max_ulp_difference"); ulp && *ulp >= 0) {
      tolerance.max_ulp = *ulp < 1e18 ? static_cast<uint64_t>(*ulp) : kFar - 1;
    }
    if (!rules.strict && actual.shape().is_array()) {
      double epsilon = Epsilon(expected.shape().element_type());
      tolerance.rtol = 8 * epsilon;
      if (rules.reorders) tolerance.relative_to_largest = 4 * epsilon;
    }
    status = ExpectClose(actual, expected, tolerance);
  }
  return status.ok() ? status : Annotate(status, target);
}

}  // namespace sinter
