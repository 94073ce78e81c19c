#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/hash.h"
#include "ir/analysis/index_map.h"
#include "passes/simplify/rules.h"
#include "passes/simplify/simplify.h"

namespace sinter {
namespace {

// Parts that become one computation at least, and those that are slices at places without an order,
// which become a gather: guess. Steps of such a computation: a bound.
constexpr int kLeastRerolled = 4, kLeastGathered = 16, kMostRerolled = 1000;

using Values = std::vector<HloInstruction*>;

// Values of equal shapes that are computed alike, and how: the same operation, whose operands again
// are such values, down to the same value, slices of one array and constants.
//
// None of them is computed from another: all are computed from the same arrays at the leaves, which
// would then need themselves.
class Families {
 public:
  // Whether they are, and rolling them loses nothing.
  bool Add(const Values& members) {
    if (const auto known = known_.find(members); known != known_.end()) return known->second;
    const bool may = ++visited_ <= kMostRerolled && AreAlike(members);
    known_[members] = may;
    if (may && IsComputed(members)) computed_.push_back(members);
    return may;
  }
  // Those that are computed: not leaves, and not moved only.
  const std::vector<Values>& computed() const { return computed_; }

  static bool AreSame(const Values& members) {
    return absl::c_all_of(members, [&](const HloInstruction* i) { return i == members[0]; });
  }
  static bool IsComputed(const Values& members) {
    return !AreSame(members) && IsElementwise(members[0]->op());
  }
  static Values Operands(const Values& members, size_t k) {
    Values operands;
    for (const HloInstruction* i : members) operands.push_back(i->operand(k));
    return operands;
  }

  // Slices of one array, of which each begins where the last one ends, or which are one position
  // of a dimension each.
  struct Slices {
    size_t dim = 0;
    int64_t first = 0, step = 0;  // where all are as far apart
    std::vector<int64_t> at;      // elsewhere: of each
  };
  static std::optional<Slices> SlicesOf(const Values& members) {
    const auto& first = members[0]->attrs<SliceAttrs>();
    std::optional<Slices> slices;
    for (const HloInstruction* i : members) {
      const auto& a = i->attrs<SliceAttrs>();
      if (i->operand(0) != members[0]->operand(0) || !HasUnitStrides(*i)) return std::nullopt;
      for (size_t d = 0; d < a.starts.size(); ++d) {
        if (a.starts[d] == first.starts[d]) continue;
        if (slices && slices->dim != d) return std::nullopt;
        slices = Slices{d};
      }
    }
    if (!slices) return std::nullopt;
    for (const HloInstruction* i : members)
      slices->at.push_back(i->attrs<SliceAttrs>().starts[slices->dim]);
    slices->first = slices->at[0];
    slices->step = slices->at[1] - slices->first;
    bool is_even = slices->step > 0;
    for (size_t n = 1; n < members.size(); ++n)
      is_even &= slices->at[n] - slices->at[n - 1] == slices->step;
    if (is_even) slices->at.clear();
    const int64_t extent = members[0]->shape().dimension(static_cast<int64_t>(slices->dim));
    if (is_even ? extent > 1 && slices->step != extent
                : extent > 1 || static_cast<int>(members.size()) < kLeastGathered)
      return std::nullopt;
    return slices;
  }

 private:
  bool AreAlike(const Values& members) {
    const HloInstruction& x = *members[0];
    if (!x.shape().is_array() || x.shape().element_count() == 0) return false;
    if (AreSame(members)) return true;
    for (const HloInstruction* i : members) {
      if (i->op() != x.op() || !(i->shape() == x.shape()) ||
          i->operands().size() != x.operands().size())
        return false;
    }
    auto same_attributes = [&] {
      return absl::c_all_of(
          members, [&](const HloInstruction* i) { return i->attributes() == x.attributes(); });
    };
    switch (x.op()) {
      case HloOpcode::Constant:
        return x.shape().is_scalar();
      case HloOpcode::Slice:
        return SlicesOf(members).has_value();
      case HloOpcode::Reshape:
        return absl::c_all_of(members,
                              [](const HloInstruction* i) {
                                return SameButForUnits(i->operand(0)->shape(), i->shape());
                              }) &&
               Add(Operands(members, 0));
      case HloOpcode::Broadcast:
        return absl::c_is_sorted(x.dimensions()) && same_attributes() && Add(Operands(members, 0));
      default:
        break;
    }
    if (!IsElementwise(x.op()) || x.op() == HloOpcode::BitcastConvert || !same_attributes())
      return false;
    // What is there once is not to be computed several times.
    if (absl::flat_hash_set<HloInstruction*>(members.begin(), members.end()).size() <
        members.size())
      return false;
    for (size_t k = 0; k < x.operands().size(); ++k)
      if (!Add(Operands(members, k))) return false;
    return true;
  }

  absl::flat_hash_map<Values, bool> known_;
  std::vector<Values> computed_;
  int visited_ = 0;
};

// Values of a family as one array, with a dimension more that runs over them.
class Roller {
 public:
  explicit Roller(HloComputation& c) : c_(c) {}

  // That dimension is `at`.
  HloInstruction* Roll(const Values& members, int64_t at) {
    const auto known = rolled_.find({members, at});
    if (known != rolled_.end()) return known->second;
    return rolled_[{members, at}] = Make(members, at);
  }
  // What there is of a family, and its dimension; null: nothing.
  std::pair<HloInstruction*, int64_t> Rolled(const Values& members) const {
    for (int64_t at = 0; at <= members[0]->shape().rank(); ++at) {
      const auto known = rolled_.find({members, at});
      if (known != rolled_.end()) return {known->second, at};
    }
    return {nullptr, 0};
  }

 private:
  static Dims WithDimension(const Shape& s, int64_t at, int64_t extent) {
    Dims dims = s.dimensions();
    dims.insert(dims.begin() + at, extent);
    return dims;
  }
  HloInstruction* Reshaped(HloInstruction* x, Dims dims) {
    if (x->shape().dimensions() == dims) return x;
    return c_.AddWithShape(HloOpcode::Reshape, Shape(x->shape().element_type(), std::move(dims)),
                           {x});
  }

  HloInstruction* Make(const Values& members, int64_t at) {
    HloInstruction* x = members[0];
    const Shape shape(x->shape().element_type(),
                      WithDimension(x->shape(), at, static_cast<int64_t>(members.size())));
    if (Families::AreSame(members)) return Broadcast(x, shape, at);
    switch (x->op()) {
      case HloOpcode::Constant:
        return Constants(members);
      case HloOpcode::Slice:
        return Slices(members, at);
      case HloOpcode::Reshape: {
        // Behind as many elements of the operand.
        int64_t before = 1, from = 0;
        for (int64_t d = 0; d < at; ++d) before *= x->shape().dimension(d);
        const Shape& s = x->operand(0)->shape();
        for (int64_t elements = 1; elements < before; ++from) elements *= s.dimension(from);
        return Reshaped(Roll(Families::Operands(members, 0), from), shape.dimensions());
      }
      case HloOpcode::Broadcast: {
        Dims dims = x->dimensions();
        const auto from =
            static_cast<int64_t>(absl::c_count_if(dims, [&](int64_t d) { return d < at; }));
        for (int64_t& d : dims) d += d >= at;
        dims.insert(dims.begin() + from, at);
        return c_.AddWithShape(HloOpcode::Broadcast, shape,
                               {Roll(Families::Operands(members, 0), from)},
                               DimensionsAttrs{std::move(dims)});
      }
      default:
        break;
    }
    Values operands;
    for (size_t k = 0; k < x->operands().size(); ++k) {
      const Values of = Families::Operands(members, k);
      // Bounds and predicates may be scalars for all elements.
      const bool is_whole = of[0]->shape().rank() == x->shape().rank();
      HloInstruction* rolled = Roll(of, is_whole ? at : 0);
      if (!is_whole) {
        rolled = c_.AddWithShape(HloOpcode::Broadcast,
                                 Shape(of[0]->shape().element_type(), shape.dimensions()), {rolled},
                                 DimensionsAttrs{{at}});
      }
      operands.push_back(rolled);
    }
    return c_.AddWithShape(x->op(), shape, operands, x->attributes());
  }

  HloInstruction* Broadcast(HloInstruction* x, const Shape& shape, int64_t at) {
    Dims dims;
    for (int64_t d = 0; d < shape.rank(); ++d)
      if (d != at) dims.push_back(d);
    return c_.AddWithShape(HloOpcode::Broadcast, shape, {x}, DimensionsAttrs{std::move(dims)});
  }

  HloInstruction* Constants(const Values& members) {
    const ElementType type = members[0]->shape().element_type();
    Literal all(Shape(type, {static_cast<int64_t>(members.size())}));
    const auto bytes = static_cast<size_t>(ByteWidth(type));
    char* to = static_cast<char*>(all.untyped_data());
    for (const HloInstruction* i : members) {
      std::memcpy(to, i->literal().untyped_data(), bytes);
      to += bytes;
    }
    return c_.AddConstant(std::move(all));
  }

  HloInstruction* Slices(const Values& members, int64_t at) {
    const Families::Slices slices = *Families::SlicesOf(members);
    const HloInstruction& x = *members[0];
    const auto count = static_cast<int64_t>(members.size());
    const auto dim = static_cast<int64_t>(slices.dim);
    HloInstruction* all = slices.at.empty() ? Part(x, slices, count) : Gathered(x, slices);
    all = Reshaped(all, WithDimension(x.shape(), dim, count));
    if (at == dim) return all;
    Dims order;
    for (int64_t d = 0; d < all->shape().rank(); ++d)
      if (d != dim) order.push_back(d);
    order.insert(order.begin() + at, dim);
    Dims dims;
    for (int64_t d : order) dims.push_back(all->shape().dimension(d));
    const auto [low, high] = std::minmax(at, dim);
    const bool moves_nothing = std::all_of(all->shape().dimensions().begin() + low + (low == dim),
                                           all->shape().dimensions().begin() + high + (low == dim),
                                           [](int64_t n) { return n == 1; });
    if (moves_nothing) return Reshaped(all, std::move(dims));
    return c_.AddWithShape(HloOpcode::Transpose, Shape(x.shape().element_type(), std::move(dims)),
                           {all}, DimensionsAttrs{std::move(order)});
  }
  HloInstruction* Part(const HloInstruction& x, const Families::Slices& slices, int64_t count) {
    auto a = x.attrs<SliceAttrs>();
    const int64_t extent = x.shape().dimension(static_cast<int64_t>(slices.dim));
    a.limits[slices.dim] = slices.first + (count - 1) * slices.step + extent;
    a.strides[slices.dim] = extent == 1 ? slices.step : 1;
    Dims dims = x.shape().dimensions();
    dims[slices.dim] = count * extent;
    return c_.AddWithShape(HloOpcode::Slice, Shape(x.shape().element_type(), std::move(dims)),
                           {x.operand(0)}, std::move(a));
  }
  HloInstruction* Gathered(const HloInstruction& x, const Families::Slices& slices) {
    // Of what the slices have of the other dimensions.
    auto part = x.attrs<SliceAttrs>();
    const Shape& whole = x.operand(0)->shape();
    const auto dim = static_cast<int64_t>(slices.dim);
    part.starts[slices.dim] = 0;
    part.limits[slices.dim] = whole.dimension(dim);
    Dims dims = x.shape().dimensions();
    dims[slices.dim] = whole.dimension(dim);
    HloInstruction* from = x.operand(0);
    if (dims != whole.dimensions())
      from = c_.AddWithShape(HloOpcode::Slice, Shape(whole.element_type(), dims), {from}, part);
    Literal at(Shape(ElementType::S32, {static_cast<int64_t>(slices.at.size()), 1}));
    for (size_t n = 0; n < slices.at.size(); ++n)
      at.data<int32_t>()[n] = static_cast<int32_t>(slices.at[n]);
    GatherAttrs a;
    for (int64_t d = 0; d < whole.rank(); ++d)
      if (d != dim) a.offset_dims.push_back(d);
    a.collapsed_slice_dims = {dim};
    a.start_index_map = {dim};
    a.index_vector_dim = 1;
    a.slice_sizes = dims;
    a.slice_sizes[slices.dim] = 1;
    dims[slices.dim] = static_cast<int64_t>(slices.at.size());
    return c_.AddWithShape(HloOpcode::Gather, Shape(whole.element_type(), std::move(dims)),
                           {from, c_.AddConstant(std::move(at))}, std::move(a));
  }

  HloComputation& c_;
  absl::flat_hash_map<std::pair<Values, int64_t>, HloInstruction*> rolled_;
};

// Equal for instructions that may be one of a family, and for others of a concatenate unlikely.
absl::flat_hash_map<const HloInstruction*, uint64_t> Forms(const HloComputation& c) {
  absl::flat_hash_map<const HloInstruction*, uint64_t> forms;
  for (const HloInstruction* i : c.PostOrder()) {
    Hasher hasher;
    hasher.Add(i->op());
    if (i->shape().is_array()) hasher.Add(i->shape().dimensions());
    if (i->op() == HloOpcode::Slice) {
      hasher.Add(i->operand(0)->id());
    } else if (IsElementwise(i->op()) || i->op() == HloOpcode::Reshape ||
               i->op() == HloOpcode::Broadcast) {
      for (const HloInstruction* o : i->operands()) hasher.Add(forms.at(o));
    } else if (i->op() != HloOpcode::Constant) {
      hasher.Add(i->id());
    }
    forms[i] = hasher.Finish().low;
  }
  return forms;
}

// What else reads members of a family reads the rolled array, so that nothing is computed twice.
void ReadRolled(HloComputation& c, const HloInstruction* concatenate, const Families& families,
                const Roller& roller) {
  absl::flat_hash_set<const HloInstruction*> inside{concatenate};
  for (const Values& members : families.computed()) inside.insert(members.begin(), members.end());
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> replacements;
  for (const Values& members : families.computed()) {
    const auto [rolled, at] = roller.Rolled(members);
    if (rolled == nullptr) continue;
    for (size_t n = 0; n < members.size(); ++n) {
      const bool is_read = members[n] == c.root() ||
                           absl::c_any_of(members[n]->users(), [&](const HloInstruction* user) {
                             return !inside.contains(user);
                           });
      if (!is_read) continue;
      const auto first = static_cast<int64_t>(n);
      HloInstruction* one = Rows(c, rolled, static_cast<size_t>(at), first, first + 1);
      replacements[members[n]] = c.AddWithShape(HloOpcode::Reshape, members[n]->shape(), {one});
    }
  }
  c.ReplaceAllUses(replacements);
}

bool RerollIn(HloComputation& c) {
  std::vector<HloInstruction*> concatenates;
  for (HloInstruction* i : c.PostOrder()) {
    if (i->op() == HloOpcode::Concatenate &&
        static_cast<int>(i->operands().size()) >= kLeastRerolled)
      concatenates.push_back(i);
  }
  if (concatenates.empty()) return false;
  const absl::flat_hash_map<const HloInstruction*, uint64_t> forms = Forms(c);
  auto form_of = [&](const HloInstruction* i) {
    const auto known = forms.find(i);
    return known == forms.end() ? uint64_t{0} : known->second;
  };
  bool changed = false;
  for (HloInstruction* i : concatenates) {
    const int64_t dim = i->dimensions()[0];
    Values parts;
    bool rolls = false;
    for (size_t k = 0, end = 0; k < i->operands().size(); k = end) {
      while (end < i->operands().size() && form_of(i->operand(end)) == form_of(i->operand(k)))
        ++end;
      const Values run(i->operands().begin() + static_cast<ptrdiff_t>(k),
                       i->operands().begin() + static_cast<ptrdiff_t>(end));
      Families families;
      if (static_cast<int>(run.size()) < kLeastRerolled || !families.Add(run)) {
        parts.insert(parts.end(), run.begin(), run.end());
        continue;
      }
      rolls = true;
      Roller roller(c);
      HloInstruction* rolled = roller.Roll(run, dim);
      ReadRolled(c, i, families, roller);
      Dims dims = run[0]->shape().dimensions();
      dims[static_cast<size_t>(dim)] *= static_cast<int64_t>(run.size());
      parts.push_back(c.AddWithShape(HloOpcode::Reshape,
                                     Shape(i->shape().element_type(), std::move(dims)), {rolled}));
    }
    if (!rolls) continue;
    changed = true;
    c.ReplaceAllUses(i, parts.size() == 1 ? parts[0]
                                          : c.AddWithShape(HloOpcode::Concatenate, i->shape(),
                                                           parts, i->attributes()));
  }
  if (changed) c.RemoveDead();
  return changed;
}

}  // namespace

std::unique_ptr<Pass> MakeRerollPass() {
  return MakePass("reroll", [](HloModule& module) -> absl::StatusOr<bool> {
    bool changed = false;
    for (HloComputation* c : module.PostOrder()) changed |= RerollIn(*c);
    return changed;
  });
}

}  // namespace sinter
