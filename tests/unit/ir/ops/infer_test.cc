// What shape rules infer; what they refuse is in tests/errors.
#include <catch2/catch.hpp>

#include "absl/strings/match.h"
#include "base/status.h"
#include "ir/ops/op.h"

namespace sinter {
namespace {

Shape S(std::string_view text) { return *Shape::Parse(text); }

// The inferred shape's text, or the error's.
std::string Infer(HloOpcode op, const std::vector<std::string>& operands,
                  const Attributes& attrs = NoAttrs{}, const char* declared = nullptr,
                  const std::vector<ComputationShape>& called = {}) {
  std::vector<Shape> shapes;
  for (const auto& text : operands) shapes.push_back(S(text));
  std::vector<const Shape*> pointers;
  for (const Shape& s : shapes) pointers.push_back(&s);
  Shape result = declared ? S(declared) : Shape();
  absl::StatusOr<Shape> s = InferShape(op, {pointers, attrs, called, declared ? &result : nullptr});
  return s.ok() ? s->ToString() : MessageOf(s.status());
}

}  // namespace

TEST_CASE("Every op is found by its name") {
  for (const OpInfo& info : kOps) CHECK(OpFromName(info.name) == info.op);
  CHECK(!OpFromName("frobnicate"));
  CHECK(!OpFromName(""));
}

TEST_CASE("Elementwise") {
  CHECK(Infer(HloOpcode::Add, {"f32[2]", "f32[2]"}) == "f32[2]");
  CHECK(Infer(HloOpcode::Abs, {"c64[2]"}) == "f32[2]");
  CHECK(Infer(HloOpcode::Imag, {"c128[2]"}) == "f64[2]");
  CHECK(Infer(HloOpcode::Convert, {"c64[2]"}, NoAttrs{}, "s8[2]") == "s8[2]");
  CHECK(Infer(HloOpcode::IsFinite, {"bf16[2]"}) == "pred[2]");
  CHECK(Infer(HloOpcode::Compare, {"s32[2]", "s32[2]"}, CompareAttrs{}) == "pred[2]");
  CHECK(Infer(HloOpcode::Complex, {"f64[2]", "f64[2]"}) == "c128[2]");
  CHECK(Infer(HloOpcode::Clamp, {"f32[]", "f32[3]", "f32[3]"}) == "f32[3]");
  CHECK(Infer(HloOpcode::Select, {"pred[]", "f32[3]", "f32[3]"}) == "f32[3]");
  CHECK(Infer(HloOpcode::Select, {"pred[3]", "f32[3]", "f32[3]"}) == "f32[3]");
}

TEST_CASE("Parts for several participants of a dimension that is not known") {
  const CollectiveAttrs attrs{.replica_groups = {{0, 1, 2, 3}}, .dimensions = {0}};
  const ComputationShape add{{S("f32[]"), S("f32[]")}, S("f32[]")};
  auto is_unknown = [&](HloOpcode op, const std::vector<ComputationShape>& called) {
    Shape x(ElementType::F32, {Shape::kUnbounded, 8});
    x.set_dynamic(0, true);
    const Shape* operands[] = {&x};
    const Attributes variant = attrs;
    absl::StatusOr<Shape> s = InferShape(op, {operands, variant, called, nullptr});
    CAPTURE(MessageOf(s.status()));
    return s.ok() && s->dimension(0) == Shape::kUnbounded;
  };
  CHECK(is_unknown(HloOpcode::AllGather, {}));
  CHECK(is_unknown(HloOpcode::AllToAll, {}));
  CHECK(is_unknown(HloOpcode::ReduceScatter, {add}));
}

TEST_CASE("The declared result keeps its layout and must agree") {
  CHECK(Infer(HloOpcode::Add, {"f32[2,3]", "f32[2,3]"}, NoAttrs{}, "f32[2,3]{0,1}") ==
        "f32[2,3]{0,1}");
  CHECK(Infer(HloOpcode::Add, {"f32[2]", "f32[2]"}, NoAttrs{}, "f32[3]") ==
        "add: (C1) the result must be f32[2]; operands f32[2], f32[2]; result f32[3]");
}

TEST_CASE("Index maps") {
  CHECK(Infer(HloOpcode::Iota, {}, IotaAttrs{1}, "s32[2,3]") == "s32[2,3]");
  CHECK(Infer(HloOpcode::BitcastConvert, {"f32[2]"}, NoAttrs{}, "u8[2,4]") == "u8[2,4]");
  CHECK(Infer(HloOpcode::BitcastConvert, {"u8[2,4]"}, NoAttrs{}, "f32[2]") == "f32[2]");
  CHECK(Infer(HloOpcode::Broadcast, {"f32[1,3]"}, DimensionsAttrs{{0, 2}}, "f32[2,5,3]") ==
        "f32[2,5,3]");
  CHECK(Infer(HloOpcode::Reshape, {"f32[2,3]"}, NoAttrs{}, "f32[6]") == "f32[6]");
  CHECK(Infer(HloOpcode::Transpose, {"f32[2,3,4]"}, DimensionsAttrs{{2, 0, 1}}) == "f32[4,2,3]");
  CHECK(Infer(HloOpcode::Slice, {"f32[10]"}, SliceAttrs{{1}, {10}, {4}}) == "f32[3]");
  CHECK(Infer(HloOpcode::Pad, {"f32[3]", "f32[]"}, PadAttrs{{1}, {-1}, {2}}) == "f32[7]");
  CHECK(Infer(HloOpcode::Pad, {"f32[0]", "f32[]"}, PadAttrs{{1}, {1}, {2}}) == "f32[2]");
  CHECK(Infer(HloOpcode::Concatenate, {"f32[2,1]", "f32[2,4]"}, DimensionsAttrs{{1}}) ==
        "f32[2,5]");
  CHECK(Infer(HloOpcode::DynamicSlice, {"f32[4,5]", "s32[]", "s32[]"}, DynamicSliceAttrs{{2, 3}}) ==
        "f32[2,3]");
  CHECK(Infer(HloOpcode::DynamicUpdateSlice, {"f32[4]", "f32[2]", "u8[]"}) == "f32[4]");
}

TEST_CASE("Sizes that overflow are refused") {
  CHECK(Infer(HloOpcode::Pad, {"f32[3]", "f32[]"}, PadAttrs{{INT64_MAX}, {INT64_MAX}, {0}})
            .find("overflow") != std::string::npos);
  CHECK(Infer(HloOpcode::Pad, {"s8[4611686018427387904]", "s8[]"}, PadAttrs{{0}, {0}, {4}})
            .find("overflow") != std::string::npos);
}

TEST_CASE("Reduce and dot") {
  ComputationShape add{{S("f32[]"), S("f32[]")}, S("f32[]")};
  CHECK(Infer(HloOpcode::Reduce, {"f32[2,3]", "f32[]"}, DimensionsAttrs{{0}}, nullptr, {add}) ==
        "f32[3]");
  CHECK(Infer(HloOpcode::Reduce, {"bf16[2,3]", "f32[]"}, DimensionsAttrs{{0}}, nullptr, {add}) ==
        "f32[3]");
  ComputationShape two{{S("f32[]"), S("s32[]"), S("f32[]"), S("s32[]")}, S("(f32[], s32[])")};
  CHECK(Infer(HloOpcode::Reduce, {"f32[2,3]", "s32[2,3]", "f32[]", "s32[]"},
              DimensionsAttrs{{0, 1}}, nullptr, {two}) == "(f32[], s32[])");
  DotAttrs batch{{0}, {2}, {2}, {1}};
  CHECK(Infer(HloOpcode::Dot, {"f32[5,2,3]", "f32[4,3,5]"}, batch) == "f32[5,2,4]");
  CHECK(Infer(HloOpcode::Dot, {"bf16[2]", "bf16[3]"}, DotAttrs{}, "f32[2,3]") == "f32[2,3]");
}

TEST_CASE("Ragged dot") {
  using A = RaggedDotAttrs;
  const A rows{{{}, {}, {1}, {1}}, {0}, {0}}, batch{{{0}, {1}, {2}, {2}}, {1}, {0}};
  CHECK(Infer(HloOpcode::RaggedDot, {"f32[6,4]", "f32[3,4,5]", "s32[3]"}, rows) == "f32[6,5]");
  CHECK(Infer(HloOpcode::RaggedDot, {"f32[2,6,4]", "f32[3,2,4,5]", "s64[2,3]"}, batch) ==
        "f32[2,6,5]");
  CHECK(Infer(HloOpcode::RaggedDot, {"f32[2,6,4]", "f32[3,2,4,5]", "u8[3]"}, batch) ==
        "f32[2,6,5]");
  const A parts{{{}, {}, {1}, {0}}, {1}, {}}, of_batch{{{0}, {0}, {2}, {1}}, {0}, {}};
  CHECK(Infer(HloOpcode::RaggedDot, {"bf16[4,6]", "bf16[6,5]", "s32[3]"}, parts, "f32[3,4,5]") ==
        "f32[3,4,5]");
  CHECK(Infer(HloOpcode::RaggedDot, {"s8[2,6,4]", "s8[2,4,5]", "s32[2]"}, of_batch) == "s8[2,6,5]");
}

TEST_CASE("Control") {
  ComputationShape cond{{S("(s32[], f32[2])")}, S("pred[]")},
      body{{S("(s32[], f32[2])")}, S("(s32[], f32[2])")};
  CHECK(Infer(HloOpcode::While, {"(s32[], f32[2])"}, NoAttrs{}, nullptr, {cond, body}) ==
        "(s32[], f32[2])");
  const ComputationShape step{{S("f32[3]"), S("s32[]"), S("s8[]")}, S("(pred[3], f32[], s8[])")},
      fold{{S("f32[2]"), S("f32[2]")}, S("f32[2]")};
  CHECK(Infer(HloOpcode::Scan, {"f32[2,3]", "s32[2]", "s8[]"}, ScanAttrs{{0}, 1}, nullptr,
              {step}) == "(pred[2,3], f32[2], s8[])");
  CHECK(Infer(HloOpcode::Scan, {"f32[2,3]", "f32[2]"}, ScanAttrs{{1}, 1}, nullptr, {fold}) ==
        "f32[2]");
  ComputationShape branch{{S("f32[2]")}, S("s8[3]")};
  CHECK(Infer(HloOpcode::Conditional, {"s32[]", "f32[2]", "f32[2]", "f32[2]"}, NoAttrs{}, nullptr,
              {branch, branch, branch}) == "s8[3]");
  CHECK(Infer(HloOpcode::Tuple, {"f32[]", "token[]"}) == "(f32[], token[])");
  CHECK(Infer(HloOpcode::GetTupleElement, {"(f32[], s32[2])"}, TupleElementAttrs{1}) == "s32[2]");
  CHECK(Infer(HloOpcode::AfterAll, {"token[]", "token[]"}) == "token[]");
}

TEST_CASE("Gather and scatter") {
  GatherAttrs rows;
  rows.offset_dims = {1};
  rows.collapsed_slice_dims = {0};
  rows.start_index_map = {0};
  rows.index_vector_dim = 1;
  rows.slice_sizes = {1, 6};
  CHECK(Infer(HloOpcode::Gather, {"f32[5,6]", "s32[4,1]"}, rows) == "f32[4,6]");
  rows.offset_dims = {0};
  CHECK(Infer(HloOpcode::Gather, {"f32[5,6]", "u8[4,1]"}, rows) == "f32[6,4]");
  // Without a dimension for the components, an index is one component.
  CHECK(Infer(HloOpcode::Gather, {"f32[5,6]", "s64[4]"}, rows) == "f32[6,4]");
  GatherAttrs batched;
  batched.offset_dims = {1};
  batched.operand_batching_dims = {0};
  batched.start_indices_batching_dims = {1};
  batched.start_index_map = {1};
  batched.index_vector_dim = 2;
  batched.slice_sizes = {1, 2};
  CHECK(Infer(HloOpcode::Gather, {"f32[3,5]", "s32[7,3,1]"}, batched) == "f32[7,2,3]");

  ScatterAttrs scatter;
  scatter.update_window_dims = {1};
  scatter.inserted_window_dims = {0};
  scatter.scatter_dims_to_operand_dims = {0};
  scatter.index_vector_dim = 1;
  const ComputationShape add{{S("f32[]"), S("f32[]")}, S("f32[]")};
  CHECK(Infer(HloOpcode::Scatter, {"f32[5,6]", "s32[4,1]", "f32[4,3]"}, scatter, nullptr, {add}) ==
        "f32[5,6]");
  CHECK(Infer(HloOpcode::Scatter, {"bf16[5,6]", "s32[4,1]", "bf16[4,3]"}, scatter, nullptr,
              {add}) == "f32[5,6]");
  const ComputationShape two{{S("f32[]"), S("s8[]"), S("f32[]"), S("s8[]")}, S("(f32[], s8[])")};
  CHECK(Infer(HloOpcode::Scatter, {"f32[5,6]", "s8[5,6]", "s32[4,1]", "f32[4,3]", "s8[4,3]"},
              scatter, nullptr, {two}) == "(f32[5,6], s8[5,6])");
}

TEST_CASE("Sort and topk") {
  const ComputationShape one{{S("f32[]"), S("f32[]")}, S("pred[]")};
  CHECK(Infer(HloOpcode::Sort, {"f32[5,6]"}, SortAttrs{{0}}, nullptr, {one}) == "f32[5,6]");
  const ComputationShape two{{S("f32[]"), S("f32[]"), S("s8[]"), S("s8[]")}, S("pred[]")};
  CHECK(Infer(HloOpcode::Sort, {"f32[5]", "s8[5]"}, SortAttrs{{0}}, nullptr, {two}) ==
        "(f32[5], s8[5])");
  CHECK(Infer(HloOpcode::TopK, {"bf16[4,9]"}, TopKAttrs{3}) == "(bf16[4,3], s32[4,3])");
  CHECK(Infer(HloOpcode::TopK, {"f32[4,9]"}, TopKAttrs{3, false, true}) == "(f32[4,3], s32[4,3])");
  CHECK(absl::StrContains(Infer(HloOpcode::TopK, {"bf16[4,9]"}, TopKAttrs{3, false, true}),
                          "merged is of F32 only"));
}

}  // namespace sinter
