// Inputs of programs: random ones, and those that a specification describes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/module.h"
#include "sinter/literal.h"

namespace sinter::tools {

enum class Distribution : uint8_t { kNormal, kUniform, kZeros, kOnes, kIota, kIntegers, kConstant };

struct InputSpec {
  Shape shape;
  Distribution distribution = Distribution::kNormal;
  double low = 0, high = 0;  // kIntegers: low <= x < high; kConstant: low
};

// The same for the same seed on every machine, but for the last bits of logarithms and cosines.
Literal MakeInput(const InputSpec& spec, uint64_t seed);

// Of an unknown program's parameter: floats normal, integers small, predicates fair; as many
// elements as there may be.
InputSpec DefaultSpec(const Shape& shape);

struct BenchSpec {
  std::vector<InputSpec> inputs;
  std::vector<int64_t> donate;
};
// {"inputs": [{"shape": [2, 3], "type": "float32", "distribution": "normal"}], "donate": [0]}
absl::StatusOr<BenchSpec> ParseBenchSpec(const std::string& json);

// The sizes of the arrays in .npy files, which make those of arguments that a program leaves open
// (LoadProgram).
absl::StatusOr<std::vector<std::vector<int64_t>>> SizesOf(absl::Span<const std::string> files);

// Leaves of the parameters: from .npy files, or random where there are none. InvalidArgument where
// their number is another one.
absl::StatusOr<std::vector<Literal>> MakeInputs(const HloModule& module,
                                                absl::Span<const std::string> files, uint64_t seed);

}  // namespace sinter::tools
