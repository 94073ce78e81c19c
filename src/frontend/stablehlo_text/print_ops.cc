// The form of each operation: one total table. An operation without a row does not compile.
#include "base/status.h"
#include "frontend/stablehlo/ast.h"
#include "frontend/stablehlo_text/module_printer.h"
#include "frontend/stablehlo_text/print_preserved_attributes.h"
#include "frontend/stablehlo_text/print_text.h"
#include "ir/annotation_call.h"

namespace sinter::stablehlo {
namespace {

using PrintFunction = absl::Status (*)(ModulePrinter&, const HloInstruction&,
                                       std::string_view name);

// --- results that follow from operands: "%2 = stablehlo.add %0, %1 : tensor<2xf32>"

absl::Status Elementwise(ModulePrinter& p, const HloInstruction& i, std::string_view name) {
  return p.Plain(i, name, "", true);
}

// --- always with full types

absl::Status Typed(ModulePrinter& p, const HloInstruction& i, std::string_view name) {
  return p.Plain(i, name, "", false);
}

absl::Status Generic(ModulePrinter& p, const HloInstruction& i, std::string_view name) {
  return p.Generic(i, name, p.Operands(i), "");
}

// chlo.erf %0 : T -> T
absl::Status ChloUnary(ModulePrinter& p, const HloInstruction& i, std::string_view name) {
  std::vector<PrintedValue> operands = p.Operands(i), result = p.Begin({&i.shape()});
  p.out() +=
      Format("{} {} : {} -> {}", name, p.Names(operands), p.Types(operands), p.Types(result));
  p.End(i);
  p.Set(&i, result[0]);
  return absl::OkStatus();
}

// chlo.sinh is an approximation where elements are narrower than f64; XLA's exporter writes the
// operation itself as a call of that name.
absl::Status Sinh(ModulePrinter& p, const HloInstruction& i, std::string_view name) {
  ElementType type = i.shape().element_type();
  if (IsComplex(type) || type == ElementType::F64) return ChloUnary(p, i, name);
  std::vector<PrintedValue> operands = p.Operands(i), result = p.Begin({&i.shape()});
  p.out() += Format("stablehlo.custom_call @mhlo.sinh({}) : {}", p.Names(operands),
                    p.Signature(operands, result));
  p.End(i);
  p.Set(&i, result[0]);
  return absl::OkStatus();
}

// StableHLO has signs of signed numbers only; that of the others is the lesser of the number and 1.
absl::Status Sign(ModulePrinter& p, const HloInstruction& i, std::string_view name) {
  if (!IsUnsigned(i.shape().element_type())) return Elementwise(p, i, name);
  std::vector<PrintedValue> operands = p.Operands(i), one = p.Begin({&i.shape()});
  const std::string type = p.Types(one);
  p.out() += Format("stablehlo.constant dense<1> : {}", type);
  p.End(i);
  std::vector<PrintedValue> result = p.Begin({&i.shape()});
  p.out() += Format("stablehlo.minimum {}, {} : {}", p.Names(operands), p.Names(one), type);
  p.End(i);
  p.Set(&i, result[0]);
  return absl::OkStatus();
}

// --- no text of their own

// stablehlo.custom_call @Sharding(%0) {backend_config = "unspecified_dims=[0]"}
std::string AnnotationCallText(const AnnotationCall& call) {
  std::string attributes;
  if (!call.backend_config.empty())
    attributes = Format("backend_config = {}", QuotedText(call.backend_config));
  if (call.has_side_effect)
    attributes += Format("{}has_side_effect = true", attributes.empty() ? "" : ", ");
  return Format("stablehlo.custom_call {}(%0){}", SymbolText(call.target),
                attributes.empty() ? "" : Format(" {{{}}}", attributes));
}

// One that stands for an operation that annotates its operand is that operation.
absl::Status Copy(ModulePrinter& p, const HloInstruction& i, std::string_view) {
  PrintedValue value = p.Get(i.operand(0));
  std::string text;
  bool has_result = true;
  if (const std::optional<AnnotationCall> call = AnnotationCallOf(i)) {
    text = AnnotationCallText(*call);
    has_result = call->has_result();
  } else if (const std::string* identity = Find(i.annotations(), kIdentity)) {
    text = *identity;
    has_result = !text.starts_with("sdy.sharding_group");
  }
  const size_t at = text.find("%0");
  if (at == text.npos) {
    p.Set(&i, std::move(value));
    return absl::OkStatus();
  }
  const std::vector<PrintedValue> operands = p.Operands(i);
  std::vector<PrintedValue> results =
      p.Begin(has_result ? std::vector<const Shape*>{&i.shape()} : std::vector<const Shape*>());
  p.out() += std::string(text).replace(at, 2, operands[0].name) + " : ";
  p.out() += text.starts_with("sdy.") ? p.Types(operands) : p.Signature(operands, results);
  p.End(i);
  p.Set(&i, has_result ? results[0] : operands[0]);
  return absl::OkStatus();
}

absl::Status Tuple(ModulePrinter& p, const HloInstruction& i, std::string_view) {
  PrintedValue bundle{&i.shape(), "", {}, true};
  for (const HloInstruction* o : i.operands()) bundle.elements.push_back(p.Get(o));
  p.Set(&i, std::move(bundle));
  return absl::OkStatus();
}

absl::Status GetTupleElement(ModulePrinter& p, const HloInstruction& i, std::string_view) {
  const PrintedValue& tuple = p.Get(i.operand(0));
  int64_t index = i.attrs<TupleElementAttrs>().index;
  if (tuple.is_bundle) {
    PrintedValue element = tuple.elements[static_cast<size_t>(index)];
    p.Set(&i, std::move(element));
    return absl::OkStatus();
  }
  std::vector<PrintedValue> result = p.Begin({&i.shape()});
  p.out() += Format("stablehlo.get_tuple_element {}[{}] : {}", tuple.name, index,
                    p.Signature({tuple}, result));
  p.End(i);
  p.Set(&i, result[0]);
  return absl::OkStatus();
}

absl::Status NoForm(ModulePrinter&, const HloInstruction& i, std::string_view) {
  return Unimplemented("'{}' has no form in StableHLO ({})", Name(i.op()), i.name());
}

absl::Status Unexpected(ModulePrinter&, const HloInstruction& i, std::string_view) {
  return Internal("'{}' is printed with its function", Name(i.op()));
}

// --- special

PrintedValue PrintLiteral(ModulePrinter& p, const HloInstruction& i, const Literal& literal,
                          const Shape& shape) {
  if (shape.is_tuple()) {
    PrintedValue bundle{&shape, "", {}, true};
    for (size_t e = 0; e < literal.tuple().size(); ++e) {
      bundle.elements.push_back(PrintLiteral(p, i, literal.tuple()[e], shape.tuple_shapes()[e]));
    }
    return bundle;
  }
  std::vector<PrintedValue> result = p.Begin({&shape});
  std::string& out = p.out();
  // The value's type is that of the stored integers. The short form has no place for attributes.
  if (shape.quantization() || !AttributesText(i).empty()) {
    out += "\"stablehlo.constant\"() <{value = ";
    AppendDense(literal, out);
    out += Format(" : {}}}> : () -> {}", ToText(literal.shape()), ToText(shape));
  } else {
    out += "stablehlo.constant ";
    AppendDense(literal, out);
    out += " : " + ToText(shape);
  }
  p.End(i);
  return result[0];
}

absl::Status Constant(ModulePrinter& p, const HloInstruction& i, std::string_view) {
  p.Set(&i, PrintLiteral(p, i, i.literal(), i.shape()));
  return absl::OkStatus();
}

absl::Status Iota(ModulePrinter& p, const HloInstruction& i, std::string_view) {
  std::vector<PrintedValue> result = p.Begin({&i.shape()});
  p.out() +=
      Format("stablehlo.iota dim = {} : {}", i.attrs<IotaAttrs>().iota_dimension, p.Types(result));
  p.End(i);
  p.Set(&i, result[0]);
  return absl::OkStatus();
}

absl::Status AfterAll(ModulePrinter& p, const HloInstruction& i, std::string_view name) {
  return i.operands().empty() ? Generic(p, i, name) : Elementwise(p, i, name);
}

// The elements of a tuple are operands of their own.
absl::Status Barrier(ModulePrinter& p, const HloInstruction& i, std::string_view) {
  std::vector<PrintedValue> operands = p.Leaves(p.Get(i.operand(0)));
  std::vector<const Shape*> shapes;
  for (const PrintedValue& o : operands) shapes.push_back(o.shape);
  std::vector<PrintedValue> results;
  if (!operands.empty()) {
    results = p.Begin(shapes);
    p.out() +=
        Format("stablehlo.optimization_barrier {} : {}", p.Names(operands), p.Types(operands));
    p.End(i);
  }
  size_t next = 0;
  p.Set(&i, p.FromLeaves(i.shape(), results, &next));
  return absl::OkStatus();
}

absl::Status Call(ModulePrinter& p, const HloInstruction& i, std::string_view) { return p.Call(i); }
absl::Status While(ModulePrinter& p, const HloInstruction& i, std::string_view) {
  return p.While(i);
}
absl::Status Conditional(ModulePrinter& p, const HloInstruction& i, std::string_view) {
  return p.Conditional(i);
}

// --- a list of dimensions, a word

absl::Status BroadcastInDim(ModulePrinter& p, const HloInstruction& i, std::string_view name) {
  return p.Plain(i, name, ", dims = " + ListText(i.dimensions()), false);
}
absl::Status Reverse(ModulePrinter& p, const HloInstruction& i, std::string_view name) {
  return p.Plain(i, name, ", dims = " + ListText(i.dimensions()), true);
}
absl::Status Concatenate(ModulePrinter& p, const HloInstruction& i, std::string_view name) {
  return p.Plain(i, name, Format(", dim = {}", i.dimensions()[0]), false);
}
absl::Status DynamicSlice(ModulePrinter& p, const HloInstruction& i, std::string_view name) {
  return p.Plain(i, name, ", sizes = " + ListText(i.attrs<DynamicSliceAttrs>().dynamic_slice_sizes),
                 false);
}
absl::Status DimensionSize(ModulePrinter& p, const HloInstruction& i, std::string_view name) {
  return p.Plain(i, name, Format(", dim = {}", i.dimensions()[0]), false);
}
// The sizes are one operand, a vector.
absl::Status DynamicReshape(ModulePrinter& p, const HloInstruction& i, std::string_view name) {
  std::vector<PrintedValue> operands = p.Operands(i), sizes;
  const Shape one(ElementType::S32, {1}), all(ElementType::S32, {i.shape().rank()});
  for (size_t k = 1; k < operands.size(); ++k) {
    std::vector<PrintedValue> size = p.Begin({&one});
    p.out() +=
        Format("stablehlo.reshape {} : {}", operands[k].name, p.Signature({operands[k]}, size));
    p.End(i);
    sizes.push_back(size[0]);
  }
  std::vector<PrintedValue> vector = p.Begin({&all});
  if (sizes.empty()) {
    p.out() += "stablehlo.constant dense<> : " + ToText(all);
  } else {
    p.out() += Format("stablehlo.concatenate {}, dim = 0 : {}", p.Names(sizes),
                      p.Signature(sizes, vector));
  }
  p.End(i);
  std::vector<PrintedValue> result = p.Begin({&i.shape()});
  operands = {operands[0], vector[0]};
  p.out() += Format("{} {} : {}", name, p.Names(operands), p.Signature(operands, result));
  p.End(i);
  p.Set(&i, result[0]);
  return absl::OkStatus();
}
absl::Status Map(ModulePrinter& p, const HloInstruction& i, std::string_view name) {
  // HLO may leave them out: all, in order.
  Dims dims;
  for (int64_t d = 0; d < i.shape().rank(); ++d) dims.push_back(d);
  return p.Generic(i, name, p.Operands(i), Format("dimensions = {}", ArrayText(dims)));
}
absl::Status ReducePrecision(ModulePrinter& p, const HloInstruction& i, std::string_view name) {
  const auto& a = i.attrs<ReducePrecisionAttrs>();
  return p.Plain(i, name, Format(", format = e{}m{}", a.exponent_bits, a.mantissa_bits), true);
}
absl::Status Compare(ModulePrinter& p, const HloInstruction& i, std::string_view name) {
  const auto& a = i.attrs<CompareAttrs>();
  std::string type;
  if (a.type != ComparisonType::kDefault) type = Format(", {}", Name(a.type));
  return p.Plain(i, Format("{} {},", name, Name(a.direction)), type, false);
}

// --- with forms in print_attributes.cc

template <absl::Status (*kPrint)(ModulePrinter&, const HloInstruction&)>
absl::Status Do(ModulePrinter& p, const HloInstruction& i, std::string_view) {
  return kPrint(p, i);
}

struct PrintRow {
  PrintFunction print = nullptr;
  std::string_view name;  // in StableHLO, where the function needs it
};
constexpr sinter::OpRow<PrintRow> kPrintRows[] = {
    {HloOpcode::Parameter, {Unexpected, ""}},
    {HloOpcode::Constant, {Constant, ""}},
    {HloOpcode::Iota, {Iota, ""}},
    {HloOpcode::Tuple, {Tuple, ""}},
    {HloOpcode::GetTupleElement, {GetTupleElement, ""}},
    {HloOpcode::Call, {Call, ""}},
    {HloOpcode::Map, {Map, "stablehlo.map"}},
    {HloOpcode::While, {While, ""}},
    {HloOpcode::Conditional, {Conditional, ""}},
    {HloOpcode::Scan, {Do<print::Scan>, ""}},
    {HloOpcode::Fusion, {Call, ""}},
    {HloOpcode::CustomCall, {Do<print::CustomCall>, ""}},
    {HloOpcode::OptimizationBarrier, {Barrier, ""}},
    {HloOpcode::AfterAll, {AfterAll, "stablehlo.after_all"}},

    {HloOpcode::Abs, {Elementwise, "stablehlo.abs"}},
    {HloOpcode::Acos, {ChloUnary, "chlo.acos"}},
    {HloOpcode::Acosh, {ChloUnary, "chlo.acosh"}},
    {HloOpcode::Asin, {ChloUnary, "chlo.asin"}},
    {HloOpcode::Asinh, {ChloUnary, "chlo.asinh"}},
    {HloOpcode::Atan, {ChloUnary, "chlo.atan"}},
    {HloOpcode::Atanh, {ChloUnary, "chlo.atanh"}},
    {HloOpcode::Cbrt, {Elementwise, "stablehlo.cbrt"}},
    {HloOpcode::Ceil, {Elementwise, "stablehlo.ceil"}},
    {HloOpcode::Clz, {Elementwise, "stablehlo.count_leading_zeros"}},
    {HloOpcode::Convert, {Typed, "stablehlo.convert"}},
    {HloOpcode::BitcastConvert, {Typed, "stablehlo.bitcast_convert"}},
    {HloOpcode::Copy, {Copy, ""}},
    {HloOpcode::Cosh, {ChloUnary, "chlo.cosh"}},
    {HloOpcode::Cosine, {Elementwise, "stablehlo.cosine"}},
    {HloOpcode::Erf, {ChloUnary, "chlo.erf"}},
    {HloOpcode::Exp, {Elementwise, "stablehlo.exponential"}},
    {HloOpcode::Expm1, {Elementwise, "stablehlo.exponential_minus_one"}},
    {HloOpcode::Floor, {Elementwise, "stablehlo.floor"}},
    {HloOpcode::Imag, {Elementwise, "stablehlo.imag"}},
    {HloOpcode::IsFinite, {Typed, "stablehlo.is_finite"}},
    {HloOpcode::Log, {Elementwise, "stablehlo.log"}},
    {HloOpcode::Log1p, {Elementwise, "stablehlo.log_plus_one"}},
    {HloOpcode::Logistic, {Elementwise, "stablehlo.logistic"}},
    {HloOpcode::Negate, {Elementwise, "stablehlo.negate"}},
    {HloOpcode::Not, {Elementwise, "stablehlo.not"}},
    {HloOpcode::Popcnt, {Elementwise, "stablehlo.popcnt"}},
    {HloOpcode::Real, {Elementwise, "stablehlo.real"}},
    {HloOpcode::ReducePrecision, {ReducePrecision, "stablehlo.reduce_precision"}},
    {HloOpcode::RoundAfz, {Elementwise, "stablehlo.round_nearest_afz"}},
    {HloOpcode::RoundEven, {Elementwise, "stablehlo.round_nearest_even"}},
    {HloOpcode::Rsqrt, {Elementwise, "stablehlo.rsqrt"}},
    {HloOpcode::Sign, {Sign, "stablehlo.sign"}},
    {HloOpcode::Sine, {Elementwise, "stablehlo.sine"}},
    {HloOpcode::Sinh, {Sinh, "chlo.sinh"}},
    {HloOpcode::Sqrt, {Elementwise, "stablehlo.sqrt"}},
    {HloOpcode::Tan, {Elementwise, "stablehlo.tan"}},
    {HloOpcode::Tanh, {Elementwise, "stablehlo.tanh"}},

    {HloOpcode::Add, {Elementwise, "stablehlo.add"}},
    {HloOpcode::And, {Elementwise, "stablehlo.and"}},
    {HloOpcode::Atan2, {Elementwise, "stablehlo.atan2"}},
    {HloOpcode::Compare, {Compare, "stablehlo.compare"}},
    {HloOpcode::Complex, {Typed, "stablehlo.complex"}},
    {HloOpcode::Divide, {Elementwise, "stablehlo.divide"}},
    {HloOpcode::Maximum, {Elementwise, "stablehlo.maximum"}},
    {HloOpcode::Minimum, {Elementwise, "stablehlo.minimum"}},
    {HloOpcode::Mulhi, {Generic, "chlo.mulhi"}},
    {HloOpcode::Multiply, {Elementwise, "stablehlo.multiply"}},
    {HloOpcode::Or, {Elementwise, "stablehlo.or"}},
    {HloOpcode::Power, {Elementwise, "stablehlo.power"}},
    {HloOpcode::Remainder, {Elementwise, "stablehlo.remainder"}},
    {HloOpcode::ShiftLeft, {Elementwise, "stablehlo.shift_left"}},
    {HloOpcode::ShiftRightArithmetic, {Elementwise, "stablehlo.shift_right_arithmetic"}},
    {HloOpcode::ShiftRightLogical, {Elementwise, "stablehlo.shift_right_logical"}},
    {HloOpcode::Subtract, {Elementwise, "stablehlo.subtract"}},
    {HloOpcode::Xor, {Elementwise, "stablehlo.xor"}},
    {HloOpcode::Clamp, {Elementwise, "stablehlo.clamp"}},
    {HloOpcode::Select, {Typed, "stablehlo.select"}},

    {HloOpcode::Broadcast, {BroadcastInDim, "stablehlo.broadcast_in_dim"}},
    {HloOpcode::Reshape, {Typed, "stablehlo.reshape"}},
    {HloOpcode::Transpose, {BroadcastInDim, "stablehlo.transpose"}},
    {HloOpcode::Slice, {Do<print::Slice>, ""}},
    {HloOpcode::Pad, {Do<print::Pad>, ""}},
    {HloOpcode::Concatenate, {Concatenate, "stablehlo.concatenate"}},
    {HloOpcode::Reverse, {Reverse, "stablehlo.reverse"}},
    {HloOpcode::DynamicSlice, {DynamicSlice, "stablehlo.dynamic_slice"}},
    {HloOpcode::DynamicUpdateSlice, {Typed, "stablehlo.dynamic_update_slice"}},
    {HloOpcode::DynamicReshape, {DynamicReshape, "stablehlo.dynamic_reshape"}},
    {HloOpcode::GetDimensionSize, {DimensionSize, "stablehlo.get_dimension_size"}},
    {HloOpcode::SetDimensionSize, {DimensionSize, "stablehlo.set_dimension_size"}},
    {HloOpcode::Gather, {Do<print::Gather>, ""}},

    {HloOpcode::Scatter, {Do<print::Scatter>, ""}},
    {HloOpcode::Sort, {Do<print::Sort>, ""}},
    {HloOpcode::TopK, {Do<print::TopK>, ""}},
    {HloOpcode::Fft, {Do<print::Fft>, ""}},
    {HloOpcode::Cholesky, {Do<print::Cholesky>, ""}},
    {HloOpcode::TriangularSolve, {Do<print::TriangularSolve>, ""}},
    {HloOpcode::Rng, {Do<print::Rng>, ""}},
    {HloOpcode::RngBitGenerator, {Do<print::RngBitGenerator>, ""}},
    {HloOpcode::RngGetAndUpdateState, {NoForm, ""}},
    {HloOpcode::Windows, {NoForm, ""}},

    {HloOpcode::Reduce, {Do<print::Reduce>, ""}},
    {HloOpcode::Dot, {Do<print::Dot>, ""}},
    {HloOpcode::RaggedDot, {Do<print::RaggedDot>, ""}},
    {HloOpcode::BatchNormGrad, {Do<print::BatchNorm>, ""}},
    {HloOpcode::BatchNormInference, {Do<print::BatchNorm>, ""}},
    {HloOpcode::BatchNormTraining, {Do<print::BatchNorm>, ""}},
    {HloOpcode::Convolution, {Do<print::Convolution>, ""}},
    {HloOpcode::ReduceWindow, {Do<print::ReduceWindow>, ""}},
    {HloOpcode::SelectAndScatter, {Do<print::SelectAndScatter>, ""}},

    {HloOpcode::AllGather, {Do<print::AllGather>, ""}},
    {HloOpcode::AllReduce, {Do<print::AllReduce>, ""}},
    {HloOpcode::AllToAll, {Do<print::AllToAll>, ""}},
    {HloOpcode::CollectiveBroadcast, {Do<print::CollectiveBroadcast>, ""}},
    {HloOpcode::CollectivePermute, {Do<print::CollectivePermute>, ""}},
    {HloOpcode::CollectiveReduce, {Do<print::CollectiveReduce>, ""}},
    {HloOpcode::RaggedAllToAll, {NoForm, ""}},
    {HloOpcode::ReduceScatter, {Do<print::ReduceScatter>, ""}},
    {HloOpcode::PartitionId, {Generic, "stablehlo.partition_id"}},
    {HloOpcode::ReplicaId, {Generic, "stablehlo.replica_id"}},
    {HloOpcode::Infeed, {Do<print::Infeed>, ""}},
    {HloOpcode::Outfeed, {Do<print::Outfeed>, ""}},
    {HloOpcode::Recv, {Do<print::Recv>, ""}},
    {HloOpcode::RecvDone, {Do<print::RecvDone>, ""}},
    {HloOpcode::Send, {Do<print::Send>, ""}},
    {HloOpcode::SendDone, {Do<print::SendDone>, ""}},
};
constexpr auto kPrinters = TotalTable(kPrintRows);

}  // namespace

absl::Status PrintOperation(ModulePrinter& p, const HloInstruction& i) {
  const PrintRow& row = kPrinters[static_cast<size_t>(i.op())];
  return row.print(p, i, row.name);
}

}  // namespace sinter::stablehlo
