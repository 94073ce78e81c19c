#include "sinter/explain.h"

#include <catch2/catch.hpp>

#include "sinter/builder.h"

namespace sinter {
namespace {

TEST_CASE("an elementwise chain is one kernel") {
  Builder b("t");
  Op x = Parameter(&b, 0, Shape(ElementType::F32, {1000}), "x");
  Op y = Tanh(x * 2 + 1);
  auto explanation = Explain(*b.Build(y));
  REQUIRE(explanation.ok());
  REQUIRE(explanation->kernels.size() == 1);
  CHECK(explanation->kernels[0].nest.rfind("loop", 0) == 0);
  std::string text = explanation->ToString();
  CHECK(text.find("tanh f32[1000]") != std::string::npos);
  CHECK(text.find("1 kernel;") != std::string::npos);
}

TEST_CASE("nothing to explain") { CHECK(!Explain(Computation()).ok()); }

}  // namespace
}  // namespace sinter
