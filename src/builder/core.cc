// Parameters, constants, tuples, tokens, custom calls.

#include "builder/impl.h"
#include "sinter/ops.h"

namespace sinter {
namespace {

// Parameters past this are refused by the graph.
constexpr int64_t kMaxParameters = int64_t{1} << 20;

absl::StatusOr<Instruction*> AddLiteral(Recording& r, const Literal& literal) {
  if (!literal.shape().is_tuple()) return r.AddConstant(literal);
  std::vector<Instruction*> elements;
  for (const Literal& element : literal.tuple()) {
    ASSIGN_OR_RETURN(Instruction * i, AddLiteral(r, element));
    elements.push_back(i);
  }
  return r.Add(Op::Tuple, elements);
}

}  // namespace

OpHandle Parameter(Builder* builder, int64_t parameter_number, const Shape& shape,
                   const std::string& name, SourceLocation where) {
  return Record(
      builder, Name(Op::Parameter), where, [&](Recording& r) -> absl::StatusOr<Instruction*> {
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
        ASSIGN_OR_RETURN(Instruction * i,
                         r.Add(Op::Parameter, {}, ParameterAttrs{parameter_number}, {}, &shape));
        i->set_name(
            r.impl().module->UniqueName(name.empty() ? Format("p{}", parameter_number) : name));
        return i;
      });
}

OpHandle ConstantLiteral(Builder* builder, const Literal& literal, SourceLocation where) {
  return Record(builder, Name(Op::Constant), where,
                [&](Recording& r) { return AddLiteral(r, literal); });
}

OpHandle ConstantR1FromScalar(Builder* builder, int64_t length, OpHandle value,
                              SourceLocation where) {
  return Record(builder, Name(Op::Broadcast), where,
                [&](Recording& r) -> absl::StatusOr<Instruction*> {
                  ASSIGN_OR_RETURN(Instruction * scalar, r.Find(value));
                  return r.BroadcastTo(scalar, {length}, {});
                });
}

OpHandle Iota(Builder* builder, const Shape& shape, int64_t iota_dimension, SourceLocation where) {
  return Record(builder, Name(Op::Iota), where, [&](Recording& r) -> absl::StatusOr<Instruction*> {
    if (absl::Status s = CheckShape(shape); !s.ok()) return r.Error(MessageOf(s));
    return r.Add(Op::Iota, {}, IotaAttrs{iota_dimension}, {}, &shape);
  });
}
OpHandle Iota(Builder* builder, ElementType type, int64_t size, SourceLocation where) {
  return Iota(builder, Shape(type, {size}), 0, where);
}

OpHandle Tuple(Builder* builder, absl::Span<const OpHandle> elements, SourceLocation where) {
  return Record(builder, Name(Op::Tuple), where, [&](Recording& r) -> absl::StatusOr<Instruction*> {
    ASSIGN_OR_RETURN(std::vector<Instruction*> operands, r.Find(elements));
    return r.Add(Op::Tuple, operands);
  });
}

OpHandle internal::PackResults(Builder& builder, absl::Span<const OpHandle> results) {
  return Tuple(&builder, results, builder.impl().where);
}

OpHandle GetTupleElement(const Operand& tuple_data, int64_t index) {
  return Record({&tuple_data}, Name(Op::GetTupleElement),
                [&](Recording& r) -> absl::StatusOr<Instruction*> {
                  ASSIGN_OR_RETURN(Instruction * tuple, r.Find(tuple_data.op()));
                  return r.Add(Op::GetTupleElement, {tuple}, TupleElementAttrs{index});
                });
}

OpHandle CreateToken(Builder* builder, SourceLocation where) {
  return AfterAll(builder, {}, where);
}

OpHandle AfterAll(Builder* builder, absl::Span<const OpHandle> tokens, SourceLocation where) {
  return Record(builder, Name(Op::AfterAll), where,
                [&](Recording& r) -> absl::StatusOr<Instruction*> {
                  ASSIGN_OR_RETURN(std::vector<Instruction*> operands, r.Find(tokens));
                  return r.Add(Op::AfterAll, operands);
                });
}

OpHandle CustomCall(Builder* builder, const std::string& call_target_name,
                    absl::Span<const OpHandle> operands, const Shape& shape,
                    const std::string& opaque, bool has_side_effect, SourceLocation where) {
  return Record(
      builder, Name(Op::CustomCall), where, [&](Recording& r) -> absl::StatusOr<Instruction*> {
        ASSIGN_OR_RETURN(std::vector<Instruction*> x, r.Find(operands));
        if (call_target_name.empty()) return r.Error("the target has no name", x);
        if (absl::Status s = CheckShape(shape); !s.ok()) return r.Error(MessageOf(s), x);
        return r.Add(Op::CustomCall, x, CustomCallAttrs{call_target_name, opaque, has_side_effect},
                     {}, &shape);
      });
}

}  // namespace sinter
