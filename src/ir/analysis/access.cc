#include "ir/analysis/access.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/index_map.h"

namespace sinter {
namespace {

constexpr size_t kLimit = 1 << 14;

// An access with what tells it from others of the same terms.
struct Place {
  const HloInstruction* node = nullptr;
  Access terms;
  Offsets offsets;
  Box domain;  // of the outputs
  bool operator==(const Place&) const = default;
  template <class H>
  friend H AbslHashValue(H h, const Place& p) {
    return H::combine(std::move(h), p.node, p.terms, p.offsets, p.domain);
  }
};

class Finder {
 public:
  Finder(Accesses& result, const Box& whole)
      : result_(result), whole_(whole), cuts_(whole.size()) {}

  void Visit(Place root) {
    stack_.push_back(std::move(root));
    while (!stack_.empty()) {
      Place at = std::move(stack_.back());
      stack_.pop_back();
      ForgetUnused(at);
      if (!visited_.insert(at).second) continue;
      if (visited_.size() > kLimit) {
        result_.complete = false;
        return;
      }
      Note(at);
      Operands(at);
    }
  }

  void TakeCuts() {
    for (const std::set<int64_t>& c : cuts_) result_.cuts.emplace_back(c.begin(), c.end());
    for (const std::set<int64_t>& c : inner_cuts_)
      result_.inner_cuts.emplace_back(c.begin(), c.end());
  }

 private:
  // Where along an axis the outputs are decides nothing for a coordinate that does not use it: all
  // parts of a concatenate read what they share alike.
  void ForgetUnused(Place& at) const {
    for (size_t axis = 0; axis < whole_.size(); ++axis) {
      if (!Uses(at.terms, static_cast<int>(axis))) at.domain[axis] = whole_[axis];
    }
  }

  void Note(const Place& at) {
    std::vector<Access>& known = result_.of[at.node];
    std::vector<Offsets>& offsets = result_.offsets[at.node];
    const auto same = std::find(known.begin(), known.end(), at.terms);
    if (same == known.end()) {
      known.push_back(at.terms);
      offsets.push_back(at.offsets);
      return;
    }
    Offsets& first = offsets[static_cast<size_t>(same - known.begin())];
    for (size_t d = 0; d < first.size(); ++d) {
      if (first[d] != at.offsets[d]) first[d].reset();
    }
  }

  void Push(const HloInstruction* node, const Place& user, Access terms, Offsets offsets) {
    stack_.push_back({node, std::move(terms), std::move(offsets), user.domain});
  }
  void PushUnknown(const HloInstruction* node, const Place& user) {
    const auto rank = static_cast<size_t>(node->shape().is_array() ? node->shape().rank() : 0);
    Push(node, user, Access(rank), Offsets(rank));
  }

  void Operands(const Place& at) {
    const HloInstruction* node = at.node;
    switch (node->op()) {
      case HloOpcode::GetTupleElement:
      case HloOpcode::While:  // each element runs it by itself
        return Push(node->operand(0), at, at.terms, at.offsets);
      case HloOpcode::Tuple:
        for (const HloInstruction* o : node->operands()) {
          if (o->shape().rank() == static_cast<int64_t>(at.terms.size())) {
            Push(o, at, at.terms, at.offsets);
          } else {
            PushUnknown(o, at);
          }
        }
        return;
      case HloOpcode::Reduce:
        return Reduce(at);
      case HloOpcode::Dot:
        return Dot(at);
      case HloOpcode::Concatenate:
        return Concatenate(at);
      case HloOpcode::Pad:
        return Pad(at);
      case HloOpcode::DynamicUpdateSlice:
        return Update(at);
      default:
        break;
    }
    for (size_t k = 0; k < node->operands().size(); ++k) Mapped(at, k);
  }

  void Mapped(const Place& at, size_t k) {
    const HloInstruction* o = at.node->operand(k);
    auto map = OperandIndexMap(*at.node, k);
    // Not affine (interior padding), or a scalar beside the data.
    if (!map) return PushUnknown(o, at);
    Access terms;
    Offsets offsets;
    for (const IndexExpr& e : *map) {
      AccessDim d;
      std::optional<int64_t> offset = e.offset;
      if (HasStart(*at.node, k, terms.size())) offset.reset();
      for (const IndexTerm& t : e.terms) {
        const auto from = static_cast<size_t>(t.dimension);
        for (const AxisTerm& a : at.terms[from])
          d.push_back({a.axis, a.coefficient * t.coefficient});
        if (!at.offsets[from]) offset.reset();
        if (offset) *offset += *at.offsets[from] * t.coefficient;
      }
      terms.push_back(std::move(d));
      offsets.push_back(offset);
    }
    Push(o, at, std::move(terms), std::move(offsets));
  }

  // Whether a start that is known when the program runs is added to dimension `d` of operand `k`.
  static bool HasStart(const HloInstruction& node, size_t k, size_t d) {
    const auto shorter = [&](const Shape& part, const Shape& whole) {
      return part.dimension(static_cast<int64_t>(d)) != whole.dimension(static_cast<int64_t>(d));
    };
    switch (node.op()) {
      case HloOpcode::DynamicSlice:
        return k == 0 && shorter(node.shape(), node.operand(0)->shape());
      case HloOpcode::DynamicUpdateSlice:
        return k == 1 && shorter(node.operand(1)->shape(), node.shape());
      case HloOpcode::Gather: {
        const auto& a = node.attrs<GatherAttrs>();
        return k == 0 && absl::c_linear_search(a.start_index_map, static_cast<int64_t>(d)) &&
               a.slice_sizes[d] != node.operand(0)->shape().dimension(static_cast<int64_t>(d));
      }
      case HloOpcode::Scatter:
        return true;
      default:
        return false;
    }
  }

  // Takes out of `domain` where the coordinate `d` is outside of [lo, hi), if that is an interval
  // of one axis of the outputs, and notes where it begins and ends.
  void Restrict(const Place& at, size_t d, int64_t lo, int64_t hi, Box* domain, bool notes = true) {
    if (!IsOfOneAxis(at, d)) {
      if (notes) NoteInner(at, d, lo, hi);
      return;
    }
    const auto axis = static_cast<size_t>(at.terms[d][0].axis);
    const Interval in = OnItsAxis(at, d, lo, hi);
    const Interval& now = at.domain[axis];
    for (int64_t cut : {in.lo, in.hi}) {
      if (notes && now.lo < cut && cut < now.hi) cuts_[axis].insert(cut);
    }
    (*domain)[axis] = (*domain)[axis].And(in);
  }
  // The same of an axis that a reduction opened, all of which is read.
  void NoteInner(const Place& at, size_t d, int64_t lo, int64_t hi) {
    if (!IsOneAxis(at, d) || at.terms[d][0].axis < kInner) return;
    const auto axis = static_cast<size_t>(at.terms[d][0].axis - kInner);
    const Interval in = OnItsAxis(at, d, lo, hi);
    for (int64_t cut : {in.lo, in.hi})
      if (0 < cut && cut < result_.inner_extents[axis]) inner_cuts_[axis].insert(cut);
  }
  // Where on its axis of the outputs, or on an inner one, the coordinate `d` is in [lo, hi).
  static Interval OnItsAxis(const Place& at, size_t d, int64_t lo, int64_t hi) {
    const Interval in{lo - *at.offsets[d], hi - *at.offsets[d]};
    return at.terms[d][0].coefficient < 0 ? Interval{1 - in.hi, 1 - in.lo} : in;
  }
  // Whether the coordinate is x + offset or offset - x, of one axis x; `IsOfOneAxis`: of the
  // outputs.
  static bool IsOneAxis(const Place& at, size_t d) {
    const AccessDim& terms = at.terms[d];
    return terms.size() == 1 && std::abs(terms[0].coefficient) == 1 && at.offsets[d].has_value();
  }
  static bool IsOfOneAxis(const Place& at, size_t d) {
    return IsOneAxis(at, d) && at.terms[d][0].axis < kInner;
  }
  static bool IsEmpty(const Box& domain) {
    return std::any_of(domain.begin(), domain.end(), [](const Interval& i) { return i.empty(); });
  }

  void Concatenate(const Place& at) {
    const auto axis = static_cast<size_t>(at.node->dimensions()[0]);
    const bool is_known = IsOfOneAxis(at, axis);
    int64_t end = 0;
    for (const HloInstruction* o : at.node->operands()) {
      const int64_t start = end;
      end += o->shape().dimension(static_cast<int64_t>(axis));
      // First without a copy: there may be thousands of operands.
      if (is_known && !OnItsAxis(at, axis, start, end)
                           .Meets(at.domain[static_cast<size_t>(at.terms[axis][0].axis)]))
        continue;
      Place inside = at;
      Restrict(at, axis, start, end, &inside.domain);
      if (IsEmpty(inside.domain)) continue;
      inside.node = o;
      if (inside.offsets[axis]) *inside.offsets[axis] -= start;
      stack_.push_back(std::move(inside));
    }
  }

  void Pad(const Place& at) {
    const auto& a = at.node->attrs<PadAttrs>();
    const Shape& from = at.node->operand(0)->shape();
    // Where one dimension is outside of the operand, the others decide nothing.
    Box own = at.domain;
    for (size_t d = 0; d < at.terms.size(); ++d)
      Restrict(at, d, a.low[d], a.low[d] + from.dimension(static_cast<int64_t>(d)), &own, false);
    const bool is_spread =
        std::any_of(a.interior.begin(), a.interior.end(), [](int64_t n) { return n != 0; });
    if (!is_spread && IsEmpty(own)) return Mapped(at, 1);
    Place inside = at;
    bool reaches_border = false;
    for (size_t d = 0; d < at.terms.size(); ++d) {
      const int64_t n = from.dimension(static_cast<int64_t>(d));
      const bool border = a.low[d] > 0 || a.high[d] > 0;
      const Box before = inside.domain;
      if (border) Restrict(at, d, a.low[d], a.low[d] + n, &inside.domain);
      // Where the operand has all of the domain, nothing reads the border.
      reaches_border |= border && (inside.domain != before || !IsOfOneAxis(at, d));
      if (inside.offsets[d]) *inside.offsets[d] -= a.low[d];
    }
    if (is_spread) {
      Mapped(at, 0);
      return Mapped(at, 1);
    }
    if (!IsEmpty(inside.domain)) {
      inside.node = at.node->operand(0);
      stack_.push_back(std::move(inside));
    }
    if (reaches_border) Mapped(at, 1);
  }
  // An update at known starts: where it is, the array under it is not read.
  void Update(const Place& at) {
    const HloInstruction *array = at.node->operand(0), *update = at.node->operand(1);
    Place inside = at;
    bool known = true;
    for (size_t d = 0; d < at.terms.size(); ++d) {
      const int64_t n = update->shape().dimension(static_cast<int64_t>(d)),
                    limit = array->shape().dimension(static_cast<int64_t>(d)) - n;
      const HloInstruction* start = at.node->operand(d + 2);
      if (limit == 0) continue;
      if (start->op() != HloOpcode::Constant) {
        known = false;
        break;
      }
      const int64_t lo = static_cast<int64_t>(
          std::clamp(start->literal().GetAsDouble(0), 0., static_cast<double>(limit)));
      known &= IsOfOneAxis(at, d);
      Restrict(at, d, lo, lo + n, &inside.domain);
      if (inside.offsets[d]) *inside.offsets[d] -= lo;
    }
    if (!known) {
      for (size_t k = 0; k < at.node->operands().size(); ++k) Mapped(at, k);
      return;
    }
    if (inside.domain != at.domain) Mapped(at, 0);
    if (IsEmpty(inside.domain)) return;
    inside.node = update;
    stack_.push_back(std::move(inside));
  }

  // The axes that a reduction or product opens are the same for every access to it.
  int Inner(const HloInstruction* node, size_t k, int64_t extent) {
    std::vector<int>& axes = opened_[node];
    while (axes.size() <= k) {
      axes.push_back(kInner + static_cast<int>(result_.inner_extents.size()));
      result_.inner_extents.push_back(extent);
      inner_cuts_.emplace_back();
    }
    return axes[k];
  }

  void Reduce(const Place& at) {
    const HloInstruction* node = at.node;
    const size_t n = node->operands().size() / 2;
    const Shape& from = node->operand(0)->shape();
    Access full;
    Offsets offsets;
    size_t kept = 0, opened = 0;
    for (int64_t d = 0; d < from.rank(); ++d) {
      const bool reduced = std::find(node->dimensions().begin(), node->dimensions().end(), d) !=
                           node->dimensions().end();
      if (reduced) {
        full.push_back({{Inner(node, opened++, from.dimension(d)), 1}});
        offsets.push_back(0);
      } else {
        full.push_back(kept < at.terms.size() ? at.terms[kept] : AccessDim{});
        offsets.push_back(kept < at.terms.size() ? at.offsets[kept] : std::nullopt);
        ++kept;
      }
    }
    for (size_t k = 0; k < n; ++k) Push(node->operand(k), at, full, offsets);
    for (size_t k = n; k < 2 * n; ++k) Push(node->operand(k), at, {}, {});
  }

  void Dot(const Place& at) {
    const HloInstruction* node = at.node;
    const auto& a = node->attrs<DotAttrs>();
    const size_t batch = a.lhs_batch_dims.size();
    size_t next_free = batch;
    for (size_t side = 0; side < 2; ++side) {
      const Shape& s = node->operand(side)->shape();
      const Dims& batch_dims = side == 0 ? a.lhs_batch_dims : a.rhs_batch_dims;
      const Dims& contracting = side == 0 ? a.lhs_contracting_dims : a.rhs_contracting_dims;
      Access c(static_cast<size_t>(s.rank()));
      Offsets offsets(c.size(), 0);
      std::vector<bool> taken(c.size(), false);
      auto take = [&](size_t d, size_t from) {
        c[d] = at.terms[from];
        offsets[d] = at.offsets[from];
        taken[d] = true;
      };
      for (size_t k = 0; k < batch; ++k) take(static_cast<size_t>(batch_dims[k]), k);
      for (size_t k = 0; k < contracting.size(); ++k) {
        c[static_cast<size_t>(contracting[k])] = {{Inner(node, k, s.dimension(contracting[k])), 1}};
        taken[static_cast<size_t>(contracting[k])] = true;
      }
      for (size_t d = 0; d < c.size(); ++d) {
        if (!taken[d]) take(d, next_free++);
      }
      Push(node->operand(side), at, std::move(c), std::move(offsets));
    }
  }

  Accesses& result_;
  const Box& whole_;  // of the outputs, as far as it is looked at
  std::vector<Place> stack_;
  absl::flat_hash_map<const HloInstruction*, std::vector<int>> opened_;
  absl::flat_hash_set<Place> visited_;
  std::vector<std::set<int64_t>> cuts_, inner_cuts_;
};

// The nodes that are reached, operands before users, where they are a small part of a computation,
// as in each piece of a long concatenate.
std::vector<const HloInstruction*> OrderOfFew(const std::vector<const HloInstruction*>& outputs,
                                              const Accesses& reached) {
  std::vector<const HloInstruction*> order;
  absl::flat_hash_set<const HloInstruction*> seen;
  struct Visited {
    const HloInstruction* node;
    size_t next = 0;  // operand
  };
  std::vector<Visited> stack;
  auto visit = [&](const HloInstruction* i) {
    if (reached.of.contains(i) && seen.insert(i).second) stack.push_back({i});
  };
  for (const HloInstruction* o : outputs) {
    visit(o);
    while (!stack.empty()) {
      Visited& top = stack.back();
      if (top.next < top.node->operands().size()) {
        visit(top.node->operand(top.next++));
      } else {
        order.push_back(top.node);
        stack.pop_back();
      }
    }
  }
  return order;
}

}  // namespace

Box WholeOf(const Shape& shape) {
  Box box;
  for (int64_t d = 0; d < shape.rank(); ++d) box.push_back({0, shape.dimension(d)});
  return box;
}

Accesses FindAccesses(const std::vector<const HloInstruction*>& outputs, const Box& domain) {
  Accesses result;
  Finder finder(result, domain);
  for (const HloInstruction* o : outputs) {
    Access identity;
    for (int64_t d = 0; d < o->shape().rank(); ++d) identity.push_back({{static_cast<int>(d), 1}});
    finder.Visit({o, std::move(identity), Offsets(domain.size(), 0), domain});
  }
  finder.TakeCuts();
  const HloComputation& all = *outputs[0]->parent();
  if (result.of.size() * 8 < all.instructions().size()) {
    result.order = OrderOfFew(outputs, result);
    return result;
  }
  for (const HloInstruction* i : all.PostOrder()) {
    if (result.of.contains(i)) result.order.push_back(i);
  }
  return result;
}

bool Uses(const Access& access, int axis) {
  for (const AccessDim& d : access) {
    for (const AxisTerm& t : d) {
      if (t.axis == axis) return true;
    }
  }
  return false;
}

bool IsInner(const AccessDim& dim) {
  return std::any_of(dim.begin(), dim.end(), [](const AxisTerm& t) { return t.axis >= kInner; });
}

}  // namespace sinter
