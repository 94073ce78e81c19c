#include "codegen/kernel/affine.h"

#include <algorithm>
#include <numeric>

#include "absl/container/flat_hash_set.h"

namespace sinter::kernel {
namespace {

// Steps of one proof, and of those after a fact that is taken in part. Typical ones take ten; the
// limits keep hopeless ones quick.
constexpr int kBudget = 2000, kPartialBudget = 200;
constexpr int kMostOvershoots = 4;

int64_t Clamp(__int128 x) {
  return static_cast<int64_t>(std::clamp<__int128>(x, -kUnbounded, kUnbounded));
}

// `form` with `fact`, which is >= 0, subtracted so often that `atom` goes: if what remains is >= 0,
// so is form. Scaling by s keeps integers apart by s, so that form >= 0 is the same as s * form + s
// - 1 >= 0.
Affine Eliminate(const Affine& form, const Affine& fact, int atom) {
  int64_t k = form.Coefficient(atom), f = fact.Coefficient(atom);
  int64_t common = std::gcd(k, f);
  int64_t scale = std::abs(f / common), times = std::abs(k / common);
  return form.Times(scale) + Affine(scale - 1) - fact.Times(times);
}

Affine Substitute(const Affine& form, int atom, const Affine& by) {
  int64_t k = form.Coefficient(atom);
  return form - Affine::OfAtom(atom).Times(k) + by.Times(k);
}

}  // namespace

Affine Affine::Invalid() {
  Affine a;
  a.valid_ = false;
  return a;
}

Affine Affine::OfAtom(int atom) {
  Affine a;
  a.terms_ = {{atom, 1}};
  return a;
}

int64_t Affine::Coefficient(int atom) const {
  for (const auto& [other, k] : terms_) {
    if (other == atom) return k;
  }
  return 0;
}

Affine Affine::Times(int64_t factor) const {
  if (!valid_) return *this;
  Affine out;
  if (factor == 0) return out;
  bool fits = !__builtin_mul_overflow(constant_, factor, &out.constant_) && Fits(out.constant_);
  for (const auto& [atom, k] : terms_) {
    int64_t product = 0;
    fits = fits && !__builtin_mul_overflow(k, factor, &product) && Fits(product);
    out.terms_.push_back({atom, product});
  }
  return fits ? out : Invalid();
}

Affine operator+(const Affine& a, const Affine& b) {
  if (!a.valid_ || !b.valid_) return Affine::Invalid();
  Affine out;
  out.constant_ = a.constant_ + b.constant_;
  bool fits = Affine::Fits(out.constant_);
  auto i = a.terms_.begin(), j = b.terms_.begin();
  while (i != a.terms_.end() || j != b.terms_.end()) {
    if (j == b.terms_.end() || (i != a.terms_.end() && i->first < j->first)) {
      out.terms_.push_back(*i++);
    } else if (i == a.terms_.end() || j->first < i->first) {
      out.terms_.push_back(*j++);
    } else {
      int64_t sum = i->second + j->second;
      fits = fits && Affine::Fits(sum);
      if (sum != 0) out.terms_.push_back({i->first, sum});
      ++i;
      ++j;
    }
  }
  return fits ? out : Affine::Invalid();
}

int Prover::NewAtom(Atom atom) {
  atoms_.push_back(std::move(atom));
  return static_cast<int>(atoms_.size()) - 1;
}

void Prover::Push(const Affine& form) {
  const bool contradicts = RangeOf(form).hi < 0;
  if (contradicts || !form.valid() || form.terms().empty()) {
    contradictions_ += contradicts;
    return pushed_.push_back(contradicts ? kContradiction : kNothing);
  }
  int latest = form.terms().back().first;
  atom(latest).facts.push_back(form);
  pushed_.push_back(latest);
}

void Prover::Pop(size_t depth) {
  while (pushed_.size() > depth) {
    if (pushed_.back() >= 0) atom(pushed_.back()).facts.pop_back();
    contradictions_ -= pushed_.back() == kContradiction;
    pushed_.pop_back();
  }
}

Range Prover::RangeOf(const Affine& form) const {
  if (!form.valid()) return {};
  __int128 lo = form.constant(), hi = form.constant();
  bool no_lo = false, no_hi = false;
  for (const auto& [index, k] : form.terms()) {
    const Range& r = atom(index).range;
    int64_t down = k > 0 ? r.lo : r.hi, up = k > 0 ? r.hi : r.lo;
    no_lo |= std::abs(down) >= kUnbounded;
    no_hi |= std::abs(up) >= kUnbounded;
    lo += static_cast<__int128>(k) * down;
    hi += static_cast<__int128>(k) * up;
  }
  return {no_lo ? -kUnbounded : Clamp(lo), no_hi ? kUnbounded : Clamp(hi)};
}

int64_t Prover::MultipleOf(const Affine& form) const {
  if (!form.valid()) return 1;
  int64_t m = std::abs(form.constant());
  for (const auto& [index, k] : form.terms()) {
    int64_t product = 0;
    if (__builtin_mul_overflow(std::abs(k), atom(index).multiple, &product)) product = k;
    m = std::gcd(m, product);
  }
  return m;
}

struct Prover::Proof {
  // How often a fact may still be taken more often than needed on one path of the search: each
  // time the number of paths grows, and few of them succeed.
  int overshoots = 0;
  int budget = kBudget, partial_budget = kPartialBudget;
  // Forms that could not be proved, with so many overshoots left, without and with a fact taken in
  // part before: different paths lead to the same one.
  absl::flat_hash_set<Affine> failed[kMostOvershoots + 1][2];
};

bool Prover::NotNegative(const Affine& form) const {
  if (contradictions_ > 0) return true;
  for (int overshoots : {0, 1, kMostOvershoots}) {
    Proof proof{.overshoots = overshoots};
    if (Search(form, proof, /*partly=*/false)) return true;
  }
  return false;
}

bool Prover::Search(const Affine& form, Proof& proof, bool partly) const {
  if (!form.valid()) return false;
  if (RangeOf(form).lo >= 0) return true;
  if (form.terms().empty()) return false;
  absl::flat_hash_set<Affine>& failed = proof.failed[proof.overshoots][partly];
  if (failed.contains(form)) return false;
  if (--(partly ? proof.partial_budget : proof.budget) < 0) return false;
  if (SearchLatest(form, proof, partly)) return true;
  failed.insert(form);
  return false;
}

bool Prover::SearchLatest(const Affine& form, Proof& proof, bool partly) const {
  const auto [latest, k] = form.terms().back();
  const Atom& a = atom(latest);
  for (const Affine& fact : a.facts) {
    int64_t f = fact.Coefficient(latest);
    if (f != 0 && (f > 0) == (k > 0) && Search(Eliminate(form, fact, latest), proof, partly))
      return true;
  }
  int64_t bound = k > 0 ? a.range.lo : a.range.hi;
  if (std::abs(bound) < kUnbounded && Search(Substitute(form, latest, bound), proof, partly))
    return true;
  // Of earlier atoms as well: each case may take another fact of the latest one.
  for (auto term = form.terms().rbegin(); term != form.terms().rend(); ++term) {
    const std::vector<Affine>& cases = atom(term->first).cases;
    if (!cases.empty() && std::all_of(cases.begin(), cases.end(), [&](const Affine& by) {
          return Search(Substitute(form, term->first, by), proof, partly);
        }))
      return true;
  }
  if (proof.overshoots > 0) {
    --proof.overshoots;
    const bool proved = SearchBeyond(form, proof, partly);
    ++proof.overshoots;
    if (proved) return true;
  }
  return !partly && SearchPartly(form, proof);
}

// A linear index that is split into coordinates and joined again, with one of them reversed, has
// the quotient twice, with both signs: in that coordinate and in the whole. A fact then takes one
// of the two: half, or as much as removes another atom from the form. Of several that are reversed
// the atom between them has gone, and as much is taken as lets its own fact remove the next one.
bool Prover::SearchPartly(const Affine& form, Proof& proof) const {
  const auto [latest, k] = form.terms().back();
  for (const Affine& fact : atom(latest).facts) {
    const int64_t f = fact.Coefficient(latest);
    if (f == 0 || (f > 0) != (k > 0)) continue;
    auto take = [&](int64_t times) {
      return Search(form - fact.Times(times), proof, /*partly=*/true);
    };
    if (k % (2 * f) == 0 && take(k / (2 * f))) return true;
    for (const auto& [other, g] : fact.terms()) {
      const int64_t c = other == latest ? 0 : form.Coefficient(other), times = c / g;
      if (c % g == 0 && times > 0 && times < k / f && times != k / (2 * f) && take(times))
        return true;
      if (other == latest) continue;
      for (const Affine& next : atom(other).facts) {
        for (const auto& [last, h] : next.terms()) {
          const int64_t of_last = form.Coefficient(last);
          if (last == other || of_last % h != 0 || of_last / h <= 0) continue;
          const int64_t left = form.Coefficient(other) - next.Coefficient(other) * (of_last / h);
          if (left % g == 0 && left / g > 0 && left / g < k / f && take(left / g)) return true;
        }
      }
    }
  }
  return false;
}

// Takes facts more often than the latest atom allows, which leaves a part of it with the other
// sign: once more, or as often as removes another atom from the form.
bool Prover::SearchBeyond(const Affine& form, Proof& proof, bool partly) const {
  const auto [latest, k] = form.terms().back();
  for (const Affine& fact : atom(latest).facts) {
    const int64_t f = fact.Coefficient(latest);
    if (f == 0 || (f > 0) != (k > 0)) continue;
    if (k % f != 0 && Search(form - fact.Times(k / f + 1), proof, partly)) return true;
    for (const auto& [other, g] : fact.terms()) {
      const int64_t times = other == latest ? 0 : form.Coefficient(other) / g;
      if (times <= k / f + 1 || form.Coefficient(other) % g != 0) continue;
      if (Search(form - fact.Times(times), proof, partly)) return true;
    }
  }
  return false;
}

}  // namespace sinter::kernel
