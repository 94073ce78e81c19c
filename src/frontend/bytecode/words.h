// Words of StableHLO's enumerations, by the numbers that every dialect gives them.
#pragma once

#include "frontend/bytecode/attribute_values.h"

namespace sinter::stablehlo::words {

constexpr WordsRow Direction(uint64_t code, std::string_view name) {
  return {code, name, {"EQ", "NE", "GE", "GT", "LE", "LT"}};
}
constexpr WordsRow Comparison(uint64_t code, std::string_view name) {
  return {code, name, {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"}};
}
constexpr WordsRow FftType(uint64_t code) {
  return {code, "stablehlo.fft_type", {"FFT", "IFFT", "RFFT", "IRFFT"}};
}
constexpr WordsRow Precision(uint64_t code) {
  return {code, "stablehlo.precision", {"DEFAULT", "HIGH", "HIGHEST"}};
}
constexpr WordsRow RngAlgorithm(uint64_t code) {
  return {code, "stablehlo.rng_algorithm", {"DEFAULT", "THREE_FRY", "PHILOX"}};
}
constexpr WordsRow RngDistribution(uint64_t code) {
  return {code, "stablehlo.rng_distribution", {"", "UNIFORM", "NORMAL"}};
}
constexpr WordsRow Transpose(uint64_t code) {
  return {
      code, "stablehlo.transpose", {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}};
}
constexpr WordsRow Accuracy(uint64_t code) {
  return {code, "stablehlo.result_accuracy_mode", {"DEFAULT", "HIGHEST", "TOLERANCE"}};
}

}  // namespace sinter::stablehlo::words
