// Operations of the chlo dialect that are functions composed of others: a call of a computation
// that the builder's function of the same name has recorded.
#include <algorithm>
#include <numbers>

#include "builder/copy_computation.h"
#include "builder/lib/of_floats.h"
#include "frontend/stablehlo/broadcast.h"
#include "frontend/stablehlo/lowering.h"
#include "sinter/builder.h"
#include "sinter/lib/math.h"

namespace sinter::stablehlo::lower {
namespace {

// Of F32 and below StableHLO's own decomposition, whose rounding of x - log 2 the expected values
// of programs contain: results of a correctly rounded sine differ by a dozen units in the last
// place.
Op RoundedSinh(const sinter::Operand& operand) {
  return OfFloats(operand, "sinh", [](Op x) {
    constexpr double kLog2 = std::numbers::ln2;
    Op e = Expm1(x);
    Op small = (e + e / (e + 1)) * 0.5;
    return Select(Lt(Abs(x), 1), small, Exp(x - kLog2) - Exp(-x - kLog2));
  });
}

struct ChloFunction {
  std::string_view name;  // without "chlo."
  Op (*unary)(const sinter::Operand&) = nullptr;
  Op (*binary)(const sinter::Operand&, const sinter::Operand&) = nullptr;
};
constexpr ChloFunction kFunctions[] = {
    {.name = "bessel_i1e", .unary = BesselI1e}, {.name = "digamma", .unary = Digamma},
    {.name = "erf_inv", .unary = ErfInv},       {.name = "erfc", .unary = Erfc},
    {.name = "lgamma", .unary = Lgamma},        {.name = "next_after", .binary = NextAfter},
    {.name = "polygamma", .binary = Polygamma}, {.name = "sinh", .unary = RoundedSinh},
    {.name = "zeta", .binary = Zeta},
};

// With dimensions of their bounds, zeros where there was nothing.
absl::StatusOr<HloInstruction*> WithoutSizes(Lowering& l, const Operation& op, HloInstruction* x) {
  for (int64_t d = 0; d < x->shape().rank(); ++d) {
    if (!x->shape().is_dynamic(d)) continue;
    Shape shape = x->shape();
    shape.set_dynamic(d, false);
    auto bound = std::make_shared<const Literal>(
        Literal::R0<int32_t>(static_cast<int32_t>(shape.dimension(d))));
    ASSIGN_OR_RETURN(HloInstruction * size,
                     l.Add(op, HloOpcode::Constant, {}, ConstantAttrs{std::move(bound)}));
    ASSIGN_OR_RETURN(
        x, l.Add(op, HloOpcode::SetDimensionSize, {x, size}, DimensionsAttrs{{d}}, {}, &shape));
  }
  return x;
}

absl::Status Apply(Lowering& l, const Operation& op, std::string_view name,
                   const std::vector<HloInstruction*>& operands) {
  const auto* f = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                               [&](const ChloFunction& row) { return row.name == name; });
  if (f == std::end(kFunctions)) return l.Unsupported(op, "is not supported");
  std::string key(name);
  for (const HloInstruction* x : operands) {
    const ElementType type = x->shape().element_type();
    if (!IsFloat(type) || type != operands[0]->shape().element_type() ||
        !x->shape().SameDimensions(operands[0]->shape())) {
      return l.Invalid(op, "the operands must be of floats, of one type and shape");
    }
    key += " " + x->shape().ToString();
  }
  HloComputation*& computation = l.library()[key];
  if (computation == nullptr) {
    Builder builder{std::string(name)};
    std::vector<Op> x;
    for (size_t i = 0; i < operands.size(); ++i) {
      const Shape shape(operands[i]->shape().element_type(), operands[i]->shape().dimensions());
      x.push_back(Parameter(&builder, static_cast<int64_t>(i), shape, Format("x{}", i)));
    }
    Op y = f->unary != nullptr ? f->unary(x[0]) : f->binary(x[0], x[1]);
    absl::StatusOr<Computation> built = builder.Build(y);
    if (!built.ok()) return l.Invalid(op, "{}", MessageOf(built.status()));
    computation = CopyInto(*built->module(), l.module());
    // The lines are those of the library.
    for (const auto& i : computation->instructions()) i->set_metadata({});
  }
  // The computation knows no sizes that vary: it is given the whole, and its result their sizes.
  std::vector<HloInstruction*> whole;
  for (HloInstruction* x : operands) {
    ASSIGN_OR_RETURN(whole.emplace_back(), WithoutSizes(l, op, x));
  }
  if (operands[0]->shape().is_static())
    return l.AddResult(op, HloOpcode::Call, whole, NoAttrs{}, {&computation, 1});
  ASSIGN_OR_RETURN(HloInstruction * y,
                   l.Add(op, HloOpcode::Call, whole, NoAttrs{}, {&computation, 1}));
  ASSIGN_OR_RETURN(y, l.WithSizesOf(op, y, operands[0]));
  return l.SetResult(op, y);
}

}  // namespace

absl::Status Chlo(Lowering& l, const Operation& op, const OpRow& row) {
  const std::string_view name = row.name.substr(row.name.find('.') + 1);
  const bool is_binary = std::any_of(std::begin(kFunctions), std::end(kFunctions), [&](auto& f) {
    return f.name == name && f.binary != nullptr;
  });
  RETURN_IF_ERROR(l.CheckCounts(op, is_binary ? 2 : 1, 1));
  return Apply(l, op, name, l.Operands(op));
}

absl::Status Sinh(Lowering& l, const Operation& op, const OpRow& row) {
  RETURN_IF_ERROR(l.CheckCounts(op, 1, 1));
  const Shape& shape = l.Operand(op, 0)->shape();
  const bool is_wide = shape.is_array() && (IsComplex(shape.element_type()) ||
                                            shape.element_type() == ElementType::F64);
  return is_wide ? Elementwise(l, op, row) : Chlo(l, op, row);
}

absl::Status BroadcastChlo(Lowering& l, const Operation& op, const OpRow& row) {
  RETURN_IF_ERROR(l.CheckCounts(op, 2, 1));
  HloInstruction *a = l.Operand(op, 0), *b = l.Operand(op, 1);
  RETURN_IF_ERROR(MakeAlike(l, op, &a, &b));
  constexpr std::string_view kPrefix = "chlo.broadcast_";
  return Apply(l, op, row.name.substr(kPrefix.size()), {a, b});
}

}  // namespace sinter::stablehlo::lower
