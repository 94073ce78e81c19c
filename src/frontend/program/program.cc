#include "frontend/program/program.h"

#include <algorithm>

#include "base/status.h"
#include "base/text.h"
#include "frontend/bytecode/bytecode.h"
#include "frontend/jax_export/jax_export.h"
#include "frontend/stablehlo_text/stablehlo.h"
#include "ir/text/parser.h"
#include "ir/text/program_form.h"
#include "ir/verify/verify.h"

namespace sinter::frontend {
namespace {

constexpr std::string_view kPlatformIndex = "_platform_index";

std::vector<std::string> DimensionsOf(const Shape& shape) {
  std::vector<std::string> out;
  for (int64_t d = 0; shape.is_array() && d < shape.rank(); ++d) {
    const int64_t size = shape.dimension(d);
    out.push_back(size == Shape::kUnbounded ? "?"
                  : shape.is_dynamic(d)     ? Format("<={}", size)
                                            : Format("{}", size));
  }
  return out;
}

bool IsOpen(const Shape& shape) {
  const auto& d = shape.dimensions();
  return std::find(d.begin(), d.end(), Shape::kUnbounded) != d.end() ||
         std::any_of(shape.tuple_shapes().begin(), shape.tuple_shapes().end(), IsOpen);
}

ProgramValue ValueOf(const StablehloValue& v, int64_t index) {
  return {.name = v.name,
          .shape = v.shape,
          .dimensions = DimensionsOf(v.shape),
          .donated = v.donated,
          .source_index = index};
}

// The expressions of a file of jax.export, where they are of as many dimensions.
void SetDimensions(ProgramValue& value, const SymbolicDims& dims) {
  if (dims.size() == value.dimensions.size()) value.dimensions = dims;
}

// The leaves of a result.
void AppendResults(const Shape& shape, std::vector<ProgramValue>* out) {
  if (!shape.is_tuple()) {
    const auto index = static_cast<int64_t>(out->size());
    out->push_back({.shape = shape, .dimensions = DimensionsOf(shape), .source_index = index});
    return;
  }
  for (const Shape& s : shape.tuple_shapes()) AppendResults(s, out);
}

}  // namespace

absl::StatusOr<Program> Program::Read(std::string_view bytes, std::string_view name,
                                      const ProgramOptions& options) {
  Program p;
  p.filename_ = name;
  p.options_ = options;
  switch (FormOf(bytes)) {
    case ProgramForm::kHlo:
      RETURN_IF_ERROR(p.ReadHlo(bytes));
      return p;
    case ProgramForm::kStablehlo: {
      ASSIGN_OR_RETURN(p.stablehlo_, ReadStablehlo(bytes, name));
      RETURN_IF_ERROR(p.ReadSignature().status());
      return p;
    }
    case ProgramForm::kMlirBytecode: {
      ASSIGN_OR_RETURN(p.stablehlo_, ReadStablehloBytecode(bytes, name));
      RETURN_IF_ERROR(p.ReadSignature().status());
      return p;
    }
    case ProgramForm::kJaxExport:
      RETURN_IF_ERROR(p.ReadExport(bytes));
      return p;
    case ProgramForm::kNothing:
      return InvalidArgument("{}: there is no program in it", name);
    case ProgramForm::kUnknown:
      break;
  }
  return InvalidArgument(
      "{}: neither StableHLO, which begins with \"module\" or \"func.func\", nor HLO text, "
      "which begins with \"HloModule\", nor MLIR bytecode, nor a file of jax.export",
      name);
}

const std::string& Program::name() const { return hlo_ ? hlo_->name() : stablehlo_->name(); }

absl::Status Program::ReadHlo(std::string_view text) {
  ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, ParseHloText(text, filename_));
  if (!options_.entry.empty()) {
    HloComputation* computation = module->Find(options_.entry);
    if (computation == nullptr)
      return InvalidArgument("{}: there is no computation '{}'", filename_, options_.entry);
    if (computation != module->entry()) module->aliases().clear();
    module->set_entry(computation);
  }
  if (absl::Status s = VerifyModule(*module); !s.ok()) return Annotate(s, filename_);
  for (const HloInstruction* p : module->entry()->parameters()) {
    ProgramValue& value = arguments_.emplace_back();
    value.name = p->name();
    value.shape = p->shape();
    value.dimensions = DimensionsOf(p->shape());
    value.source_index = static_cast<int64_t>(arguments_.size()) - 1;
  }
  for (const InputOutputAlias& a : module->aliases()) {
    if (a.parameter >= 0 && a.parameter < static_cast<int64_t>(arguments_.size()))
      arguments_[static_cast<size_t>(a.parameter)].donated = true;
  }
  AppendResults(module->entry()->root()->shape(), &results_);
  hlo_ = std::move(module);
  return absl::OkStatus();
}

absl::StatusOr<StablehloSignature> Program::ReadSignature() {
  if (options_.entry.empty()) options_.entry = "main";
  ASSIGN_OR_RETURN(StablehloSignature signature, stablehlo_->Signature(options_.entry));
  for (const StablehloValue& v : signature.arguments)
    arguments_.push_back(ValueOf(v, static_cast<int64_t>(arguments_.size())));
  for (const StablehloValue& v : signature.results)
    results_.push_back(ValueOf(v, static_cast<int64_t>(results_.size())));
  return signature;
}

absl::Status Program::ReadExport(std::string_view bytes) {
  ASSIGN_OR_RETURN(const JaxExport file, ReadJaxExport(bytes, filename_));
  const auto platform = std::find(file.platforms.begin(), file.platforms.end(), options_.platform);
  if (platform == file.platforms.end()) {
    return InvalidArgument("{}: exported for {}, not for {}", filename_, Join(file.platforms, ", "),
                           options_.platform);
  }
  ASSIGN_OR_RETURN(stablehlo_,
                   ReadStablehloBytecode(file.module, filename_,
                                         static_cast<size_t>(file.module.data() - bytes.data())));
  const bool is_function = options_.entry.empty() || options_.entry == "main";
  ASSIGN_OR_RETURN(const StablehloSignature signature, ReadSignature());
  if (!is_function) return absl::OkStatus();  // of which the file says nothing

  if (!signature.arguments.empty() && signature.arguments[0].global_constant == kPlatformIndex) {
    const Shape& shape = arguments_[0].shape;
    const auto index = static_cast<int32_t>(platform - file.platforms.begin());
    if (shape == Shape(ElementType::S32)) {
      platform_index_ = Literal::R0<int32_t>(index);
    } else if (shape == Shape(ElementType::S64)) {
      platform_index_ = Literal::R0<int64_t>(index);
    } else {
      return InvalidArgument("{}: the index of the platform is {}, not an integer", filename_,
                             shape.ToString());
    }
    arguments_.erase(arguments_.begin());
  }
  if (arguments_.size() != file.kept.size() || results_.size() != file.results.size()) {
    return InvalidArgument(
        "{}: the module takes {} arguments and gives {} results, the file says {} and {}",
        filename_, arguments_.size(), results_.size(), file.kept.size(), file.results.size());
  }
  for (size_t i = 0; i < arguments_.size(); ++i) {
    arguments_[i].source_index = file.kept[i];
    SetDimensions(arguments_[i], file.arguments[static_cast<size_t>(file.kept[i])]);
  }
  for (size_t i = 0; i < results_.size(); ++i) SetDimensions(results_[i], file.results[i]);
  return absl::OkStatus();
}

// argument 1 (x)
std::string Program::Describe(size_t i) const {
  const std::string& name = arguments_[i].name;
  return name.empty() ? Format("argument {}", i) : Format("argument {} ({})", i, name);
}

// f32[a, 2*b]
std::string Program::Takes(size_t i) const {
  const Shape& shape = arguments_[i].shape;
  return shape.is_array()
             ? Format("{}[{}]", Name(shape.element_type()), Join(arguments_[i].dimensions, ", "))
             : shape.ToString();
}

absl::Status Program::Check(size_t i, const StablehloArgument& known) const {
  const Shape& shape = arguments_[i].shape;
  if (known.shape) return CheckShape(i, *known.shape);
  if (known.sizes && shape.is_array()) {
    if (static_cast<int64_t>(known.sizes->size()) != shape.rank()) {
      return InvalidArgument("{}: {} has {} dimensions, it takes {}", filename_, Describe(i),
                             known.sizes->size(), Takes(i));
    }
    return CheckSizes(i, *known.sizes);
  }
  if (!IsOpen(shape)) return absl::OkStatus();
  return InvalidArgument("{}: {} is {}, its shape must be given", filename_, Describe(i), Takes(i));
}

absl::Status Program::CheckShape(size_t i, const Shape& given) const {
  const Shape& shape = arguments_[i].shape;
  const bool are_arrays = shape.is_array() && given.is_array();
  if (!are_arrays && Shape::Compatible(given, shape)) return absl::OkStatus();
  if (!are_arrays || given.element_type() != shape.element_type() || given.rank() != shape.rank()) {
    return InvalidArgument("{}: {} is {}, it takes {}", filename_, Describe(i), given.ToString(),
                           Takes(i));
  }
  return CheckSizes(i, given.dimensions());
}

absl::Status Program::CheckSizes(size_t i, const std::vector<int64_t>& sizes) const {
  const Shape& shape = arguments_[i].shape;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const auto at = static_cast<int64_t>(d);
    const int64_t size = sizes[d], want = shape.dimension(at);
    const bool dynamic = shape.is_dynamic(at) && want != Shape::kUnbounded;
    if (size < 0) {
      return InvalidArgument("{}: dimension {} of {} is not known", filename_, d, Describe(i));
    }
    if (want == Shape::kUnbounded || (dynamic ? size <= want : size == want)) continue;
    return InvalidArgument("{}: dimension {} of {} is {}, it must be {}{}", filename_, d,
                           Describe(i), size, dynamic ? "at most " : "", want);
  }
  return absl::OkStatus();
}

absl::Status Program::CheckValue(int64_t argument, const Literal& value) const {
  if (argument < 0 || argument >= static_cast<int64_t>(arguments_.size())) {
    return InvalidArgument("{}: there is no argument {}, it takes {}", filename_, argument,
                           arguments_.size());
  }
  const auto i = static_cast<size_t>(argument);
  if (hlo_)
    return Unimplemented("{}: {} of HLO text cannot be given a value", filename_, Describe(i));
  return CheckShape(i, value.shape());
}

absl::StatusOr<std::unique_ptr<HloModule>> Program::Specialize(
    absl::Span<const StablehloArgument> known) const {
  if (known.size() > arguments_.size()) {
    return InvalidArgument("{}: it takes {} arguments, {} are given", filename_, arguments_.size(),
                           known.size());
  }
  const StablehloArgument unknown;
  for (size_t i = 0; i < arguments_.size(); ++i) {
    const StablehloArgument& argument = i < known.size() ? known[i] : unknown;
    RETURN_IF_ERROR(argument.value ? CheckValue(static_cast<int64_t>(i), *argument.value)
                                   : Check(i, argument));
  }
  if (hlo_) return hlo_->Clone();
  StablehloOptions options{.entry = options_.entry};
  if (platform_index_) options.arguments.push_back({.value = platform_index_});
  options.arguments.insert(options.arguments.end(), known.begin(), known.end());
  ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, stablehlo_->Lower(options));
  if (absl::Status s = VerifyModule(*module); !s.ok()) return Annotate(s, filename_);
  return module;
}

}  // namespace sinter::frontend
