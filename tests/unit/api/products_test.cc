// Products that are long enough for several tasks a thread: how they are cut depends on the number
// of threads, and what they give does not.
#include <algorithm>
#include <catch2/catch.hpp>

#include "base/status.h"
#include "base/text.h"
#include "sinter/import.h"
#include "unit/api/clients.h"

namespace sinter::products {
namespace {

// Numbers between -1 and 1, or of all bytes, that follow no order.
Literal Numbers(const Shape& shape, uint32_t state) {
  const bool is_float = IsFloat(shape.element_type());
  Literal values(Shape(ElementType::F64, shape.dimensions()));
  for (double& x : values.data<double>()) {
    state = state * 1664525 + 1013904223;
    x = is_float ? static_cast<double>(state >> 8) / (1 << 23) - 1
                 : static_cast<double>(state >> 24) - 128;
  }
  return *values.Convert(shape.element_type());
}

struct Product {
  std::string type, sum;
  std::vector<int64_t> x, y;
  int64_t x_contracted, y_contracted;
};

TEST_CASE("long products give the same on any number of threads") {
  const std::vector<Product> products = {
      {"f32", "f32", {501, 700}, {700, 430}, 1, 0},
      {"f32", "f32", {501, 700}, {430, 700}, 1, 1},   // both along the contracted axis
      {"f32", "f32", {700, 501}, {700, 430}, 0, 0},   // neither
      {"f32", "f32", {501, 400}, {400, 1030}, 1, 0},  // one slice, several bands
      {"f32", "f32", {24, 2100}, {2100, 2050}, 1, 0},
      {"f32", "f32", {3010, 600}, {600, 70}, 1, 0},
      {"f64", "f64", {430, 1100}, {1100, 450}, 1, 0},
      {"bf16", "f32", {501, 700}, {700, 430}, 1, 0},
      {"s8", "s32", {501, 700}, {430, 700}, 1, 1},
      {"s32", "s32", {430, 601}, {601, 410}, 1, 0},
      // few rows and columns, read as they are
      {"f32", "f32", {12000, 64}, {12000, 41}, 0, 0},
      {"f32", "f32", {700, 100}, {700, 100}, 0, 0},
      {"f64", "f64", {1500, 75}, {1500, 44}, 0, 0},
  };
  for (const Product& p : products) {
    const int64_t m = p.x[static_cast<size_t>(1 - p.x_contracted)],
                  n = p.y[static_cast<size_t>(1 - p.y_contracted)];
    const std::string text = Format(
        "HloModule m\n\nENTRY main {{\nx = {0}[{2},{3}] parameter(0)\ny = {0}[{4},{5}] "
        "parameter(1)\nb = {1}[{7}] parameter(2)\n"
        "d = {1}[{6},{7}] dot(x, y), lhs_contracting_dims={{{8}}}, rhs_contracting_dims={{{9}}}\n"
        "bs = {1}[{6},{7}] broadcast(b), dimensions={{1}}\nROOT r = {1}[{6},{7}] add(d, bs)\n}}\n",
        p.type, p.sum, p.x[0], p.x[1], p.y[0], p.y[1], m, n, p.x_contracted, p.y_contracted);
    CAPTURE(text);
    const auto computation = LoadHlo(text);
    CAPTURE(MessageOf(computation.status()));
    REQUIRE(computation.ok());
    const ElementType type = *ElementTypeFromName(p.type), sum = *ElementTypeFromName(p.sum);
    const std::vector<Literal> arguments = {
        Numbers(Shape(type, p.x), 1), Numbers(Shape(type, p.y), 2), Numbers(Shape(sum, {n}), 3)};
    const Literal one = RunOn(*MakeClient(1), *computation, arguments);
    for (int threads : {2, 3}) {
      CAPTURE(threads);
      CHECK(RunOn(*MakeClient(threads), *computation, arguments) == one);
    }
  }
}

}  // namespace
}  // namespace sinter::products
