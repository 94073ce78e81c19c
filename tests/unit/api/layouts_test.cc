// Arguments and results in the layouts that a program states.
#include <catch2/catch.hpp>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "sinter/client.h"
#include "sinter/import.h"
#include "unit/api/clients.h"

namespace sinter {
namespace {

// x is column-major, y not; the results are x + y as x, y as x, and the sum of x.
constexpr std::string_view kTurnedProgram = R"(
func.func @main(%x: tensor<2x3xf32> {mhlo.layout_mode = "{0,1}"}, %y: tensor<2x3xf32>)
    -> (tensor<2x3xf32> {mhlo.layout_mode = "{0,1}"},
        tensor<2x3xf32> {mhlo.layout_mode = "{0,1}"}, tensor<2x3xf32>) {
  %0 = stablehlo.add %x, %y : tensor<2x3xf32>
  return %0, %y, %x : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
})";

Shape ColumnMajor() {
  Shape s = F32Shape({2, 3});
  s.set_minor_to_major({0, 1});
  return s;
}

absl::StatusOr<Executable> CompileStated(Client& client, std::string_view program) {
  ASSIGN_OR_RETURN(const Computation c, LoadStablehlo(program, "p"));
  CompileOptions options;
  options.stated_layouts = true;
  return client.Compile(c, options);
}

// The elements in the order of memory.
std::vector<float> InOrderOfMemory(const Buffer& b) {
  auto view = b.View();
  REQUIRE(view.ok());
  const auto* data = static_cast<const float*>(view->get());
  return {data, data + b.shape().element_count()};
}

TEST_CASE("Buffers are in the layouts that the program states") {
  for (const auto& client : {MakeClient(1), *Client::Interpreter({})}) {
    auto f = CompileStated(*client, kTurnedProgram);
    REQUIRE(MessageOf(f.status()) == "");
    const std::vector<float> columns = {1, 4, 2, 5, 3, 6}, rows = {10, 20, 30, 40, 50, 60};
    Buffer x = *client->BufferFromHost(columns.data(), ColumnMajor());
    Buffer y = *client->BufferFromHost(rows.data(), F32Shape({2, 3}));
    auto results = f->Execute({x, y});
    REQUIRE(MessageOf(results.status()) == "");
    CHECK((*results)[0].shape() == ColumnMajor());
    CHECK((*results)[1].shape() == ColumnMajor());
    CHECK((*results)[2].shape().has_default_layout());
    CHECK(InOrderOfMemory((*results)[0]) == std::vector<float>{11, 44, 22, 55, 33, 66});
    CHECK(InOrderOfMemory((*results)[1]) == std::vector<float>{10, 40, 20, 50, 30, 60});
    CHECK(InOrderOfMemory((*results)[2]) == std::vector<float>{1, 2, 3, 4, 5, 6});
    CHECK((*results)[0].ToLiteral()->ToString() == "f32[2,3] {{11, 22, 33}, {44, 55, 66}}");

    // Literals are row-major.
    const Literal a = *x.ToLiteral(), b = *y.ToLiteral();
    CHECK(f->Evaluate({a, b})->ToString() ==
          "(f32[2,3], f32[2,3], f32[2,3]) ({{11, 22, 33}, {44, 55, 66}}, {{10, 20, 30}, {40, 50, "
          "60}}, {{1, 2, 3}, {4, 5, 6}})");
    CHECK(MessageOf(f->Execute({y, y}).status()).find("expected f32[2,3]{0,1}, given f32[2,3]") !=
          std::string::npos);
    CHECK(f->Execute({x, x}).status().code() == absl::StatusCode::kInvalidArgument);
  }
}

TEST_CASE("Layouts mean nothing where they are not asked for") {
  auto client = MakeClient(1);
  auto f = client->Compile(*LoadStablehlo(kTurnedProgram, "p"));
  REQUIRE(MessageOf(f.status()) == "");
  for (const Shape& s : f->flat_parameter_shapes()) CHECK(s.has_default_layout());
  for (const Shape& s : f->flat_result_shapes()) CHECK(s.has_default_layout());
}

TEST_CASE("A transpose whose layout is the compiler's choice stays in the order of its operand") {
  auto client = MakeClient(1);
  auto f = CompileStated(*client, R"(
func.func @main(%x: tensor<2x3x4xf32> {mhlo.layout_mode = "auto"})
    -> (tensor<4x2x3xf32> {mhlo.layout_mode = "auto"}) {
  %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  return %0 : tensor<4x2x3xf32>
})");
  REQUIRE(MessageOf(f.status()) == "");
  CHECK(f->flat_parameter_shapes()[0].has_default_layout());
  CHECK(f->flat_result_shapes()[0].ToString() == "f32[4,2,3]{0,2,1}");
  std::vector<float> values(24);
  for (size_t k = 0; k < values.size(); ++k) values[k] = static_cast<float>(k);
  Buffer x = *client->BufferFromHost(values.data(), F32Shape({2, 3, 4}));
  auto results = f->Execute({x});
  REQUIRE(MessageOf(results.status()) == "");
  CHECK(InOrderOfMemory((*results)[0]) == values);
}

TEST_CASE("An argument is taken over by a result of its layout") {
  auto client = MakeClient(1);
  for (const char* result : {"{0,1}", "default"}) {
    auto f = CompileStated(*client, Format(R"(
func.func @main(%x: tensor<2x3xf32> {{mhlo.layout_mode = "{{0,1}}", tf.aliasing_output = 0 : i32}})
    -> (tensor<2x3xf32> {{mhlo.layout_mode = "{}"}}) {{
  %0 = stablehlo.negate %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}})",
                                           result));
    REQUIRE(MessageOf(f.status()) == "");
    const std::vector<float> columns = {1, 4, 2, 5, 3, 6};
    Buffer x = *client->BufferFromHost(columns.data(), ColumnMajor());
    auto results = f->Execute({x});
    REQUIRE(MessageOf(results.status()) == "");
    CHECK(x.IsDeleted());
    CHECK((*results)[0].ToLiteral()->ToString() == "f32[2,3] {{-1, -2, -3}, {-4, -5, -6}}");
  }
}

TEST_CASE("Layouts that are none, or of tiles or dynamic sizes, are refused") {
  auto client = MakeClient(1);
  auto error = [&](std::string_view type, std::string_view layout) {
    return CompileStated(*client, Format(R"(
func.func @main(%x: {} {{mhlo.layout_mode = "{}"}}) -> {} {{
  return %x : {}
}})",
                                         type, layout, type, type))
        .status();
  };
  constexpr std::string_view kMatrix = "tensor<2x3xf32>";
  for (const char* bad : {"{0}", "{0,0}", "{0,2}", "{-1,0}", "0,1", "{0,1", "{0,1}]", ""}) {
    CAPTURE(bad);
    CHECK(error(kMatrix, bad).code() == absl::StatusCode::kInvalidArgument);
  }
  CHECK(MessageOf(error(kMatrix, "{1,0,2}")).find("is no layout of f32[2,3]") != std::string::npos);
  CHECK(error(kMatrix, "{1,0:T(8,128)}").code() == absl::StatusCode::kUnimplemented);
  CHECK(error("tensor<?x3xf32, #stablehlo.bounds<4, ?>>", "{0,1}").code() ==
        absl::StatusCode::kUnimplemented);
  for (const char* good : {"{1,0}", "{0,1}", "default", "auto"}) CHECK(error(kMatrix, good).ok());
}

}  // namespace
}  // namespace sinter
