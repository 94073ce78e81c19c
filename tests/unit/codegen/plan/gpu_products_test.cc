// Which products run on tensor cores, and in which tiles.
#include "codegen/plan/gpu_products.h"

#include <catch2/catch.hpp>

#include "base/status.h"
#include "ir/text/parser.h"

namespace sinter::plan {
namespace {

constexpr int64_t kKib = 1 << 10;
const GpuMachine kHopper{.product_bytes = 211 * kKib, .sm = 90};

bool Suits(const std::string& type, const std::string& to, int sm, const std::string& more = "") {
  auto module = ParseHloText(
      Format("HloModule m\nENTRY main {{\n  a = {0}[64,64] parameter(0)\n  b = {0}[64,64] "
             "parameter(1)\n  ROOT c = {1}[64,64] dot(a, b), lhs_contracting_dims={{1}}, "
             "rhs_contracting_dims={{0}}{2}\n}}\n",
             type, to, more),
      "dot.hlo");
  INFO(MessageOf(module.status()));
  REQUIRE(module.ok());
  return SuitsTensorCores(*(*module)->entry()->root(), sm);
}

TEST_CASE("types of products on tensor cores") {
  CHECK_FALSE(Suits("f16", "f32", 70));
  CHECK(Suits("f16", "f32", 75));
  CHECK_FALSE(Suits("bf16", "f32", 75));
  for (const char* type : {"f16", "bf16"}) {
    CHECK(Suits(type, type, 80));
    CHECK(Suits(type, "f32", 80));
  }
  CHECK(Suits("s8", "s32", 80));
  CHECK_FALSE(Suits("s8", "s8", 80));
  CHECK_FALSE(Suits("f64", "f64", 90));
  // TF32 where nothing more precise is asked for.
  CHECK(Suits("f32", "f32", 90));
  CHECK_FALSE(Suits("f32", "f32", 90, ", operand_precision={high,default}"));
  CHECK_FALSE(Suits("f32", "f32", 90, ", operand_precision={default,highest}"));
  CHECK(Suits("bf16", "f32", 90, ", operand_precision={highest,highest}"));
}

TEST_CASE("the largest tile of which every multiprocessor has one, in a ring that fits") {
  const ProductTile large = ChooseProductTile({1, 4096, 4096, 4096, 2}, kHopper);
  CHECK(large.rows == 128);
  CHECK(large.cols == 256);
  CHECK(large.slice == 32);
  CHECK(large.stages == 4);
  CHECK(large.warps == 8);
  const ProductTile medium = ChooseProductTile({1, 1024, 1024, 1024, 2}, kHopper);
  CHECK(medium.rows * medium.cols < 128 * 128);
  for (int64_t n : {16, 100, 1000, 4000}) {
    for (int64_t depth : {16, 40, 64, 1000}) {
      for (int bytes : {1, 2, 4}) {
        for (int64_t kib : {32, 48, 83, 147, 211}) {
          const ProductTile t =
              ChooseProductTile({1, n, n, depth, bytes}, {.product_bytes = kib * kKib, .sm = 80});
          INFO(n << " " << depth << " " << bytes << " " << kib);
          CHECK(t.slice * bytes % 32 == 0);
          CHECK(t.stages >= 1);
          CHECK((t.stages - 1) * t.slice < depth);
          // Pads of 16 bytes a row, of 32 where free axes are rows.
          const int64_t row = t.slice * bytes + 16;
          CHECK(t.stages * (t.rows + t.cols) * row <= kib * kKib);
        }
      }
    }
  }
  // Before sm_80 no copy is in flight.
  CHECK(
      ChooseProductTile({1, 4096, 4096, 4096, 2}, {.product_bytes = 48 * kKib, .sm = 75}).stages ==
      1);
}

TEST_CASE("long products of few results are cut into whole slices") {
  CHECK(ProductChunk({1, 4096, 4096, 4096, 2}) == 0);
  CHECK(ProductChunk({1, 64, 64, 1000, 2}) == 0);
  CHECK(ProductChunk({1, 64, 64, 16384, 2}) == 512);
  CHECK(ProductChunk({1, 512, 512, 4096, 2}) == 512);
  CHECK(ProductChunk({100, 64, 64, 4096, 2}) == 0);
}

}  // namespace
}  // namespace sinter::plan
