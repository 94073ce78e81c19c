// Literals and arrays: elements by index, lists that do not fit together, what holds an error.
#include <catch2/catch.hpp>

#include "base/status.h"
#include "sinter/array.h"
#include "sinter/literal.h"

namespace sinter {
namespace {

TEST_CASE("ragged lists are errors that literals hold") {
  const Literal l = Literal::R2<float>({{1}, {2, 3}});
  CHECK_FALSE(l.ok());
  CHECK(l.status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(MessageOf(l.status()) == "the lists along dimension 1 have 1 and 2 entries");
  CHECK(l.data<float>().empty());
  // The other way round nothing was written past the end, but elements were missing.
  CHECK_FALSE(Literal::R2<float>({{1, 2}, {3}}).ok());
  CHECK_FALSE(Literal::R2<float>({{}, {3}}).ok());
  CHECK(Literal::R2<float>({{}, {}}).shape() == Shape(ElementType::F32, {2, 0}));
  CHECK(Literal::R2<float>({}).shape() == Shape(ElementType::F32, {0, 0}));
  CHECK(Literal::R2<bool>({{true, false}}).ToString() == "pred[1,2] {{true, false}}");
  CHECK_FALSE(l == l);
  const Literal t = Literal::Tuple({Literal::R0<float>(1), l});
  CHECK(MessageOf(t.status()) == MessageOf(l.status()));
}

TEST_CASE("ragged lists are errors that arrays hold") {
  const Array2D<float> m({{1}, {2, 3}});
  CHECK(m.status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(m.num_elements() == 0);
  CHECK_FALSE(m.ToLiteral().ok());
  CHECK(Array2D<int>({{1, 2}, {3, 4}})(1, 0) == 3);
  const Array3D<int> deep({{{1, 2}}, {{3, 4, 5}}});
  CHECK(MessageOf(deep.status()) == "the lists along dimension 2 have 2 and 3 entries");
  CHECK_FALSE(Array3D<int>({{{1, 2}}, {{3, 4}, {5, 6}}}).status().ok());
  const Array3D<int> planes({{{1, 2}}, {{3, 4}}});
  CHECK(planes(1, 0, 1) == 4);
  const Array4D<int> volumes({{{{1, 2}}, {{3, 4}}}});
  CHECK(volumes(0, 1, 0, 1) == 4);
}

TEST_CASE("arrays of sizes that cannot be, and of other numbers of values") {
  const std::vector<int64_t> negative = {2, -1}, huge = {int64_t{1} << 40, int64_t{1} << 40};
  CHECK_FALSE(Array<float>(negative).status().ok());
  CHECK_FALSE(Array<float>(huge).status().ok());
  const std::vector<float> three = {1, 2, 3};
  const Array4D<float> four(1, 1, 2, 2, three);
  CHECK(MessageOf(four.status()) == "3 values were given for 4 elements");
  CHECK_FALSE(four.ToLiteral().ok());
  Array2D<float> m(1, 3);
  m.SetValues(three);
  CHECK(m.ToLiteral() == Literal::R2<float>({{1, 2, 3}}));
}

TEST_CASE("data checks the width of its type") {
  Literal l = Literal::R1<float>({1, 2});
  CHECK(l.data<double>().empty());
  CHECK(l.data<uint8_t>().empty());
  CHECK(l.data<int32_t>().size() == 2);
  CHECK(Literal::Tuple({l}).data<float>().empty());
  CHECK(Literal().data<float>().empty());
}

TEST_CASE("elements by index") {
  Literal l = Literal::R2<int32_t>({{1, 2, 3}, {4, 5, 6}});
  CHECK(l.Get<int32_t>({1, 2}) == 6);
  CHECK(l.GetFirstElement<int32_t>() == 1);
  CHECK(l.Set<int32_t>({0, 1}, 20));
  CHECK(l.Get<int32_t>({0, 1}) == 20);
  for (const std::vector<int64_t>& nowhere :
       {std::vector<int64_t>{2, 0}, {0, 3}, {-1, 0}, {0}, {0, 0, 0}}) {
    CHECK(l.Get<int32_t>(nowhere) == 0);
    CHECK_FALSE(l.Set<int32_t>(nowhere, 7));
  }
  CHECK(l.Get<double>({0, 0}) == 0);
  CHECK_FALSE(l.Set<double>({0, 0}, 7));
  Literal t = Literal::Tuple({Literal::R0<float>(1), l.Clone()});
  CHECK(t.Get<int32_t>({1, 0}, {1}) == 4);
  CHECK(t.Set<int32_t>({1, 0}, {1}, 40));
  CHECK(t.Get<int32_t>({1, 0}, {1}) == 40);
  CHECK(t.Get<int32_t>({1, 0}, {2}) == 0);
  CHECK(l.Get<int32_t>({1, 0}) == 4);  // the clone changed
  std::vector<Literal> parts = t.DecomposeTuple();
  REQUIRE(parts.size() == 2);
  CHECK(parts[0] == Literal::R0<float>(1));
  CHECK(t.tuple().empty());
}

TEST_CASE("elements by a function of their indices") {
  Literal l(Shape(ElementType::S32, {2, 3}));
  CHECK(l.Populate<int32_t>([](absl::Span<const int64_t> i) {
           return static_cast<int32_t>(10 * i[0] + i[1]);
         }).ok());
  CHECK(l == Literal::R2<int32_t>({{0, 1, 2}, {10, 11, 12}}));
  CHECK(l.PopulateWithValue<int32_t>(4).ok());
  CHECK(l == Literal::R2<int32_t>({{4, 4, 4}, {4, 4, 4}}));
  CHECK(MessageOf(l.PopulateWithValue<double>(4)) == "s32[2,3] has no elements of 8 bytes");
  Literal v(Shape(ElementType::F32, {3}));
  CHECK(v.PopulateR1<float>({1, 2, 3}).ok());
  CHECK_FALSE(v.PopulateR1<float>({1, 2}).ok());
  CHECK(v == Literal::R1<float>({1, 2, 3}));
}

TEST_CASE("slices and transposes of literals") {
  const Literal l = Literal::R2<int32_t>({{1, 2, 3}, {4, 5, 6}});
  CHECK(l.Slice({0, 1}, {2, 3}) == Literal::R2<int32_t>({{2, 3}, {5, 6}}));
  CHECK(l.Slice({1, 1}, {1, 3}).shape() == Shape(ElementType::S32, {0, 2}));
  CHECK(l.Transpose({1, 0}) == Literal::R2<int32_t>({{1, 4}, {2, 5}, {3, 6}}));
  CHECK(MessageOf(l.Slice({0, 1}, {2, 4}).status()) ==
        "Slice: 1 to 4 are not within dimension 1 of s32[2,3]");
  CHECK_FALSE(l.Slice({0}, {2}).ok());
  CHECK(MessageOf(l.Transpose({1, 1}).status()) ==
        "Transpose: {1,1} is no permutation of the dimensions of s32[2,3]");
  CHECK(Literal::R0<float>(2).Slice({}, {}) == Literal::R0<float>(2));
  Literal cube(Shape(ElementType::U8, {2, 3, 4}));
  uint8_t n = 0;
  for (uint8_t& x : cube.data<uint8_t>()) x = n++;
  const Literal turned = cube.Transpose({2, 0, 1});
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t j = 0; j < 2; ++j) {
      for (int64_t k = 0; k < 3; ++k)
        CHECK(turned.Get<uint8_t>({i, j, k}) == cube.Get<uint8_t>({j, k, i}));
    }
  }
}

TEST_CASE("shapes by XLA's names") {
  Shape s = *Shape::Parse("f32[2,<=3]{0,1}");
  CHECK(s.dimensions(1) == 3);
  CHECK(s.dimensions_size() == 2);
  CHECK(s.IsArray());
  CHECK_FALSE(s.IsTuple());
  CHECK(s.is_dynamic_dimension(1));
  CHECK(s.is_static_dimension(0));
  CHECK(s.layout().minor_to_major() == std::vector<int64_t>{0, 1});
  CHECK(Shape(ElementType::F32, {2, 3}).layout().ToString() == "{1,0}");
  s.set_dimensions(0, 5);
  s.add_dimensions(7, true);
  CHECK(s.ToString() == "f32[5,<=3,<=7]");
  s.DeleteDimension(1);
  CHECK(s.ToString() == "f32[5,<=7]");
  s.DeleteDimension(1);
  CHECK(s == Shape(ElementType::F32, {5}));
  Shape order = *Shape::Parse("f32[2,3,4]{0,2,1}");
  order.DeleteDimension(1);
  CHECK(order.ToString() == "f32[2,4]{0,1}");
  const Shape t = Shape::Tuple({s, Shape::Token()});
  CHECK(t.IsTuple());
  CHECK(t.tuple_shapes_size() == 2);
  CHECK(t.tuple_shapes(1).IsToken());
  CHECK(Shape(ElementType::S8).IsInteger());
}

}  // namespace
}  // namespace sinter
