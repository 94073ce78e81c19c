#include "passes/layout/product_transposes.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/analysis/packing.h"
#include "ir/analysis/scalar_computation.h"
#include "pass/graph.h"

namespace sinter {
namespace {

// What is computed from a product. `dims` are the product's dimensions that its own are.
struct Value {
  HloInstruction* product = nullptr;
  Dims dims;
};

// A product, and all values that are computed from it, in the order of the computation.
struct Region {
  std::vector<HloInstruction*> values;
  bool has_transposes = false;
};

bool IsPacked(const HloInstruction& i) {
  return i.op() == HloOpcode::Dot && IsWorthPacking(i, /*is_across=*/true) &&
         absl::c_none_of(i.operands(), [](auto* o) { return o->op() == HloOpcode::Windows; });
}

class Mover : ShapedGraph {
 public:
  explicit Mover(HloComputation& c) : c_(c) {}

  bool Run() {
    const std::vector<HloInstruction*> order = c_.PostOrder();
    for (HloInstruction* i : order) Place(*i);
    bool changed = false;
    for (HloInstruction* i : order) {
      const auto region = regions_.find(i);
      if (region == regions_.end() || !region->second.has_transposes) continue;
      const std::optional<Dims> best = Choose(*i, region->second);
      if (!best) continue;
      Write(*i, region->second, *best);
      changed = true;
    }
    if (changed) c_.RemoveDead();
    return changed;
  }

 private:
  // --- regions

  void Place(HloInstruction& i) {
    if (i.op() == HloOpcode::Broadcast || i.op() == HloOpcode::Iota ||
        (IsElementwise(i.op()) &&
         absl::c_all_of(i.operands(), [&](auto* o) { return IsFree(*o); })))
      free_.insert(&i);
    Value v;
    if (IsPacked(i)) {
      v.product = &i;
      for (int64_t d = 0; d < i.shape().rank(); ++d) v.dims.push_back(d);
    } else {
      for (const HloInstruction* o : i.operands()) {
        const auto from = values_.find(o);
        if (from == values_.end()) continue;
        std::optional<Dims> dims = DimsOf(i, *o, from->second);
        if (!dims) continue;
        v = {from->second.product, *std::move(dims)};
        break;
      }
    }
    if (v.product == nullptr) return;
    Region& region = regions_[v.product];
    region.values.push_back(&i);
    region.has_transposes |= i.op() == HloOpcode::Transpose;
    values_.emplace(&i, std::move(v));
  }

  // The dimensions of what an operation gives for a value; nothing if it may not be of the region.
  std::optional<Dims> DimsOf(const HloInstruction& i, const HloInstruction& x,
                             const Value& value) const {
    if (!i.shape().is_array()) return std::nullopt;
    if (IsElementwise(i.op())) {
      // Another one in another order is none of the same.
      for (const HloInstruction* o : i.operands()) {
        const auto other = values_.find(o);
        if (other != values_.end() && other->second.product == value.product &&
            other->second.dims != value.dims)
          return std::nullopt;
      }
      return x.shape().rank() == i.shape().rank() ? std::optional(value.dims) : std::nullopt;
    }
    Dims dims;
    switch (i.op()) {
      case HloOpcode::Transpose:
        for (int64_t d : i.dimensions()) dims.push_back(value.dims[static_cast<size_t>(d)]);
        return dims;
      case HloOpcode::Reduce:
        if (i.operands().size() != 2 || i.operand(0) != &x || !IsScalarComputation(*i.called(0)))
          return std::nullopt;
        for (int64_t d = 0; d < x.shape().rank(); ++d) {
          if (!absl::c_linear_search(i.dimensions(), d))
            dims.push_back(value.dims[static_cast<size_t>(d)]);
        }
        return dims;
      case HloOpcode::Broadcast:
        return DimsOfBroadcast(i, value);
      default:
        return std::nullopt;
    }
  }
  // The one dimension that a broadcast adds is the one that the value lacks.
  static std::optional<Dims> DimsOfBroadcast(const HloInstruction& i, const Value& value) {
    const auto rank = static_cast<size_t>(i.shape().rank());
    const Shape& product = value.product->shape();
    if (rank != static_cast<size_t>(product.rank()) || value.dims.size() + 1 != rank)
      return std::nullopt;
    int64_t missing = 0;
    while (absl::c_linear_search(value.dims, missing)) ++missing;
    Dims dims(rank, missing);
    for (size_t k = 0; k < value.dims.size(); ++k)
      dims[static_cast<size_t>(i.dimensions()[k])] = value.dims[k];
    for (size_t d = 0; d < rank; ++d) {
      if (i.shape().dimension(static_cast<int64_t>(d)) != product.dimension(dims[d]))
        return std::nullopt;
    }
    return dims;
  }

  // --- orders

  // The dimensions of a value in the order that all of its region has.
  static Dims Ordered(const Value& value, const Dims& order) {
    Dims dims;
    absl::c_copy_if(order, std::back_inserter(dims),
                    [&](int64_t d) { return absl::c_linear_search(value.dims, d); });
    return dims;
  }
  // Whether only dimensions of one element move between the two.
  static bool IsSame(const Value& value, const Dims& a, const Dims& b) {
    auto is_long = [&](int64_t d) { return value.product->shape().dimension(d) != 1; };
    Dims x, y;
    absl::c_copy_if(a, std::back_inserter(x), is_long);
    absl::c_copy_if(b, std::back_inserter(y), is_long);
    return x == y;
  }
  bool IsOf(const HloInstruction* i, const HloInstruction& product) const {
    const auto v = values_.find(i);
    return v != values_.end() && v->second.product == &product;
  }
  // Whether anything that is not of the region reads the value.
  bool IsReadOutside(const HloInstruction& i, const HloInstruction& product) const {
    return &i == c_.root() || absl::c_any_of(i.users(), [&](auto* u) { return !IsOf(u, product); });
  }
  // What is made of broadcasts and counts alone, as masks are, is computed in any order.
  bool IsFree(const HloInstruction& x) const { return x.shape().rank() == 0 || free_.contains(&x); }

  // Elements that are moved as it is written, but for a transpose of the product alone.
  int64_t Moved(const HloInstruction& product, const Region& region) const {
    int64_t moved = 0;
    for (const HloInstruction* i : region.values) {
      if (i->op() != HloOpcode::Transpose ||
          (i->operand(0) == &product && product.users().size() == 1))
        continue;
      const Value& to = values_.at(i);
      if (!IsSame(to, to.dims, values_.at(i->operand(0)).dims)) moved += i->shape().element_count();
    }
    return moved;
  }
  // Elements that are moved with all values in that order, from the product on.
  int64_t Moved(const HloInstruction& product, const Region& region, const Dims& order) const {
    int64_t moved = 0;
    for (const HloInstruction* i : region.values) {
      const Value& v = values_.at(i);
      if (IsSame(v, v.dims, Ordered(v, order))) continue;
      if (i != &product && IsElementwise(i->op())) {
        for (const HloInstruction* o : i->operands())
          if (!IsOf(o, product) && !IsFree(*o)) moved += o->shape().element_count();
      }
      if (IsReadOutside(*i, product)) moved += i->shape().element_count();
    }
    return moved;
  }
  // The order, if there is one, in which fewer elements are moved.
  std::optional<Dims> Choose(const HloInstruction& product, const Region& region) const {
    int64_t least = Moved(product, region);
    std::optional<Dims> best;
    std::vector<Dims> tried;
    for (const HloInstruction* i : region.values) {
      const Dims& order = values_.at(i).dims;
      if (i->op() != HloOpcode::Transpose || i->shape().rank() != product.shape().rank() ||
          absl::c_linear_search(tried, order) || tried.size() == kMostOrders)
        continue;
      tried.push_back(order);
      const int64_t moved = Moved(product, region, order);
      if (moved >= least) continue;
      least = moved;
      best = order;
    }
    return best;
  }

  // --- writing

  void Write(HloInstruction& product, const Region& region, const Dims& order) {
    absl::flat_hash_map<const HloInstruction*, HloInstruction*> written;
    for (HloInstruction* i : region.values) {
      Begin(c_, *i);
      const Value& v = values_.at(i);
      written[i] = i == &product ? Transpose(i, order) : Written(*i, v, order, written);
    }
    for (HloInstruction* i : region.values) {
      if (!IsReadOutside(*i, product)) continue;
      Begin(c_, *i);
      const Value& v = values_.at(i);
      const Dims ordered = Ordered(v, order);
      // The product itself is there as it was.
      HloInstruction* plain =
          i == &product ? i : Transpose(written.at(i), Permutation(ordered, v.dims));
      if (plain == i) continue;
      const std::vector<HloInstruction*> users = i->users();
      for (HloInstruction* u : users) {
        if (IsOf(u, product)) continue;
        for (size_t k = 0; k < u->operands().size(); ++k)
          if (u->operand(k) == i) u->ReplaceOperand(k, plain);
      }
      if (c_.root() == i) c_.set_root(plain);
    }
  }
  // That gives the dimensions `to` of an array that has them as `from`.
  static Dims Permutation(const Dims& from, const Dims& to) {
    Dims p;
    for (int64_t d : to) p.push_back(absl::c_find(from, d) - from.begin());
    return p;
  }

  HloInstruction* Written(
      HloInstruction& i, const Value& v, const Dims& order,
      const absl::flat_hash_map<const HloInstruction*, HloInstruction*>& written) {
    const Dims ordered = Ordered(v, order), permutation = Permutation(v.dims, ordered);
    if (i.op() == HloOpcode::Transpose) return written.at(i.operand(0));
    const Shape shape = Permuted(i.shape(), permutation);
    std::vector<HloInstruction*> operands;
    for (HloInstruction* o : i.operands()) {
      const auto known = written.find(o);
      operands.push_back(known != written.end()   ? known->second
                         : o->shape().rank() == 0 ? o
                                                  : Reordered(*o, permutation));
    }
    if (IsElementwise(i.op())) return Add(i.op(), shape, operands, i.attributes(), i.called());
    const Value& x = values_.at(i.operand(0));
    const Dims from = Ordered(x, order);
    Dims dims;
    if (i.op() == HloOpcode::Reduce) {
      for (size_t d = 0; d < from.size(); ++d)
        if (!absl::c_linear_search(ordered, from[d])) dims.push_back(static_cast<int64_t>(d));
    } else {
      dims = Permutation(ordered, from);
    }
    return Add(i.op(), shape, operands, DimensionsAttrs{dims}, i.called());
  }
  // An operand that is not of the region.
  HloInstruction* Reordered(HloInstruction& x, const Dims& permutation) {
    if (absl::c_is_sorted(permutation)) return &x;
    std::vector<HloInstruction*> stack{&x};
    while (!stack.empty()) {
      HloInstruction& i = *stack.back();
      HloInstruction*& result = reordered_[{&i, permutation}];
      const bool is_computed = IsElementwise(i.op()) && IsFree(i);
      const size_t before = stack.size();
      for (HloInstruction* o : i.operands()) {
        if (result == nullptr && is_computed && o->shape().rank() > 0 &&
            !reordered_.contains({o, permutation}))
          stack.push_back(o);
      }
      if (stack.size() > before) continue;
      stack.pop_back();
      if (result == nullptr)
        result = is_computed ? Computed(i, permutation) : Moved(i, permutation);
    }
    return reordered_.at({&x, permutation});
  }
  static Shape Permuted(const Shape& s, const Dims& permutation) {
    Dims sizes;
    for (int64_t d : permutation) sizes.push_back(s.dimension(d));
    return Shape(s.element_type(), sizes);
  }
  HloInstruction* Computed(HloInstruction& i, const Dims& permutation) {
    std::vector<HloInstruction*> operands;
    for (HloInstruction* o : i.operands())
      operands.push_back(o->shape().rank() == 0 ? o : reordered_.at({o, permutation}));
    return Add(i.op(), Permuted(i.shape(), permutation), operands, i.attributes(), i.called());
  }
  HloInstruction* Moved(HloInstruction& x, const Dims& permutation) {
    auto place = [&](int64_t d) { return absl::c_find(permutation, d) - permutation.begin(); };
    const Shape shape = Permuted(x.shape(), permutation);
    if (x.op() == HloOpcode::Iota)
      return Add(x.op(), shape, {}, IotaAttrs{place(x.attrs<IotaAttrs>().iota_dimension)});
    if (x.op() != HloOpcode::Broadcast) return Transpose(&x, permutation);
    Dims dims;
    for (int64_t d : x.dimensions()) dims.push_back(place(d));
    return Add(x.op(), shape, {x.operand(0)}, DimensionsAttrs{dims});
  }

  static constexpr size_t kMostOrders = 8;  // that are tried: guess

  HloComputation& c_;
  absl::flat_hash_map<const HloInstruction*, Value> values_;
  absl::flat_hash_map<const HloInstruction*, Region> regions_;  // by product
  absl::flat_hash_set<const HloInstruction*> free_;
  absl::flat_hash_map<std::pair<const HloInstruction*, Dims>, HloInstruction*> reordered_;
};

}  // namespace

std::unique_ptr<Pass> MakeProductTransposesPass() {
  return MakePass("product-transposes", [](HloModule& module) -> absl::StatusOr<bool> {
    bool changed = false;
    for (HloComputation* c : module.PostOrder()) changed |= Mover(*c).Run();
    return changed;
  });
}

}  // namespace sinter
