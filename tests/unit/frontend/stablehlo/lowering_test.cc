// Programs that no text was read of.
#include "frontend/stablehlo/lowering.h"

#include "helpers.h"

namespace sinter {
namespace {

using stablehlo::Attribute;
using stablehlo::NamedAttribute;
using stablehlo::Operation;
using stablehlo::ValueId;

// Of which errors name the file alone.
class Places final : public stablehlo::Source {
 public:
  Places() : Source("program") {}
  const char* begin() const override { return nullptr; }
  int64_t LineOf(const char*) const override { return 0; }
  absl::Status Error(absl::StatusCode code, const char*, std::string_view message) const override {
    return absl::Status(code, Format("{}: {}", filename(), message));
  }
};

Attribute Integers(Dims values) {
  Attribute a;
  a.kind = Attribute::Kind::kIntegers;
  a.integers = std::move(values);
  return a;
}

Attribute Integer(int64_t value) {
  Attribute a;
  a.kind = Attribute::Kind::kInteger;
  a.integer = value;
  return a;
}

// Rows of an array, each twice.
stablehlo::Program Rows(std::vector<NamedAttribute> numbers) {
  stablehlo::Program program;
  program.name = "rows";
  for (const Shape& shape : {Shape(ElementType::F32, {3, 2}), Shape(ElementType::S32, {2}),
                             Shape(ElementType::F32, {2, 2}), Shape(ElementType::F32, {2, 2})})
    program.values.push_back({shape, {}, 1});
  Operation gather;
  gather.name = "stablehlo.gather";
  gather.operands = {0, 1};
  gather.results = {2};
  Attribute dimension_numbers;
  dimension_numbers.kind = Attribute::Kind::kDialect;
  dimension_numbers.text = "stablehlo.gather";
  dimension_numbers.entries = std::move(numbers);
  gather.attributes = {{"dimension_numbers", std::move(dimension_numbers)},
                       {"slice_sizes", Integers({1, 2})}};
  Operation add;
  add.name = "stablehlo.add";
  add.operands = {2, 2};
  add.results = {3};
  stablehlo::Function& f = program.functions.emplace_back();
  f.name = "main";
  f.has_body = true;
  f.body.arguments = {0, 1};
  f.body.operations = {std::move(gather), std::move(add)};
  f.body.returned = {3};
  f.body.end = 4;
  for (ValueId id : f.body.arguments)
    f.argument_shapes.push_back(program.values[static_cast<size_t>(id)].shape);
  f.result_shapes = {program.values[3].shape};
  program.by_name["main"] = &f;
  return program;
}

TEST_CASE("A program becomes a graph whatever it was read of") {
  const Places places;
  const stablehlo::Program program = Rows({{"offset_dims", Integers({1})},
                                           {"collapsed_slice_dims", Integers({0})},
                                           {"start_index_map", Integers({0})},
                                           {"index_vector_dim", Integer(1)}});
  const StablehloOptions options;
  auto module = stablehlo::Lowering(places, program, options).Run();
  INFO(MessageOf(module.status()));
  REQUIRE(module.ok());
  const auto result = Evaluate(
      **module, {Literal::R2<float>({{1, 2}, {3, 4}, {5, 6}}), Literal::R1<int32_t>({2, 0})});
  REQUIRE(result.ok());
  CHECK(result->ToString() == "f32[2,2] {{10, 12}, {2, 4}}");
}

TEST_CASE("Its errors name the place that its source says") {
  const Places places;
  const stablehlo::Program program = Rows({{"offset_dims", Integers({1})}});
  const StablehloOptions options;
  auto module = stablehlo::Lowering(places, program, options).Run();
  REQUIRE_FALSE(module.ok());
  CHECK(std::string(MessageOf(module.status())).starts_with("program: gather: (C1)"));
}

// Text cannot say this, but bytecode can.
TEST_CASE("A region that uses what its own operation gives is an error") {
  const Places places;
  stablehlo::Program program;
  program.name = "circle";
  const Shape index(ElementType::S32, {}), number(ElementType::F32, {});
  program.values = {{index, {}, 1}, {number, {}, 2}};
  Operation choice;
  choice.name = "stablehlo.case";
  choice.operands = {0};
  choice.results = {1};
  stablehlo::Region& branch = choice.regions.emplace_back();
  branch.first = branch.end = 2;
  branch.captures = branch.returned = {1};
  stablehlo::Function& f = program.functions.emplace_back();
  f.name = "main";
  f.has_body = true;
  f.body.arguments = {0};
  f.body.operations.push_back(std::move(choice));
  f.body.returned = {1};
  f.body.end = 2;
  f.argument_shapes = {index};
  f.result_shapes = {number};
  program.by_name["main"] = &f;
  const StablehloOptions options;
  auto module = stablehlo::Lowering(places, program, options).Run();
  REQUIRE_FALSE(module.ok());
  CHECK(std::string(MessageOf(module.status())) ==
        "program: stablehlo.case: a region uses a value that is not defined before the operation");
}

TEST_CASE("Operations of CHLO compute with what quantized elements stand for") {
  auto stored = [](const std::string& body) {
    return RunOn(
               "func.func @main(%s: tensor<2xi8>) -> tensor<2xi8> {\n"
               "  %q = stablehlo.bitcast_convert %s : (tensor<2xi8>) -> "
               "tensor<2x!quant.uniform<i8:f32, 0.5>>\n" +
                   body +
                   "  %t = stablehlo.bitcast_convert %r : (tensor<2x!quant.uniform<i8:f32, 0.5>>) "
                   "-> tensor<2xi8>\n"
                   "  return %t : tensor<2xi8>\n}",
               {Literal::R1<int8_t>({4, -2})})
        .ToString();
  };
  CHECK(stored("  %r = chlo.sinh %q : tensor<2x!quant.uniform<i8:f32, 0.5>> -> "
               "tensor<2x!quant.uniform<i8:f32, 0.5>>\n") == "s8[2] {7, -2}");
  CHECK(stored("  %r = \"chlo.constant_like\"(%q) {value = 1.5 : f32} : "
               "(tensor<2x!quant.uniform<i8:f32, 0.5>>) -> "
               "tensor<2x!quant.uniform<i8:f32, 0.5>>\n") == "s8[2] {3, 3}");
}

TEST_CASE("An operation that is known to CHLO alone is refused") {
  const auto module = ParseStablehlo(
      "func.func @main(%a: tensor<complex<f32>>) -> tensor<complex<f32>> {\n"
      "  %0 = \"chlo._asin_acos_kernel\"(%a) : (tensor<complex<f32>>) -> tensor<complex<f32>>\n"
      "  return %0 : tensor<complex<f32>>\n}",
      "t.mlir");
  CHECK(module.status().code() == absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace sinter
