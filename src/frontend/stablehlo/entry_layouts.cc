// mhlo.layout_mode: the order in which a caller keeps an argument or a result in memory.
#include <algorithm>

#include "base/status.h"
#include "frontend/stablehlo/lowering.h"
#include "ir/layout.h"

namespace sinter::stablehlo {
namespace {

constexpr std::string_view kLayoutMode = "mhlo.layout_mode", kAuto = "auto";

// The shape in the layout that the attributes name: "{0,1}" from minor to major; "default" and
// "auto", which leaves the choice to the compiler, are row-major.
absl::StatusOr<Shape> InStatedLayout(const Shape& shape,
                                     absl::Span<const NamedAttribute> attributes) {
  const Attribute* a = FindAttribute(attributes, kLayoutMode);
  if (a == nullptr || !shape.is_array() || a->kind != Attribute::Kind::kString) return shape;
  if (a->text == "default" || a->text == kAuto) return shape;
  if (a->text.find(':') != std::string::npos)
    return Unimplemented("mhlo.layout_mode: tiles in the layout {}", a->text);
  absl::StatusOr<Shape> stated =
      Shape::Parse(Format("u8[{}]{}", Join(shape.dimensions(), ","), a->text));
  if (!stated.ok() || !a->text.starts_with('{'))
    return InvalidArgument("mhlo.layout_mode: {} is no layout of {}", a->text, shape.ToString());
  Shape out = shape;
  out.set_minor_to_major(stated->minor_to_major());
  return out;
}

// Where the compiler may choose, a result that is a transpose is left in the order of memory that
// its operand has.
Shape InChosenLayout(const HloInstruction& value) {
  Shape out = RowMajor(value.shape());
  if (value.op() != HloOpcode::Transpose || !out.is_static()) return out;
  Dims order = InversePermutation(value.dimensions());
  std::reverse(order.begin(), order.end());
  out.set_minor_to_major(std::move(order));
  return out;
}

}  // namespace

absl::Status Lowering::StateLayouts(const Function& entry) {
  auto located = [&](absl::Status status) {
    const std::string message = MessageOf(status);
    return absl::IsUnimplemented(status) ? source_.Unsupported(entry.at, "{}", message)
                                         : source_.Invalid(entry.at, "{}", message);
  };
  for (size_t i = 0; i < parameters_.size() && i < entry.argument_attributes.size(); ++i) {
    if (parameters_[i] < 0) continue;
    HloInstruction* p = computation_->parameter(static_cast<size_t>(parameters_[i]));
    absl::StatusOr<Shape> stated = InStatedLayout(p->shape(), entry.argument_attributes[i]);
    if (!stated.ok()) return located(stated.status());
    p->set_shape(*std::move(stated));
  }
  // A result that is an argument too, or two results, may be in several layouts.
  std::vector<HloInstruction*> results;
  bool any = false;
  for (size_t i = 0; i < entry.body.returned.size(); ++i) {
    HloInstruction* value = Get(entry.body.returned[i]);
    absl::StatusOr<Shape> stated = RowMajor(value->shape());
    if (i < entry.result_attributes.size()) {
      stated = InStatedLayout(*stated, entry.result_attributes[i]);
      if (!stated.ok()) return located(stated.status());
      const Attribute* mode = FindAttribute(entry.result_attributes[i], kLayoutMode);
      if (mode != nullptr && mode->text == kAuto) stated = InChosenLayout(*value);
    }
    if (*stated != value->shape()) {
      value = computation_->AddWithShape(HloOpcode::Copy, *std::move(stated), {value});
      any = true;
    }
    results.push_back(value);
  }
  if (!any) return absl::OkStatus();
  if (results.size() == 1) {
    computation_->set_root(results[0]);
    return absl::OkStatus();
  }
  std::vector<Shape> shapes;
  for (const HloInstruction* r : results) shapes.push_back(r->shape());
  computation_->set_root(
      computation_->AddWithShape(HloOpcode::Tuple, Shape::Tuple(std::move(shapes)), results));
  return absl::OkStatus();
}

}  // namespace sinter::stablehlo
