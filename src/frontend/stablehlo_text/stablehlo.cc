#include "frontend/stablehlo_text/stablehlo.h"

#include "frontend/stablehlo_text/parser.h"

namespace sinter {

absl::StatusOr<ImportedProgram> ReadStablehlo(std::string_view text, std::string_view filename) {
  auto source = std::make_unique<stablehlo::TextSource>(text, filename);
  ASSIGN_OR_RETURN(stablehlo::Program program, stablehlo::Parser(*source).ParseProgram());
  return ImportedProgram(std::move(source),
                         std::make_unique<stablehlo::Program>(std::move(program)));
}

absl::StatusOr<std::unique_ptr<HloModule>> ParseStablehlo(std::string_view text,
                                                          std::string_view filename,
                                                          const StablehloOptions& options) {
  ASSIGN_OR_RETURN(const ImportedProgram program, ReadStablehlo(text, filename));
  return program.Lower(options);
}

}  // namespace sinter
