#include "absl/container/flat_hash_map.h"
#include "base/constant.h"
#include "ir/ops/dynamic.h"
#include "ir/ops/rule.h"

namespace sinter {
namespace {

template <HloOpcode op>
consteval void RowStatesNoWork(bool holds) {
  if (holds) throw op;
}
template <HloOpcode op>
consteval void RowStatesNoShapeRule(bool holds) {
  if (holds) throw op;
}
consteval bool RowsAreComplete() {
  ForEveryOp([]<HloOpcode op>() consteval {
    RowStatesNoWork<op>(Info(op).work.of_floats < 0);
    RowStatesNoShapeRule<op>(!IsStated(Info(op).infer));
  });
  return true;
}
static_assert(RowsAreComplete());

std::string NamesOf(TypeSet types) {
  std::string out;
  auto add = [&](TypeSet kind, std::string_view name) {
    if (!(types & kind)) return;
    if (!out.empty()) out += ", ";
    out += name;
  };
  add(kPredicates, "predicates");
  add(kSignedInts, "signed integers");
  add(kUnsignedInts, "unsigned integers");
  add(kFloats, "floats");
  add(kComplexes, "complex numbers");
  return out;
}

TypeSet SetOf(ElementType t) {
  switch (Kind(t)) {
    case ElementKind::kPredicate:
      return kPredicates;
    case ElementKind::kSigned:
      return kSignedInts;
    case ElementKind::kUnsigned:
      return kUnsignedInts;
    case ElementKind::kFloat:
      return kFloats;
    case ElementKind::kComplex:
      return kComplexes;
    case ElementKind::kOther:
      return 0;
  }
  return 0;
}

absl::Status CheckTable(const OpInfo& info, const InferInput& in) {
  if (info.arity != kVariadic) {
    REQUIRE(in.operands.size() == static_cast<size_t>(info.arity), "takes {} operand{}, got {}",
            info.arity, info.arity == 1 ? "" : "s", in.operands.size());
  }
  RETURN_INTERNAL_IF(in.attrs.index() != info.attrs, "has the attributes of another op");
  if (info.called != kVariadic) {
    REQUIRE(in.called.size() == static_cast<size_t>(info.called), "calls {} computation{}, got {}",
            info.called, info.called == 1 ? "" : "s", in.called.size());
  }
  if (info.types && !in.operands.empty()) {
    ElementType t = in.operand(0).element_type();
    REQUIRE(SetOf(t) & info.types, "operand 0 has element type {}, allowed are {}", Name(t),
            NamesOf(info.types));
  }
  return absl::OkStatus();
}

// ": the constraint; operands f32[2], f32[3]; result f32[2]"
absl::Status WithShapes(const absl::Status& s, HloOpcode op, const InferInput& in) {
  std::string text = Format("{}: {}", Name(op), MessageOf(s));
  const char* separator = "; operands ";
  for (const Shape* o : in.operands) {
    text += separator + o->ToString();
    separator = ", ";
  }
  if (in.declared) text += "; result " + in.declared->ToString();
  return absl::Status(s.code(), text);
}

// The label of the constraint that a wrong result violates. Of several results the first wrong one
// decides.
std::string_view ViolatedLabel(const ResultLabels& labels, const Shape& inferred,
                               const Shape& declared) {
  if (inferred.is_tuple() && declared.is_tuple()) {
    const auto &a = inferred.tuple_shapes(), &b = declared.tuple_shapes();
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      if (!infer::Agree(a[i], b[i])) return ViolatedLabel(labels, a[i], b[i]);
    }
    return labels.dimensions;
  }
  return inferred.SameDimensions(declared) && inferred.element_type() != declared.element_type()
             ? labels.element_type
             : labels.dimensions;
}

}  // namespace

std::optional<HloOpcode> OpFromName(std::string_view name) {
  // Never destroyed: other threads may outlive static destruction.
  static const auto& by_name = *[] {
    auto* map = new absl::flat_hash_map<std::string, HloOpcode>;
    for (const OpInfo& info : kOps) map->emplace(info.name, info.op);
    return map;
  }();
  auto it = by_name.find(std::string(name));
  if (it == by_name.end()) return std::nullopt;
  return it->second;
}

absl::StatusOr<Shape> InferShape(HloOpcode op, const InferInput& in) {
  const OpInfo& info = Info(op);
  if (absl::Status s = CheckTable(info, in); !s.ok()) return WithShapes(s, op, in);
  absl::StatusOr<Shape> inferred = info.infer(in);
  const auto is_static = [](const Shape* s) { return s->is_static(); };
  if (inferred.ok() && !absl::c_all_of(in.operands, is_static)) {
    if (absl::Status s = MarkDynamic(op, in, *inferred); !s.ok()) inferred = s;
  }
  if (!inferred.ok()) return WithShapes(inferred.status(), op, in);
  if (!in.declared) return inferred;
  if (!infer::Agree(*inferred, *in.declared) || !TakesDynamic(*in.declared, *inferred)) {
    const std::string_view label = ViolatedLabel(info.result, *inferred, *in.declared);
    return WithShapes(InvalidArgument("{}{}{}the result must be {}", label.empty() ? "" : "(",
                                      label, label.empty() ? "" : ") ", inferred->ToString()),
                      op, in);
  }
  return *in.declared;
}

std::string_view Name(ComparisonDirection d) {
  constexpr std::string_view kNames[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  return kNames[static_cast<size_t>(d)];
}
std::string_view Name(ComparisonType t) {
  constexpr std::string_view kNames[] = {"", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
  return kNames[static_cast<size_t>(t)];
}
std::string_view Name(Precision p) {
  constexpr std::string_view kNames[] = {"default", "high", "highest"};
  return kNames[static_cast<size_t>(p)];
}

std::string_view Name(FftType t) {
  constexpr std::string_view kNames[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  return kNames[static_cast<size_t>(t)];
}
std::string_view Name(MatrixTranspose t) {
  constexpr std::string_view kNames[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  return kNames[static_cast<size_t>(t)];
}
std::string_view Name(RandomAlgorithm a) {
  constexpr std::string_view kNames[] = {"rng_default", "rng_three_fry", "rng_philox"};
  return kNames[static_cast<size_t>(a)];
}
std::string_view Name(CustomCallApiVersion v) {
  constexpr std::string_view kNames[] = {"", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
                                         "API_VERSION_STATUS_RETURNING_UNIFIED",
                                         "API_VERSION_TYPED_FFI"};
  return kNames[static_cast<size_t>(v)];
}
std::string_view Name(RandomDistribution d) {
  constexpr std::string_view kNames[] = {"rng_uniform", "rng_normal"};
  return kNames[static_cast<size_t>(d)];
}

namespace infer {

bool Agree(const Shape& a, const Shape& b) {
  return SameType(a, b) && std::equal(a.tuple_shapes().begin(), a.tuple_shapes().end(),
                                      b.tuple_shapes().begin(), b.tuple_shapes().end(), Agree);
}

absl::StatusOr<Shape> MakeResult(ElementType t, absl::Span<const int64_t> dims) {
  absl::StatusOr<Shape> s = Shape::Make(t, dims);
  if (!s.ok()) return Annotate(s.status(), "result");
  return s;
}

}  // namespace infer
}  // namespace sinter
