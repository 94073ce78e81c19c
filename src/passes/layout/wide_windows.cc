#include "passes/layout/wide_windows.h"

#include "absl/algorithm/container.h"
#include "ir/analysis/packing.h"
#include "pass/expansion.h"
#include "pass/graph.h"

namespace sinter {
namespace {

bool IsWidened(const HloInstruction& dot, const CpuMachine& machine) {
  if (dot.op() != HloOpcode::Dot || absl::c_none_of(dot.operands(), [](const HloInstruction* o) {
        const ElementType t = o->shape().element_type();
        return o->op() == HloOpcode::Windows && Wide(t) != t;
      }))
    return false;
  if (WordOf(dot) == 2 && machine.dot_bf16) return false;
  return !IsWorthPacking(dot, &machine) || HasUnpackedWindows(dot, machine);
}

}  // namespace

std::unique_ptr<Pass> MakeWideWindowsPass(const TargetInfo& target) {
  return MakeExpansionPass(
      "wide-windows",
      [target](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (target.cpu() == nullptr || !IsWidened(i, *target.cpu())) return nullptr;
        Graph g(c, i);
        std::vector<HloInstruction*> operands;
        for (HloInstruction* o : i.operands()) {
          const bool is_of_windows = o->op() == HloOpcode::Windows;
          HloInstruction* x = g.Convert(is_of_windows ? o->operand(0) : o, ElementType::F32);
          if (is_of_windows) x = g.Windows(x, o->attrs<WindowAttrs>().window);
          operands.push_back(x);
        }
        const Shape wide(Wide(i.shape().element_type()), i.shape().dimensions());
        HloInstruction* dot =
            g.Add(HloOpcode::Dot, operands, DotAttrs(i.attrs<DotAttrs>()), {}, &wide);
        HloInstruction* result = g.Convert(dot, i.shape().element_type());
        RETURN_IF_ERROR(g.status());
        return result;
      });
}

}  // namespace sinter
