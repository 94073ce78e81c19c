// Affine forms over atoms, and what is known about atoms: the arithmetic of the bounds check.
//
// An atom stands for an integer that is not an affine function of others: a parameter, a loop
// variable, a minimum, the position of an element in a tile. Atoms are numbered in the order of
// their creation, and what is known of an atom speaks of it and earlier ones only; so a proof that
// removes the latest atom first comes to an end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sinter::kernel {

// Bounds beyond kUnbounded say nothing; sums of a few of them do not overflow.
inline constexpr int64_t kUnbounded = int64_t{1} << 60;

struct Range {
  int64_t lo = -kUnbounded, hi = kUnbounded;
};

// constant + sum of coefficient * atom. Numbers beyond 2^62 make a form invalid: nothing follows
// from it.
class Affine {
 public:
  Affine() = default;
  Affine(int64_t constant)
      : constant_(constant), valid_(Fits(constant)) {}  // NOLINT: numbers are forms
  static Affine Invalid();
  static Affine OfAtom(int atom);

  bool valid() const { return valid_; }
  bool is_constant() const { return valid_ && terms_.empty(); }
  int64_t constant() const { return constant_; }
  const std::vector<std::pair<int, int64_t>>& terms() const { return terms_; }  // by atom; no zeros
  int64_t Coefficient(int atom) const;

  Affine Times(int64_t factor) const;
  friend Affine operator+(const Affine& a, const Affine& b);
  friend Affine operator-(const Affine& a, const Affine& b) { return a + b.Times(-1); }
  friend bool operator==(const Affine&, const Affine&) = default;
  template <class H>
  friend H AbslHashValue(H h, const Affine& a) {
    return H::combine(std::move(h), a.terms_, a.constant_, a.valid_);
  }

 private:
  static bool Fits(int64_t x) { return x < int64_t{1} << 62 && x > -(int64_t{1} << 62); }

  std::vector<std::pair<int, int64_t>> terms_;
  int64_t constant_ = 0;
  bool valid_ = true;
};

struct Atom {
  Range range;
  int64_t multiple = 1;       // divides it
  std::vector<Affine> facts;  // forms that are >= 0
  std::vector<Affine> cases;  // it equals one of these; empty: nothing known
};

// Proves inequalities of forms.
class Prover {
 public:
  int NewAtom(Atom atom);
  Atom& atom(int index) { return atoms_[static_cast<size_t>(index)]; }
  const Atom& atom(int index) const { return atoms_[static_cast<size_t>(index)]; }

  // Adds the fact that `form` >= 0 until the matching Pop.
  void Push(const Affine& form);
  size_t depth() const { return pushed_.size(); }
  void Pop(size_t depth);  // down to an earlier depth()

  Range RangeOf(const Affine& form) const;
  int64_t MultipleOf(const Affine& form) const;  // 0 for the form 0
  // Whether form >= 0 follows from what is known. False means unknown.
  bool NotNegative(const Affine& form) const;

 private:
  // One proof, with what it has tried in vain.
  struct Proof;
  bool Search(const Affine& form, Proof& proof, bool partly) const;
  // Search by the latest atom of a form that its range does not prove.
  bool SearchLatest(const Affine& form, Proof& proof, bool partly) const;
  bool SearchPartly(const Affine& form, Proof& proof) const;
  bool SearchBeyond(const Affine& form, Proof& proof, bool partly) const;

  std::vector<Atom> atoms_;
  static constexpr int kNothing = -1, kContradiction = -2;
  std::vector<int> pushed_;  // the atom whose last fact was pushed, or what else a fact said
  int contradictions_ = 0;   // among them; from one everything follows
};

}  // namespace sinter::kernel
