#include "sinter/import.h"

#include "api/client_core.h"
#include "base/status.h"
#include "frontend/bytecode/bytecode.h"
#include "frontend/stablehlo_text/stablehlo.h"
#include "ir/text/parser.h"
#include "ir/text/program_form.h"
#include "ir/verify/verify.h"

namespace sinter {
namespace {

std::string_view NameOr(std::string_view name, std::string_view otherwise) {
  return name.empty() ? otherwise : name;
}

absl::StatusOr<Computation> Handle(absl::StatusOr<std::unique_ptr<HloModule>> module) {
  if (!module.ok()) return module.status();
  return Computation(std::shared_ptr<const HloModule>(*std::move(module)));
}

absl::StatusOr<Computation> ImportStablehlo(std::string_view program, std::string_view name,
                                            const StablehloOptions& options) {
  name = NameOr(name, "stablehlo");
  return Handle(FormOf(program) == ProgramForm::kMlirBytecode
                    ? ParseStablehloBytecode(program, name, options)
                    : ParseStablehlo(program, name, options));
}

}  // namespace

absl::StatusOr<Computation> LoadStablehlo(std::string_view program, std::string_view name) {
  return api::Guarded([&] { return ImportStablehlo(program, name, {}); });
}

absl::StatusOr<Computation> LoadStablehlo(std::string_view program, std::string_view name,
                                          const std::vector<Shape>& arguments) {
  return api::Guarded([&] {
    StablehloOptions options;
    for (const Shape& s : arguments) options.arguments.push_back({.shape = s});
    return ImportStablehlo(program, name, options);
  });
}

absl::StatusOr<Computation> LoadHlo(std::string_view text, std::string_view name) {
  return api::Guarded([&]() -> absl::StatusOr<Computation> {
    ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, ParseHloText(text, NameOr(name, "hlo")));
    // The reader infers shapes as it goes; what concerns the module as a whole is left.
    if (absl::Status s = VerifyModule(*module); !s.ok()) return Annotate(s, NameOr(name, "hlo"));
    return Handle(std::move(module));
  });
}

absl::StatusOr<Computation> Load(std::string_view program, std::string_view name) {
  switch (FormOf(program)) {
    case ProgramForm::kHlo:
      return LoadHlo(program, name);
    case ProgramForm::kStablehlo:
    case ProgramForm::kMlirBytecode:
      return LoadStablehlo(program, name);
    case ProgramForm::kNothing:
    case ProgramForm::kUnknown:
      break;
  }
  return InvalidArgument(
      "{}: neither StableHLO, which begins with \"module\" or \"func.func\", nor HLO text, "
      "which begins with \"HloModule\"",
      NameOr(name, "program"));
}

}  // namespace sinter
