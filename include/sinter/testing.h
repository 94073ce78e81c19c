// Comparison of literals in tests, by the rules of the numeric contract.
//
//   absl::Status s = sinter::ExpectClose(actual, expected, {.max_ulp = 2});
//   // "2 of 8 elements of f32[2,4] differ; the worst is at [1,3]: 1.5, expected 1.25 (2097152 ulp,
//   relative 0.2)"
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "sinter/export.h"
#include "sinter/literal.h"

namespace sinter {

// How many numbers of the float type lie between the elements at a row-major position, one of them
// included: 0 for equal numbers, for -0 and +0, and for two NaNs; UINT64_MAX where one is a NaN or
// an infinity and the other is not the same. Complex numbers: the larger distance of the parts.
// Integers and predicates: the difference. The literals must be arrays of the same element type.
SINTER_API uint64_t UlpDistance(const Literal& a, const Literal& b, int64_t index);

// Bounds of a difference. An element is close where any of them holds.
struct Tolerance {
  // Units in the last place (UlpDistance). Integers and predicates must be equal whatever this
  // says.
  uint64_t max_ulp = 3;
  // |actual - expected| <= atol + rtol * |expected|, of complex numbers the moduli; finite numbers
  // only.
  double rtol = 0, atol = 0;
  // Complex numbers: `rtol` and `atol` hold for each part by itself, not for the modulus.
  bool by_parts = false;
  // |actual - expected| <= relative_to_largest * max |expected| over the literal's finite elements.
  double relative_to_largest = 0;
};

// Both fail with InvalidArgument where the shapes differ (layouts aside) and FailedPrecondition
// where elements do; the message names the worst element: its index, both values, their distance in
// ulp and relative to the expected one. Tuples are compared element by element.

// Bit for bit, except that all NaNs are equal; -0 and +0 are not.
SINTER_API absl::Status ExpectEqual(const Literal& actual, const Literal& expected);
SINTER_API absl::Status ExpectClose(const Literal& actual, const Literal& expected,
                                    const Tolerance& tolerance = {});

// What the custom calls check.expect_eq, check.expect_close and check.expect_almost_eq assert.
// Strictly: equality as ExpectEqual; at most 3 ulp; an absolute difference of at most 1e-3, of each
// part of a complex number. A compiled device is allowed 8 eps relative in expect_close, and 4 eps
// times the largest expected element in programs that sum in an order of their own (dot,
// convolution, reduction, window, scan, FFT).
struct CheckRules {
  bool strict = true;
  bool reorders = false;
  // check.expect_almost_eq asserts what check.expect_close does, whatever its tolerance is.
  bool by_ulp = false;
};

// Whether it is the target of one of the three.
SINTER_API bool IsCheck(std::string_view target);

// Runs it on operands (actual, expected). `options`, the custom call's uninterpreted text, may hold
// "max_ulp_difference = N" and "tolerance = X". InvalidArgument for other targets and numbers of
// operands.
SINTER_API absl::Status RunCheck(std::string_view target, std::string_view options,
                                 absl::Span<const Literal> operands, const CheckRules& rules = {});

}  // namespace sinter
