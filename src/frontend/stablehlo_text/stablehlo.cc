#include "frontend/stablehlo_text/stablehlo.h"

#include "frontend/stablehlo/lowering.h"
#include "frontend/stablehlo_text/parser.h"

namespace sinter {

absl::StatusOr<std::unique_ptr<HloModule>> ParseStablehlo(std::string_view text,
                                                          std::string_view filename,
                                                          const StablehloOptions& options) {
  stablehlo::TextSource source(text, filename);
  ASSIGN_OR_RETURN(stablehlo::Program program, stablehlo::Parser(source).ParseProgram());
  return stablehlo::Lowering(source, program, options).Run();
}

}  // namespace sinter
