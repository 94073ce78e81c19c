#include "sinter/import.h"

#include "api/client_core.h"
#include "base/status.h"
#include "frontend/bytecode/bytecode.h"
#include "frontend/program/program.h"
#include "frontend/stablehlo_text/printer.h"
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
    case ProgramForm::kJaxExport:
    case ProgramForm::kNothing:
    case ProgramForm::kUnknown:
      break;
  }
  return api::Guarded([&]() -> absl::StatusOr<Computation> {
    ASSIGN_OR_RETURN(const frontend::Program p,
                     frontend::Program::Read(program, NameOr(name, "program"), {}));
    return Handle(p.Specialize({}));
  });
}

struct Program::Impl {
  std::string bytes, filename;
  frontend::Program program;
};

Program::Program() = default;
Program::~Program() = default;
Program::Program(const Program&) = default;
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(const Program&) = default;
Program& Program::operator=(Program&&) noexcept = default;
Program::Program(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

const std::string& Program::name() const {
  static const auto& none = *new std::string;
  return impl_ ? impl_->program.name() : none;
}

const std::vector<ProgramValue>& Program::arguments() const {
  static const auto& none = *new std::vector<ProgramValue>;
  return impl_ ? impl_->program.arguments() : none;
}

const std::vector<ProgramValue>& Program::results() const {
  static const auto& none = *new std::vector<ProgramValue>;
  return impl_ ? impl_->program.results() : none;
}

absl::Status Program::Bind(int64_t argument, Literal value) {
  return api::Guarded([&]() -> absl::Status {
    if (!impl_) return InvalidArgument("there is no program");
    RETURN_IF_ERROR(impl_->program.CheckValue(argument, value));
    auto same = [&](const auto& b) { return b.first == argument; };
    std::erase_if(bound_, same);
    bound_.emplace_back(argument, std::move(value));
    return absl::OkStatus();
  });
}

absl::StatusOr<Computation> Program::Specialize(const std::vector<Shape>& shapes) const {
  return api::Guarded([&]() -> absl::StatusOr<Computation> {
    if (!impl_) return InvalidArgument("there is no program");
    std::vector<StablehloArgument> known(impl_->program.arguments().size());
    for (const auto& [i, value] : bound_) known[static_cast<size_t>(i)].value = value;
    const size_t open = known.size() - bound_.size();
    if (!shapes.empty() && shapes.size() != open) {
      return InvalidArgument("{}: it takes {} arguments that are not bound, {} shapes are given",
                             impl_->filename, open, shapes.size());
    }
    auto next = shapes.begin();
    for (StablehloArgument& a : known) {
      if (!a.value && next != shapes.end()) a.shape = *next++;
    }
    return Handle(impl_->program.Specialize(known));
  });
}

absl::StatusOr<Program> LoadProgram(std::string_view program, const ProgramOptions& options) {
  return api::Guarded([&]() -> absl::StatusOr<Program> {
    auto impl = std::make_shared<Program::Impl>();
    impl->bytes = program;
    impl->filename = NameOr(options.name, "program");
    ASSIGN_OR_RETURN(impl->program, frontend::Program::Read(impl->bytes, impl->filename, options));
    return Program(std::shared_ptr<const Program::Impl>(std::move(impl)));
  });
}

absl::StatusOr<std::string> Computation::ToStablehlo() const {
  return api::Guarded([&]() -> absl::StatusOr<std::string> {
    if (!module_) return InvalidArgument("the computation is null");
    return PrintStablehlo(*module_);
  });
}

}  // namespace sinter
