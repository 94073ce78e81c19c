#include "passes/layout/matrix_products.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "ir/analysis/packing.h"
#include "ir/analysis/product_chain.h"
#include "ir/analysis/row_operations.h"
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

// Whether an array whose dimensions are in one order in memory comes to another one by moves of
// rows: elements that stay neighbours and fill lines of a cache.
bool MovesRows(const Shape& s, const Dims& from, const Dims& to) {
  const Dims before = Long(s, from), after = Long(s, to);
  int64_t row = 1;
  for (size_t k = before.size(); k-- > 0 && before[k] == after[k];) row *= s.dimension(before[k]);
  return static_cast<double>(row) >= tuning::kElementsOfLine;
}
double CostOfMove(const Shape& s, const Dims& from, const Dims& to) {
  return (MovesRows(s, from, to) ? tuning::kMoveInRow : tuning::kMoveAcrossRows) *
         static_cast<double>(s.element_count());
}
Dims InMemory(const Shape& s) {
  Dims dims;
  for (int64_t d = 0; d < s.rank(); ++d) dims.push_back(d);
  return dims;
}

// Dimensions of an operand by what a product does with them. The result's dimension of each free
// one is in `results`.
struct Side {
  HloInstruction* x = nullptr;
  Shape shape;
  Dims batch, contracted, free, results;
  const HloInstruction* made_of = nullptr;  // a product, row by row
};

// One way to compute the product.
struct Form {
  bool is_swapped = false;
  // Free dimensions of one operand, as positions in Side::free, that are batches: the other operand
  // is the same for all of them.
  size_t repeating = 0;
  std::vector<size_t> repeated;
  Dims batches;  // dimensions of the result
  // By operand: the order of the other free dimensions, and whether the operand is transposed.
  std::vector<size_t> order[2];
  bool is_moved[2] = {false, false};
  std::vector<size_t> summed;  // positions in Side::contracted, of both operands
  int64_t row_in_chain = 0;    // elements, where it may be one of a chain (ProductChain)
  double cost = std::numeric_limits<double>::infinity();
};

class Product {
 public:
  // `result` is the dot or, where that is its only user, the transpose of it.
  Product(HloInstruction& dot, const HloInstruction& result, const TargetInfo& target)
      : dot_(dot), result_(result), target_(target) {
    const auto& a = dot.attrs<DotAttrs>();
    const Dims *batch[] = {&a.lhs_batch_dims, &a.rhs_batch_dims},
               *contracted[] = {&a.lhs_contracting_dims, &a.rhs_contracting_dims};
    auto next = static_cast<int64_t>(a.lhs_batch_dims.size());
    for (size_t side = 0; side < 2; ++side) {
      Side& s = sides_[side];
      s = {dot.operand(side), dot.operand(side)->shape(), *batch[side], *contracted[side], {}, {}};
      for (int64_t d = 0; d < s.shape.rank(); ++d) {
        if (absl::c_linear_search(s.batch, d) || absl::c_linear_search(s.contracted, d)) continue;
        s.free.push_back(d);
        s.results.push_back(next++);
      }
      ReadThrough(s);
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
  std::optional<Form> Choose() {
    if (!MayBeWorth()) return std::nullopt;
    FindNeighbours();
    FindReader();
    Form best;
    bool is_as_written = false;
    for (Form& f : Forms()) {
      Price(f);
      if (f.cost >= best.cost || !IsWorth(f)) continue;
      is_as_written = IsAsWritten(f);
      best = std::move(f);
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
    for (int64_t d : f.batches) merged.push_back(dot_.shape().dimension(d));
    for (const size_t side : {first, second}) {
      const size_t at = side == first ? 0 : 1;
      operands[at] = Merge(g, f, side, *batch[at], *summed[at]);
      merged.push_back(Extent(f, side));
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
  // Reads what a product gives in place of a transpose of it, which this pass may have written.
  static void ReadThrough(Side& s) {
    while (s.x->op() == HloOpcode::Transpose) {
      HloInstruction* x = s.x->operand(0);
      const HloInstruction& made = x->op() == HloOpcode::Reshape ? *x->operand(0) : *x;
      if (made.op() != HloOpcode::Dot) return;
      for (Dims* dims : {&s.batch, &s.contracted, &s.free}) {
        for (int64_t& d : *dims) d = s.x->dimensions()[static_cast<size_t>(d)];
      }
      s.x = x;
      s.shape = x->shape();
    }
  }

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

  // All that are priced; first those that are more like what is written.
  std::vector<Form> Forms() const {
    std::vector<Form> forms(1);
    for (size_t side : {0, 1}) forms[0].order[side] = Order(sides_[side]);
    forms[0].summed = SummedOrder(sides_[0]);
    auto also = [&](auto change) {  // of each form that it changes, the changed one too
      for (size_t k = 0, n = forms.size(); k < n; ++k) {
        Form f = forms[k];
        if (change(f)) forms.push_back(std::move(f));
      }
    };
    for (size_t side : {0, 1}) {
      also([&](Form& f) {
        f.order[side] = WantedOrder(sides_[side]);
        return f.order[side] != forms[0].order[side];
      });
    }
    also([&](Form& f) {
      f.summed = SummedOrder(sides_[1]);
      return f.summed != forms[0].summed;
    });
    also([&](Form& f) { return f.is_swapped = true; });
    for (const Repetition& r : Repetitions()) {
      also([&](Form& f) {
        if (!f.repeated.empty()) return false;
        f.repeating = r.side;
        f.repeated = r.free;
        std::erase_if(f.order[r.side], [&](size_t k) { return absl::c_linear_search(r.free, k); });
        return true;
      });
    }
    for (Form& f : forms) f.batches = Batches(f, /*in_left_order=*/false);
    also([&](Form& f) {
      Dims before = std::exchange(f.batches, Batches(f, /*in_left_order=*/true));
      return f.batches != before;
    });
    return forms;
  }
  // Those that may save a transpose: of each operand, the outermost free dimensions are batches, as
  // they are in memory or wanted, or all but some that are neighbours.
  struct Repetition {
    size_t side;
    std::vector<size_t> free;  // positions in Side::free, sorted
  };
  std::vector<Repetition> Repetitions() const {
    std::vector<Repetition> all;
    for (size_t side : {0, 1}) {
      const Side& s = sides_[side];
      auto is_short = [&](size_t k) { return s.shape.dimension(s.free[k]) == 1; };
      std::vector<size_t> wanted = WantedOrder(s), memory = Order(s);
      std::erase_if(wanted, is_short);
      std::erase_if(memory, is_short);
      absl::c_sort(memory, [&](size_t a, size_t b) { return s.free[a] < s.free[b]; });
      auto add_but = [&](const std::vector<size_t>& order, size_t from, size_t to) {
        std::vector<size_t> free(order.begin(), order.begin() + static_cast<ptrdiff_t>(from));
        free.insert(free.end(), order.begin() + static_cast<ptrdiff_t>(to), order.end());
        absl::c_sort(free);
        const bool is_there = absl::c_any_of(
            all, [&](const Repetition& r) { return r.side == side && r.free == free; });
        if (!free.empty() && !is_there) all.push_back({side, std::move(free)});
      };
      for (size_t k = 1; k < memory.size(); ++k) {
        add_but(memory, k, memory.size());
        add_but(wanted, k, wanted.size());
      }
      for (size_t from = 0, to = 1; to < memory.size(); ++to) {
        if (AreNeighbours(s.shape, {s.free[memory[to - 1]], s.free[memory[to]]})) continue;
        add_but(memory, from, to);
        from = to;
      }
    }
    return all;
  }

  // The position in Side::free of a dimension of the result that is repeated over.
  size_t FreeOf(const Form& f, int64_t result) const {
    const Dims& results = sides_[f.repeating].results;
    return static_cast<size_t>(absl::c_find(results, result) - results.begin());
  }
  // Dimensions of an operand that are batches, in the result's order of them; those of the other
  // operand alone are missing.
  Dims BatchDims(const Form& f, size_t side) const {
    const Side& s = sides_[side];
    Dims dims;
    for (int64_t d : f.batches) {
      if (const auto k = static_cast<size_t>(d); k < s.batch.size()) {
        dims.push_back(s.batch[k]);
      } else if (side == f.repeating) {
        dims.push_back(s.free[FreeOf(f, d)]);
      }
    }
    return dims;
  }
  // Dimensions of the result that are batches: in the order that is wanted, or in that of the left
  // operand, which may be made of another product.
  Dims Batches(const Form& f, bool in_left_order) const {
    const size_t left = f.is_swapped ? 1 : 0;
    Dims batches;
    for (int64_t d : wanted_) {
      if (d < static_cast<int64_t>(sides_[0].batch.size())) batches.push_back(d);
    }
    for (size_t k : f.repeated) batches.push_back(sides_[f.repeating].results[k]);
    std::vector<int64_t> place(wanted_.size());
    for (size_t k = 0; k < wanted_.size(); ++k)
      place[static_cast<size_t>(wanted_[k])] = static_cast<int64_t>(k);
    if (in_left_order && (f.repeated.empty() || f.repeating == left)) {
      Form as_is{.repeating = f.repeating, .repeated = f.repeated, .batches = batches};
      const Dims dims = BatchDims(as_is, left);
      for (size_t k = 0; k < batches.size(); ++k) place[static_cast<size_t>(batches[k])] = dims[k];
    }
    absl::c_sort(batches, [&](int64_t a, int64_t b) {
      return place[static_cast<size_t>(a)] < place[static_cast<size_t>(b)];
    });
    return batches;
  }
  // Elements of an operand's free dimensions that are no batches.
  int64_t Extent(const Form& f, size_t side) const {
    return SizeOf(sides_[side].shape, Picked(sides_[side].free, f.order[side]));
  }
  int64_t Depth() const { return SizeOf(sides_[0].shape, sides_[0].contracted); }

  // Whether any form may be worth packing.
  bool MayBeWorth() const {
    const int64_t m = SizeOf(sides_[0].shape, sides_[0].free),
                  n = SizeOf(sides_[1].shape, sides_[1].free);
    return IsWorthPacking(m, n, Depth(), true) || IsWorthPacking(n, m, Depth(), true) ||
           (HasTiles() && IsWorthPackingToTiles(m, n, Depth()));
  }
  bool HasTiles() const {
    const CpuMachine* cpu = target_.cpu();
    return cpu != nullptr && IsOfTiledWords(dot_, *cpu);
  }
  bool IsWorth(const Form& f) const {
    const size_t left = f.is_swapped ? 1 : 0;
    const Side& right = sides_[1 - left];
    const int64_t m = Extent(f, left), n = Extent(f, 1 - left), k = Depth();
    // Not worth a transpose of the result, as exchanging the operands may be.
    const bool is_across =
        !f.is_swapped && IsReadAcross(right.shape, right.batch, right.contracted);
    return IsWorthPacking(m, n, k, is_across) || (HasTiles() && IsWorthPackingToTiles(m, n, k)) ||
           (f.row_in_chain > 0 && IsWorthChaining(m, n, k, f.row_in_chain));
  }

  // What may become one kernel with this product.
  void FindNeighbours() {
    if (!target_.chains_products()) return;
    for (Side& s : sides_) {
      if (AreWholeRows(s.x->shape(), s.contracted)) s.made_of = ProductOfRows(*s.x);
    }
    row_reader_ = ReaderOfRows(result_);
  }
  // Elements of the rows between this product and another one of which its left operand is made,
  // where it takes them as they are; 0 where it does not.
  int64_t RowAfterProduct(const Form& f) const {
    const size_t left = f.is_swapped ? 1 : 0;
    const Side& s = sides_[left];
    if (s.made_of == nullptr || f.is_moved[left] || (!f.repeated.empty() && f.repeating != left))
      return 0;
    const Dims free = Long(s.shape, Picked(s.free, f.order[left]));
    const Dims contracted = Long(s.shape, s.contracted);
    if (free.size() != 1) return 0;
    Dims order = BatchDims(f, left);
    order.push_back(free[0]);
    order.push_back(contracted[0]);
    const HloInstruction& first = *s.made_of;
    const int64_t depth =
        first.operand(0)->shape().dimension(first.attrs<DotAttrs>().lhs_contracting_dims[0]);
    const int64_t row = s.shape.dimension(contracted[0]);
    const bool fits =
        row > 0 && FitsChain(s.shape.element_count() / row, row, depth, Extent(f, 1 - left));
    return absl::c_is_sorted(order) && fits ? row : 0;
  }
  // The same of the rows that it gives to another product.
  int64_t RowBeforeProduct(const Form& f, bool is_result_moved) const {
    if (!row_reader_ || is_result_moved) return 0;
    for (size_t side = 0; side < 2; ++side) {
      const Side& s = sides_[side];
      if (Long(s.shape, Picked(s.free, f.order[side])).size() != 1) return 0;
    }
    const int64_t row = Extent(f, f.is_swapped ? 0 : 1);
    const bool fits = row > 0 && FitsChain(dot_.shape().element_count() / row, row, Depth(),
                                           row_reader_->columns);
    return fits ? row : 0;
  }

  void FindReader() {
    if (result_.users().size() != 1 || result_.users()[0]->op() != HloOpcode::Dot) return;
    HloInstruction& dot = *result_.users()[0];
    if (dot.operand(0) == dot.operand(1)) return;
    auto reader =
        std::make_unique<Product>(dot, IsTransposed(dot) ? *dot.users()[0] : dot, target_);
    read_as_ = dot.operand(0) == &result_ ? 0 : 1;
    if (reader->IsOfMatrices() && reader->MayBeWorth()) reader_ = std::move(reader);
  }
  // What that costs where it reads the result in this form; nothing if it would not be packed.
  std::optional<double> CostOfReader(const Form& f) const {
    if (reader_ == nullptr) return std::nullopt;
    const Dims order = Results(f);
    const auto [known, is_new] = reader_costs_.try_emplace(order);
    if (!is_new) return known->second;
    Side& s = reader_->sides_[read_as_];
    const Side before = s;
    Dims sizes;
    for (int64_t d : order) sizes.push_back(dot_.shape().dimension(d));
    s.shape = Shape(dot_.shape().element_type(), sizes);
    for (Dims* dims : {&s.batch, &s.contracted, &s.free}) {
      for (int64_t& d : *dims) d = absl::c_find(order, d) - order.begin();
    }
    double best = std::numeric_limits<double>::infinity();
    for (Form& form : reader_->Forms()) {
      reader_->Price(form);
      if (reader_->IsWorth(form)) best = std::min(best, form.cost);
    }
    s = before;
    if (best < std::numeric_limits<double>::infinity()) known->second = best;
    return known->second;
  }

  // Whether memory runs along a batch: each product would then read all of it.
  bool RunsAlongBatch(const Form& f, size_t side) const {
    const Shape& shape = sides_[side].shape;
    int64_t d = shape.rank() - 1;
    while (d >= 0 && shape.dimension(d) == 1) --d;
    return d >= 0 && absl::c_linear_search(BatchDims(f, side), d);
  }

  void Price(Form& f) const {
    f.cost = 0;
    for (size_t side = 0; side < 2; ++side) {
      const Side& s = sides_[side];
      f.is_moved[side] = RunsAlongBatch(f, side) ||
                         !AreNeighbours(s.shape, Picked(s.free, f.order[side])) ||
                         !AreNeighbours(s.shape, Picked(s.contracted, f.summed));
      if (!f.is_moved[side]) continue;
      f.cost += CostOfMove(s.shape, InMemory(s.shape), Permutation(f, side));
    }
    if (!f.repeated.empty()) {
      const Side& s = sides_[f.repeating];
      const auto times = static_cast<double>(SizeOf(s.shape, Picked(s.free, f.repeated)));
      f.cost += tuning::kPackAgain * (times - 1) *
                static_cast<double>(sides_[1 - f.repeating].shape.element_count());
    }
    const Dims order = Results(f);
    const bool is_result_moved = Long(dot_.shape(), order) != Long(dot_.shape(), wanted_);
    if (const std::optional<double> cost = CostOfReader(f)) {
      f.cost += *cost;
    } else if (is_result_moved) {
      f.cost += CostOfMove(dot_.shape(), order, wanted_);
    }
    // What one kernel does not write and another one does not read.
    const int64_t before = RowAfterProduct(f), after = RowBeforeProduct(f, is_result_moved);
    f.row_in_chain = std::max(before, after);
    if (before > 0) {
      f.cost -= tuning::kChainedElement *
                static_cast<double>(sides_[f.is_swapped ? 1 : 0].shape.element_count());
    }
    if (after > 0)
      f.cost -= tuning::kChainedElement * static_cast<double>(dot_.shape().element_count());
  }
  bool IsAsWritten(const Form& f) const {
    if (f.is_swapped || !f.repeated.empty() || !absl::c_is_sorted(f.batches)) return false;
    for (size_t side = 0; side < 2; ++side) {
      const Side& s = sides_[side];
      if (s.x != dot_.operand(side) || f.is_moved[side] || s.free.size() != 1 ||
          s.contracted.size() != 1)
        return false;
    }
    return true;
  }
  // The dimensions of the result in this form.
  Dims Results(const Form& f) const {
    Dims order = f.batches;
    for (const size_t side : {f.is_swapped ? size_t{1} : 0, f.is_swapped ? size_t{0} : 1}) {
      for (size_t k : f.order[side]) order.push_back(sides_[side].results[k]);
    }
    return order;
  }
  // Batches, rows and columns of the operand where it is moved: what its rows are in memory stays
  // so, if it can.
  Dims Permutation(const Form& f, size_t side) const {
    const Side& s = sides_[side];
    const Dims free = Picked(s.free, f.order[side]), summed = Picked(s.contracted, f.summed);
    auto batches_and = [&](const Dims& a, const Dims& b) {
      Dims p = BatchDims(f, side);
      for (const Dims* dims : {&a, &b}) p.insert(p.end(), dims->begin(), dims->end());
      return p;
    };
    Dims p = batches_and(summed, free);
    if (!MovesRows(s.shape, InMemory(s.shape), p)) p = batches_and(free, summed);
    return p;
  }
  // An operand with one free and one contracted dimension, and all batches.
  HloInstruction* Merge(Graph& g, const Form& f, size_t side, Dims& batch, Dims& summed) const {
    const Side& s = sides_[side];
    const Dims batches = BatchDims(f, side);
    Dims sizes;
    // Batches of the other operand come first.
    const bool is_repeated = batches.size() < f.batches.size();
    if (is_repeated) {
      for (size_t k : f.repeated) {
        const Side& other = sides_[1 - side];
        sizes.push_back(other.shape.dimension(other.free[k]));
      }
    }
    const size_t own = sizes.size();
    // Dimensions of x as it is now, in order: those of the operand, or of its transpose.
    const Dims order = f.is_moved[side] ? Permutation(f, side) : InMemory(s.shape);
    Dims at(order.size(), -1);  // by dimension of the operand
    for (int64_t d : order) {
      const bool is_batch = absl::c_linear_search(batches, d);
      if (!is_batch && s.shape.dimension(d) == 1) continue;
      const bool is_summed = absl::c_linear_search(s.contracted, d);
      int64_t extent = s.shape.dimension(d);
      if (!is_batch) {
        bool is_first = true;
        for (int64_t e : is_summed ? s.contracted : s.free)
          is_first &= at[static_cast<size_t>(e)] < 0 || absl::c_linear_search(batches, e);
        if (!is_first) continue;
        extent = is_summed ? Depth() : Extent(f, side);
        if (is_summed) summed = {static_cast<int64_t>(sizes.size())};
      }
      at[static_cast<size_t>(d)] = static_cast<int64_t>(sizes.size());
      sizes.push_back(extent);
    }
    HloInstruction* x = f.is_moved[side] ? g.Transpose(s.x, order) : s.x;
    x = g.Reshape(x, Dims(sizes.begin() + static_cast<ptrdiff_t>(own), sizes.end()));
    if (is_repeated) {
      Dims to;
      for (size_t k = own; k < sizes.size(); ++k) to.push_back(static_cast<int64_t>(k));
      x = g.Broadcast(x, sizes, to);
    }
    for (int64_t d : f.batches) {
      if (const auto k = static_cast<size_t>(d); k < s.batch.size()) {
        batch.push_back(at[static_cast<size_t>(s.batch[k])]);
      } else if (const size_t free = FreeOf(f, d); is_repeated) {
        batch.push_back(absl::c_find(f.repeated, free) - f.repeated.begin());
      } else {
        batch.push_back(at[static_cast<size_t>(s.free[free])]);
      }
    }
    return x;
  }

  HloInstruction& dot_;
  const HloInstruction& result_;
  const TargetInfo& target_;
  Side sides_[2];
  Dims wanted_;  // the result's dimensions in the order that is read
  std::optional<RowReader> row_reader_;
  // The only user of the result, if that is a product too, which reads it in any order: its operand
  // and what it costs, by the order.
  std::unique_ptr<Product> reader_;
  size_t read_as_ = 0;
  mutable std::map<Dims, std::optional<double>> reader_costs_;
};

}  // namespace

std::unique_ptr<Pass> MakeMatrixProductsPass(const TargetInfo& target) {
  return MakeExpansionPass(
      "matrix-products",
      [target](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        HloInstruction* dot = i.op() == HloOpcode::Transpose ? i.operand(0) : &i;
        // A dot that is transposed is written together with its transpose.
        if (dot->op() != HloOpcode::Dot || IsTransposed(*dot) != (dot != &i)) return nullptr;
        Product product(*dot, i, target);
        if (!product.IsOfMatrices()) return nullptr;
        const std::optional<Form> form = product.Choose();
        if (!form) return nullptr;
        return product.Write(c, *form);
      });
}

}  // namespace sinter
