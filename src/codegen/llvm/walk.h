// The walk from kernel IR to LLVM IR that targets share: one linear pass, loops as phis, addresses
// hoisted by construction. A target says of how many parts (LLVM values) a tile consists and what a
// part of a broadcast operand is, and emits what touches memory or moves elements between lanes.
#pragma once

#include <functional>
#include <optional>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "codegen/kernel/kernel.h"
#include "codegen/llvm/facts.h"
#include "codegen/llvm/pointwise.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"

namespace sinter::codegen {

// Of a tile, row-major: row 0's chunks, row 1's chunks ...
using Parts = std::vector<llvm::Value*>;

class Walk {
 public:
  // Emits into `function`, which has no block yet, with `builder`, which `pointwise` uses too.
  Walk(const kernel::Kernel& kernel, llvm::Function& function, llvm::IRBuilder<>& builder,
       Pointwise& pointwise);
  virtual ~Walk() = default;
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  // The first error of the walk; what it emitted after one is of no use.
  absl::Status status() const;

 protected:
  // --- what a target supplies
  virtual int Count(const kernel::Type& type) const = 0;            // parts of a tile
  virtual int Width(const kernel::Type& type, int part) const = 0;  // lanes of a part
  // Part `part` of `v`, broadcast to a tile of `type`.
  virtual llvm::Value* Part(kernel::Value v, int part, const kernel::Type& type) = 0;
  // Everything that is neither pointwise nor control flow.
  virtual void EmitOwn(const kernel::Op& op) = 0;
  // A pointwise operation that the target does better as a whole than chunk by chunk; whether it
  // did.
  virtual bool EmitOwnPointwise(const kernel::Op&) { return false; }
  // The same of a loop.
  virtual bool EmitOwnLoop(const kernel::Op&) { return false; }

  // --- emission
  void Run(const kernel::Block& block);
  void Emit(const kernel::Op& op);
  // Runs `body` for iv in [lo, hi) by `step`, where the iv of the kernel's loop is `iv_of(iv)`;
  // `runs`: lo < hi is known.
  Parts EmitLoop(const kernel::Op& op, llvm::Value* lo, llvm::Value* hi, int64_t step, Parts init,
                 const std::function<llvm::Value*(llvm::Value*)>& iv_of = nullptr,
                 bool runs = false);
  // The same of a body that is told its iv and what the turn before it gave.
  Parts EmitRotated(llvm::Value* lo, llvm::Value* hi, int64_t step, const Parts& init, bool runs,
                    const std::function<Parts(llvm::Value*, const Parts&)>& body);
  void Clear(const kernel::Block& block);  // before a body is emitted again
  // The body once, for iv = lo, if `enter` holds.
  Parts EmitOnce(const kernel::Op& op, llvm::Value* iv, llvm::Value* enter, Parts init);
  llvm::BasicBlock* NewBlock(const char* name);
  // `then` where the condition holds; the value is `otherwise` where it does not (null where there
  // is no value).
  llvm::Value* EmitIf(llvm::Value* condition, const std::function<llvm::Value*()>& then,
                      llvm::Value* otherwise);

  // A reduction's combiner on raw parts of any width.
  Parts Combine(const kernel::Block& combiner, llvm::ArrayRef<llvm::Value*> args);

  // --- values
  const kernel::Type& type(kernel::Value v) const { return kernel_.type(v); }
  const Parts& parts(kernel::Value v) const { return env_[static_cast<size_t>(v)]; }
  void Bind(kernel::Value v, Parts parts) { env_[static_cast<size_t>(v)] = std::move(parts); }
  llvm::Value* Scalar(kernel::Value v);
  void Fail(absl::Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  llvm::Type* Register(ElementType elem, int width = 1) {
    return Widen(RegisterType(b_.getContext(), elem), width);
  }
  llvm::Type* Memory(ElementType elem, int width = 1) {
    return Widen(MemoryType(b_.getContext(), elem), width);
  }
  llvm::Value* Splat(llvm::Value* x, int width);
  static std::optional<int64_t> ConstantOf(const llvm::Value* v);
  static bool AllTrue(const llvm::Value* mask);

  // --- loop-invariant code motion by construction (address.cc): what depends on values of an outer
  // loop only, terms of addresses above all, goes to the preheader of the outermost loop that
  // defines them, so that no pass has to find it.
  // Of the loop in which a value is defined, 0 outside all; and of the insertion point.
  int Depth(const llvm::Value* v) const;
  int Depth() const { return static_cast<int>(preheaders_.size()); }
  llvm::Value* AtDepth(int depth, const std::function<llvm::Value*()>& emit);

  // --- addresses (address.cc)
  // Where the elements of a tile in memory are: element (r, c) at base + r * rows + c * cols
  // elements, plus, for each dimension that has a tile for its index, that tile's element times the
  // dimension's stride.
  struct Access {
    llvm::Value* base = nullptr;
    llvm::Value* rows = nullptr;  // i64; null where the tile does not move with the axis
    llvm::Value* cols = nullptr;
    struct Gathered {
      kernel::Value index;
      llvm::Value* stride;
    };
    std::vector<Gathered> gathered;
  };
  // `first`: the operand at which the indices start.
  Access Resolve(const kernel::Op& op, size_t first);
  // What the terms of Access::base are added to; `steps` has its `rows` and `cols` already.
  virtual llvm::Value* StartOf(const kernel::Op& op, const Access& steps);
  // base + row * rows + col * cols.
  llvm::Value* Pointer(const kernel::Op& op, const Access& access, int row, int col);
  // Sets alias information: buffers are disjoint unless they share an alias group.
  void Tag(llvm::Value* access, int buffer);

  llvm::Value* Product(llvm::Value* a, llvm::Value* b);
  llvm::Value* Offset(llvm::Value* pointer, llvm::Value* index, int buffer, int depth);

  const kernel::Kernel& kernel_;
  llvm::Function& function_;
  llvm::IRBuilder<>& b_;
  Pointwise& pointwise_;
  Facts facts_;
  std::vector<llvm::Value*> pointers_;  // of each buffer
  // Terminators of the preheaders of the loops around the insertion point.
  std::vector<llvm::Instruction*> preheaders_;

 private:
  llvm::Constant* Literal(const kernel::Op& op, ElementType elem, int width);
  void EmitPointwise(const kernel::Op& op);
  void EmitFor(const kernel::Op& op);
  void EmitWhile(const kernel::Op& op);
  void EmitConditional(const kernel::Op& op);
  void NewScopes();
  std::vector<llvm::PHINode*> Phis(llvm::ArrayRef<kernel::Value> values);
  std::vector<llvm::PHINode*> PhisLike(const Parts& parts);
  Parts Flat(llvm::ArrayRef<kernel::Value> values, llvm::ArrayRef<kernel::Value> as);
  void BindFlat(llvm::ArrayRef<kernel::Value> values, const Parts& parts);

  absl::Status status_;
  std::vector<Parts> env_;
  llvm::DenseMap<const llvm::BasicBlock*, int> depth_;
  // Terms already emitted in a block, where an earlier instruction dominates a later one.
  absl::flat_hash_map<std::tuple<llvm::BasicBlock*, llvm::Value*, llvm::Value*, int>, llvm::Value*>
      terms_;
  std::vector<llvm::MDNode*> own_scope_, other_scopes_;  // of each buffer; null: nothing is known
};

}  // namespace sinter::codegen
