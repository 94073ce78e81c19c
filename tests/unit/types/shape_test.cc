#include "sinter/shape.h"

#include <catch2/catch.hpp>

namespace sinter {
namespace {

std::string ShapeRoundTrip(const std::string& text) {
  absl::StatusOr<Shape> s = Shape::Parse(text);
  return s.ok() ? s->ToString() : "error: " + std::string(s.status().message());
}

}  // namespace

TEST_CASE("Shapes print as they are read") {
  for (const char* text :
       {"f32[]", "f32[2,3]", "bf16[2,3]{0,1}", "(f32[], s32[4])", "()", "token[]", "(((pred[])))",
        "f32[<=3,2]", "f32[?,2]", "f8e4m3b11fnuz[0]", "opaque[]"}) {
    CHECK(ShapeRoundTrip(text) == text);
  }
  CHECK(ShapeRoundTrip("f32[2,3]{1,0}") == "f32[2,3]");
  CHECK(ShapeRoundTrip(" ( f32[ 2 , 3 ]{0,1:T(8,128)S(1)} , /*index=1*/ s32[]{:T(128)} ) ") ==
        "(f32[2,3]{0,1}, s32[])");
}

TEST_CASE("What is no shape is refused") {
  for (const char* text :
       {"", "f32", "f32[", "f32[2", "f32[2,]", "f32[-1]", "f33[2]", "f32[2]{1}", "f32[2,3]{0}",
        "f32[2,3]{0,0}", "(f32[]", "f32[2]]", "token[2]", "tuple[]", "f32[99999999999999999999]"}) {
    INFO(text);
    CHECK(Shape::Parse(text).status().code() == absl::StatusCode::kInvalidArgument);
  }
  std::string deep(100000, '(');
  CHECK(Shape::Parse(deep).status().code() == absl::StatusCode::kResourceExhausted);
  CHECK(Shape::Parse("f64[4611686018427387904,2]").status().code() ==
        absl::StatusCode::kResourceExhausted);
}

TEST_CASE("Sizes do not overflow") {
  CHECK(Shape(ElementType::F32, {2, 3}).byte_size() == 24);
  CHECK(Shape(ElementType::S4, {3}).byte_size() == 3);
  CHECK(Shape(ElementType::F32, {INT64_MAX, INT64_MAX, 0}).element_count() == 0);
  CHECK(Shape(ElementType::F32, {INT64_MAX, INT64_MAX}).element_count() == INT64_MAX);
  CHECK(Shape(ElementType::F64, {INT64_MAX}).byte_size() == INT64_MAX);
  CHECK(Shape::Tuple({Shape(ElementType::F32), Shape(ElementType::F64, {2}), Shape::Token()})
            .byte_size() == 20);
  CHECK(!Shape::Make(ElementType::F64, {INT64_MAX}).ok());
  CHECK(!Shape::Make(ElementType::F32, {INT64_MAX, INT64_MAX, 0}).ok());
  CHECK(!Shape::Make(ElementType::F32, {-1}).ok());
  CHECK(!Shape::Make(ElementType::TOKEN, {1}).ok());
}

TEST_CASE("The same shape has one form") {
  Shape a(ElementType::F32, {2, 3}), b = a;
  b.set_minor_to_major({1, 0});
  CHECK(a == b);
  b.set_dynamic(0, true);
  CHECK(a != b);
  CHECK(!b.is_static());
  CHECK(!Shape::Compatible(a, b));
  b.set_dynamic(0, false);
  CHECK(a == b);
  b.set_minor_to_major({0, 1});
  CHECK(a != b);
  CHECK(Shape::Compatible(a, b));
}

}  // namespace sinter
