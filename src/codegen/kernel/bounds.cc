#include "codegen/kernel/bounds.h"

#include "base/text.h"
#include "codegen/kernel/forms.h"
#include "codegen/kernel/text.h"

namespace sinter::kernel {
namespace {

class BoundsChecker {
 public:
  BoundsChecker(const Kernel& kernel, std::vector<std::string>& errors)
      : k_(kernel), errors_(errors), forms_(kernel, prover_) {}

  void All() { Walk(k_.top); }

 private:
  void Walk(const Block& block) {
    for (const Op& op : block.ops) {
      forms_.Define(op);
      switch (op.code) {
        case OpCode::kLoad:
          Access(op, 0, k_.type(op.results[0]));
          break;
        case OpCode::kStore:
          Access(op, 1, k_.type(op.operands[0]));
          break;
        case OpCode::kFor:
          WalkFor(op);
          break;
        case OpCode::kWhile:
          WalkWhile(op);
          break;
        case OpCode::kIf:
          WalkIf(op);
          break;
        default:
          break;
      }
      // Now, so that the atoms of a value are older than those of its uses.
      for (Value v : op.results) {
        if (k_.type(v) == kIndexType) forms_.Form(v);
      }
    }
  }
  void WalkIf(const Op& op) {
    for (size_t i = 0; i < 2; ++i) {
      const Forms::Scope scope = forms_.Enter();
      forms_.Assume(op.operands[0], i == 0);
      Walk(op.regions[i]);
      forms_.Leave(scope);
    }
  }
  void WalkFor(const Op& op) {
    const int64_t multiple = forms_.EnterFor(op);
    if (op.tail == Tail::kExact && multiple % op.int_value != 0) {
      errors_.push_back(
          Format("{}: the step is not known to divide the range, which is a multiple of {}",
                 Print(k_, op), multiple));
    }
    Walk(op.regions[0]);
  }
  void WalkWhile(const Op& op) {
    forms_.EnterWhile(op);
    Walk(op.regions[0]);
    const Forms::Scope scope = forms_.Enter();
    forms_.Assume(op.regions[0].yield[0], true);
    Walk(op.regions[1]);
    forms_.Leave(scope);
  }

  // `from` is the first index operand, `type` the tile that moves.
  void Access(const Op& op, size_t from, const Type& type) {
    const Buffer& buffer = k_.buffers[static_cast<size_t>(op.buffer)];
    const size_t rank = buffer.shape.size();
    const Forms::Scope scope = forms_.Enter();
    forms_.EnterTile(type);
    if (op.masked) forms_.Assume(op.operands[from + rank], true);
    for (size_t d = 0; d < rank; ++d) {
      if (!(k_.type(op.operands[from + d]) == kIndexType))
        continue;  // a gather clamps before it loads
      const Affine index = forms_.Index(op, from, d);
      const bool low = prover_.NotNegative(index);
      if (low && prover_.NotNegative(forms_.Form(buffer.shape[d]) - Affine(1) - index)) continue;
      errors_.push_back(Format("{}: index {} is not known to be {}", Print(k_, op), d,
                               low ? "below the extent of its dimension" : "at least 0"));
    }
    forms_.Leave(scope);
    forms_.LeaveTile();
  }

  const Kernel& k_;
  std::vector<std::string>& errors_;
  Prover prover_;
  Forms forms_;
};

}  // namespace

void CheckBounds(const Kernel& kernel, std::vector<std::string>& errors) {
  BoundsChecker(kernel, errors).All();
}

}  // namespace sinter::kernel
