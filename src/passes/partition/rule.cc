#include "passes/partition/rule.h"

#include <algorithm>
#include <numeric>

#include "absl/algorithm/container.h"
#include "ir/ops/monoid.h"
#include "pass/neutral.h"
#include "passes/partition/call_rule.h"

namespace sinter::partition {
namespace {

bool Has(const Dims& dims, int64_t d) { return absl::c_linear_search(dims, d); }

class RuleMaker {
 public:
  explicit RuleMaker(const HloInstruction& i) : i_(i) {
    for (const HloInstruction* x : i.operands())
      rule_.operands.emplace_back(static_cast<size_t>(x->shape().rank()));
    for (const Shape& leaf : LeavesOf(i.shape()))
      rule_.results.emplace_back(static_cast<size_t>(leaf.rank()));
  }

  Rule Make() {
    for (const HloInstruction* x : i_.operands()) {
      if (!x->shape().is_array() || !x->shape().is_static()) return std::move(rule_);
    }
    for (const Shape& leaf : LeavesOf(i_.shape())) {
      if (leaf.is_array() && !leaf.is_static()) return std::move(rule_);
    }
    Visit();
    return std::move(rule_);
  }

 private:
  const Shape& shape(size_t operand) const { return i_.operand(operand)->shape(); }

  int64_t NewFactor(int64_t size, FactorKind kind = FactorKind::kPass, bool even = false) {
    rule_.factors.push_back({size, kind, even});
    return static_cast<int64_t>(rule_.factors.size()) - 1;
  }
  void Operand(size_t k, int64_t d, int64_t factor) {
    if (rule_.factors[static_cast<size_t>(factor)].size != 1)
      rule_.operands[k][static_cast<size_t>(d)].push_back(factor);
  }
  void Result(size_t k, int64_t d, int64_t factor) {
    if (rule_.factors[static_cast<size_t>(factor)].size != 1)
      rule_.results[k][static_cast<size_t>(d)].push_back(factor);
  }
  void AllResults(int64_t d, int64_t factor) {
    for (size_t k = 0; k < rule_.results.size(); ++k) Result(k, d, factor);
  }

  // The same dimension of all operands and results that have as many dimensions.
  void Same(int64_t d, int64_t rank, int64_t size, FactorKind kind = FactorKind::kPass) {
    const int64_t f = NewFactor(size, kind);
    for (size_t k = 0; k < rule_.operands.size(); ++k) {
      if (shape(k).rank() == rank && shape(k).dimension(d) == size) Operand(k, d, f);
    }
    for (size_t k = 0; k < rule_.results.size(); ++k) {
      if (static_cast<int64_t>(rule_.results[k].size()) == rank) Result(k, d, f);
    }
  }
  // All dimensions but some.
  void SameBut(const Dims& but) {
    const Shape& s = i_.operands().empty() ? i_.shape() : shape(0);
    for (int64_t d = 0; d < s.rank(); ++d) {
      if (!Has(but, d)) Same(d, s.rank(), s.dimension(d));
    }
  }
  // Leading dimensions that are batches.
  void Leading(int64_t others) {
    Dims but;
    for (int64_t d = std::max<int64_t>(0, shape(0).rank() - others); d < shape(0).rank(); ++d)
      but.push_back(d);
    SameBut(but);
  }

  void Visit() {
    switch (i_.op()) {
      case HloOpcode::Iota:
        for (int64_t d = 0; d < i_.shape().rank(); ++d)
          Result(0, d, NewFactor(i_.shape().dimension(d)));
        return;
      case HloOpcode::Constant:
        if (!i_.shape().is_array()) return;
        for (int64_t d = 0; d < i_.shape().rank(); ++d)
          Result(0, d, NewFactor(i_.shape().dimension(d)));
        return;
      case HloOpcode::AllReduce:
      case HloOpcode::CollectiveBroadcast:
      case HloOpcode::CollectivePermute:
        if (i_.op() == HloOpcode::CollectivePermute && i_.operands().size() != 1) return;
        for (size_t k = 0; k < rule_.operands.size(); ++k) {
          if (k >= rule_.results.size() || !shape(k).SameDimensions(ResultShapeOf(k))) return;
          for (int64_t d = 0; d < shape(k).rank(); ++d) {
            const int64_t f = NewFactor(shape(k).dimension(d));
            Operand(k, d, f);
            Result(k, d, f);
          }
        }
        return;
      case HloOpcode::AllGather:
      case HloOpcode::ReduceScatter:
      case HloOpcode::AllToAll:
        if (i_.operands().size() == 1 && i_.shape().is_array() &&
            !i_.attrs<CollectiveAttrs>().dimensions.empty())
          SameBut(i_.attrs<CollectiveAttrs>().dimensions);
        return;
      case HloOpcode::BitcastConvert:
        for (int64_t d = 0; d < std::min(shape(0).rank(), i_.shape().rank()); ++d) {
          const int64_t f = NewFactor(shape(0).dimension(d));
          Operand(0, d, f);
          Result(0, d, f);
        }
        return;
      case HloOpcode::Broadcast:
        for (int64_t d = 0; d < i_.shape().rank(); ++d) {
          const int64_t f = NewFactor(i_.shape().dimension(d));
          Result(0, d, f);
          for (int64_t k = 0; k < shape(0).rank(); ++k) {
            if (i_.dimensions()[static_cast<size_t>(k)] == d &&
                shape(0).dimension(k) == i_.shape().dimension(d))
              Operand(0, k, f);
          }
        }
        return;
      case HloOpcode::Transpose:
        for (int64_t d = 0; d < i_.shape().rank(); ++d) {
          const int64_t f = NewFactor(i_.shape().dimension(d));
          Result(0, d, f);
          Operand(0, i_.dimensions()[static_cast<size_t>(d)], f);
        }
        return;
      case HloOpcode::Reshape:
        return Reshape();
      case HloOpcode::Reduce:
        return Reduce();
      case HloOpcode::Dot:
        return Dot();
      case HloOpcode::Convolution:
        return Convolution();
      case HloOpcode::Slice:
      case HloOpcode::Pad:
        return Shift();
      case HloOpcode::Concatenate:
        for (int64_t d = 0; d < i_.shape().rank(); ++d) {
          const bool along = d == i_.dimensions()[0];
          const int64_t f =
              NewFactor(i_.shape().dimension(d), along ? FactorKind::kShift : FactorKind::kPass);
          Result(0, d, f);
          for (size_t k = 0; k < i_.operands().size(); ++k) Operand(k, d, f);
        }
        return;
      case HloOpcode::Reverse:
        return SameBut(i_.dimensions());
      case HloOpcode::DynamicSlice:
        for (int64_t d = 0; d < i_.shape().rank(); ++d) {
          if (i_.shape().dimension(d) != shape(0).dimension(d)) continue;
          const int64_t f = NewFactor(i_.shape().dimension(d));
          Result(0, d, f);
          Operand(0, d, f);
        }
        return;
      case HloOpcode::DynamicUpdateSlice:
        for (int64_t d = 0; d < i_.shape().rank(); ++d) {
          if (shape(1).dimension(d) != shape(0).dimension(d)) continue;
          const int64_t f = NewFactor(i_.shape().dimension(d));
          Result(0, d, f);
          Operand(0, d, f);
          Operand(1, d, f);
        }
        return;
      case HloOpcode::Gather:
        return Gather();
      case HloOpcode::Scatter:
        return Scatter();
      case HloOpcode::Sort:
        return SameBut(i_.attrs<SortAttrs>().dimensions);
      case HloOpcode::TopK:
      case HloOpcode::Fft:
        return Leading(i_.op() == HloOpcode::TopK
                           ? 1
                           : static_cast<int64_t>(i_.attrs<FftAttrs>().fft_length.size()));
      case HloOpcode::Cholesky:
      case HloOpcode::TriangularSolve:
        return Leading(2);
      case HloOpcode::ReduceWindow:
      case HloOpcode::SelectAndScatter: {
        const Window& window = i_.attrs<WindowAttrs>().window;
        for (int64_t d = 0; d < shape(0).rank(); ++d) {
          if (window[static_cast<size_t>(d)] == WindowDimension{})
            Same(d, shape(0).rank(), shape(0).dimension(d));
        }
        return;
      }
      default:
        if (IsElementwise(i_.op())) {
          const int64_t rank = i_.shape().rank();
          for (int64_t d = 0; d < rank; ++d) Same(d, rank, i_.shape().dimension(d));
        }
        return;
    }
  }

  const Shape& ResultShapeOf(size_t k) const {
    return i_.shape().is_tuple() ? i_.shape().tuple_shapes()[k] : i_.shape();
  }

  // Dimensions are split at the products that both sides have.
  void Reshape() {
    const Dims &from = shape(0).dimensions(), &to = i_.shape().dimensions();
    if (i_.shape().element_count() == 0) return;
    size_t a = 0, b = 0;
    int64_t left_a = 1, left_b = 1;  // what remains of the dimensions that are open
    auto open = [](const Dims& dims, size_t& at, int64_t& left) {
      while (left == 1 && at < dims.size()) left = dims[at++];
      return left != 1;
    };
    for (;;) {
      const bool has_a = open(from, a, left_a), has_b = open(to, b, left_b);
      if (!has_a || !has_b) return;
      const int64_t common = std::gcd(left_a, left_b);
      if (common == 1 || (common != left_a && common != left_b)) {
        // A factor of both, where there is one, and then nothing until both sides meet again.
        if (common != 1) Both(a - 1, b - 1, common);
        int64_t pa = left_a, pb = left_b;
        while (pa != pb) {
          if (pa < pb) {
            pa *= from[a++];
          } else {
            pb *= to[b++];
          }
        }
        left_a = left_b = 1;
        continue;
      }
      Both(a - 1, b - 1, common);
      left_a /= common;
      left_b /= common;
    }
  }
  void Both(size_t a, size_t b, int64_t size) {
    const bool whole = size == shape(0).dimensions()[a] && size == i_.shape().dimensions()[b];
    const int64_t f = NewFactor(size, FactorKind::kPass, !whole);
    Operand(0, static_cast<int64_t>(a), f);
    Result(0, static_cast<int64_t>(b), f);
  }

  // Of one array by an operation that may take its elements in any order, else only the dimensions
  // that stay.
  void Reduce() {
    const size_t inputs = i_.operands().size() / 2;
    const bool parts = inputs == 1 && CombinerOf(*i_.called(0)).has_value();
    int64_t kept = 0;
    for (int64_t d = 0; d < shape(0).rank(); ++d) {
      const bool reduced = Has(i_.dimensions(), d);
      if (reduced && !parts) continue;
      const int64_t f =
          NewFactor(shape(0).dimension(d), reduced ? FactorKind::kReduce : FactorKind::kPass);
      for (size_t k = 0; k < inputs; ++k) Operand(k, d, f);
      if (!reduced) AllResults(kept++, f);
    }
  }

  void Dot() {
    const auto& a = i_.attrs<DotAttrs>();
    int64_t result = 0;
    for (size_t k = 0; k < a.lhs_batch_dims.size(); ++k) {
      const int64_t f = NewFactor(shape(0).dimension(a.lhs_batch_dims[k]));
      Operand(0, a.lhs_batch_dims[k], f);
      Operand(1, a.rhs_batch_dims[k], f);
      Result(0, result++, f);
    }
    for (size_t side = 0; side < 2; ++side) {
      const Dims& batch = side == 0 ? a.lhs_batch_dims : a.rhs_batch_dims;
      const Dims& contracted = side == 0 ? a.lhs_contracting_dims : a.rhs_contracting_dims;
      for (int64_t d = 0; d < shape(side).rank(); ++d) {
        if (Has(batch, d) || Has(contracted, d)) continue;
        const int64_t f = NewFactor(shape(side).dimension(d));
        Operand(side, d, f);
        Result(0, result++, f);
      }
    }
    for (size_t k = 0; k < a.lhs_contracting_dims.size(); ++k) {
      const int64_t f =
          NewFactor(shape(0).dimension(a.lhs_contracting_dims[k]), FactorKind::kReduce);
      Operand(0, a.lhs_contracting_dims[k], f);
      Operand(1, a.rhs_contracting_dims[k], f);
    }
  }

  // Batch, output features, input features; groups of features or of the batch, of which each
  // partition has whole ones. Space is not cut.
  void Convolution() {
    const auto& a = i_.attrs<ConvolutionAttrs>();
    const auto& n = a.dim_labels;
    const int64_t lhs_batch = n.input_batch_dimension, lhs_in = n.input_feature_dimension,
                  rhs_in = n.kernel_input_feature_dimension,
                  rhs_out = n.kernel_output_feature_dimension, out_batch = n.output_batch_dimension,
                  out = n.output_feature_dimension;
    const int64_t groups = a.feature_group_count, batches = a.batch_group_count;
    const bool is_plain = groups == 1 && batches == 1;
    if (batches > 1) {
      const int64_t g = NewFactor(batches, FactorKind::kPass, true);
      Operand(0, lhs_batch, g);
      Operand(1, rhs_out, g);
      Result(0, out, g);
    } else {
      const int64_t f = NewFactor(shape(0).dimension(lhs_batch));
      Operand(0, lhs_batch, f);
      Result(0, out_batch, f);
    }
    if (groups > 1) {
      const int64_t g = NewFactor(groups, FactorKind::kPass, true);
      Operand(0, lhs_in, g);
      Operand(1, rhs_out, g);
      Result(0, out, g);
    }
    if (is_plain) {
      const int64_t o = NewFactor(shape(1).dimension(rhs_out));
      Operand(1, rhs_out, o);
      Result(0, out, o);
      const int64_t c = NewFactor(shape(0).dimension(lhs_in), FactorKind::kReduce, true);
      Operand(0, lhs_in, c);
      Operand(1, rhs_in, c);
    }
  }

  // Slices with strides and paddings between elements are not cut along these dimensions.
  void Shift() {
    for (int64_t d = 0; d < shape(0).rank(); ++d) {
      const auto k = static_cast<size_t>(d);
      bool same = false, shifts = false;
      if (i_.op() == HloOpcode::Slice) {
        const auto& a = i_.attrs<SliceAttrs>();
        same = a.strides[k] == 1 && i_.shape().dimension(d) == shape(0).dimension(d);
        shifts = a.strides[k] == 1;
      } else {
        const auto& a = i_.attrs<PadAttrs>();
        same = a.low[k] == 0 && a.high[k] == 0 && a.interior[k] == 0;
        shifts = a.interior[k] == 0;
      }
      if (!same && !shifts) continue;
      if (shape(0).dimension(d) == 0 || i_.shape().dimension(d) == 0) continue;
      const int64_t f = NewFactor(std::max(shape(0).dimension(d), i_.shape().dimension(d)),
                                  same ? FactorKind::kPass : FactorKind::kShift);
      Operand(0, d, f);
      Result(0, d, f);
    }
  }

  void Gather() {
    const auto& a = i_.attrs<GatherAttrs>();
    const Shape &x = shape(0), &indices = shape(1), &result = i_.shape();
    // Dimensions of the result along those of the indices, in order.
    std::vector<int64_t> of_index(static_cast<size_t>(indices.rank()), -1);
    int64_t at = 0;
    for (int64_t d = 0; d < result.rank(); ++d) {
      if (Has(a.offset_dims, d)) continue;
      if (at == a.index_vector_dim) ++at;
      of_index[static_cast<size_t>(at++)] = d;
    }
    for (int64_t d = 0; d < indices.rank(); ++d) {
      const int64_t r = of_index[static_cast<size_t>(d)];
      if (r < 0) continue;
      const int64_t f = NewFactor(indices.dimension(d));
      Operand(1, d, f);
      Result(0, r, f);
      for (size_t k = 0; k < a.start_indices_batching_dims.size(); ++k) {
        if (a.start_indices_batching_dims[k] == d) Operand(0, a.operand_batching_dims[k], f);
      }
    }
    size_t offset = 0;
    for (int64_t d = 0; d < x.rank(); ++d) {
      if (Has(a.operand_batching_dims, d)) continue;
      const bool collapsed = Has(a.collapsed_slice_dims, d), indexed = Has(a.start_index_map, d);
      const int64_t slice = a.slice_sizes[static_cast<size_t>(d)];
      if (indexed && slice == 1 && collapsed) {
        Operand(0, d, NewFactor(x.dimension(d), FactorKind::kLookup));
      } else if (!collapsed && slice == x.dimension(d)) {
        const int64_t f = NewFactor(slice);
        Operand(0, d, f);
        Result(0, a.offset_dims[offset], f);
      }
      if (!collapsed) ++offset;
    }
  }

  void Scatter() {
    const auto& a = i_.attrs<ScatterAttrs>();
    const size_t inputs = (i_.operands().size() - 1) / 2;
    const Shape &x = shape(0), &indices = shape(inputs), &updates = shape(inputs + 1);
    const bool parts = inputs == 1 && CombinerOf(*i_.called(0)).has_value();
    std::vector<int64_t> of_index(static_cast<size_t>(indices.rank()), -1);
    int64_t at = 0;
    for (int64_t d = 0; d < updates.rank(); ++d) {
      if (Has(a.update_window_dims, d)) continue;
      if (at == a.index_vector_dim) ++at;
      of_index[static_cast<size_t>(at++)] = d;
    }
    auto all = [&](size_t first, int64_t d, int64_t f) {
      for (size_t k = 0; k < inputs; ++k) Operand(first + k, d, f);
    };
    for (int64_t d = 0; d < indices.rank(); ++d) {
      const int64_t u = of_index[static_cast<size_t>(d)];
      if (u < 0) continue;
      const auto batch = absl::c_find(a.scatter_indices_batching_dims, d);
      const bool is_batch = batch != a.scatter_indices_batching_dims.end();
      if (!is_batch && !parts) continue;
      const int64_t f =
          NewFactor(indices.dimension(d), is_batch ? FactorKind::kPass : FactorKind::kReduce, true);
      Operand(inputs, d, f);
      all(inputs + 1, u, f);
      if (!is_batch) continue;
      const int64_t of_x = a.input_batching_dims[static_cast<size_t>(
          batch - a.scatter_indices_batching_dims.begin())];
      all(0, of_x, f);
      AllResults(of_x, f);
    }
    size_t window = 0;
    for (int64_t d = 0; d < x.rank(); ++d) {
      if (Has(a.input_batching_dims, d)) continue;
      if (Has(a.inserted_window_dims, d)) {
        if (!Has(a.scatter_dims_to_operand_dims, d)) continue;
        // Each partition writes what falls into its part: Local scatters shift the indices.
        const int64_t f = NewFactor(x.dimension(d));
        all(0, d, f);
        AllResults(d, f);
        continue;
      }
      const int64_t u = a.update_window_dims[window++];
      if (updates.dimension(u) != x.dimension(d)) continue;
      const int64_t f = NewFactor(x.dimension(d));
      all(0, d, f);
      AllResults(d, f);
      all(inputs + 1, u, f);
    }
  }

  const HloInstruction& i_;
  Rule rule_;
};

}  // namespace

void Rule::AddAxes(const Mesh& mesh, const Dims& along, const Axes& axes,
                   std::vector<Axes>& of_factors) const {
  size_t next = 0;
  for (int64_t f : along) {
    const Factor& factor = factors[static_cast<size_t>(f)];
    Axes mine;
    int64_t parts = 1;
    const bool alone = along.size() == 1 && !factor.even;
    while (next < axes.size()) {
      const int64_t more = parts * mesh.size(axes[next]);
      if (!alone && factor.size % more != 0) break;
      parts = more;
      mine.push_back(axes[next++]);
      if (!alone && parts == factor.size) break;
    }
    Axes& known = of_factors[static_cast<size_t>(f)];
    if (mine.size() > known.size()) known = std::move(mine);
    if (parts != factor.size) return;
  }
}

Axes Rule::AxesAlong(const Mesh& mesh, const Dims& along,
                     const std::vector<Axes>& of_factors) const {
  Axes out;
  for (int64_t f : along) {
    const Axes& axes = of_factors[static_cast<size_t>(f)];
    out.insert(out.end(), axes.begin(), axes.end());
    if (mesh.Parts(axes) != factors[static_cast<size_t>(f)].size) break;
  }
  return out;
}

Rule RuleOf(const HloInstruction& i) {
  // What cannot be read has been refused with the module's other statements.
  if (i.op() == HloOpcode::CustomCall) return RuleOfCall(i).value_or(Rule());
  return RuleMaker(i).Make();
}

std::optional<HloOpcode> CombinerOf(const HloComputation& c) {
  if (c.parameters().size() != 2 || c.root() == nullptr) return std::nullopt;
  auto plain = [](const HloInstruction* i) {
    while (i->op() == HloOpcode::Copy) i = i->operand(0);
    return i;
  };
  const HloInstruction* root = plain(c.root());
  if (!root->shape().is_scalar() || root->operands().size() != 2) return std::nullopt;
  const HloInstruction *x = plain(root->operand(0)), *y = plain(root->operand(1));
  const bool both =
      (x == c.parameter(0) && y == c.parameter(1)) || (x == c.parameter(1) && y == c.parameter(0));
  if (!both || x->shape() != root->shape()) return std::nullopt;
  if (!IsMonoid(root->op())) return std::nullopt;
  // Complex infinities times 1 are not themselves.
  const ElementType type = root->shape().element_type();
  if (root->op() == HloOpcode::Multiply && IsComplex(type)) return std::nullopt;
  if (!NeutralElement(root->op(), type)) return std::nullopt;
  return root->op();
}

std::vector<Shape> LeavesOf(const Shape& shape) {
  if (!shape.is_tuple()) return {shape};
  std::vector<Shape> leaves;
  for (const Shape& s : shape.tuple_shapes()) {
    for (Shape& leaf : LeavesOf(s)) leaves.push_back(std::move(leaf));
  }
  return leaves;
}

size_t LeafCount(const Shape& shape) {
  if (!shape.is_tuple()) return 1;
  size_t count = 0;
  for (const Shape& s : shape.tuple_shapes()) count += LeafCount(s);
  return count;
}

size_t FirstLeaf(const Shape& tuple, int64_t k) {
  size_t first = 0;
  for (int64_t e = 0; e < k; ++e) first += LeafCount(tuple.tuple_shapes()[static_cast<size_t>(e)]);
  return first;
}

}  // namespace sinter::partition
