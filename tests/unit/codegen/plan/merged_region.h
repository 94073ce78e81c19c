// Regions with merged dimensions: which merge, and that the region computes the same; eval judges
// both.
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "eval/eval.h"
#include "eval/functions.h"
#include "ir/text/printer.h"
#include "sinter/testing.h"
#include "unit/region.h"

namespace sinter::plan {

// Small integers, in the given element type.
inline Literal Values(const Shape& shape, uint32_t seed) {
  Literal l(Shape(ElementType::F32, shape.dimensions()));
  uint32_t state = seed;
  for (float& x : l.data<float>()) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<float>(static_cast<int>(state >> 24) % 9 - 4);
  }
  return eval::ConvertTo(l, shape.element_type());
}

inline Literal As(const Literal& x, const Shape& shape) {
  Literal out(shape);
  std::memcpy(out.untyped_data(), x.untyped_data(), static_cast<size_t>(shape.byte_size()));
  return out;
}

inline std::string Dimensions(const Shape& s) {
  std::string text;
  for (int64_t d : s.dimensions()) text += Format("{}{}", text.empty() ? "" : ",", d);
  return "[" + text + "]";
}

// The dimensions of the merged region's parameters and of its result, "apart" where nothing merges.
// Both regions give the same elements.
using Merge = std::function<std::unique_ptr<HloModule>(const HloComputation&)>;
inline std::string MergedBy(const Merge& merge, const std::string& body) {
  std::unique_ptr<HloModule> module = Region(body);
  std::unique_ptr<HloModule> merged = merge(*module->entry());
  if (merged == nullptr) return "apart";
  INFO(Print(*merged));
  std::string text;
  std::vector<Literal> arguments, merged_arguments;
  for (const HloInstruction* p : merged->entry()->parameters()) {
    const auto number = static_cast<size_t>(p->attrs<ParameterAttrs>().number);
    const Shape& before = module->entry()->parameter(number)->shape();
    CHECK(before.element_count() == p->shape().element_count());
    arguments.push_back(Values(before, static_cast<uint32_t>(number) + 1));
    merged_arguments.push_back(As(arguments.back(), p->shape()));
    text += Dimensions(p->shape()) + " ";
  }
  auto expected = Evaluate(*module, arguments);
  auto actual = Evaluate(*merged, merged_arguments);
  REQUIRE(expected.ok());
  INFO(actual.status().ToString());
  REQUIRE(actual.ok());
  CHECK(ExpectEqual(As(*actual, expected->shape()), *expected).ToString() == "OK");
  return text + "-> " + Dimensions(merged->entry()->root()->shape());
}

}  // namespace sinter::plan
