// Parameters, constants, tuples, tokens, custom calls.

#include <algorithm>

#include "builder/impl.h"
#include "ir/custom_call_layouts.h"
#include "ir/layout.h"
#include "sinter/ops.h"
#include "types/leaves.h"

namespace sinter {
namespace {

// Parameters past this are refused by the graph.
constexpr int64_t kMaxParameters = int64_t{1} << 20;

absl::StatusOr<HloInstruction*> AddLiteral(Recording& r, const Literal& literal) {
  if (!literal.ok()) return r.Error(MessageOf(literal.status()));
  if (!literal.shape().is_tuple()) return r.AddConstant(literal);
  std::vector<HloInstruction*> elements;
  for (const Literal& element : literal.tuple()) {
    ASSIGN_OR_RETURN(HloInstruction * i, AddLiteral(r, element));
    elements.push_back(i);
  }
  return r.Add(HloOpcode::Tuple, elements);
}

}  // namespace

Op Parameter(Builder* builder, int64_t parameter_number, const Shape& shape,
             const std::string& name, SourceLocation where) {
  return Record(
      builder, Name(HloOpcode::Parameter), where,
      [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
        if (parameter_number < 0 || parameter_number >= kMaxParameters) {
          return r.Error(
              Format("the number {} is not within 0 and {}", parameter_number, kMaxParameters - 1));
        }
        const auto& parameters = r.impl().computation->parameters();
        auto n = static_cast<size_t>(parameter_number);
        if (n < parameters.size() && parameters[n]) {
          return r.Error(Format("the number {} is that of \"{}\" already", parameter_number,
                                parameters[n]->name()));
        }
        if (absl::Status s = CheckShape(shape); !s.ok()) return r.Error(MessageOf(s));
        ASSIGN_OR_RETURN(HloInstruction * i, r.Add(HloOpcode::Parameter, {},
                                                   ParameterAttrs{parameter_number}, {}, &shape));
        i->set_name(
            r.impl().module->UniqueName(name.empty() ? Format("p{}", parameter_number) : name));
        return i;
      });
}

Op ConstantLiteral(Builder* builder, const Literal& literal, SourceLocation where) {
  return Record(builder, Name(HloOpcode::Constant), where,
                [&](Recording& r) { return AddLiteral(r, literal); });
}

Op ConstantR1FromScalar(Builder* builder, int64_t length, Op value, SourceLocation where) {
  return Record(builder, Name(HloOpcode::Broadcast), where,
                [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
                  ASSIGN_OR_RETURN(HloInstruction * scalar, r.Find(value));
                  return r.BroadcastTo(scalar, {length}, {});
                });
}

Op Iota(Builder* builder, const Shape& shape, int64_t iota_dimension, SourceLocation where) {
  return Record(builder, Name(HloOpcode::Iota), where,
                [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
                  if (absl::Status s = CheckShape(shape); !s.ok()) return r.Error(MessageOf(s));
                  return r.Add(HloOpcode::Iota, {}, IotaAttrs{iota_dimension}, {}, &shape);
                });
}
Op Iota(Builder* builder, ElementType type, int64_t size, SourceLocation where) {
  return Iota(builder, Shape(type, {size}), 0, where);
}

Op Tuple(Builder* builder, absl::Span<const Op> elements, SourceLocation where) {
  return Record(builder, Name(HloOpcode::Tuple), where,
                [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
                  ASSIGN_OR_RETURN(std::vector<HloInstruction*> operands, r.Find(elements));
                  return r.Add(HloOpcode::Tuple, operands);
                });
}

Op internal::PackResults(Builder& builder, absl::Span<const Op> results) {
  return Tuple(&builder, results, builder.impl().where);
}

Op GetTupleElement(const Operand& tuple_data, int64_t index) {
  return Record({&tuple_data}, Name(HloOpcode::GetTupleElement),
                [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
                  ASSIGN_OR_RETURN(HloInstruction * tuple, r.Find(tuple_data.op()));
                  return r.Add(HloOpcode::GetTupleElement, {tuple}, TupleElementAttrs{index});
                });
}

Op CreateToken(Builder* builder, SourceLocation where) { return AfterAll(builder, {}, where); }

Op AfterAll(Builder* builder, absl::Span<const Op> tokens, SourceLocation where) {
  return Record(builder, Name(HloOpcode::AfterAll), where,
                [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
                  ASSIGN_OR_RETURN(std::vector<HloInstruction*> operands, r.Find(tokens));
                  return r.Add(HloOpcode::AfterAll, operands);
                });
}

namespace {

// What the functions of the family custom call share beside their operands and shape.
struct CustomCallParts {
  const std::string& target;
  const std::string& opaque;
  bool has_side_effect;
  OutputOperandAliasing aliasing;
  const Literal* literal;
  CustomCallSchedule schedule;
  CustomCallApiVersion api_version;
  // One an operand; null where the target relies on no layouts of them.
  const absl::Span<const Shape>* operand_shapes = nullptr;
  const Callable* computation = nullptr;
};

absl::StatusOr<CustomCallAttrs> CustomCallAttributes(const Recording& r,
                                                     const CustomCallParts& parts,
                                                     absl::Span<HloInstruction* const> x,
                                                     const Shape& result) {
  CustomCallAttrs attrs{parts.target, parts.opaque, parts.has_side_effect, parts.api_version};
  if (parts.target.empty()) return r.Error("the target has no name", x);
  if (parts.literal) return Unimplemented("custom-call to \"{}\": a literal", parts.target);
  for (const auto& [output_index, operand] : parts.aliasing) {
    const auto& [number, operand_index] = operand;
    const Shape* to = Subshape(result, output_index);
    const Shape* from = number < 0 || number >= static_cast<int64_t>(x.size())
                            ? nullptr
                            : Subshape(x[static_cast<size_t>(number)]->shape(), operand_index);
    if (!to || !from || !to->is_array() || !Shape::Compatible(*to, *from)) {
      return r.Error(Format("element {{{}}} of the result and element {{{}}} of operand {} must be "
                            "arrays of one shape",
                            Join(output_index, ","), Join(operand_index, ","), number),
                     x);
    }
    attrs.output_to_operand_aliasing.push_back({output_index, number, operand_index});
  }
  return attrs;
}

// The operands' shapes as the target takes them.
absl::StatusOr<std::vector<Shape>> ShapesTaken(const Recording& r, const CustomCallParts& parts,
                                               absl::Span<HloInstruction* const> x) {
  std::vector<Shape> taken;
  for (const HloInstruction* i : x) taken.push_back(RowMajor(i->shape()));
  if (!parts.operand_shapes) return taken;
  const absl::Span<const Shape> shapes = *parts.operand_shapes;
  if (shapes.size() != x.size())
    return r.Error(Format("{} shapes for {} operands", shapes.size(), x.size()), x);
  for (size_t i = 0; i < x.size(); ++i) {
    if (!Shape::Compatible(shapes[i], taken[i]))
      return r.Error(Format("operand {} is not {}", i, shapes[i].ToString()), x);
    taken[i] = shapes[i];
  }
  return taken;
}

Op RecordCustomCall(Builder* builder, const CustomCallParts& parts, absl::Span<const Op> operands,
                    const Shape& shape, SourceLocation where) {
  return Record(
      builder, Name(HloOpcode::CustomCall), where,
      [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
        ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.Find(operands));
        ASSIGN_OR_RETURN(CustomCallAttrs attrs, CustomCallAttributes(r, parts, x, shape));
        if (absl::Status s = CheckShape(shape); !s.ok()) return r.Error(MessageOf(s), x);
        ASSIGN_OR_RETURN(std::vector<Shape> taken, ShapesTaken(r, parts, x));
        std::vector<HloComputation*> called;
        if (parts.computation) {
          // What a computation takes is between it and the target.
          std::vector<Shape> shapes;
          for (const HloInstruction* i : x) shapes.push_back(i->shape());
          ASSIGN_OR_RETURN(HloComputation * c,
                           r.Called(*parts.computation, std::move(shapes), "computation"));
          called.push_back(c);
        }
        StateLayouts(attrs, taken, shape);
        const Shape given = RowMajor(shape);
        ASSIGN_OR_RETURN(HloInstruction * call,
                         r.Add(HloOpcode::CustomCall, x, std::move(attrs), called, &given));
        if (parts.schedule != CustomCallSchedule::kNone) {
          SetAnnotation(*call, "schedule",
                        parts.schedule == CustomCallSchedule::kLatest ? "SCHEDULE_LATEST"
                                                                      : "SCHEDULE_EARLIEST");
        }
        return call;
      });
}

}  // namespace

Op CustomCall(Builder* builder, const std::string& call_target_name, absl::Span<const Op> operands,
              const Shape& shape, const std::string& opaque, bool has_side_effect,
              OutputOperandAliasing output_operand_aliasing, const Literal* literal,
              CustomCallSchedule schedule, CustomCallApiVersion api_version, SourceLocation where) {
  return RecordCustomCall(builder,
                          {call_target_name, opaque, has_side_effect, output_operand_aliasing,
                           literal, schedule, api_version},
                          operands, shape, where);
}

Op CustomCallWithComputation(Builder* builder, const std::string& call_target_name,
                             absl::Span<const Op> operands, const Callable& computation,
                             const Shape& shape, const std::string& opaque, bool has_side_effect,
                             OutputOperandAliasing output_operand_aliasing, const Literal* literal,
                             CustomCallSchedule schedule, CustomCallApiVersion api_version,
                             SourceLocation where) {
  return RecordCustomCall(builder,
                          {call_target_name, opaque, has_side_effect, output_operand_aliasing,
                           literal, schedule, api_version, nullptr, &computation},
                          operands, shape, where);
}

Op CustomCallWithLayout(Builder* builder, const std::string& call_target_name,
                        absl::Span<const Op> operands, const Shape& shape_with_layout,
                        absl::Span<const Shape> operand_shapes_with_layout,
                        const std::string& opaque, bool has_side_effect,
                        OutputOperandAliasing output_operand_aliasing, const Literal* literal,
                        CustomCallSchedule schedule, CustomCallApiVersion api_version,
                        SourceLocation where) {
  return RecordCustomCall(builder,
                          {call_target_name, opaque, has_side_effect, output_operand_aliasing,
                           literal, schedule, api_version, &operand_shapes_with_layout},
                          operands, shape_with_layout, where);
}

Op CustomCallWithComputationAndLayouts(Builder* builder, const std::string& call_target_name,
                                       absl::Span<const Op> operands, const Callable& computation,
                                       const Shape& shape_with_layout,
                                       absl::Span<const Shape> operand_shapes_with_layout,
                                       const std::string& opaque, bool has_side_effect,
                                       OutputOperandAliasing output_operand_aliasing,
                                       const Literal* literal, CustomCallSchedule schedule,
                                       CustomCallApiVersion api_version, SourceLocation where) {
  return RecordCustomCall(
      builder,
      {call_target_name, opaque, has_side_effect, output_operand_aliasing, literal, schedule,
       api_version, &operand_shapes_with_layout, &computation},
      operands, shape_with_layout, where);
}

}  // namespace sinter
