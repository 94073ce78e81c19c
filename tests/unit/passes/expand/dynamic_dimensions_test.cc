#include "passes/expand/dynamic_dimensions.h"

#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "base/status.h"
#include "dynamic_programs.h"
#include "eval/eval.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verify/verify.h"
#include "sinter/testing.h"

namespace sinter {
namespace {

using Dims = std::vector<int64_t>;

// Copies elements within `common` between arrays of other sizes.
void CopyFront(const Literal& from, Literal& to, const Dims& common) {
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

Literal Random(const Shape& shape, const Dims& sizes, std::mt19937& random) {
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

// The array of the bounds, with what nobody may look at behind the elements.
Literal Padded(const Literal& x, const Shape& declared) {
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

void Leaves(const Shape& s, std::vector<Shape>& out) {
  if (!s.is_tuple()) out.push_back(s);
  for (const Shape& e : s.tuple_shapes()) Leaves(e, out);
}
void Leaves(const Literal& x, std::vector<Literal>& out) {
  if (!x.shape().is_tuple()) out.push_back(x);
  for (const Literal& e : x.tuple()) Leaves(e, out);
}

std::unique_ptr<HloModule> ParseText(const std::string& text) {
  auto module = ParseHloText(text, "t.hlo");
  INFO(text);
  INFO(MessageOf(module.status()));
  REQUIRE(module.ok());
  REQUIRE(MessageOf(VerifyModule(**module)) == MessageOf(absl::OkStatus()));
  return *std::move(module);
}

// Parameters with sizes drawn from `least` to the bound: the program means the same before and
// after the pass.
void CheckPass(const std::string& text, int64_t least = 0, int rounds = 12) {
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
      const absl::Status same = ExpectClose(front, want[k]);
      CHECK(MessageOf(same) == MessageOf(absl::OkStatus()));
      if (!same.ok()) return;
    }
  }
}

std::string Program(const std::string& parameters, const std::string& body,
                    const std::string& before = "") {
  return "HloModule m\n" + before + "\nENTRY main {\n" + parameters + "\n" + body + "\n}\n";
}
const std::string kAdd =
    "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n";
const std::string kMax =
    "max { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] maximum(a, b) }\n";
const std::string kX = "x = f32[<=6,3] parameter(0)";
const std::string kT = "x = f32[3,<=6] parameter(0)";
const std::string kV = "x = f32[<=7] parameter(0)";

TEST_CASE("Operations over dynamic dimensions mean what they mean over the real sizes") {
  SECTION("elementwise") {
    CheckPass(Program(kX, "ROOT y = f32[<=6,3] add(x, x)"));
    CheckPass(Program(kX,
                      "c = f32[] constant(2)\n b = f32[6,3] broadcast(c), dimensions={}\n"
                      "ROOT y = f32[<=6,3] multiply(x, b)"));
  }
  SECTION("sizes") {
    CheckPass(Program(kX, "ROOT n = s32[] get-dimension-size(x), dimensions={0}"));
    CheckPass(Program(kX, "ROOT n = s32[] get-dimension-size(x), dimensions={1}"));
    CheckPass(Program(kX,
                      "n = s32[] constant(2)\n"
                      "ROOT y = f32[<=6,<=3] set-dimension-size(x, n), dimensions={1}"));
    CheckPass(Program(kX,
                      "n = s32[] constant(6)\n"
                      "ROOT y = f32[6,3] set-dimension-size(x, n), dimensions={0}"));
    CheckPass(Program("x = f32[4,<=5] parameter(0)\n n = s32[] constant(3)",
                      "ROOT y = f32[4,<=5] set-dimension-size(x, n), dimensions={1}"));
  }
  SECTION("broadcast, transpose") {
    CheckPass(Program(kV, "ROOT y = f32[4,<=7] broadcast(x), dimensions={1}"));
    CheckPass(Program(kX, "ROOT y = f32[3,<=6] transpose(x), dimensions={1,0}"));
  }
  SECTION("reshape") {
    CheckPass(Program(kX, "ROOT y = f32[<=18] reshape(x)"));
    CheckPass(Program(kT, "ROOT y = f32[<=18] reshape(x)"));
    CheckPass(Program(kT, "ROOT y = f32[1,3,<=6,1] reshape(x)"));
    CheckPass(Program("x = f32[2,<=6,3] parameter(0)", "ROOT y = f32[2,<=18] reshape(x)"));
    CheckPass(Program("x = f32[2,<=6,3] parameter(0)", "ROOT y = f32[<=12,3] reshape(x)"));
    CheckPass(Program("x = f32[2,<=5] parameter(0)",
                      "n = s32[] get-dimension-size(x), dimensions={1}\n two = s32[] constant(2)\n"
                      "ROOT y = f32[<=5,2] dynamic-reshape(x, n, two)"));
    CheckPass(Program("x = f32[<=5,2] parameter(0)",
                      "n = s32[] get-dimension-size(x), dimensions={0}\n two = s32[] constant(2)\n"
                      "m = s32[] multiply(n, two)\n"
                      "ROOT y = f32[<=10] dynamic-reshape(x, m)"));
  }
  SECTION("slice, pad") {
    CheckPass(Program(kV, "ROOT y = f32[<=5] slice(x), slice={[1:6]}"));
    CheckPass(Program(kV, "ROOT y = f32[<=3] slice(x), slice={[2:7:2]}"));
    CheckPass(Program(kV, "ROOT y = f32[1] slice(x), slice={[2:3]}"), 3);
    CheckPass(Program(kV, "z = f32[] constant(9)\n ROOT y = f32[<=22] pad(x, z), padding=2_7_1"));
    CheckPass(Program(kV, "z = f32[] constant(9)\n ROOT y = f32[<=5] pad(x, z), padding=-1_-1"), 2);
  }
  SECTION("concatenate, reverse") {
    CheckPass(
        Program("x = f32[<=4,2] parameter(0)\n y = f32[<=5,2] parameter(1)\n"
                "z = f32[3,2] parameter(2)",
                "ROOT c = f32[<=12,2] concatenate(x, y, z), dimensions={0}"));
    CheckPass(Program("x = f32[2,<=4] parameter(0)\n y = f32[3,<=4] parameter(1)",
                      "ROOT c = f32[5,<=4] concatenate(x, y), dimensions={0}"));
    CheckPass(Program(kX, "ROOT y = f32[<=6,3] reverse(x), dimensions={0,1}"));
    CheckPass(Program("x = f32[<=4,<=5] parameter(0)",
                      "ROOT y = f32[<=4,<=5] reverse(x), dimensions={0,1}"));
  }
  SECTION("dynamic slices") {
    const std::string i = "\n i = s32[] parameter(1)\n zero = s32[] constant(0)";
    CheckPass(Program(kX + i,
                      "ROOT y = f32[2,3] dynamic-slice(x, i, zero), "
                      "dynamic_slice_sizes={2,3}"),
              2, 20);
    CheckPass(Program(kT + i,
                      "ROOT y = f32[2,<=6] dynamic-slice(x, i, i), "
                      "dynamic_slice_sizes={2,6}"),
              0, 20);
    CheckPass(Program(kX + i + "\n u = f32[2,3] parameter(2)",
                      "ROOT y = f32[<=6,3] dynamic-update-slice(x, u, i, zero)"),
              2, 20);
    CheckPass(Program("x = f32[5,3] parameter(0)\n u = f32[<=4,3] parameter(1)\n"
                      "i = s32[] parameter(2)\n zero = s32[] constant(0)",
                      "ROOT y = f32[5,3] dynamic-update-slice(x, u, i, zero)"),
              0, 20);
  }
  SECTION("gather, scatter") {
    CheckPass(Program(kX + "\n i = s32[4] parameter(1)",
                      "ROOT y = f32[4,3] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, "
                      "start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}"),
              1, 20);
    CheckPass(Program("x = f32[5,<=3] parameter(0)\n i = s32[<=4,1] parameter(1)",
                      "ROOT y = f32[<=4,<=3] gather(x, i), offset_dims={1}, "
                      "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
                      "slice_sizes={1,3}"));
    CheckPass(
        Program("x = f32[5,3] parameter(0)\n i = s32[<=4,1] parameter(1)\n"
                "u = f32[<=4,3] parameter(2)",
                "ROOT y = f32[5,3] scatter(x, i, u), update_window_dims={1}, "
                "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                "index_vector_dim=1, to_apply=add",
                kAdd));
  }
  SECTION("reductions") {
    const std::string zero = "z = f32[] constant(0)\n";
    CheckPass(
        Program(kX, zero + "ROOT y = f32[3] reduce(x, z), dimensions={0}, to_apply=add", kAdd));
    CheckPass(
        Program(kX, zero + "ROOT y = f32[<=6] reduce(x, z), dimensions={1}, to_apply=add", kAdd));
    CheckPass(Program(kX,
                      "z = f32[] constant(5)\n"
                      "ROOT y = f32[] reduce(x, z), dimensions={0,1}, to_apply=add",
                      kAdd));
    CheckPass(Program(kX,
                      "z = f32[] constant(-3)\n"
                      "ROOT y = f32[3] reduce(x, z), dimensions={0}, to_apply=max",
                      kMax));
    CheckPass(Program(kV,
                      zero + "ROOT y = f32[<=7] reduce-window(x, z), window={size=7 pad=6_0}, "
                             "to_apply=add",
                      kAdd));
    CheckPass(Program(kV,
                      zero + "ROOT y = f32[<=4] reduce-window(x, z), window={size=3 stride=2 "
                             "pad=1_1}, to_apply=max",
                      kMax));
    CheckPass(Program(kX,
                      zero + "ROOT y = f32[<=5,3] reduce-window(x, z), window={size=2x1}, "
                             "to_apply=add",
                      kAdd));
  }
  SECTION("argmax") {
    CheckPass(
        Program(kV,
                "i = s32[7] iota(), iota_dimension=0\n z = f32[] constant(-inf)\n k = s32[] "
                "constant(0)\n ROOT y = (f32[], s32[]) reduce(x, i, z, k), dimensions={0}, "
                "to_apply=pick",
                "pick { a = f32[] parameter(0)\n b = s32[] parameter(1)\n c = f32[] parameter(2)\n "
                "d = s32[] parameter(3)\n g = pred[] compare(a, c), direction=GE\n v = f32[] "
                "select(g, a, c)\n w = s32[] select(g, b, d)\n ROOT t = (f32[], s32[]) tuple(v, w) "
                "}\n"),
        1);
  }
  SECTION("products") {
    CheckPass(Program("x = f32[3,<=6] parameter(0)\n y = f32[<=6,2] parameter(1)",
                      "ROOT z = f32[3,2] dot(x, y), lhs_contracting_dims={1}, "
                      "rhs_contracting_dims={0}"));
    CheckPass(Program("x = f32[3,<=6] parameter(0)\n y = f32[6,2] parameter(1)",
                      "ROOT z = f32[3,2] dot(x, y), lhs_contracting_dims={1}, "
                      "rhs_contracting_dims={0}"));
    CheckPass(Program("x = f32[<=4,2,3] parameter(0)\n y = f32[<=4,3,<=5] parameter(1)",
                      "ROOT z = f32[<=4,2,<=5] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, "
                      "lhs_contracting_dims={2}, rhs_contracting_dims={1}"));
    CheckPass(
        Program("x = f32[<=2,<=9,3] parameter(0)\n k = f32[3,3,4] parameter(1)",
                "ROOT z = f32[<=2,<=5,4] convolution(x, k), window={size=3 stride=2 pad=1_1}, "
                "dim_labels=b0f_0io->b0f"),
        1);
  }
  SECTION("sort") {
    const std::string less =
        "less { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = pred[] compare(a, b), "
        "direction=LT }\n";
    CheckPass(Program(
        kV, "ROOT y = f32[<=7] sort(x), dimensions={0}, is_stable=true, to_apply=less", less));
    CheckPass(
        Program(kX + "\n i = s32[6,3] iota(), iota_dimension=0",
                "ROOT y = (f32[<=6,3], s32[<=6,3]) sort(x, i), dimensions={0}, is_stable=true, "
                "to_apply=greater",
                "greater { a = f32[] parameter(0)\n b = f32[] parameter(1)\n c = s32[] "
                "parameter(2)\n d = s32[] parameter(3)\n ROOT e = pred[] compare(a, b), "
                "direction=GT }\n"));
  }
  SECTION("select-and-scatter") {
    CheckPass(Program("x = f32[<=8] parameter(0)",
                      "z = f32[] constant(0)\n c = f32[] constant(1)\n s = f32[4] broadcast(c), "
                      "dimensions={}\n m = f32[<=4] reduce-window(x, z), window={size=2 stride=2}, "
                      "to_apply=max\n t = f32[<=4] add(m, s)\n ROOT y = f32[<=8] "
                      "select-and-scatter(x, t, z), window={size=2 stride=2}, select=ge, "
                      "scatter=add",
                      kAdd + kMax +
                          "ge { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = pred[] "
                          "compare(a, b), direction=GE }\n"));
  }
}

TEST_CASE("Control carries sizes along") {
  // A prefix that is cut by one in each turn.
  CheckPass(Program(
      kV,
      "k = s32[] constant(3)\n t = (s32[], f32[<=7]) tuple(k, x)\n w = (s32[], f32[<=7]) while(t), "
      "condition=more, body=turn\n ROOT y = f32[<=7] get-tuple-element(w), index=1",
      "more { t = (s32[], f32[<=7]) parameter(0)\n k = s32[] get-tuple-element(t), index=0\n z = "
      "s32[] constant(0)\n ROOT c = pred[] compare(k, z), direction=GT }\n"
      "turn { t = (s32[], f32[<=7]) parameter(0)\n k = s32[] get-tuple-element(t), index=0\n x = "
      "f32[<=7] get-tuple-element(t), index=1\n one = s32[] constant(1)\n l = s32[] subtract(k, "
      "one)\n n = s32[] get-dimension-size(x), dimensions={0}\n z = s32[] constant(0)\n m = s32[] "
      "subtract(n, one)\n o = s32[] maximum(m, z)\n y = f32[<=7] set-dimension-size(x, o), "
      "dimensions={0}\n d = f32[<=7] add(y, y)\n ROOT r = (s32[], f32[<=7]) tuple(l, d) }\n"));
  CheckPass(Program(
      kV + "\n p = pred[] parameter(1)",
      "ROOT y = (f32[<=7], f32[<=7]) conditional(p, x, x), true_computation=both, "
      "false_computation=whole",
      "both { x = f32[<=7] parameter(0)\n y = f32[<=7] negate(x)\n ROOT r = (f32[<=7], f32[<=7]) "
      "tuple(x, y) }\n"
      "whole { x = f32[<=7] parameter(0)\n k = s32[] constant(7)\n y = f32[7] "
      "set-dimension-size(x, k), dimensions={0}\n ROOT r = (f32[7], f32[<=7]) tuple(y, x) }\n"));
}

TEST_CASE("Operations in turn") {
  CheckPass(Program("x = f32[<=6,3] parameter(0)\n w = f32[3,4] parameter(1)",
                    "h = f32[<=6,4] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                    "z = f32[] constant(0)\n lo = f32[] constant(-inf)\n"
                    "m = f32[4] reduce(h, lo), dimensions={0}, to_apply=max\n"
                    "b = f32[<=6,4] reverse(h), dimensions={0}\n"
                    "c = f32[<=12,4] concatenate(h, b), dimensions={0}\n"
                    "s = f32[4] reduce(c, z), dimensions={0}, to_apply=add\n"
                    "f = f32[<=48] reshape(c)\n"
                    "n = s32[] get-dimension-size(f), dimensions={0}\n"
                    "ROOT r = (f32[4], f32[4], f32[<=48], s32[]) tuple(m, s, f, n)",
                    kAdd + kMax));
}

TEST_CASE("Random programs") {
  std::mt19937 random(11);
  for (int program = 0; program < 60; ++program)
    CheckPass(testing::RandomDynamicProgram(random), 0, 5);
}

TEST_CASE("What cannot be done is said") {
  auto refused = [](const std::string& text) {
    auto module = ParseText(text);
    auto changed = MakeExpandDynamicDimensionsPass()->Run(*module);
    REQUIRE(!changed.ok());
    CHECK(changed.status().code() == absl::StatusCode::kUnimplemented);
    return MessageOf(changed.status());
  };
  CHECK(refused(Program("x = f32[4,<=4] parameter(0)",
                        "ROOT y = (f32[4,2], s32[4,2]) topk(x), k=2, largest=true")) ==
        "topk y with dynamic dimensions of what is computed as a whole: (f32[4,2], s32[4,2])");
  CHECK(refused(Program("x = f32[<=4] parameter(0)",
                        "ROOT y = f32[<=4] custom-call(x), custom_call_target=\"f\"")) ==
        "custom-call y with dynamic dimensions: f32[<=4]");
  auto unbounded = ParseText(Program("x = f32[?] parameter(0)", "ROOT y = f32[?] negate(x)"));
  CHECK(MessageOf(MakeExpandDynamicDimensionsPass()->Run(*unbounded).status()) ==
        "parameter x: dimension 0 of f32[?] has no bound; shapes of the arguments may make it "
        "static");
}

TEST_CASE("Static programs are left alone") {
  auto module = ParseText(Program("x = f32[4] parameter(0)", "ROOT y = f32[4] negate(x)"));
  auto changed = MakeExpandDynamicDimensionsPass()->Run(*module);
  REQUIRE(changed.ok());
  CHECK_FALSE(*changed);
}

}  // namespace
}  // namespace sinter
