#include "record.h"

namespace sinter {
namespace {

TEST_CASE("fft") {
  Builder b("t");
  Fft(Param(b, 0, ElementType::C64, {2, 8}), FftType::kIfft, {8});
  CHECK(Body(b) == "ROOT fft = c64[2,8] fft(x), fft_type=IFFT, fft_length={8}");
  Fft(Param(b, 0, ElementType::F64, {4, 7}), FftType::kRfft, {4, 7});
  CHECK(Body(b) == "ROOT fft = c128[4,4] fft(x), fft_type=RFFT, fft_length={4,7}");
  Fft(Param(b, 0, ElementType::C64, {4, 4}), FftType::kIrfft, {7});
  CHECK(Body(b) == "ROOT fft = f32[4,7] fft(x), fft_type=IRFFT, fft_length={7}");
  Fft(Param(b, 0, kF32, {8}), FftType::kFft, {8});
  CHECK(ErrorOf(b) == "fft: (C2) the operand of an FFT is complex; operands f32[8]");
}

TEST_CASE("random bits") {
  Builder b("t");
  RngBitGenerator(RandomAlgorithm::kThreeFry, Param(b, 0, ElementType::U64, {2}),
                  Shape(ElementType::U32, {5}));
  CHECK(Body(b) ==
        "ROOT rng-bit-generator = (u64[2], u32[5]) rng-bit-generator(x), algorithm=rng_three_fry");
  RngBitGenerator(RandomAlgorithm::kPhilox, Param(b, 0, ElementType::U32, {2}),
                  Shape(ElementType::U32, {5}));
  CHECK(ErrorOf(b) ==
        "rng-bit-generator: the state must be a vector of u64; operands u32[2]; result (u32[2], "
        "u32[5])");
}

TEST_CASE("random numbers") {
  Builder b("t");
  RngUniform(Param(b, 0, kF32, {}), 1, Shape(kF32, {3}));
  CHECK(Body(b) ==
        "constant = f32[] constant(1)\nROOT rng = f32[3] rng(x, constant), "
        "distribution=rng_uniform");
  RngNormal(Param(b, 0, ElementType::F64, {}), Param(b, 1, ElementType::F64, {}),
            Shape(ElementType::F64, {3}));
  CHECK(Body(b) == "ROOT rng = f64[3] rng(x, y), distribution=rng_normal");
}

TEST_CASE("inverse and hyperbolic functions are operations") {
  Builder b("t");
  Op x = Param(b, 0, ElementType::C64, {2});
  Sinh(Acosh(Asin(x)));
  CHECK(Body(b) ==
        "asin = c64[2] asin(x)\nacosh = c64[2] acosh(asin)\nROOT sinh = c64[2] sinh(acosh)");
}

}  // namespace
}  // namespace sinter
