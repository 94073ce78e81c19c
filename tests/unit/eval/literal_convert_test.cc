#include <catch2/catch.hpp>
#include <limits>

#include "sinter/literal.h"

namespace sinter {
namespace {

TEST_CASE("literals convert as convert does") {
  const double inf = std::numeric_limits<double>::infinity();
  const Literal x =
      Literal::R1<double>({-2.5, 0, 300.75, inf, std::numeric_limits<double>::quiet_NaN()});
  CHECK(*x.Convert(ElementType::S8) == Literal::R1<int8_t>({-2, 0, 127, 127, 0}));
  CHECK(*x.Convert(ElementType::U8) == Literal::R1<uint8_t>({0, 0, 255, 255, 0}));
  CHECK(*x.Convert(ElementType::PRED) == Literal::R1<bool>({true, false, true, true, true}));
  CHECK(x.Convert(ElementType::BF16)->ToString() == "bf16[5] {-2.5, 0, 300, inf, nan}");
  CHECK(*x.Convert(ElementType::F64)->Convert(ElementType::S8) == *x.Convert(ElementType::S8));
  CHECK(*Literal::R1<int32_t>({1, -1}).Convert(ElementType::F16) ==
        Literal::R1<half>({half(1), half(-1)}));
  CHECK(*Literal::R0<int32_t>(2).Convert(ElementType::C64) ==
        Literal::R0<std::complex<float>>({2, 0}));
  CHECK(x.Convert(ElementType::TUPLE).status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(Literal::Tuple({x}).Convert(ElementType::F32).status().message() ==
        "Convert: from (f64[5]) to f32");
  CHECK_FALSE(Literal::R2<float>({{1}, {2, 3}}).Convert(ElementType::F64).ok());
}

}  // namespace
}  // namespace sinter
