// Dynamic dimensions become static: shapes follow from those of the arguments, and sizes that
// operations take as operands from constants, which arithmetic on sizes is evaluated to.
#include <algorithm>
#include <numeric>

#include "eval/eval.h"
#include "frontend/stablehlo/lowering.h"
#include "ir/ops/dynamic.h"

namespace sinter::stablehlo {
namespace {

bool HasUnbounded(const Shape& s) {
  return std::any_of(s.dimensions().begin(), s.dimensions().end(),
                     [](int64_t d) { return d == Shape::kUnbounded; }) ||
         std::any_of(s.tuple_shapes().begin(), s.tuple_shapes().end(), HasUnbounded);
}

// Whether sizes may be computed by the operation: from numbers alone, and deterministically.
bool IsArithmetic(const HloInstruction& i) {
  switch (i.op()) {
    case HloOpcode::Iota:
    case HloOpcode::BitcastConvert:
    case HloOpcode::Broadcast:
    case HloOpcode::Call:
    case HloOpcode::Concatenate:
    case HloOpcode::DynamicSlice:
    case HloOpcode::Gather:
    case HloOpcode::Pad:
    case HloOpcode::Reduce:
    case HloOpcode::Reshape:
    case HloOpcode::Reverse:
    case HloOpcode::Slice:
    case HloOpcode::Transpose:
      return true;
    default:
      return IsElementwise(i.op());
  }
}

// Whether a function does nothing but compute.
bool IsArithmetic(const HloComputation& c, int depth = 0) {
  constexpr int kDeepest = 16;
  if (depth == kDeepest) return false;
  return std::all_of(c.instructions().begin(), c.instructions().end(), [&](const auto& i) {
    switch (i->op()) {
      case HloOpcode::Constant:
      case HloOpcode::GetTupleElement:
      case HloOpcode::Parameter:
      case HloOpcode::Tuple:
        return true;
      default:
        return IsArithmetic(*i) &&
               (i->op() != HloOpcode::Call || IsArithmetic(*i->called(0), depth + 1));
    }
  });
}

constexpr int64_t kMostSizes = 1024;  // elements of values that are evaluated to find a shape

}  // namespace

// The value of an instruction that depends on constants alone.
std::optional<Literal> Lowering::ConstantOf(const HloInstruction* i, int depth) const {
  constexpr int kDeepest = 64;
  if (i->op() == HloOpcode::Constant) return i->literal();
  // Functions that give several values, as a quotient and a remainder.
  if (i->op() == HloOpcode::GetTupleElement && i->operand(0)->op() == HloOpcode::Call) {
    std::optional<Literal> all = Evaluated(i->operand(0), depth + 1);
    if (!all) return std::nullopt;
    return all->tuple()[static_cast<size_t>(i->attrs<TupleElementAttrs>().index)];
  }
  if (depth == kDeepest || !IsArithmetic(*i) || !i->shape().is_array() ||
      i->shape().element_count() > kMostSizes)
    return std::nullopt;
  return Evaluated(i, depth);
}

std::optional<Literal> Lowering::Evaluated(const HloInstruction* i, int depth) const {
  if (i->op() == HloOpcode::Call && !IsArithmetic(*i->called(0))) return std::nullopt;
  std::vector<Literal> values;
  for (const HloInstruction* o : i->operands()) {
    std::optional<Literal> value = ConstantOf(o, depth + 1);
    if (!value) return std::nullopt;
    values.push_back(*std::move(value));
  }
  std::vector<const Literal*> operands;
  for (const Literal& v : values) operands.push_back(&v);
  absl::StatusOr<Literal> value = EvaluateInstruction(*i, operands, {.max_instructions = 100'000});
  if (!value.ok()) return std::nullopt;
  return *std::move(value);
}

absl::StatusOr<Dims> Lowering::RequireSizes(const Operation& op, size_t operand) const {
  const HloInstruction* i = Operand(op, operand);
  if (!i->shape().is_array() || !IsInteger(i->shape().element_type())) {
    return Invalid(op, "operand {} must be of integers, not {}", operand, ToText(i->shape()));
  }
  std::optional<Literal> value = ConstantOf(i);
  if (!value) return Unsupported(op, "operand {}, sizes that depend on data", operand);
  Dims sizes;
  for (int64_t k = 0; k < value->shape().element_count(); ++k)
    sizes.push_back(static_cast<int64_t>(value->GetAsDouble(k)));
  return sizes;
}

// Results of arithmetic on sizes become constants at once, which regions may use as well.
absl::Status Lowering::FoldSizes(const Operation& op) {
  for (ValueId id : op.results) {
    const HloInstruction* i = Get(id);
    if (i == nullptr || i->op() == HloOpcode::Constant || !i->shape().is_array() ||
        IsFloat(i->shape().element_type()) || IsComplex(i->shape().element_type()))
      continue;
    const HloInstruction* from = i->op() == HloOpcode::GetTupleElement ? i->operand(0) : i;
    const bool known = std::all_of(from->operands().begin(), from->operands().end(),
                                   [](const auto* o) { return o->op() == HloOpcode::Constant; });
    if (!known) continue;
    std::optional<Literal> value = ConstantOf(i);
    if (!value) continue;
    HloInstruction* constant = computation_->AddConstant(*std::move(value));
    constant->set_metadata(i->metadata());
    Set(id, constant);
  }
  return absl::OkStatus();
}

// A dimension that is dynamic in `declared` may be any, where it has a bound up to that.
bool Lowering::Fits(const Shape& actual, const Shape& declared) {
  if (actual.is_tuple() || declared.is_tuple()) {
    const auto &a = actual.tuple_shapes(), &d = declared.tuple_shapes();
    return actual.is_tuple() == declared.is_tuple() && a.size() == d.size() &&
           std::equal(a.begin(), a.end(), d.begin(), Fits);
  }
  if (actual.element_type() != declared.element_type() || actual.rank() != declared.rank())
    return false;
  for (int64_t d = 0; d < actual.rank(); ++d) {
    const int64_t have = actual.dimension(d), want = declared.dimension(d);
    if (have == Shape::kUnbounded) return false;
    if (want == Shape::kUnbounded) continue;
    if (declared.is_dynamic(d) ? have > want : have != want || actual.is_dynamic(d)) return false;
  }
  return true;
}

absl::Status Lowering::Refine(const Operation& op, const Dims& sizes, const Shape* like) {
  if (op.results.size() != 1) return Invalid(op, "has 1 result, got {}", op.results.size());
  return RefineResult(op, 0, sizes, like);
}

absl::Status Lowering::RefineResult(const Operation& op, size_t result, const Dims& sizes,
                                    const Shape* like) {
  Shape& shape = shapes_[static_cast<size_t>(op.results[result])];
  if (std::any_of(sizes.begin(), sizes.end(), [](int64_t d) { return d < 0; }))
    return Invalid(op, "a size is negative");
  auto refined = Shape::Make(shape.element_type(), sizes);
  if (!refined.ok()) return Invalid(op, "{}", MessageOf(refined.status()));
  if (like) *refined = WithDynamicOf(*std::move(refined), *like);
  if (!Fits(*refined, shape)) {
    return Invalid(op, "the result is {}, not {}", ToText(*refined), ToText(shape));
  }
  shape = *std::move(refined);
  return absl::OkStatus();
}

// The shape that the rule gives to operands of known sizes, where `declared` leaves sizes open.
absl::StatusOr<Shape> Lowering::Inferred(const Operation& op, HloOpcode kind,
                                         absl::Span<HloInstruction* const> operands,
                                         const sinter::Attributes& attributes,
                                         absl::Span<HloComputation* const> called,
                                         const Shape& declared) const {
  std::vector<const Shape*> shapes;
  for (const HloInstruction* o : operands) shapes.push_back(&o->shape());
  std::vector<ComputationShape> signatures;
  for (const HloComputation* c : called) signatures.push_back(c->shape());
  absl::StatusOr<Shape> inferred = InferShape(kind, {shapes, attributes, signatures, nullptr});
  // Element types are those declared: a product may have another than its operands.
  if (inferred.ok()) {
    const Shape marked = *std::move(inferred);
    inferred = Info(kind).infer({shapes, attributes, signatures, &declared});
    if (inferred.ok()) *inferred = WithDynamicOf(*std::move(inferred), marked);
  }
  if (!inferred.ok()) {
    return source_.Error(inferred.status().code(), op.at,
                         Format("{}: {}", op.name, MessageOf(inferred.status())));
  }
  if (HasUnbounded(*inferred)) return Unsupported(op, "dynamic dimensions in {}", ToText(declared));
  if (!Fits(*inferred, declared)) {
    return Invalid(op, "the result is {}, not {}", ToText(*inferred), ToText(declared));
  }
  return *std::move(inferred);
}

// As long as all operands can be, dynamic if one is.
absl::Status Lowering::RefineToOperands(const Operation& op) {
  Shape like = Operand(op, 0)->shape();
  for (const HloInstruction* o : Operands(op)) {
    if (o->shape().is_array() && o->shape().rank() > like.rank()) like = o->shape();
  }
  Dims sizes = like.dimensions();
  for (const HloInstruction* o : Operands(op)) {
    if (!o->shape().is_array() || o->shape().rank() != like.rank()) continue;
    for (int64_t d = 0; d < like.rank(); ++d) {
      int64_t& size = sizes[static_cast<size_t>(d)];
      size = std::min(size, o->shape().dimension(d));
      if (o->shape().is_dynamic(d)) like.set_dynamic(d, true);
    }
  }
  return Refine(op, sizes, &like);
}

absl::StatusOr<Dims> Lowering::BroadcastPlaces(const Operation& op, const OpRow& row, int64_t rank,
                                               int64_t result_rank) const {
  if (row.elements.use != ElementUse::kBroadcastsInFront)
    return RequireDims(op, "broadcast_dimensions");
  Dims places(static_cast<size_t>(rank));
  std::iota(places.begin(), places.end(), result_rank - rank);
  return places;
}

absl::Status Lowering::RefineBroadcast(const Operation& op, const OpRow& row) {
  const Shape& operand = Operand(op, 0)->shape();
  Shape result = ResultShape(op);
  ASSIGN_OR_RETURN(const Dims places, BroadcastPlaces(op, row, operand.rank(), result.rank()));
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const int64_t to = static_cast<size_t>(d) < places.size() ? places[static_cast<size_t>(d)] : -1;
    if (to < 0 || to >= result.rank()) return absl::OkStatus();  // which the rule refuses
    if (result.dimension(to) != Shape::kUnbounded) continue;
    result.set_dimension(to, operand.dimension(d));
    result.set_dynamic(to, operand.is_dynamic(d));
  }
  if (HasUnbounded(result)) return absl::OkStatus();
  return Refine(op, result.dimensions(), &result);
}

// Bits of elements that are wider or narrower are spread over a last dimension.
absl::Status Lowering::RefineBitcast(const Operation& op) {
  const Shape &operand = Operand(op, 0)->shape(), &result = ResultShape(op);
  Dims sizes = operand.dimensions();
  // The specification counts one bit for a predicate.
  auto bits = [](ElementType t) { return IsPredicate(t) ? 1 : BitWidth(t); };
  const int from = bits(operand.element_type()), to = bits(result.element_type());
  if (from < to && !sizes.empty()) sizes.pop_back();
  if (from > to) sizes.push_back(from / to);
  Shape like(result.element_type(), sizes);
  for (int64_t d = 0; d < std::min(like.rank(), operand.rank()); ++d)
    like.set_dynamic(d, operand.is_dynamic(d));
  return Refine(op, sizes, &like);
}

absl::Status Lowering::RefineReshape(const Operation& op) {
  const Shape &operand = Operand(op, 0)->shape(), &result = ResultShape(op);
  Dims sizes = result.dimensions();
  int64_t rest = operand.element_count();
  auto unknown = std::find(sizes.begin(), sizes.end(), Shape::kUnbounded);
  for (int64_t d : sizes) {
    if (d == Shape::kUnbounded) continue;
    rest = d == 0 ? 0 : rest / d;
  }
  *unknown = rest;
  if (std::find(sizes.begin(), sizes.end(), Shape::kUnbounded) != sizes.end())
    return Unsupported(op, "dynamic dimensions in {}", ToText(result));
  const Shape like = ReshapedShape(operand, sizes);
  return Refine(op, sizes, &like);
}

// Shapes of results that are declared to be dynamic, where their rule does not find them itself.
absl::Status Lowering::RefineResults(const Operation& op, const OpRow& row) {
  for (ValueId id : op.results) shapes_[static_cast<size_t>(id)] = InGraph(Declared(id));
  for (const Region& region : op.regions) {
    for (size_t k = 0; k < region.arguments.size(); ++k) {
      Shape& shape = shapes_[static_cast<size_t>(region.arguments[k])];
      shape = InGraph(Declared(region.arguments[k]));
      if (!HasUnbounded(shape)) continue;
      if (region.arguments.size() != op.operands.size()) {
        return Unsupported(op, "a region's argument with dynamic dimensions");
      }
      shape = Operand(op, k)->shape();
    }
  }
  if (op.results.size() != 1 || op.operands.empty()) return absl::OkStatus();
  const Shape& result = ResultShape(op);
  if (!HasUnbounded(result) || !result.is_array()) return absl::OkStatus();
  switch (row.sizes) {
    case SizeRule::kInferred:
      return absl::OkStatus();
    case SizeRule::kOperands:
      return RefineToOperands(op);
    case SizeRule::kBroadcast:
      return RefineBroadcast(op, row);
    case SizeRule::kBitcast:
      return RefineBitcast(op);
    case SizeRule::kReshape:
      return RefineReshape(op);
  }
  return absl::OkStatus();
}

bool Lowering::IsDynamic(const Function& f) const {
  for (ValueId id = f.body.first; id < f.body.end; ++id) {
    if (HasUnbounded(Declared(id))) return true;
  }
  return std::any_of(f.body.arguments.begin(), f.body.arguments.end(),
                     [&](ValueId id) { return HasUnbounded(Declared(id)); });
}

// A function whose shapes depend on its arguments is a part of each of its callers.
absl::StatusOr<bool> Lowering::InlineDynamic(const Operation& op, std::string_view key) {
  ASSIGN_OR_RETURN(const Attribute* symbol, Require(op, key));
  auto it = program_.by_name.find(symbol->text);
  if (it == program_.by_name.end() || computations_.contains(it->second)) return false;
  const Function& f = *it->second;
  if (!f.has_body || f.body.arguments.size() != op.operands.size() ||
      f.body.returned.size() != op.results.size()) {
    return Invalid(op, "@{} takes {} values and returns {}", f.name, f.body.arguments.size(),
                   f.body.returned.size());
  }
  if (computation_->instructions().size() > kMostInstructions) {
    return source_.Exhausted(op.at, "calls unfold to more than {} instructions", kMostInstructions);
  }
  const std::vector<HloInstruction*> arguments = Operands(op);
  for (size_t k = 0; k < arguments.size(); ++k) {
    const ValueId id = f.body.arguments[k];
    if (!Fits(arguments[k]->shape(), InGraph(Declared(id)))) {
      return Invalid(op, "argument {} of @{} is {}, not {}", k, f.name,
                     ToText(arguments[k]->shape()), ToText(Declared(id)));
    }
    Set(id, arguments[k]);
  }
  RETURN_IF_ERROR(LowerOperations(f.body));
  for (size_t k = 0; k < op.results.size(); ++k) Set(op.results[k], Get(f.body.returned[k]));
  return true;
}

namespace lower {

absl::Status DynamicBroadcastInDim(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 2, 1));
  ASSIGN_OR_RETURN(Dims dims, l.RequireDims(op, "broadcast_dimensions"));
  if (!l.AreConstant(op, 1, 2)) return SizedBroadcastInDim(l, op, dims);
  ASSIGN_OR_RETURN(Dims sizes, l.RequireSizes(op, 1));
  RETURN_IF_ERROR(l.Refine(op, sizes));
  return l.AddResult(op, HloOpcode::Broadcast, {l.Operand(op, 0)}, DimensionsAttrs{dims});
}

absl::Status DynamicIota(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 1, 1));
  ASSIGN_OR_RETURN(int64_t dim, l.RequireInteger(op, "iota_dimension"));
  if (!l.AreConstant(op, 0, 1)) return SizedIota(l, op, dim);
  ASSIGN_OR_RETURN(Dims sizes, l.RequireSizes(op, 0));
  RETURN_IF_ERROR(l.Refine(op, sizes));
  return l.AddResult(op, HloOpcode::Iota, {}, IotaAttrs{dim});
}

absl::Status DynamicPad(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 5, 1));
  if (!l.AreConstant(op, 2, 5)) return SizedPad(l, op);
  PadAttrs attrs;
  ASSIGN_OR_RETURN(attrs.low, l.RequireSizes(op, 2));
  ASSIGN_OR_RETURN(attrs.high, l.RequireSizes(op, 3));
  ASSIGN_OR_RETURN(attrs.interior, l.RequireSizes(op, 4));
  return l.AddResult(op, HloOpcode::Pad, {l.Operand(op, 0), l.Operand(op, 1)}, std::move(attrs));
}

absl::Status DynamicReshape(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 2, 1));
  if (!l.AreConstant(op, 1, 2) || !l.Operand(op, 0)->shape().is_static())
    return SizedReshape(l, op);
  ASSIGN_OR_RETURN(Dims sizes, l.RequireSizes(op, 1));
  RETURN_IF_ERROR(l.Refine(op, sizes));
  return l.AddResult(op, HloOpcode::Reshape, {l.Operand(op, 0)});
}

absl::Status RealDynamicSlice(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 4, 1));
  if (!l.AreConstant(op, 1, 4)) return SizedSlice(l, op);
  SliceAttrs attrs;
  ASSIGN_OR_RETURN(attrs.starts, l.RequireSizes(op, 1));
  ASSIGN_OR_RETURN(attrs.limits, l.RequireSizes(op, 2));
  ASSIGN_OR_RETURN(attrs.strides, l.RequireSizes(op, 3));
  return l.AddResult(op, HloOpcode::Slice, {l.Operand(op, 0)}, std::move(attrs));
}

absl::Status GetDimensionSize(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 1, 1));
  ASSIGN_OR_RETURN(int64_t dim, l.RequireInteger(op, "dimension"));
  const Shape& shape = l.Operand(op, 0)->shape();
  if (!shape.is_array() || dim < 0 || dim >= shape.rank()) {
    return l.Invalid(op, "(C1) {} is not a dimension of {}", dim, ToText(shape));
  }
  if (shape.is_dynamic(dim)) {
    return l.AddResult(op, HloOpcode::GetDimensionSize, l.Operands(op), DimensionsAttrs{{dim}});
  }
  const auto size = static_cast<int32_t>(shape.dimension(dim));
  ASSIGN_OR_RETURN(
      HloInstruction * constant,
      l.Add(op, HloOpcode::Constant, {},
            ConstantAttrs{std::make_shared<const Literal>(Literal::R0<int32_t>(size))}));
  return l.SetResult(op, constant);
}

// A size that is known makes the dimension that long.
absl::Status SetDimensionSize(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 2, 1));
  ASSIGN_OR_RETURN(int64_t dim, l.RequireInteger(op, "dimension"));
  const Shape& shape = l.Operand(op, 0)->shape();
  if (!l.ShapeOf(op.operands[1]).is_scalar())
    return l.Invalid(op, "the size must be a scalar, not {}", ToText(l.ShapeOf(op.operands[1])));
  if (!shape.is_array() || dim < 0 || dim >= shape.rank()) {
    return l.Invalid(op, "(C3) {} is not a dimension of {}", dim, ToText(shape));
  }
  if (!l.AreConstant(op, 1, 2) || shape.is_dynamic(dim))
    return l.AddResult(op, HloOpcode::SetDimensionSize, l.Operands(op), DimensionsAttrs{{dim}});
  ASSIGN_OR_RETURN(Dims size, l.RequireSizes(op, 1));
  if (size.size() != 1 || size[0] < 0 || size[0] > shape.dimension(dim)) {
    return l.Invalid(op, "the size must be from 0 to {}", shape.dimension(dim));
  }
  SliceAttrs attrs;
  attrs.starts.assign(static_cast<size_t>(shape.rank()), 0);
  attrs.strides.assign(static_cast<size_t>(shape.rank()), 1);
  attrs.limits = shape.dimensions();
  attrs.limits[static_cast<size_t>(dim)] = size[0];
  if (size[0] == shape.dimension(dim)) return l.SetResult(op, l.Operand(op, 0));
  RETURN_IF_ERROR(l.Refine(op, attrs.limits));
  return l.AddResult(op, HloOpcode::Slice, {l.Operand(op, 0)}, std::move(attrs));
}

}  // namespace lower
}  // namespace sinter::stablehlo
