#include "frontend/program/memory_kinds.h"

#include <string_view>

#include "frontend/stablehlo/preserved_attributes.h"
#include "ir/module.h"
#include "types/leaves.h"

namespace sinter {
namespace {

constexpr std::string_view kMemoryKind = "mhlo.memory_kind";

std::string StatedKind(const Annotated& of, std::string_view name) {
  const std::string* value = Find(of.annotations(), name);
  if (value == nullptr) return "";
  const bool quoted = value->size() >= 2 && value->front() == '"' && value->back() == '"';
  return quoted ? value->substr(1, value->size() - 2) : "";
}

}  // namespace

MemoryKinds StatedMemoryKinds(const Computation& program) {
  MemoryKinds kinds;
  if (program.IsNull()) return kinds;
  const HloComputation& entry = *program.module()->entry();
  for (const HloInstruction* p : entry.parameters())
    kinds.parameters.resize(kinds.parameters.size() + Leaves(p->shape()).size(),
                            StatedKind(*p, kMemoryKind));
  // A function of StableHLO has as many results as the tuple has elements.
  const Shape& result = entry.root()->shape();
  const size_t count = result.is_tuple() ? result.tuple_shapes().size() : 1;
  for (size_t i = 0; i < count; ++i) {
    const Shape& element = result.is_tuple() ? result.tuple_shapes()[i] : result;
    kinds.results.resize(kinds.results.size() + Leaves(element).size(),
                         StatedKind(entry, stablehlo::ResultPrefix(i) + std::string(kMemoryKind)));
  }
  return kinds;
}

}  // namespace sinter
