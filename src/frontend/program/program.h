// A program that has been read, of whatever form.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "frontend/stablehlo/imported.h"
#include "frontend/stablehlo/options.h"
#include "ir/module.h"
#include "sinter/import.h"

namespace sinter::frontend {

class Program {
 public:
  // The bytes and the name, which is taken for that of the options, must outlive the program.
  // Errors are those of the form's reader, and begin with the name.
  static absl::StatusOr<Program> Read(std::string_view bytes, std::string_view name,
                                      const ProgramOptions& options);

  const std::string& name() const;
  const std::vector<ProgramValue>& arguments() const { return arguments_; }
  const std::vector<ProgramValue>& results() const { return results_; }

  // Whether the argument may be given the value.
  absl::Status CheckValue(int64_t argument, const Literal& value) const;
  // A verified graph, of which arguments with a value are no parameters. `known` is of the first so
  // many arguments. InvalidArgument, with the argument and its dimension, for what an argument does
  // not admit and for sizes that stay open.
  absl::StatusOr<std::unique_ptr<HloModule>> Specialize(
      absl::Span<const StablehloArgument> known) const;

 private:
  absl::Status ReadHlo(std::string_view text);
  absl::Status ReadExport(std::string_view bytes);
  absl::StatusOr<StablehloSignature> ReadSignature();
  // Whether the argument admits what is known of it, but for its value.
  absl::Status Check(size_t i, const StablehloArgument& known) const;
  absl::Status CheckShape(size_t i, const Shape& given) const;
  absl::Status CheckSizes(size_t i, const std::vector<int64_t>& sizes) const;
  std::string Describe(size_t i) const;
  std::string Takes(size_t i) const;

  std::string_view filename_;
  ProgramOptions options_;
  std::optional<ImportedProgram> stablehlo_;
  std::shared_ptr<const HloModule> hlo_;
  // The value of an argument of the module in front of all others.
  std::optional<Literal> platform_index_;
  std::vector<ProgramValue> arguments_, results_;
};

}  // namespace sinter::frontend
