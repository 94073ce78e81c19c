#include "codegen/kernel/alias.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "codegen/kernel/forms.h"
#include "codegen/kernel/text.h"

namespace sinter::kernel {
namespace {

constexpr int kMaxDigits = 8;  // divisions of a task's number one after the other

// Where an operation stands: its place in each enclosing block, the top first.
struct BlockPosition {
  const Block* block = nullptr;
  size_t index = 0;
  const Op& op() const { return block->ops[index]; }
};
struct Access {
  const Op* op = nullptr;
  std::vector<BlockPosition> path;
};

class AliasChecker {
 public:
  AliasChecker(const Kernel& kernel, std::vector<std::string>& errors)
      : k_(kernel), errors_(errors), fixed_(kernel.types.size()), forms_(kernel, prover_) {}

  void All() {
    Collect(k_.top);
    for (const Access& store : stores_) {
      for (const Access& load : loads_) {
        const Buffer &to = BufferOf(store), &from = BufferOf(load);
        if (store.op->buffer == load.op->buffer || to.alias_group != from.alias_group) continue;
        if (!SameLayout(to, from)) {
          Fail(store, load, "lies otherwise in memory than");
        } else if (!Harmless(store, load)) {
          Fail(store, load, "is not known to leave alone what is still to be read of");
        }
      }
    }
  }

 private:
  const Buffer& BufferOf(const Access& a) const {
    return k_.buffers[static_cast<size_t>(a.op->buffer)];
  }
  void Fail(const Access& store, const Access& load, std::string_view what) {
    errors_.push_back(Format("{}: @{} {} @{}, of the same alias group, by {}", Print(k_, *store.op),
                             BufferOf(store).name, what, BufferOf(load).name, Print(k_, *load.op)));
  }
  void Collect(const Block& block) {
    for (size_t i = 0; i < block.ops.size(); ++i) {
      const Op& op = block.ops[i];
      if (IsFixed(op)) {
        fixed_[static_cast<size_t>(op.results[0])] = true;
        forms_.Define(op);
        if (k_.type(op.results[0]) == kIndexType) forms_.Form(op.results[0]);
      }
      path_.push_back({&block, i});
      const bool memory = op.code == OpCode::kLoad || op.code == OpCode::kStore;
      if (memory && k_.buffers[static_cast<size_t>(op.buffer)].alias_group >= 0)
        (op.code == OpCode::kLoad ? loads_ : stores_).push_back({&op, path_});
      for (const Block& region : op.regions) Collect(region);
      path_.pop_back();
    }
  }

  // Whether every execution of it gives the same: it takes constants, and elements of buffers that
  // nothing writes.
  bool IsFixed(const Op& op) const {
    if (!op.regions.empty() || op.results.size() != 1 || !k_.type(op.results[0]).is_scalar())
      return false;
    if (op.code == OpCode::kLoad) {
      const Buffer& from = k_.buffers[static_cast<size_t>(op.buffer)];
      if (from.written || from.alias_group >= 0) return false;
    }
    if (op.operands.empty()) return op.code == OpCode::kConst;
    return std::all_of(op.operands.begin(), op.operands.end(),
                       [&](Value v) { return fixed_[static_cast<size_t>(v)]; });
  }

  // --- buffers

  const Op* ConstantAt(Value v) const {
    for (const Op& op : k_.top.ops) {
      if (op.code == OpCode::kConst && op.results[0] == v) return &op;
    }
    return nullptr;
  }
  // Whether x * x_unit = y * y_unit.
  bool SameExtent(Value x, int x_unit, Value y, int y_unit) const {
    if (x == y && x_unit == y_unit) return true;
    const Op *a = ConstantAt(x), *b = ConstantAt(y);
    return a != nullptr && b != nullptr && a->int_value * x_unit == b->int_value * y_unit;
  }
  bool SameLayout(const Buffer& a, const Buffer& b) const {
    const size_t rank = a.shape.size();
    const int wide = ByteWidth(a.elem), other = ByteWidth(b.elem);
    if (b.shape.size() != rank) return false;
    for (size_t d = 0; d < rank; ++d) {
      const bool minor = d + 1 == rank;
      // Where elements differ in width, the minor dimension is one of bytes.
      if (!SameExtent(a.shape[d], minor ? wide : 1, b.shape[d], minor ? other : 1)) return false;
      const bool scaled = !minor || wide == other;
      if (!SameExtent(a.strides[d], scaled ? wide : 1, b.strides[d], scaled ? other : 1))
        return false;
    }
    return true;
  }

  // --- executions

  void DefineAll(Forms& forms, const Op& op) {
    forms.Define(op);
    for (const Block& region : op.regions) {
      for (const Op& inner : region.ops) DefineAll(forms, inner);
    }
  }
  // Walks what stands before `place` in its block.
  void WalkTo(Forms& forms, const BlockPosition& place) {
    for (size_t i = 0; i < place.index; ++i) {
      const Op& op = place.block->ops[i];
      DefineAll(forms, op);
      for (Value v : op.results) {
        if (k_.type(v) == kIndexType) forms.Form(v);
      }
    }
  }
  // Enters the region of `place`'s operation that is the block `next`.
  void EnterRegion(Forms& forms, const Op& op, const Block* next) {
    DefineAll(forms, op);
    if (op.code == OpCode::kFor) forms.EnterFor(op);
    if (op.code == OpCode::kIf) forms.Assume(op.operands[0], next == &op.regions[0]);
    if (op.code == OpCode::kWhile) {
      forms.EnterWhile(op);
      if (next == &op.regions[1]) forms.Assume(op.regions[0].yield[0], true);
    }
  }
  // From within the block of path[level] to the access.
  void Descend(Forms& forms, const Access& access, size_t level) {
    for (; level < access.path.size(); ++level) {
      WalkTo(forms, access.path[level]);
      if (level + 1 < access.path.size())
        EnterRegion(forms, access.path[level].op(), access.path[level + 1].block);
    }
    const Op& op = *access.op;
    const bool load = op.code == OpCode::kLoad;
    forms.EnterTile(k_.type(load ? op.results[0] : op.operands[0]));
    const size_t from = load ? 0 : 1;
    if (op.masked) forms.Assume(op.operands[from + BufferOf(access).shape.size()], true);
  }

  bool Harmless(const Access& store, const Access& load) {
    size_t common = 0;  // levels whose blocks both stand in
    while (common < store.path.size() && common < load.path.size() &&
           store.path[common].block == load.path[common].block)
      ++common;
    Forms shared = forms_;
    for (size_t level = 0; level < common; ++level) {
      WalkTo(shared, store.path[level]);
      if (level + 1 == common) break;
      // Executions that diverge in this operation, and agree on all around it.
      const Op& op = store.path[level].op();
      const bool loop = op.code == OpCode::kFor || op.code == OpCode::kWhile;
      if (loop && !Apart(shared, store, load, level, /*same=*/false)) return false;
      EnterRegion(shared, op, store.path[level + 1].block);
    }
    const BlockPosition &s = store.path[common - 1], &l = load.path[common - 1];
    if (l.index < s.index) return true;  // the same execution reads first
    if (l.index == s.index && s.op().code == OpCode::kIf) return true;  // or does not do both
    return Apart(shared, store, load, common - 1, /*same=*/true);
  }
  // Whether no store touches an element that a load still reads. `same`: within one execution of
  // the block at `level`; else in different iterations of the loop that stands there: of a
  // sequential one, the store in an earlier one.
  bool Apart(const Forms& shared, const Access& store, const Access& load, size_t level,
             bool same) {
    const Forms::Scope scope = shared.Enter();
    Forms reads = shared, writes = shared;
    Descend(reads, load, level);
    Descend(writes, store, level);
    bool apart = false;
    if (!same && store.path[level].op().code == OpCode::kFor) {
      const Op& loop = store.path[level].op();
      const Value variable = loop.regions[0].args[0];
      apart = DifferWhere(reads, writes, {&load, &store}, reads.Form(variable),
                          writes.Form(variable), loop.int_value, loop.loop == LoopKind::kPar, 0);
    } else {
      apart = Differ(reads, writes, {&load, &store});
    }
    prover_.Pop(scope.facts);
    return apart;
  }

  // --- elements

  struct Pair {
    const Access *load, *store;
  };

  // Whether the elements that are read and written differ if x, of the reading execution, and y, of
  // the writing one, differ by at least `gap`; `both`: either may be the greater, else x is.
  bool DifferWhere(Forms& reads, Forms& writes, Pair pair, const Affine& x, const Affine& y,
                   int64_t gap, bool both, int digits) {
    auto differ_if = [&](const Affine& fact) {
      if (prover_.NotNegative(Affine(-1) - fact)) return true;  // a loop of one iteration
      const size_t depth = prover_.depth();
      prover_.Push(fact);
      const bool differ = Differ(reads, writes, pair);
      prover_.Pop(depth);
      return differ;
    };
    if (differ_if(x - y - Affine(gap)) && (!both || differ_if(y - x - Affine(gap)))) return true;
    if (digits == kMaxDigits) return false;
    // Two numbers differ if and only if their quotients or their remainders do.
    for (const Forms::Division& a : reads.divisions()) {
      if (!(a.a == x) || !a.b.is_constant()) continue;
      for (const Forms::Division& b : writes.divisions()) {
        if (!(b.a == y) || !(b.b == a.b)) continue;
        if (DifferWhere(reads, writes, pair, a.quotient, b.quotient, 1, true, digits + 1) &&
            DifferWhere(reads, writes, pair, a.remainder, b.remainder, 1, true, digits + 1))
          return true;
      }
    }
    return false;
  }
  // Whether one index does.
  bool Differ(Forms& reads, Forms& writes, Pair pair) {
    const Buffer &from = BufferOf(*pair.load), &to = BufferOf(*pair.store);
    const size_t rank = from.shape.size();
    const bool bytes = ByteWidth(from.elem) != ByteWidth(to.elem);
    for (size_t d = 0; d < rank; ++d) {
      if (k_.type(pair.load->op->operands[d]).elem != kIndexType.elem ||
          k_.type(pair.store->op->operands[1 + d]).elem != kIndexType.elem)
        continue;
      const bool scaled = bytes && d + 1 == rank;
      const int64_t read = scaled ? ByteWidth(from.elem) : 1,
                    written = scaled ? ByteWidth(to.elem) : 1;
      const Affine x = reads.Index(*pair.load->op, 0, d).Times(read),
                   y = writes.Index(*pair.store->op, 1, d).Times(written);
      if (prover_.NotNegative(x - y - Affine(written)) || prover_.NotNegative(y - x - Affine(read)))
        return true;
    }
    return false;
  }

  const Kernel& k_;
  std::vector<std::string>& errors_;
  std::vector<BlockPosition> path_;
  std::vector<Access> loads_, stores_;
  Prover prover_;
  std::vector<bool> fixed_;  // by value
  Forms forms_;              // of what is fixed, which all executions share
};

}  // namespace

void CheckAliases(const Kernel& kernel, std::vector<std::string>& errors) {
  const bool any = std::any_of(kernel.buffers.begin(), kernel.buffers.end(),
                               [](const Buffer& b) { return b.alias_group >= 0; });
  if (any) AliasChecker(kernel, errors).All();
}

}  // namespace sinter::kernel
