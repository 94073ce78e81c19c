// Affine forms of a kernel's index values, along a walk through its blocks.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "codegen/kernel/affine.h"
#include "codegen/kernel/kernel.h"

namespace sinter::kernel {

// A walk defines operations in their order, enters loops and conditions, and asks for forms. A copy
// goes on from where the original stands, as another execution of what follows: what both know is
// shared, what either enters from then on has atoms of its own.
class Forms {
 public:
  // The prover is shared by copies and outlives them.
  Forms(const Kernel& kernel, Prover& prover);

  // Makes an operation's results known; those of its regions must have been, where they are asked
  // for.
  void Define(const Op& op);
  // The form of an S64 value; of a tile, that of its element at the position of EnterTile.
  Affine Form(Value v);
  // Of dimension d at that position, the first index being operand `from`.
  Affine Index(const Op& op, size_t from, size_t d);

  struct Scope {
    size_t facts, divisions;
  };
  Scope Enter() const { return {prover_->depth(), divisions_.size()}; }
  // Forgets what has been assumed since.
  void Leave(Scope scope);
  // Makes known what follows from `condition` being `truth`, at the position in the tile.
  void Assume(Value condition, bool truth);
  // A position in a tile, and no longer.
  void EnterTile(const Type& type);
  void LeaveTile();

  // Gives a loop's variable and carries their forms. For `for`: what is known to divide the range
  // (0: everything).
  int64_t EnterFor(const Op& op);
  void EnterWhile(const Op& op);

  // a = quotient * b + remainder.
  struct Division {
    Affine a, b, quotient, remainder;
  };
  const std::vector<Division>& divisions() const { return divisions_; }

 private:
  std::optional<Affine>& Known(Value v) { return forms_[static_cast<size_t>(v)]; }
  void SetAtom(Value v, Atom atom) { Known(v) = NewAtom(std::move(atom)); }
  const Op* Def(Value v) const { return defs_[static_cast<size_t>(v)]; }
  Affine NewAtom(Atom atom) { return Affine::OfAtom(prover_->NewAtom(std::move(atom))); }

  Affine Derive(Value v);
  Affine Position(const Type& type, Axis axis) const;
  Affine Converted(Value from);
  Range NarrowRange(Value v, int depth) const;
  Affine OneOf(std::vector<Affine> cases);
  Affine OneOfYields(const Op& op, Value result);
  Affine Extremum(const Affine& a, const Affine& b, int sign);
  Affine Product(const Affine& a, const Affine& b);
  std::pair<Affine, Affine> Quotient(const Affine& a, const Affine& b);
  Division Divide(const Affine& a, const Affine& b);
  void ExchangeAxes();
  void ForgetTiles();
  void AssumeOrder(Predicate p, const Affine& a, const Affine& b, bool truth);
  std::optional<int64_t> Increment(const Block& body, Value carry, Value next) const;
  void SetCarry(Value carry, const Affine& first, std::optional<int64_t> increment);

  const Kernel* k_;
  Prover* prover_;
  std::vector<const Op*> defs_;               // of each value; null for arguments of regions
  std::vector<std::optional<Affine>> forms_;  // of each index value, once known
  struct ProductOf {
    Affine a, b, product;
  };
  std::vector<ProductOf> products_;
  std::vector<Division> divisions_;
  std::vector<Value> tiles_;  // whose forms are known
  Affine row_, col_;          // of an element of the tile that the access at hand moves
};

}  // namespace sinter::kernel
