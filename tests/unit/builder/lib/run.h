// Runs what the functions of the library record, by the interpreter and on the CPU.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sinter/builder.h"
#include "sinter/literal.h"

namespace sinter {

inline constexpr ElementType kF32 = ElementType::F32, kS32 = ElementType::S32;

// A tuple of values that a device has computed.
struct Computed {
  std::string device;
  Literal values;
};

// The results, arrays, of each device for these arguments. A failure to build or to run fails the
// test.
std::vector<Computed> RunEverywhere(Builder& b, absl::Span<const Op> results,
                                    const std::vector<Literal>& arguments);

// Each array, as the elements in row-major order, against `expected`. An element may differ by
// `tolerance` times its own size or, if larger, `floor` times that of the array's largest element.
// NaNs are equal.
struct Allowed {
  double tolerance = 0;
  double floor = 1;
};
void CheckValues(Builder& b, absl::Span<const Op> results, const std::vector<Literal>& arguments,
                 const std::vector<std::vector<double>>& expected, Allowed allowed = {});

// The message of what the builder has met.
std::string ErrorOf(Builder& b);

// Parameter `number` of the shape of `value`.
inline Op Argument(Builder& b, int64_t number, const Literal& value) {
  return Parameter(&b, number, value.shape(), "");
}

// 0, 1, ... of `type` under these dimensions.
Literal IotaLiteral(ElementType type, std::vector<int64_t> dimensions);
// The values, converted to `type` (S32, S64, U32, F32, F64, PRED), under these dimensions.
Literal LiteralOfValues(ElementType type, std::vector<int64_t> dimensions,
                        const std::vector<double>& values);

}  // namespace sinter
