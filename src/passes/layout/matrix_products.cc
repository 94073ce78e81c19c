#include "passes/layout/matrix_products.h"

#include <limits>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "ir/analysis/packing.h"
#include "pass/expansion.h"
#include "pass/graph.h"
#include "target/tuning.h"

namespace sinter {
namespace {

int64_t SizeOf(const Shape& s, const Dims& dims) {
  int64_t n = 1;
  for (int64_t d : dims) n *= s.dimension(d);
  return n;
}

// Those of more than one element: the others may be anywhere.
Dims Long(const Shape& s, const Dims& dims) {
  Dims out;
  absl::c_copy_if(dims, std::back_inserter(out), [&](int64_t d) { return s.dimension(d) != 1; });
  return out;
}

// Whether they follow one another in memory, in this order.
bool AreNeighbours(const Shape& s, const Dims& dims) {
  const Dims all = Long(s, dims);
  for (size_t k = 1; k < all.size(); ++k) {
    if (all[k] < all[k - 1]) return false;
    for (int64_t d = all[k - 1] + 1; d < all[k]; ++d) {
      if (s.dimension(d) != 1) return false;
    }
  }
  return true;
}

// Dimensions of an operand by what a product does with them. The result's dimension of each free
// one is in `results`.
struct Side {
  HloInstruction* x = nullptr;
  Dims batch, contracted, free, results;
};

// One way to compute the product.
struct Form {
  bool is_swapped = false;
  // By operand: the order of the free dimensions, as positions in Side::free, and whether the
  // operand is transposed.
  std::vector<size_t> order[2];
  bool is_moved[2] = {false, false};
  std::vector<size_t> summed;  // positions in Side::contracted, of both operands
  double cost = std::numeric_limits<double>::infinity();
};

class Product {
 public:
  // `result` is the dot or, where that is its only user, the transpose of it.
  Product(HloInstruction& dot, const HloInstruction& result) : dot_(dot) {
    const auto& a = dot.attrs<DotAttrs>();
    const Dims *batch[] = {&a.lhs_batch_dims, &a.rhs_batch_dims},
               *contracted[] = {&a.lhs_contracting_dims, &a.rhs_contracting_dims};
    auto next = static_cast<int64_t>(a.lhs_batch_dims.size());
    for (size_t side = 0; side < 2; ++side) {
      Side& s = sides_[side];
      s = {dot.operand(side), *batch[side], *contracted[side], {}, {}};
      for (int64_t d = 0; d < s.x->shape().rank(); ++d) {
        if (absl::c_linear_search(s.batch, d) || absl::c_linear_search(s.contracted, d)) continue;
        s.free.push_back(d);
        s.results.push_back(next++);
      }
    }
    if (&result != &dot) {
      wanted_ = result.dimensions();
    } else {
      for (int64_t d = 0; d < dot.shape().rank(); ++d) wanted_.push_back(d);
    }
  }

  bool IsOfMatrices() const {
    const ElementType t = dot_.shape().element_type();
    if (!IsFloat(t) && !IsInteger(t)) return false;
    for (const Side& s : sides_) {
      if (s.x->op() == HloOpcode::Windows) return false;
    }
    return true;
  }

  // The cheapest form that is worth packing; none where the product is in it already.
  std::optional<Form> Choose() const {
    Form best;
    bool is_as_written = false;
    for (const bool swapped : {false, true}) {
      const size_t last = swapped ? 0 : 1;
      const Side &left = sides_[1 - last], &right = sides_[last];
      if (!IsWorthPacking(SizeOf(left.x->shape(), left.free), SizeOf(right.x->shape(), right.free),
                          SizeOf(left.x->shape(), left.contracted),
                          // Not worth a transpose of the result, as exchanging the operands may be.
                          !swapped && RunsAlongContracted(right.x->shape(), right.contracted)))
        continue;
      for (int orders = 0; orders < 8; ++orders) {
        Form f;
        f.is_swapped = swapped;
        for (size_t side = 0; side < 2; ++side)
          f.order[side] = (orders >> side) & 1 ? WantedOrder(sides_[side]) : Order(sides_[side]);
        f.summed = SummedOrder(sides_[static_cast<size_t>(orders >> 2)]);
        Price(f);
        if (f.cost >= best.cost) continue;
        best = f;
        is_as_written = IsAsWritten(f);
      }
    }
    if (is_as_written || best.cost == std::numeric_limits<double>::infinity()) return std::nullopt;
    return best;
  }

  absl::StatusOr<HloInstruction*> Write(HloComputation& c, const Form& f) {
    Graph g(c, dot_);
    const auto& a = dot_.attrs<DotAttrs>();
    const size_t first = f.is_swapped ? 1 : 0, second = 1 - first;
    HloInstruction* operands[2];
    DotAttrs attrs;
    Dims *batch[] = {&attrs.lhs_batch_dims, &attrs.rhs_batch_dims},
         *summed[] = {&attrs.lhs_contracting_dims, &attrs.rhs_contracting_dims};
    Dims merged;  // the result's, with one free dimension an operand
    for (size_t k = 0; k < sides_[0].batch.size(); ++k)
      merged.push_back(dot_.shape().dimension(static_cast<int64_t>(k)));
    for (const size_t side : {first, second}) {
      const Side& s = sides_[side];
      const size_t at = side == first ? 0 : 1;
      operands[at] = f.is_moved[side] ? g.Transpose(s.x, Permutation(s, f, side)) : s.x;
      Merge(g, s, f, side, operands[at], *batch[at], *summed[at]);
      merged.push_back(SizeOf(s.x->shape(), s.free));
    }
    attrs.lhs_precision = f.is_swapped ? a.rhs_precision : a.lhs_precision;
    attrs.rhs_precision = f.is_swapped ? a.lhs_precision : a.rhs_precision;
    const Shape declared(dot_.shape().element_type(), merged);
    HloInstruction* product =
        g.Add(HloOpcode::Dot, {operands[0], operands[1]}, std::move(attrs), {}, &declared);
    const Dims results = Results(f);
    Dims sizes, permutation;
    for (int64_t d : results) sizes.push_back(dot_.shape().dimension(d));
    product = g.Reshape(product, sizes);
    for (int64_t d : wanted_) permutation.push_back(absl::c_find(results, d) - results.begin());
    product = g.Transpose(product, permutation);
    RETURN_IF_ERROR(g.status());
    return product;
  }

 private:
  static std::vector<size_t> Order(const Side& s) {
    std::vector<size_t> order(s.free.size());
    for (size_t k = 0; k < order.size(); ++k) order[k] = k;
    return order;
  }
  // That of the result's transpose.
  std::vector<size_t> WantedOrder(const Side& s) const {
    std::vector<size_t> order;
    for (int64_t d : wanted_) {
      const auto at = absl::c_find(s.results, d);
      if (at != s.results.end()) order.push_back(static_cast<size_t>(at - s.results.begin()));
    }
    return order;
  }
  // That of the operand's memory.
  static std::vector<size_t> SummedOrder(const Side& s) {
    std::vector<size_t> order(s.contracted.size());
    for (size_t k = 0; k < order.size(); ++k) order[k] = k;
    absl::c_sort(order, [&](size_t a, size_t b) { return s.contracted[a] < s.contracted[b]; });
    return order;
  }
  static Dims Picked(const Dims& dims, const std::vector<size_t>& order) {
    Dims out;
    for (size_t k : order) out.push_back(dims[k]);
    return out;
  }

  // Whether memory runs along a dimension of the batch: each product would then read all of it.
  static bool RunsAlongBatch(const Side& s) {
    int64_t d = s.x->shape().rank() - 1;
    while (d >= 0 && s.x->shape().dimension(d) == 1) --d;
    return d >= 0 && absl::c_linear_search(s.batch, d);
  }

  void Price(Form& f) const {
    f.cost = 0;
    for (size_t side = 0; side < 2; ++side) {
      const Side& s = sides_[side];
      f.is_moved[side] = RunsAlongBatch(s) ||
                         !AreNeighbours(s.x->shape(), Picked(s.free, f.order[side])) ||
                         !AreNeighbours(s.x->shape(), Picked(s.contracted, f.summed));
      if (!f.is_moved[side]) continue;
      const Dims permutation = Permutation(s, f, side);
      const bool in_rows = permutation.back() == s.x->shape().rank() - 1;
      f.cost += (in_rows ? tuning::kMoveInRow : tuning::kMoveAcrossRows) *
                static_cast<double>(s.x->shape().element_count());
    }
    const Dims order = Long(dot_.shape(), Results(f)), wanted = Long(dot_.shape(), wanted_);
    if (order == wanted) return;
    f.cost += (order.back() == wanted.back() ? tuning::kMoveInRow : tuning::kMoveAcrossRows) *
              static_cast<double>(dot_.shape().element_count());
  }
  bool IsAsWritten(const Form& f) const {
    return !f.is_swapped && absl::c_all_of(std::initializer_list<size_t>{0, 1}, [&](size_t side) {
      return !f.is_moved[side] && sides_[side].free.size() == 1 &&
             sides_[side].contracted.size() == 1;
    });
  }
  // The dimensions of the result in this form.
  Dims Results(const Form& f) const {
    Dims order;
    for (size_t k = 0; k < sides_[0].batch.size(); ++k) order.push_back(static_cast<int64_t>(k));
    for (const size_t side : {f.is_swapped ? size_t{1} : 0, f.is_swapped ? size_t{0} : 1}) {
      for (size_t k : f.order[side]) order.push_back(sides_[side].results[k]);
    }
    return order;
  }
  // Batches, rows and columns of the operand where it is moved: what its rows are in memory stays
  // so, if it can.
  static Dims Permutation(const Side& s, const Form& f, size_t side) {
    const Dims free = Picked(s.free, f.order[side]), summed = Picked(s.contracted, f.summed);
    const bool free_last = !free.empty() && free.back() == s.x->shape().rank() - 1;
    Dims p = s.batch;
    for (const Dims* dims : {free_last ? &summed : &free, free_last ? &free : &summed})
      p.insert(p.end(), dims->begin(), dims->end());
    return p;
  }
  // The operand with one free and one contracted dimension.
  static void Merge(Graph& g, const Side& s, const Form& f, size_t side, HloInstruction*& x,
                    Dims& batch, Dims& summed) {
    const Dims &free = s.free, &contracted = s.contracted;
    const int64_t rows = SizeOf(s.x->shape(), free), depth = SizeOf(s.x->shape(), contracted);
    Dims sizes;
    // Dimensions of x as it is now, in order: those of the operand, or of its transpose.
    Dims order = f.is_moved[side] ? Permutation(s, f, side) : Dims();
    if (order.empty()) {
      for (int64_t d = 0; d < s.x->shape().rank(); ++d) order.push_back(d);
    }
    batch.assign(s.batch.size(), 0);
    bool has_free = false, has_summed = false;
    for (int64_t d : order) {
      const auto at = static_cast<int64_t>(sizes.size());
      if (const auto b = absl::c_find(s.batch, d); b != s.batch.end()) {
        batch[static_cast<size_t>(b - s.batch.begin())] = at;
        sizes.push_back(s.x->shape().dimension(d));
      } else if (s.x->shape().dimension(d) == 1) {
        continue;
      } else if (absl::c_linear_search(contracted, d)) {
        if (has_summed) continue;
        has_summed = true;
        summed = {at};
        sizes.push_back(depth);
      } else if (!has_free) {
        has_free = true;
        sizes.push_back(rows);
      }
    }
    x = g.Reshape(x, sizes);
  }

  HloInstruction& dot_;
  Side sides_[2];
  Dims wanted_;  // the result's dimensions in the order that is read
};

bool IsTransposed(const HloInstruction& dot) {
  return dot.users().size() == 1 && dot.users()[0]->op() == HloOpcode::Transpose;
}

}  // namespace

std::unique_ptr<Pass> MakeMatrixProductsPass() {
  return MakeExpansionPass(
      "matrix-products",
      [](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        HloInstruction* dot = i.op() == HloOpcode::Transpose ? i.operand(0) : &i;
        // A dot that is transposed is written together with its transpose.
        if (dot->op() != HloOpcode::Dot || IsTransposed(*dot) != (dot != &i)) return nullptr;
        Product product(*dot, i);
        if (!product.IsOfMatrices()) return nullptr;
        const std::optional<Form> form = product.Choose();
        if (!form) return nullptr;
        return product.Write(c, *form);
      });
}

}  // namespace sinter
