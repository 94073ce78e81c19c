#include "passes/partition/local_operation.h"

#include <algorithm>

#include "base/status.h"
#include "pass/neutral.h"
#include "passes/partition/statements.h"

namespace sinter::partition {
namespace {

class Local {
 public:
  Local(ShardBuilder& b, const HloInstruction& i, const Rule& rule, const OperationCut& cut,
        std::vector<HloInstruction*> operands, const std::vector<AxesOfDims>& wanted,
        const Partial& partial)
      : b_(b),
        g_(b.graph()),
        mesh_(b.mesh()),
        i_(i),
        rule_(rule),
        cut_(cut),
        x_(std::move(operands)),
        wanted_(wanted),
        partial_(partial) {}

  std::vector<Shard> Run() {
    switch (i_.op()) {
      case HloOpcode::Constant:
        return One(Constant());
      case HloOpcode::Iota:
        return One(Iota());
      case HloOpcode::Slice:
      case HloOpcode::Pad:
        return One(Shifted());
      case HloOpcode::Concatenate:
        return One(Concatenate());
      case HloOpcode::Gather:
        return Gather();
      case HloOpcode::Scatter:
        return Scatter();
      case HloOpcode::Reduce:
        return Reduce();
      case HloOpcode::Dot:
        MaskContracted();
        return Combined(Same(i_.attributes()), HloOpcode::Add);
      case HloOpcode::Convolution:
        return Convolution();
      case HloOpcode::DynamicSlice: {
        auto attrs = i_.attrs<DynamicSliceAttrs>();
        for (size_t d = 0; d < attrs.dynamic_slice_sizes.size(); ++d) {
          if (!cut_.results[0][d].empty())
            attrs.dynamic_slice_sizes[d] = x_[0]->shape().dimensions()[d];
        }
        return Results(Same(std::move(attrs)));
      }
      case HloOpcode::CustomCall: {
        HloInstruction* call = Same(i_.attributes());
        call->set_annotations(WithoutShardings(i_.annotations()));
        return cut_.combined.empty() ? Results(call) : Combined(call, HloOpcode::Add);
      }
      default:
        return Results(Same(i_.attributes()));
    }
  }

 private:
  const Shape& whole(size_t operand) const { return i_.operand(operand)->shape(); }

  // Of the shape that the parts of the results have.
  HloInstruction* Same(Attributes attrs) {
    Shape shape;
    if (i_.shape().is_tuple()) {
      std::vector<Shape> leaves;
      for (size_t k = 0; k < cut_.results.size(); ++k) {
        const Shape& leaf = i_.shape().tuple_shapes()[k];
        leaves.push_back(leaf.is_array() ? b_.PartShape(leaf, cut_.results[k]) : leaf);
      }
      shape = Shape::Tuple(std::move(leaves));
    } else {
      shape = i_.shape().is_array() ? b_.PartShape(i_.shape(), cut_.results[0]) : i_.shape();
    }
    return g_.Add(i_.op(), x_, std::move(attrs), i_.called(), &shape);
  }

  std::vector<Shard> One(HloInstruction* x) { return {{x, cut_.results[0]}}; }

  std::vector<Shard> Results(HloInstruction* x) {
    if (!i_.shape().is_tuple()) return One(x);
    std::vector<Shard> out;
    for (size_t k = 0; k < cut_.results.size(); ++k)
      out.push_back({g_.Element(x, static_cast<int64_t>(k)), cut_.results[k]});
    return out;
  }

  std::vector<Shard> Combined(HloInstruction* x, HloOpcode op) {
    Shard part{x, cut_.results[0], {SetOf(cut_.combined), op}};
    const AxisSet stay = partial_.op == op ? partial_.axes : 0;
    const Axes axes = AxesIn(part.partial.axes & ~stay);
    return {b_.Combine(part, i_.shape(), wanted_[0], axes, op)};
  }

  HloInstruction* Neutral(HloOpcode op, ElementType type) {
    auto value = NeutralElement(op, type);
    if (value) return b_.computation().AddConstant(*std::move(value));
    g_.Fail(Internal("{} of {} has no neutral element", Name(op), Name(type)));
    return x_[0];
  }

  // The axes that cut dimension d of an operand.
  const Axes& AxesOf(size_t operand, int64_t d) const {
    return cut_.operands[operand][static_cast<size_t>(d)];
  }

  HloInstruction* Constant() {
    HloInstruction* all = nullptr;
    const Literal& value = i_.literal();
    const auto width = static_cast<size_t>(ByteWidth(value.shape().element_type()));
    const char* bytes = static_cast<const char*>(value.untyped_data());
    const auto size = static_cast<size_t>(value.byte_size());
    // Whether every byte is that of one element before.
    if (size > width && std::equal(bytes, bytes + size - width, bytes + width)) {
      Literal scalar(Shape(value.shape().element_type()));
      std::copy_n(bytes, width, static_cast<char*>(scalar.untyped_data()));
      all = g_.Splat(b_.computation().AddConstant(std::move(scalar)), i_.shape().dimensions());
    } else {
      all = b_.computation().AddConstant(value);
    }
    for (int64_t d = 0; d < i_.shape().rank(); ++d)
      all = b_.Cut(all, d, cut_.results[0][static_cast<size_t>(d)]);
    return all;
  }

  HloInstruction* Iota() {
    const int64_t d = i_.attrs<IotaAttrs>().iota_dimension;
    const Axes& axes = cut_.results[0][static_cast<size_t>(d)];
    HloInstruction* iota = Same(i_.attributes());
    if (axes.empty()) return iota;
    HloInstruction* start = b_.Start(axes, iota->shape().dimension(d));
    return g_.Add(HloOpcode::Add,
                  {iota, b_.Fill(g_.Convert(start, iota->shape().element_type()), iota->shape())});
  }

  // Slices and paddings: along cut dimensions parts take what they lack from neighbours, along the
  // others it is the operation that it was.
  HloInstruction* Shifted() {
    const bool is_pad = i_.op() == HloOpcode::Pad;
    Attributes attrs = i_.attributes();
    HloInstruction* x = x_[0];
    bool rest = false;
    for (int64_t d = 0; d < i_.shape().rank(); ++d) {
      const auto k = static_cast<size_t>(d);
      const Axes& axes = AxesOf(0, d);
      if (is_pad) {
        auto& a = std::get<PadAttrs>(attrs);
        if (!axes.empty() && (a.low[k] != 0 || a.high[k] != 0)) {
          x = b_.Shift(x, d, axes, {whole(0).dimension(d), -a.low[k], i_.shape().dimension(d)},
                       x_[1]);
          a.low[k] = a.high[k] = 0;
        }
        rest |= a.low[k] != 0 || a.high[k] != 0 || a.interior[k] != 0;
      } else {
        auto& a = std::get<SliceAttrs>(attrs);
        if (!axes.empty()) {
          if (i_.shape().dimension(d) != whole(0).dimension(d))
            x = b_.Shift(x, d, axes, {whole(0).dimension(d), a.starts[k], i_.shape().dimension(d)},
                         nullptr);
          a.starts[k] = 0;
          a.limits[k] = x->shape().dimension(d);
        }
        rest |= a.limits[k] - a.starts[k] != x->shape().dimension(d) || a.strides[k] != 1;
      }
    }
    x_[0] = x;
    return rest ? Same(std::move(attrs)) : x;
  }

  // Along a cut dimension each operand moves to where it is in the result; every element is then
  // taken from the operand that has it.
  HloInstruction* Concatenate() {
    const int64_t d = i_.dimensions()[0];
    const Axes& axes = cut_.results[0][static_cast<size_t>(d)];
    if (axes.empty()) return Same(i_.attributes());
    HloInstruction* out = nullptr;
    HloInstruction* positions = nullptr;
    int64_t end = i_.shape().dimension(d);
    for (size_t k = x_.size(); k-- > 0;) {
      const int64_t size = whole(k).dimension(d), begin = end - size;
      if (size == 0) continue;
      HloInstruction* moved =
          b_.Shift(x_[k], d, axes, {size, -begin, i_.shape().dimension(d)}, nullptr);
      if (out == nullptr) {
        out = moved;
        positions = b_.Positions(out->shape(), d, axes);
      } else {
        HloInstruction* here =
            g_.Compare(positions, b_.Fill(b_.Integer(end), out->shape()), ComparisonDirection::kLt);
        out = b_.Select(here, moved, out);
      }
      end = begin;
    }
    return out;
  }

  // The positions that index vectors hold, in a type that is signed and holds what is subtracted
  // from them.
  HloInstruction* SignedIndices(HloInstruction* indices) {
    const ElementType type = indices->shape().element_type();
    const bool wide = BitWidth(type) > 32 || type == ElementType::U32;
    return g_.Convert(indices, wide ? ElementType::S64 : ElementType::S32);
  }

  // An array with a value for each component of an index vector, as large as the indices.
  HloInstruction* PerComponent(const std::vector<HloInstruction*>& values, HloInstruction* indices,
                               int64_t vector_dim) {
    const ElementType type = indices->shape().element_type();
    if (vector_dim == indices->shape().rank())
      return b_.Fill(g_.Convert(values[0], type), indices->shape());
    std::vector<HloInstruction*> elements;
    for (HloInstruction* v : values) elements.push_back(g_.Reshape(g_.Convert(v, type), {1}));
    HloInstruction* all = elements[0];
    if (elements.size() > 1) all = g_.Add(HloOpcode::Concatenate, elements, DimensionsAttrs{{0}});
    return g_.Broadcast(all, indices->shape().dimensions(), {vector_dim});
  }

  // Where operand 0 is cut along a dimension that is looked up, each partition reads what it has,
  // and the others give what adds nothing.
  std::vector<Shard> Gather() {
    auto attrs = i_.attrs<GatherAttrs>();
    std::vector<HloInstruction*> starts, limits, sizes;
    bool looks_up = false;
    for (int64_t d : attrs.start_index_map) {
      const int64_t slice = attrs.slice_sizes[static_cast<size_t>(d)];
      const Axes& axes = slice == 1 ? AxesOf(0, d) : kNone;
      const int64_t part = x_[0]->shape().dimension(d);
      looks_up |= !axes.empty();
      starts.push_back(b_.Start(axes, part));
      limits.push_back(b_.Integer(whole(0).dimension(d) - slice));
      sizes.push_back(b_.Integer(axes.empty() ? whole(0).dimension(d) : part));
    }
    for (size_t d = 0; d < attrs.slice_sizes.size(); ++d) {
      if (attrs.slice_sizes[d] == whole(0).dimensions()[d] && !cut_.operands[0][d].empty() &&
          attrs.slice_sizes[d] != 1)
        attrs.slice_sizes[d] = x_[0]->shape().dimensions()[d];
    }
    if (!looks_up) return Results(Same(std::move(attrs)));
    const int64_t v = attrs.index_vector_dim;
    HloInstruction* at = SignedIndices(x_[1]);
    HloInstruction* zero = b_.Fill(g_.Zero(at->shape().element_type()), at->shape());
    // A gather clamps positions.
    at = g_.Add(HloOpcode::Clamp, {zero, at, PerComponent(limits, at, v)});
    at = g_.Add(HloOpcode::Subtract, {at, PerComponent(starts, at, v)});
    HloInstruction* mine = g_.Add(
        HloOpcode::And, {g_.Compare(at, zero, ComparisonDirection::kGe),
                         g_.Compare(at, PerComponent(sizes, at, v), ComparisonDirection::kLt)});
    if (v < at->shape().rank()) {
      HloInstruction* yes = b_.computation().AddConstant(Literal::R0(true));
      mine = g_.Add(
          HloOpcode::Reduce, {mine, yes}, DimensionsAttrs{{v}},
          {BinaryComputation(*b_.computation().module(), HloOpcode::And, ElementType::PRED)});
    }
    x_[1] = at;
    attrs.indices_are_sorted = false;
    HloInstruction* found = Same(attrs);
    Dims batch;
    for (int64_t d = 0; d < found->shape().rank(); ++d) {
      if (std::find(attrs.offset_dims.begin(), attrs.offset_dims.end(), d) ==
          attrs.offset_dims.end())
        batch.push_back(d);
    }
    mine = g_.Broadcast(mine, found->shape().dimensions(), batch);
    const HloOpcode op = IsPredicate(i_.shape().element_type()) ? HloOpcode::Or : HloOpcode::Add;
    return Combined(b_.Select(mine, found, Neutral(op, i_.shape().element_type())), op);
  }

  // Where inputs are cut along a dimension that is indexed, each partition writes what falls into
  // its part: a scatter drops what falls outside. Where updates are cut, the first partition starts
  // from the input and the others from nothing.
  std::vector<Shard> Scatter() {
    const auto& attrs = i_.attrs<ScatterAttrs>();
    const size_t inputs = (i_.operands().size() - 1) / 2;
    std::vector<HloInstruction*> starts;
    bool shifts = false;
    for (int64_t d : attrs.scatter_dims_to_operand_dims) {
      const bool inserted =
          std::find(attrs.inserted_window_dims.begin(), attrs.inserted_window_dims.end(), d) !=
          attrs.inserted_window_dims.end();
      const Axes& axes = inserted ? AxesOf(0, d) : kNone;
      shifts |= !axes.empty();
      starts.push_back(b_.Start(axes, x_[0]->shape().dimension(d)));
    }
    if (shifts) {
      HloInstruction* at = SignedIndices(x_[inputs]);
      x_[inputs] =
          g_.Add(HloOpcode::Subtract, {at, PerComponent(starts, at, attrs.index_vector_dim)});
    }
    if (cut_.combined.empty()) return Results(Same(i_.attributes()));
    const HloOpcode op = *CombinerOf(*i_.called(0));
    HloInstruction* nothing = b_.Fill(Neutral(op, x_[0]->shape().element_type()), x_[0]->shape());
    x_[0] = b_.Select(b_.IsFirst(cut_.combined), x_[0], nothing);
    return Combined(Same(i_.attributes()), op);
  }

  // The first of the partitions whose results are combined begins with the initial value.
  std::vector<Shard> Reduce() {
    if (cut_.combined.empty()) return Results(Same(i_.attributes()));
    const HloOpcode op = *CombinerOf(*i_.called(0));
    HloInstruction* nothing = Neutral(op, x_[0]->shape().element_type());
    for (int64_t d : i_.dimensions())
      x_[0] = b_.MaskTail(x_[0], d, whole(0).dimension(d), AxesOf(0, d), nothing);
    x_[1] = b_.Select(b_.IsFirst(cut_.combined), x_[1], nothing);
    return Combined(Same(i_.attributes()), op);
  }

  // Zeros on both sides: what fills up a part may be no number.
  void MaskContracted() {
    const auto& a = i_.attrs<DotAttrs>();
    for (size_t side = 0; side < 2; ++side) {
      for (int64_t d : side == 0 ? a.lhs_contracting_dims : a.rhs_contracting_dims) {
        if (whole(side).dimension(d) % mesh_.Parts(AxesOf(side, d)) == 0) continue;
        x_[side] = b_.MaskTail(x_[side], d, whole(side).dimension(d), AxesOf(side, d),
                               g_.Zero(whole(side).element_type()));
      }
    }
  }

  // A partition has whole groups.
  std::vector<Shard> Convolution() {
    auto attrs = i_.attrs<ConvolutionAttrs>();
    const auto& n = attrs.dim_labels;
    if (attrs.batch_group_count > 1) {
      attrs.batch_group_count /= mesh_.Parts(AxesOf(0, n.input_batch_dimension));
    } else if (attrs.feature_group_count > 1) {
      attrs.feature_group_count /= mesh_.Parts(AxesOf(0, n.input_feature_dimension));
    }
    return Combined(Same(std::move(attrs)), HloOpcode::Add);
  }

  static inline const Axes kNone;

  ShardBuilder& b_;
  Graph& g_;
  const Mesh& mesh_;
  const HloInstruction& i_;
  const Rule& rule_;
  const OperationCut& cut_;
  std::vector<HloInstruction*> x_;
  const std::vector<AxesOfDims>& wanted_;
  const Partial& partial_;
};

}  // namespace

std::vector<Shard> LocalOperation(ShardBuilder& b, const HloInstruction& i, const Rule& rule,
                                  const OperationCut& cut,
                                  const std::vector<HloInstruction*>& operands,
                                  const std::vector<AxesOfDims>& wanted, const Partial& partial) {
  return Local(b, i, rule, cut, operands, wanted, partial).Run();
}

}  // namespace sinter::partition
