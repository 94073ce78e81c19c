#include "ir/decomposition_call.h"

#include <catch2/catch.hpp>

#include "base/status.h"

namespace sinter {
namespace {

using E = ElementType;
const Shape kTall(E::F32, {2, 5, 3}), kSquare(E::C64, {4, 4});

absl::StatusOr<std::optional<DecompositionCall>> Read(const std::string& target,
                                                      const std::vector<Shape>& operands,
                                                      const Shape& result,
                                                      const std::string& opaque = "") {
  HloModule module("m");
  HloComputation* c = module.AddComputation("main");
  std::vector<HloInstruction*> parameters;
  for (size_t i = 0; i < operands.size(); ++i)
    parameters.push_back(c->AddParameter(static_cast<int64_t>(i), operands[i]));
  auto call = c->Add(HloOpcode::CustomCall, parameters,
                     CustomCallAttrs{target, opaque, /*has_side_effect=*/false}, {}, &result);
  REQUIRE(call.ok());
  return ReadDecompositionCall(**call);
}
std::string ErrorOf(const std::string& target, const std::vector<Shape>& operands,
                    const Shape& result, const std::string& opaque = "") {
  absl::Status s = Read(target, operands, result, opaque).status();
  REQUIRE(s.code() == absl::StatusCode::kInvalidArgument);
  const std::string message = MessageOf(s), before = "custom call to " + target + ": ";
  REQUIRE(message.find(before) != std::string::npos);
  return message.substr(message.find(before) + before.size());
}

TEST_CASE("custom calls that are decompositions") {
  using Which = DecompositionCall::Kind;
  auto qr = Read("Qr", {kTall}, Shape::Tuple({kTall, Shape(E::F32, {2, 3})}));
  REQUIRE(qr.ok());
  REQUIRE(qr->value().kind == Which::kQr);
  auto q = Read("ProductOfElementaryHouseholderReflectors", {kTall, Shape(E::F32, {2, 2})}, kTall);
  REQUIRE(q.ok());
  REQUIRE(q->value().kind == Which::kHouseholderProduct);
  auto lu = Read("LuDecomposition", {kTall},
                 Shape::Tuple({kTall, Shape(E::S32, {2, 3}), Shape(E::S32, {2, 5})}));
  REQUIRE(lu.ok());
  REQUIRE(lu->value().kind == Which::kLu);
  const Shape eigen = Shape::Tuple({kSquare, Shape(E::F32, {4})});
  auto eigh = Read("Eigh", {kSquare}, eigen, "0,1,15,1e-7");
  REQUIRE(eigh.ok());
  REQUIRE_FALSE(eigh->value().lower);
  REQUIRE(eigh->value().max_sweeps == 15);
  REQUIRE(eigh->value().tolerance == 1e-7);
  REQUIRE(Read("Eigh", {kSquare}, eigen)->value().lower);
  auto other = Read("Qr2", {kTall}, kTall);
  REQUIRE(other.ok());
  REQUIRE_FALSE(other->has_value());
}

TEST_CASE("decompositions of something else") {
  const Shape taus(E::F32, {2, 3});
  REQUIRE(ErrorOf("Qr", {}, kTall) == "expected 1 operand");
  REQUIRE(ErrorOf("Qr", {kTall}, kTall) == "the result is f32[2,5,3], not (f32[2,5,3], f32[2,3])");
  REQUIRE(ErrorOf("Qr", {Shape(E::S32, {3, 3})}, kTall) ==
          "operand 0 is s32[3,3], not matrices of numbers");
  REQUIRE(ErrorOf("Qr", {Shape(E::F32, {3})}, kTall) ==
          "operand 0 is f32[3], not matrices of numbers");
  const std::string product = "ProductOfElementaryHouseholderReflectors";
  REQUIRE(ErrorOf(product, {kTall}, kTall) == "expected 2 operands");
  REQUIRE(ErrorOf(product, {kTall, Shape(E::F32, {2, 4})}, kTall) ==
          "operand 1 is f32[2,4] for f32[2,5,3]");
  REQUIRE(ErrorOf(product, {kTall, Shape(E::F32, {3})}, kTall) ==
          "operand 1 is f32[3] for f32[2,5,3]");
  REQUIRE(ErrorOf(product, {kTall, taus}, taus) == "the result is f32[2,3], not f32[2,5,3]");
  REQUIRE(ErrorOf("LuDecomposition", {kTall}, Shape::Tuple({kTall, taus})) ==
          "the result is (f32[2,5,3], f32[2,3]), not (f32[2,5,3], s32[2,3], s32[2,5])");
  REQUIRE(ErrorOf("Eigh", {kTall}, kTall) == "operand 0 is f32[2,5,3], not square");
  for (std::string config : {"1", "1,1,100", "1,1,100,x", "1,1,100,1e-6,", "1,1,-1,0", "a,1,1,1"}) {
    REQUIRE(ErrorOf("Eigh", {kSquare}, kSquare, config) ==
            "the backend_config is no \"1,1,100,1e-6\": " + config);
  }
}

}  // namespace
}  // namespace sinter
