// Programs of dynamic dimensions before and after the pass that makes them static.
#pragma once

#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "base/status.h"
#include "eval/eval.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verify/verify.h"
#include "passes/expand/dynamic_dimensions.h"
#include "sinter/testing.h"

namespace sinter::dynamic {

using Dims = std::vector<int64_t>;

// Copies elements within `common` between arrays of other sizes.
inline void CopyFront(const Literal& from, Literal& to, const Dims& common) {
  const Shape &f = from.shape(), &t = to.shape();
  for (int64_t d : common) {
    if (d == 0) return;
  }
  const auto width = static_cast<size_t>(ByteWidth(f.element_type()));
  Dims at(common.size(), 0);
  for (;;) {
    size_t x = 0, y = 0;
    for (size_t d = 0; d < at.size(); ++d) {
      x = x * static_cast<size_t>(f.dimensions()[d]) + static_cast<size_t>(at[d]);
      y = y * static_cast<size_t>(t.dimensions()[d]) + static_cast<size_t>(at[d]);
    }
    std::copy_n(static_cast<const char*>(from.untyped_data()) + x * width, width,
                static_cast<char*>(to.untyped_data()) + y * width);
    size_t d = at.size();
    while (d > 0 && ++at[d - 1] == common[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

inline Literal Random(const Shape& shape, const Dims& sizes, std::mt19937& random) {
  Literal x(Shape(shape.element_type(), sizes));
  for (int64_t k = 0; k < x.shape().element_count(); ++k) {
    const int value = static_cast<int>(random() % 17) - 8;
    const auto at = static_cast<size_t>(k);
    if (shape.element_type() == ElementType::F32) x.data<float>()[at] = static_cast<float>(value);
    if (shape.element_type() == ElementType::S32) x.data<int32_t>()[at] = value;
    if (shape.element_type() == ElementType::PRED) x.data<bool>()[at] = value > 0;
  }
  return x;
}

// The array of the bounds, with values that must not be read behind the elements.
inline Literal Padded(const Literal& x, const Shape& declared) {
  Literal all(Shape(declared.element_type(), declared.dimensions()));
  for (float& v : all.data<float>()) {
    if (declared.element_type() == ElementType::F32) v = std::numeric_limits<float>::quiet_NaN();
  }
  if (declared.element_type() == ElementType::S32) {
    for (int32_t& v : all.data<int32_t>()) v = 123456789;
  }
  CopyFront(x, all, x.shape().dimensions());
  return all;
}

inline void Leaves(const Shape& s, std::vector<Shape>& out) {
  if (!s.is_tuple()) out.push_back(s);
  for (const Shape& e : s.tuple_shapes()) Leaves(e, out);
}
inline void Leaves(const Literal& x, std::vector<Literal>& out) {
  if (!x.shape().is_tuple()) out.push_back(x);
  for (const Literal& e : x.tuple()) Leaves(e, out);
}

inline std::unique_ptr<HloModule> ParseText(const std::string& text) {
  auto module = ParseHloText(text, "t.hlo");
  INFO(text);
  INFO(MessageOf(module.status()));
  REQUIRE(module.ok());
  REQUIRE(MessageOf(VerifyModule(**module)) == MessageOf(absl::OkStatus()));
  return *std::move(module);
}

// Parameters with sizes drawn from `least` to the bound: the program means the same before and
// after the pass.
inline void CheckPass(const std::string& text, int64_t least = 0, int rounds = 12,
                      const Tolerance& tolerance = {}) {
  auto source = ParseText(text);
  INFO(text);
  auto static_module = source->Clone();
  auto changed = MakeExpandDynamicDimensionsPass()->Run(*static_module);
  INFO(MessageOf(changed.status()));
  REQUIRE(changed.ok());
  REQUIRE(*changed);
  INFO(Print(*static_module));
  REQUIRE(MessageOf(VerifyModule(*static_module)) == MessageOf(absl::OkStatus()));
  for (const auto& c : static_module->computations()) {
    for (const auto& i : c->instructions()) {
      INFO(i->name());
      REQUIRE(i->shape().is_static());
      REQUIRE(i->op() != HloOpcode::GetDimensionSize);
      REQUIRE(i->op() != HloOpcode::SetDimensionSize);
      REQUIRE(i->op() != HloOpcode::DynamicReshape);
    }
  }
  std::mt19937 random(7);
  for (int round = 0; round < rounds; ++round) {
    std::vector<Literal> arguments, padded, sizes;
    int64_t shared = -1;  // parameters of the same bound are of the same size
    int64_t shared_bound = -1;
    for (const HloInstruction* p : source->entry()->parameters()) {
      Dims real = p->shape().dimensions();
      for (int64_t d = 0; d < p->shape().rank(); ++d) {
        if (!p->shape().is_dynamic(d)) continue;
        int64_t& size = real[static_cast<size_t>(d)];
        if (size != shared_bound) {
          shared_bound = size;
          shared = round == 0   ? size
                   : round == 1 ? least
                                : least + static_cast<int64_t>(
                                              random() % static_cast<uint64_t>(size - least + 1));
        }
        size = shared;
        sizes.push_back(Literal::R0(static_cast<int32_t>(size)));
      }
      arguments.push_back(Random(p->shape(), real, random));
      padded.push_back(Padded(arguments.back(), p->shape()));
      INFO(arguments.back().ToString());
    }
    padded.insert(padded.end(), sizes.begin(), sizes.end());
    auto expected = Evaluate(*source, arguments);
    INFO("round " << round << ", size " << shared << ": " << MessageOf(expected.status()));
    REQUIRE(expected.ok());
    auto actual = Evaluate(*static_module, padded);
    INFO(MessageOf(actual.status()));
    REQUIRE(actual.ok());
    std::vector<Literal> want, got;
    std::vector<Shape> declared;
    Leaves(*expected, want);
    Leaves(*actual, got);
    Leaves(source->entry()->root()->shape(), declared);
    size_t next = want.size();
    for (size_t k = 0; k < want.size(); ++k) {
      Dims real = declared[k].dimensions();
      for (int64_t d = 0; d < declared[k].rank(); ++d) {
        if (declared[k].is_dynamic(d))
          real[static_cast<size_t>(d)] = got.at(next++).data<int32_t>()[0];
      }
      CHECK(real == want[k].shape().dimensions());
      if (real != want[k].shape().dimensions()) return;
      Literal front(want[k].shape());
      CopyFront(got[k], front, real);
      const absl::Status same = ExpectClose(front, want[k], tolerance);
      CHECK(MessageOf(same) == MessageOf(absl::OkStatus()));
      if (!same.ok()) return;
    }
  }
}

inline std::string Program(const std::string& parameters, const std::string& body,
                           const std::string& before = "") {
  return "HloModule m\n" + before + "\nENTRY main {\n" + parameters + "\n" + body + "\n}\n";
}
inline const std::string kAdd =
    "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n";
inline const std::string kMax =
    "max { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] maximum(a, b) }\n";
inline const std::string kX = "x = f32[<=6,3] parameter(0)";
inline const std::string kT = "x = f32[3,<=6] parameter(0)";
inline const std::string kV = "x = f32[<=7] parameter(0)";
inline const std::string kLess =
    "less { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = pred[] compare(a, b), "
    "direction=LT }\n";

}  // namespace sinter::dynamic
