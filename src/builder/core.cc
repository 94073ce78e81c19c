// Parameters, constants, tuples, tokens, custom calls.

#include <algorithm>

#include "builder/impl.h"
#include "ir/custom_call_layouts.h"
#include "ir/layout.h"
#include "sinter/ops.h"

namespace sinter {
namespace {

// Parameters past this are refused by the graph.
constexpr int64_t kMaxParameters = int64_t{1} << 20;

absl::StatusOr<HloInstruction*> AddLiteral(Recording& r, const Literal& literal) {
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

// `operand_shapes`, one an operand, are null where the target relies on no layouts of them.
Op RecordCustomCall(Builder* builder, CustomCallAttrs attrs, absl::Span<const Op> operands,
                    const absl::Span<const Shape>* operand_shapes, const Computation* computation,
                    const Shape& shape, SourceLocation where) {
  return Record(builder, Name(HloOpcode::CustomCall), where,
                [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
                  ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.Find(operands));
                  if (attrs.custom_call_target.empty()) return r.Error("the target has no name", x);
                  if (absl::Status s = CheckShape(shape); !s.ok()) return r.Error(MessageOf(s), x);
                  std::vector<Shape> taken;
                  for (const HloInstruction* i : x) taken.push_back(RowMajor(i->shape()));
                  if (operand_shapes) {
                    if (operand_shapes->size() != x.size())
                      return r.Error(
                          Format("{} shapes for {} operands", operand_shapes->size(), x.size()), x);
                    for (size_t i = 0; i < x.size(); ++i) {
                      if (!Shape::Compatible((*operand_shapes)[i], taken[i])) {
                        return r.Error(
                            Format("operand {} is not {}", i, (*operand_shapes)[i].ToString()), x);
                      }
                      taken[i] = (*operand_shapes)[i];
                    }
                  }
                  std::vector<HloComputation*> called;
                  if (computation) {
                    // What it takes is between it and the target.
                    ASSIGN_OR_RETURN(HloComputation * c, r.impl().Import(*computation));
                    called.push_back(c);
                  }
                  StateLayouts(attrs, taken, shape);
                  const Shape given = RowMajor(shape);
                  return r.Add(HloOpcode::CustomCall, x, std::move(attrs), called, &given);
                });
}

}  // namespace

Op CustomCall(Builder* builder, const std::string& call_target_name, absl::Span<const Op> operands,
              const Shape& shape, const std::string& opaque, bool has_side_effect,
              SourceLocation where) {
  return RecordCustomCall(builder, {call_target_name, opaque, has_side_effect}, operands, nullptr,
                          nullptr, shape, where);
}

Op CustomCallWithComputation(Builder* builder, const std::string& call_target_name,
                             absl::Span<const Op> operands, const Computation& computation,
                             const Shape& shape, const std::string& opaque, bool has_side_effect,
                             SourceLocation where) {
  return RecordCustomCall(builder, {call_target_name, opaque, has_side_effect}, operands, nullptr,
                          &computation, shape, where);
}

Op CustomCallWithLayout(Builder* builder, const std::string& call_target_name,
                        absl::Span<const Op> operands, const Shape& shape_with_layout,
                        absl::Span<const Shape> operand_shapes_with_layout,
                        const std::string& opaque, bool has_side_effect, SourceLocation where) {
  return RecordCustomCall(builder, {call_target_name, opaque, has_side_effect}, operands,
                          &operand_shapes_with_layout, nullptr, shape_with_layout, where);
}

}  // namespace sinter
