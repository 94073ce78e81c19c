// Fourier transforms, random numbers and linear algebra.
#include <algorithm>

#include "frontend/stablehlo/lowering.h"

namespace sinter::stablehlo::lower {
namespace {

template <class E, size_t N>
absl::Status ReadWord(Lowering& l, const Operation& op, std::string_view key,
                      const std::pair<std::string_view, E> (&words)[N], E* value) {
  ASSIGN_OR_RETURN(const Attribute* a, l.Require(op, key));
  const std::string_view word = Lowering::Word(*a);
  auto* found = std::find_if(std::begin(words), std::end(words),
                             [&](const auto& row) { return row.first == word; });
  if (found == std::end(words)) return l.Invalid(op, "'{}' is no {}", word, key);
  *value = found->second;
  return absl::OkStatus();
}

absl::Status ReadFlag(Lowering& l, const Operation& op, std::string_view key, bool* value) {
  const Attribute* a = op.Find(key);
  if (a == nullptr) return absl::OkStatus();
  if (a->kind != Attribute::Kind::kBool) return l.Invalid(op, "{} must be true or false", key);
  *value = a->integer != 0;
  return absl::OkStatus();
}

}  // namespace

absl::Status Fft(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 1, 1));
  constexpr std::pair<std::string_view, FftType> kTypes[] = {{"FFT", FftType::kFft},
                                                             {"IFFT", FftType::kIfft},
                                                             {"RFFT", FftType::kRfft},
                                                             {"IRFFT", FftType::kIrfft}};
  FftAttrs attrs;
  RETURN_IF_ERROR(ReadWord(l, op, "fft_type", kTypes, &attrs.fft_type));
  ASSIGN_OR_RETURN(attrs.fft_length, l.RequireDims(op, "fft_length"));
  return l.AddResult(op, HloOpcode::Fft, l.Operands(op), std::move(attrs));
}

// The third operand is the shape, which the result has.
absl::Status Rng(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 3, 1));
  constexpr std::pair<std::string_view, RandomDistribution> kDistributions[] = {
      {"UNIFORM", RandomDistribution::kUniform}, {"NORMAL", RandomDistribution::kNormal}};
  RngAttrs attrs;
  RETURN_IF_ERROR(ReadWord(l, op, "rng_distribution", kDistributions, &attrs.distribution));
  const Dims& dims = l.ResultShape(op).dimensions();
  if (std::find(dims.begin(), dims.end(), Shape::kUnbounded) != dims.end()) {
    ASSIGN_OR_RETURN(Dims sizes, l.RequireSizes(op, 2));
    RETURN_IF_ERROR(l.Refine(op, sizes));
  }
  return l.AddResult(op, HloOpcode::Rng, {l.Operand(op, 0), l.Operand(op, 1)}, attrs);
}

absl::Status RngBitGenerator(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 1, 2));
  constexpr std::pair<std::string_view, RandomAlgorithm> kAlgorithms[] = {
      {"DEFAULT", RandomAlgorithm::kDefault},
      {"THREE_FRY", RandomAlgorithm::kThreeFry},
      {"PHILOX", RandomAlgorithm::kPhilox}};
  RngBitGeneratorAttrs attrs;
  RETURN_IF_ERROR(ReadWord(l, op, "rng_algorithm", kAlgorithms, &attrs.algorithm));
  return l.AddResults(op, HloOpcode::RngBitGenerator, l.Operands(op), attrs, {});
}

// What is not given is false.
absl::Status Cholesky(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 1, 1));
  CholeskyAttrs attrs;
  RETURN_IF_ERROR(ReadFlag(l, op, "lower", &attrs.lower));
  return l.AddResult(op, HloOpcode::Cholesky, l.Operands(op), attrs);
}

absl::Status TriangularSolve(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 2, 1));
  constexpr std::pair<std::string_view, MatrixTranspose> kTransposes[] = {
      {"NO_TRANSPOSE", MatrixTranspose::kNoTranspose},
      {"TRANSPOSE", MatrixTranspose::kTranspose},
      {"ADJOINT", MatrixTranspose::kAdjoint}};
  TriangularSolveAttrs attrs;
  RETURN_IF_ERROR(ReadFlag(l, op, "left_side", &attrs.left_side));
  RETURN_IF_ERROR(ReadFlag(l, op, "lower", &attrs.lower));
  RETURN_IF_ERROR(ReadFlag(l, op, "unit_diagonal", &attrs.unit_diagonal));
  RETURN_IF_ERROR(ReadWord(l, op, "transpose_a", kTransposes, &attrs.transpose_a));
  return l.AddResult(op, HloOpcode::TriangularSolve, l.Operands(op), attrs);
}

}  // namespace sinter::stablehlo::lower
