// Each elementwise op of the table has a function that records it: a row without one does not
// compile, and the compiler's error names the op.
#include "ir/module.h"
#include "ir/ops/op.h"
#include "record.h"

namespace sinter {
namespace {

using Operands = std::vector<Op>;
using RecordFn = Op (*)(const Operands&);
using Broadcast = absl::Span<const int64_t>;

template <Op (*f)(const Operand&)>
Op Unary(const Operands& x) {
  return f(x[0]);
}
template <Op (*f)(const Operand&, const Operand&, Broadcast)>
Op Binary(const Operands& x) {
  return f(x[0], x[1], {});
}
template <Op (*f)(const Operand&, const Operand&, const Operand&)>
Op Ternary(const Operands& x) {
  return f(x[0], x[1], x[2]);
}

constexpr OpRow<RecordFn> kRows[] = {
    {HloOpcode::Abs, Unary<Abs>},
    {HloOpcode::Acos, Unary<Acos>},
    {HloOpcode::Acosh, Unary<Acosh>},
    {HloOpcode::Add, Binary<Add>},
    {HloOpcode::And, Binary<And>},
    {HloOpcode::Asin, Unary<Asin>},
    {HloOpcode::Asinh, Unary<Asinh>},
    {HloOpcode::Atan, Unary<Atan>},
    {HloOpcode::Atan2, Binary<Atan2>},
    {HloOpcode::Atanh, Unary<Atanh>},
    {HloOpcode::Cbrt, Unary<Cbrt>},
    {HloOpcode::Ceil, Unary<Ceil>},
    {HloOpcode::Clamp, Ternary<Clamp>},
    {HloOpcode::Clz, Unary<Clz>},
    {HloOpcode::Compare, Binary<Eq>},
    {HloOpcode::Complex, Binary<Complex>},
    {HloOpcode::Convert, [](const Operands& x) { return ConvertElementType(x[0], kS32); }},
    {HloOpcode::Copy, Unary<Copy>},
    {HloOpcode::Cosh, Unary<Cosh>},
    {HloOpcode::Cosine, Unary<Cos>},
    {HloOpcode::Divide, Binary<Div>},
    {HloOpcode::Erf, Unary<Erf>},
    {HloOpcode::Exp, Unary<Exp>},
    {HloOpcode::Expm1, Unary<Expm1>},
    {HloOpcode::Floor, Unary<Floor>},
    {HloOpcode::Imag, Unary<Imag>},
    {HloOpcode::IsFinite, Unary<IsFinite>},
    {HloOpcode::Log, Unary<Log>},
    {HloOpcode::Log1p, Unary<Log1p>},
    {HloOpcode::Logistic, Unary<Logistic>},
    {HloOpcode::Maximum, Binary<Max>},
    {HloOpcode::Minimum, Binary<Min>},
    {HloOpcode::Mulhi, Binary<Mulhi>},
    {HloOpcode::Multiply, Binary<Mul>},
    {HloOpcode::Negate, Unary<Neg>},
    {HloOpcode::Not, Unary<Not>},
    {HloOpcode::Or, Binary<Or>},
    {HloOpcode::Popcnt, Unary<PopulationCount>},
    {HloOpcode::Power, Binary<Pow>},
    {HloOpcode::Real, Unary<Real>},
    {HloOpcode::ReducePrecision, [](const Operands& x) { return ReducePrecision(x[0], 5, 7); }},
    {HloOpcode::Remainder, Binary<Rem>},
    {HloOpcode::RoundAfz, Unary<Round>},
    {HloOpcode::RoundEven, Unary<RoundNearestEven>},
    {HloOpcode::Rsqrt, Unary<Rsqrt>},
    {HloOpcode::Select, [](const Operands& x) { return Select(Ne(x[0], x[0]), x[1], x[2]); }},
    {HloOpcode::ShiftLeft, Binary<ShiftLeft>},
    {HloOpcode::ShiftRightArithmetic, Binary<ShiftRightArithmetic>},
    {HloOpcode::ShiftRightLogical, Binary<ShiftRightLogical>},
    {HloOpcode::Sign, Unary<Sign>},
    {HloOpcode::Sine, Unary<Sin>},
    {HloOpcode::Sinh, Unary<Sinh>},
    {HloOpcode::Sqrt, Unary<Sqrt>},
    {HloOpcode::Subtract, Binary<Sub>},
    {HloOpcode::Tan, Unary<Tan>},
    {HloOpcode::Tanh, Unary<Tanh>},
    {HloOpcode::Xor, Binary<Xor>},
};
constexpr auto kRecord =
    TotalTable(kRows, [](const OpInfo& info) { return info.kind == OpKind::kElementwise; });

TEST_CASE("every elementwise op is recorded by its function") {
  for (const OpInfo& info : kOps) {
    if (info.kind != OpKind::kElementwise) continue;
    const ElementType type = info.types & kFloats       ? kF32
                             : info.types & kSignedInts ? kS32
                             : info.types & kPredicates ? kPred
                                                        : kC64;
    Builder b("t");
    Operands operands;
    for (int i = 0; i < info.arity; ++i) operands.push_back(Param(b, i, type, {2}));
    kRecord[static_cast<size_t>(info.op)](operands);
    INFO(info.name);
    const absl::StatusOr<Computation> c = b.Build();
    REQUIRE(c.ok());
    CHECK(c->module()->entry()->root()->op() == info.op);
  }
}

}  // namespace
}  // namespace sinter
