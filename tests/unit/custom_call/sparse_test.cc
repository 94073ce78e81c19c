#include <catch2/catch.hpp>

#include <complex>
#include <memory>

#include "base/status.h"
#include "custom_call/call.h"

namespace sinter {
namespace {

// What the matrix times the right-hand side is, by the target's function.
absl::StatusOr<Literal> Multiply(const Literal& entries, const Literal& starts,
                                 const Literal& columns, const Literal& right,
                                 const Shape& result) {
  const std::vector<const Literal*> operands{&entries, &starts, &columns, &right};
  std::vector<Shape> shapes;
  std::vector<void*> pointers;
  for (const Literal* x : operands) {
    shapes.push_back(x->shape());
    pointers.push_back(const_cast<void*>(x->untyped_data()));
  }
  ASSIGN_OR_RETURN(
      ReadyCustomCall call,
      ReadyCustomCall::Make({{}, std::make_shared<CustomCallRegistry>()},
                            "cpu_csr_sparse_dense_ffi", "Host", "", shapes, {result}, false));
  Literal product(result);
  pointers.push_back(product.untyped_data());
  RETURN_IF_ERROR(call.Call(pointers, nullptr, {}));
  return product;
}

// {{1, 0, 2}, {0, 0, 0}, {0, -3, 0}, {4, 5, 6}}
template <class T, class Index>
void CheckProducts() {
  const Literal entries = Literal::R1<T>({T(1), T(2), T(-3), T(4), T(5), T(6)}),
                starts = Literal::R1<Index>({0, 2, 2, 3, 6}),
                columns = Literal::R1<Index>({0, 2, 1, 0, 1, 2}),
                vector = Literal::R1<T>({T(1), T(2), T(3)});
  const ElementType type = entries.shape().element_type();
  auto y = Multiply(entries, starts, columns, vector, Shape(type, {4}));
  REQUIRE(y.ok());
  CHECK(*y == Literal::R1<T>({T(7), T(0), T(-6), T(32)}));
  const Literal matrix = Literal::R2<T>({{T(1), T(-1)}, {T(2), T(0)}, {T(3), T(5)}});
  y = Multiply(entries, starts, columns, matrix, Shape(type, {4, 2}));
  REQUIRE(y.ok());
  CHECK(*y == Literal::R2<T>({{T(7), T(9)}, {T(0), T(0)}, {T(-6), T(0)}, {T(32), T(26)}}));
}

TEST_CASE("a matrix in compressed rows times a vector and a matrix") {
  CheckProducts<float, int32_t>();
  CheckProducts<double, int64_t>();
  CheckProducts<std::complex<float>, int32_t>();
  CheckProducts<std::complex<double>, int32_t>();
  CheckProducts<int32_t, int32_t>();
  CheckProducts<int64_t, int64_t>();
}

TEST_CASE("rows and columns that a sparse matrix cannot have") {
  const Literal entries = Literal::R1<float>({1, 2}), vector = Literal::R1<float>({1, 2, 3}),
                columns = Literal::R1<int32_t>({0, 2}), starts = Literal::R1<int32_t>({0, 1, 2});
  const Shape two(ElementType::F32, {2});
  auto error = [](const absl::StatusOr<Literal>& y) {
    REQUIRE(y.status().code() == absl::StatusCode::kInvalidArgument);
    return MessageOf(y.status());
  };
  REQUIRE(Multiply(entries, starts, columns, vector, two).ok());
  for (const auto& wrong : {Literal::R1<int32_t>({0, 1, 3}), Literal::R1<int32_t>({0, 2, 1}),
                            Literal::R1<int32_t>({-1, 1, 2})})
    CHECK(error(Multiply(entries, wrong, columns, vector, two)).find("has entries") !=
          std::string::npos);
  for (const auto& wrong : {Literal::R1<int32_t>({0, 3}), Literal::R1<int32_t>({-1, 0})})
    CHECK(error(Multiply(entries, starts, wrong, vector, two)).find("of 3") != std::string::npos);
  CHECK(error(Multiply(entries, starts, columns, vector, Shape(ElementType::F32, {3})))
            .find("do not give f32[3]") != std::string::npos);
  CHECK(error(Multiply(entries, starts, columns, Literal::R1<double>({1, 2, 3}), two))
            .find("do not give") != std::string::npos);
  CHECK(error(Multiply(entries, Literal::R1<float>({0, 1, 2}), Literal::R1<float>({0, 1}), vector,
                       two))
            .find("indices of f32") != std::string::npos);
  const Literal bytes = Literal::R1<int8_t>({1, 2});
  CHECK(error(Multiply(bytes, starts, columns, Literal::R1<int8_t>({1, 2, 3}),
                       Shape(ElementType::S8, {2})))
            .find("a sparse matrix of s8") != std::string::npos);
}

}  // namespace
}  // namespace sinter
