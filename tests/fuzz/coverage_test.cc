// Whether random programs contain every elementwise op, of each kind of element that its row
// allows.
#include <array>
#include <catch2/catch.hpp>

#include "fuzz/generate.h"
#include "ir/ops/op.h"

namespace sinter::fuzz {
namespace {

TypeSet KindOf(ElementType t) {
  if (IsComplex(t)) return kComplexes;
  if (IsFloat(t)) return kFloats;
  if (t == ElementType::PRED) return kPredicates;
  return IsSigned(t) ? kSignedInts : kUnsignedInts;
}

std::string Names(TypeSet kinds) {
  std::string out;
  for (auto [kind, name] : {std::pair(kPredicates, " predicates"),
                            {kSignedInts, " signed"},
                            {kUnsignedInts, " unsigned"},
                            {kFloats, " floats"},
                            {kComplexes, " complex"}}) {
    if (kinds & kind) out += name;
  }
  return out;
}

// What random programs are without. An entry that is not needed fails the test too.
struct Lack {
  HloOpcode op;
  TypeSet kinds;
};
constexpr Lack kLacks[] = {
    {HloOpcode::ReducePrecision, kFloats},
};

TEST_CASE("random programs contain every elementwise op of every kind of element") {
  std::array<TypeSet, kOpCount> seen{};
  for (uint64_t seed = 1; seed <= 4000; ++seed) {
    const Program program = Generate(seed);
    for (const Function& f : program.functions) {
      for (const Node& n : f.nodes) {
        const auto op = OpFromName(n.op);
        // The operand whose kind tells is that of the values.
        const size_t of = op == HloOpcode::Select ? 1 : 0;
        if (!op || n.operands.size() <= of) continue;
        seen[static_cast<size_t>(*op)] |= KindOf(f.nodes[static_cast<size_t>(n.operands[of])].type);
      }
    }
  }
  std::array<TypeSet, kOpCount> lacks{};
  for (const Lack& lack : kLacks) lacks[static_cast<size_t>(lack.op)] = lack.kinds;
  for (const OpInfo& info : kOps) {
    if (info.kind != OpKind::kElementwise) continue;
    const auto at = static_cast<size_t>(info.op);
    const TypeSet missing = info.types & ~seen[at];
    INFO(info.name << ": missing" << Names(missing) << ", stated as missing" << Names(lacks[at]));
    CHECK(missing == lacks[at]);
  }
}

}  // namespace
}  // namespace sinter::fuzz
