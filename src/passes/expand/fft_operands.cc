#include "passes/expand/fft_operands.h"

#include "absl/algorithm/container.h"

namespace sinter {
namespace {

// If a transpose only moves dimension d behind all others: d.
int64_t MovedToTheEnd(const HloInstruction& i) {
  if (i.op() != HloOpcode::Transpose) return -1;
  const Dims& from = i.dimensions();
  const auto rank = static_cast<int64_t>(from.size());
  const int64_t d = from.back();
  for (int64_t k = 0; k + 1 < rank; ++k) {
    if (from[static_cast<size_t>(k)] != (k < d ? k : k + 1)) return -1;
  }
  return d;
}

// Whether a transpose undoes another.
bool Undoes(const HloInstruction& i, const HloInstruction& first) {
  if (i.op() != HloOpcode::Transpose) return false;
  for (size_t k = 0; k < i.dimensions().size(); ++k) {
    if (first.dimensions()[static_cast<size_t>(i.dimensions()[k])] != static_cast<int64_t>(k))
      return false;
  }
  return true;
}

bool AlongOuterDimension(HloComputation& c, HloInstruction& fft) {
  const auto& a = fft.attrs<FftAttrs>();
  if (a.trailing != 0 || a.fft_length.size() != 1 || fft.operands().size() != 1 ||
      (a.fft_type != FftType::kFft && a.fft_type != FftType::kIfft))
    return false;
  const HloInstruction& before = *fft.operand(0);
  const int64_t d = MovedToTheEnd(before), rank = fft.shape().rank();
  if (d < 0 || d == rank - 1 || before.users().size() != 1 || fft.users().size() != 1) return false;
  HloInstruction* after = fft.users()[0];
  if (!Undoes(*after, before)) return false;
  FftAttrs along = a;
  along.trailing = rank - 1 - d;
  HloInstruction* whole =
      c.AddWithShape(HloOpcode::Fft, after->shape(), {before.operand(0)}, std::move(along));
  c.ReplaceAllUses(after, whole);
  return true;
}

bool OfParts(HloComputation& c, HloInstruction& numbers) {
  const bool only_transforms = !numbers.users().empty() && &numbers != c.root() &&
                               absl::c_all_of(numbers.users(), [](const HloInstruction* u) {
                                 return u->op() == HloOpcode::Fft && u->operands().size() == 1;
                               });
  if (!only_transforms) return false;
  const std::vector<HloInstruction*> users = numbers.users();
  for (HloInstruction* fft : users) {
    HloInstruction* of_parts = c.AddWithShape(
        HloOpcode::Fft, fft->shape(), {numbers.operand(0), numbers.operand(1)}, fft->attributes());
    c.ReplaceAllUses(fft, of_parts);
  }
  return true;
}

}  // namespace

std::unique_ptr<Pass> MakeFftOperandsPass(const TargetInfo& target) {
  return MakePass("fft-operands", [target](HloModule& module) -> absl::StatusOr<bool> {
    if (!target.calls_library()) return false;
    bool changed = false;
    for (HloComputation* c : module.PostOrder()) {
      bool own = false;
      for (HloInstruction* i : c->PostOrder())
        if (i->op() == HloOpcode::Fft) own |= AlongOuterDimension(*c, *i);
      if (own) c->RemoveDead();
      for (HloInstruction* i : c->PostOrder())
        if (i->op() == HloOpcode::Complex) own |= OfParts(*c, *i);
      if (own) c->RemoveDead();
      changed |= own;
    }
    return changed;
  });
}

}  // namespace sinter
