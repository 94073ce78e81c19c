#include "passes/layout/unpacked_products.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/algorithm/container.h"
#include "ir/analysis/computed_stack.h"
#include "ir/analysis/packing.h"
#include "ir/layout.h"
#include "pass/expansion.h"
#include "pass/graph.h"
#include "pass/product_terms.h"
#include "target/tuning.h"

namespace sinter {
namespace {

enum class Role : uint8_t { kBatch, kContracted, kFree };

class Product {
 public:
  Product(HloComputation& c, HloInstruction& dot, const CpuMachine& machine)
      : dot_(dot), attrs_(dot.attrs<DotAttrs>()), g_(c, dot) {
    const ElementType type = dot.shape().element_type();
    lanes_ = machine.vector_bytes / std::max(4, ByteWidth(type));
    is_packed_ = IsWorthPacking(dot, &machine);
    is_complex_ = IsComplex(type);
    is_of_numbers_ = is_complex_ || IsFloat(type) || IsInteger(type);
    const ProductExtents e = ExtentsOf(dot);
    depth_ = e.k;
    const Dims *batch[] = {&attrs_.lhs_batch_dims, &attrs_.rhs_batch_dims},
               *contracted[] = {&attrs_.lhs_contracting_dims, &attrs_.rhs_contracting_dims};
    for (size_t side : {0, 1}) {
      HloInstruction* x = dot.operand(side);
      has_windows_ |= x->op() == HloOpcode::Windows;
      // Of windows, the dimensions of the array come first.
      const Shape& array = (x->op() == HloOpcode::Windows ? x->operand(0) : x)->shape();
      sides_[side] = {x, batch[side], contracted[side], side == 0 ? e.m : e.n,
                      MinorDimension(array)};
    }
  }

  // With a single column, whose dimension is none then: sums run along the left operand's rows, as
  // a product with a vector's do. Null where the right operand has several columns, or none, or the
  // left one is contracted along its minor dimension, which vectors run along.
  HloInstruction* AsVector() {
    const Shape &left = sides_[0].x->shape(), &right = sides_[1].x->shape();
    const int64_t minor = left.rank() - 1;
    if (has_windows_ || minor < 0 || left.dimension(minor) < 2 || RoleOf(0, minor) != Role::kFree)
      return nullptr;
    DotAttrs without = attrs_;
    Dims kept, sizes = dot_.shape().dimensions();
    for (int64_t d = 0; d < right.rank(); ++d) {
      if (RoleOf(1, d) != Role::kFree) {
        kept.push_back(right.dimension(d));
        continue;
      }
      if (right.dimension(d) != 1) return nullptr;
      sizes.pop_back();
      for (Dims* dims : {&without.rhs_batch_dims, &without.rhs_contracting_dims})
        for (int64_t& other : *dims)
          if (other > static_cast<int64_t>(kept.size())) --other;
    }
    if (sizes.size() == dot_.shape().dimensions().size()) return nullptr;
    const Shape shape(dot_.shape().element_type(), sizes);
    HloInstruction* vector = g_.Add(HloOpcode::Dot, {sides_[0].x, g_.Reshape(sides_[1].x, kept)},
                                    std::move(without), {}, &shape);
    return g_.Reshape(vector, dot_.shape().dimensions());
  }

  // With one operand transposed, so that vectors find it in one place. Null where none is to be.
  HloInstruction* WithTransposed() {
    if (!is_of_numbers_ || sides_[0].minor < 0 || sides_[1].minor < 0) return nullptr;
    for (size_t side : {1, 0}) {
      if (const Dims order = OrderFor(side); !order.empty()) return Transposed(side, order);
    }
    return nullptr;
  }

  // The sum of products of elements that each result is, written out, where that takes less. The
  // result's dimensions are read in the order `wanted`.
  HloInstruction* AsSums(const Dims& wanted) {
    if (!is_of_numbers_ || has_windows_ || is_packed_ || dot_.shape().element_count() == 0)
      return nullptr;
    Dims order = OrderAlongBatch(wanted);
    if (order.empty()) order = OrderOfStack(wanted);
    if (order.empty()) return nullptr;
    HloInstruction* terms = ProductTerms(g_, dot_, order);
    if (terms == nullptr) return nullptr;
    const Dims of_result = TermsOfResult(dot_);
    Dims summed, results;
    for (size_t k = 0; k < order.size(); ++k) {
      const auto at = absl::c_find(of_result, order[k]);
      if (at == of_result.end()) {
        summed.push_back(static_cast<int64_t>(k));
      } else {
        results.push_back(at - of_result.begin());
      }
    }
    HloInstruction* sums = g_.Convert(g_.Sum(terms, summed), dot_.shape().element_type());
    Dims permutation;
    for (int64_t d : wanted) permutation.push_back(absl::c_find(results, d) - results.begin());
    return g_.Transpose(sums, permutation);
  }

  const absl::Status& status() const { return g_.status(); }

 private:
  struct Side {
    HloInstruction* x = nullptr;
    const Dims *batch = nullptr, *contracted = nullptr;
    int64_t free = 1;    // elements along the free dimensions
    int64_t minor = -1;  // the dimension that memory runs along; -1 of a scalar
  };

  Role RoleOf(size_t side, int64_t d) const {
    if (absl::c_linear_search(*sides_[side].batch, d)) return Role::kBatch;
    return absl::c_linear_search(*sides_[side].contracted, d) ? Role::kContracted : Role::kFree;
  }
  // The dimension of the other operand that is the same one; -1 of a free one.
  int64_t InOther(size_t side, int64_t d) const {
    const Side &own = sides_[side], &other = sides_[1 - side];
    if (const auto at = absl::c_find(*own.batch, d); at != own.batch->end())
      return (*other.batch)[static_cast<size_t>(at - own.batch->begin())];
    if (const auto at = absl::c_find(*own.contracted, d); at != own.contracted->end())
      return (*other.contracted)[static_cast<size_t>(at - own.contracted->begin())];
    return -1;
  }
  // A dimension as ProductTerms names it.
  int64_t NameOf(size_t side, int64_t d) const {
    const int64_t other = side == 0 ? d : InOther(1, d);
    return other >= 0 ? other : sides_[0].x->shape().rank() + d;
  }

  // The order of terms where both operands' memory runs along the same batch, so that a vector is
  // one of results; none elsewhere.
  Dims OrderAlongBatch(const Dims& wanted) const {
    const Side &left = sides_[0], &right = sides_[1];
    if (!SharesMinor(Role::kBatch)) return {};
    const int64_t run = left.x->shape().dimension(left.minor);
    // To move more results than the elements that they are made of takes longer than it saves.
    const auto b = absl::c_find(*left.batch, left.minor) - left.batch->begin();
    const bool is_kept = wanted.back() == b;
    if (2 * run < lanes_ || left.free * right.free == 1 ||
        (!is_kept && left.free * right.free > depth_ * left.free &&
         left.free * right.free > depth_ * right.free))
      return {};
    // The larger operand's dimensions but the minor one, the other one's free ones, the minor one.
    Dims order;
    const size_t larger = left.free < right.free ? 1 : 0;
    for (size_t side : {larger, 1 - larger}) {
      for (int64_t d = 0; d < sides_[side].x->shape().rank(); ++d) {
        if (d != sides_[side].minor && (side == larger || RoleOf(side, d) == Role::kFree))
          order.push_back(NameOf(side, d));
      }
    }
    order.push_back(left.minor);
    return order;
  }

  // The order of terms where an operand is a stack along what is contracted, of whose elements few
  // results are computed each: no turn of a loop chooses one of them then (ShortReductions).
  Dims OrderOfStack(const Dims& wanted) const {
    const bool is_stack = absl::c_any_of(std::array{0, 1}, [&](size_t side) {
      const Side& own = sides_[side];
      return own.contracted->size() == 1 && 2 * sides_[1 - side].free <= lanes_ &&
             IsComputedStack(*own.x, (*own.contracted)[0]);
    });
    if (!is_stack || dot_.shape().element_count() < tuning::kFewestWrittenOut) return {};
    const Dims of_result = TermsOfResult(dot_);
    Dims order;
    for (int64_t d : wanted) order.push_back(of_result[static_cast<size_t>(d)]);
    order.push_back((*sides_[0].contracted)[0]);
    return order;
  }

  bool SharesMinor(Role role) const {
    return sides_[0].minor >= 0 && RoleOf(0, sides_[0].minor) == role &&
           InOther(0, sides_[0].minor) == sides_[1].minor;
  }
  // Of an operand in which vectors of `other`'s memory would be read element by element.
  bool IsReadAcross(const Side& own, const Side& other, int64_t run) const {
    if (own.free == 1) return 2 * run >= lanes_ && other.free >= tuning::kRowsOfVector;
    const bool is_narrow = ByteWidth(own.x->shape().element_type()) < 4;
    const int64_t most =
        has_windows_ ? tuning::kMostSummedColumnsOfWindows : tuning::kMostSummedColumns;
    return 2 * own.free < lanes_ && (is_narrow || own.free <= most) &&
           run >= std::max(2 * lanes_, tuning::kLeastSummedRun) &&
           other.free >= tuning::kRowsOfFewColumns;
  }

  // The order in memory in which the operand is to be; none where it may stay.
  Dims OrderFor(size_t side) const {
    const Side &own = sides_[side], &other = sides_[1 - side];
    if (own.x->op() == HloOpcode::Windows) return {};
    const Role runs = RoleOf(side, own.minor), others = RoleOf(1 - side, other.minor);
    const int64_t along = InOther(1 - side, other.minor);  // of this operand
    // Where real numbers would be packed.
    if (is_complex_ && side == 1 && !has_windows_ && runs == Role::kContracted &&
        2 * own.free >= lanes_ && other.free >= tuning::kRowsOfVector)
      return Order(side, {Role::kBatch, Role::kContracted, Role::kFree});
    if (along == own.minor) return {};
    const int64_t run = others == Role::kFree ? 1 : own.x->shape().dimension(along);
    // Few columns, each result of which is a sum along what is contracted, as the other operand's
    // memory runs; or operands that are contracted in different orders, of which the smaller one is
    // moved.
    if (others == Role::kContracted) {
      const bool is_smaller =
          other.free >= tuning::kRowsOfVector && own.free < other.free + static_cast<int64_t>(side);
      if (IsReadAcross(own, other, run) ||
          (runs == Role::kContracted && is_smaller && !is_packed_ && 2 * run >= lanes_))
        return Order(side, {Role::kBatch, Role::kFree, Role::kContracted});
    }
    if (is_packed_ || has_windows_) return {};
    // A vector, beside what runs along a batch (AsSums).
    if (others == Role::kBatch && own.free == 1 && IsReadAcross(own, other, run)) {
      Dims order = Order(side, {Role::kBatch, Role::kFree, Role::kContracted});
      std::erase(order, along);
      order.push_back(along);
      return order;
    }
    // What runs along a batch, beside what does not: rows of a product of its own each.
    if (runs != Role::kBatch || other.free < tuning::kRowsOfVector) return {};
    if (side == 1 && 2 * own.free >= lanes_)
      return Order(side, {Role::kBatch, Role::kContracted, Role::kFree});
    if (side == 0 && others == Role::kContracted)
      return Order(side, {Role::kBatch, Role::kFree, Role::kContracted});
    return {};
  }
  // Dimensions by role, those that the other operand has too in its order.
  Dims Order(size_t side, std::initializer_list<Role> roles) const {
    Dims order;
    for (Role role : roles) {
      const auto first = static_cast<ptrdiff_t>(order.size());
      for (int64_t d = 0; d < sides_[side].x->shape().rank(); ++d)
        if (RoleOf(side, d) == role) order.push_back(d);
      // Positions in windows are anywhere in memory.
      const int64_t minor = sides_[1 - side].minor;
      std::stable_sort(order.begin() + first, order.end(), [&](int64_t a, int64_t b) {
        const int64_t at = InOther(side, a), next = InOther(side, b);
        return has_windows_ ? at != minor && next == minor : at < next;
      });
    }
    return order;
  }

  HloInstruction* Transposed(size_t side, const Dims& order) {
    DotAttrs attrs = attrs_;
    const Dims place = InversePermutation(order);
    for (Dims* dims : {side == 0 ? &attrs.lhs_batch_dims : &attrs.rhs_batch_dims,
                       side == 0 ? &attrs.lhs_contracting_dims : &attrs.rhs_contracting_dims}) {
      for (int64_t& d : *dims) d = place[static_cast<size_t>(d)];
    }
    HloInstruction* operands[] = {sides_[0].x, sides_[1].x};
    operands[side] = g_.Transpose(operands[side], order);
    return g_.Add(HloOpcode::Dot, {operands[0], operands[1]}, std::move(attrs), {}, &dot_.shape());
  }

  HloInstruction& dot_;
  const DotAttrs& attrs_;
  Graph g_;
  Side sides_[2];
  int64_t lanes_ = 1, depth_ = 1;
  bool is_packed_ = false, is_of_numbers_ = false, is_complex_ = false, has_windows_ = false;
};

}  // namespace

std::unique_ptr<Pass> MakeUnpackedProductsPass(const TargetInfo& target) {
  return MakeExpansionPass(
      "unpacked-products",
      [target](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (target.cpu() == nullptr) return nullptr;
        if (i.op() == HloOpcode::Transpose && i.operand(0)->op() == HloOpcode::Dot &&
            IsTransposed(*i.operand(0))) {
          // Sums are written in the order that the transpose gives them.
          Product product(c, *i.operand(0), *target.cpu());
          HloInstruction* sums = product.AsSums(i.dimensions());
          RETURN_IF_ERROR(product.status());
          return sums;
        }
        if (i.op() != HloOpcode::Dot) return nullptr;
        Product product(c, i, *target.cpu());
        HloInstruction* now = product.AsVector();
        if (now == nullptr) now = product.WithTransposed();
        RETURN_IF_ERROR(product.status());
        HloInstruction& dot = now == nullptr ? i : *now;
        if (dot.op() != HloOpcode::Dot || IsTransposed(i)) return now;
        Product moved(c, dot, *target.cpu());
        Dims order(static_cast<size_t>(i.shape().rank()));
        absl::c_iota(order, 0);
        if (HloInstruction* sums = moved.AsSums(order)) now = sums;
        RETURN_IF_ERROR(moved.status());
        return now;
      });
}

}  // namespace sinter
