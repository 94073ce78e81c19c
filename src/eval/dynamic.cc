// Dynamic dimensions: arrays have the sizes that they really have, and an instruction over them
// means what it means over static arrays of those sizes.
#include <algorithm>

#include "base/status.h"
#include "eval/functions.h"
#include "ir/ops/dynamic.h"
#include "ir/ops/ragged_dot.h"

namespace sinter::eval {
namespace {

bool PassesValuesOn(HloOpcode op) {
  switch (op) {
    case HloOpcode::AfterAll:
    case HloOpcode::Call:
    case HloOpcode::Conditional:
    case HloOpcode::Constant:
    case HloOpcode::Copy:
    case HloOpcode::DynamicReshape:
    case HloOpcode::Fusion:
    case HloOpcode::GetDimensionSize:
    case HloOpcode::GetTupleElement:
    case HloOpcode::OptimizationBarrier:
    case HloOpcode::Scan:
    case HloOpcode::SetDimensionSize:
    case HloOpcode::Tuple:
    case HloOpcode::While:
      return true;
    default:
      return false;
  }
}

// Operations that know no sizes but those of their types.
bool NeedsStatic(HloOpcode op) {
  switch (op) {
    case HloOpcode::CustomCall:
    case HloOpcode::Infeed:
    case HloOpcode::Outfeed:
    case HloOpcode::Recv:
    case HloOpcode::RecvDone:
    case HloOpcode::Send:
    case HloOpcode::SendDone:
    case HloOpcode::Windows:
      return true;
    default:
      return false;
  }
}

// The first elements of an array along each dimension, then zeros.
Literal Resized(const Literal& x, const Dims& sizes) {
  Literal result(Shape(x.shape().element_type(), sizes));
  Dims common = sizes;
  for (size_t d = 0; d < common.size(); ++d)
    common[d] = std::min(common[d], x.shape().dimensions()[d]);
  CopyStrided(common, x, {0, RowMajorStrides(x.shape().dimensions())}, result,
              {0, RowMajorStrides(sizes)});
  return result;
}

// One instruction, over operands of real sizes.
class Sized {
 public:
  Sized(const HloInstruction& i, absl::Span<Value> operands) : i_(i), operands_(operands) {}

  absl::StatusOr<Value> Run(Evaluator& evaluator) {
    if (NeedsStatic(i_.op())) return Unimplemented("with dynamic dimensions");
    if (const auto* fft = std::get_if<FftAttrs>(&i_.attributes()))
      RETURN_IF_ERROR(CheckTransformed(*fft, i_.operand(0)->shape()));
    TrimOperands();
    SizeAttributes();
    HloModule module("sized");
    module.set_replica_count(i_.parent()->module()->replica_count());
    module.set_partition_count(i_.parent()->module()->partition_count());
    HloComputation* c = module.AddComputation("sized");
    std::vector<HloInstruction*> operands;
    std::vector<const Shape*> declared;
    for (size_t k = 0; k < operands_.size(); ++k) {
      declared.push_back(&i_.operand(k)->shape());
      operands.push_back(c->AddParameter(static_cast<int64_t>(k), operands_[k].is_array()
                                                                      ? operands_[k].array().shape()
                                                                      : i_.operand(k)->shape()));
    }
    ASSIGN_OR_RETURN(
        sources_, SizeSources(i_.op(), {declared, i_.attributes(), {}, &i_.shape()}, i_.shape()));
    ASSIGN_OR_RETURN(std::optional<Shape> result, StatedResult());
    ASSIGN_OR_RETURN(HloInstruction * sized, c->Add(i_.op(), operands, attributes_, i_.called(),
                                                    result ? &*result : nullptr, i_.name()));
    if (!Shape::Fits(sized->shape(), i_.shape())) {
      return InvalidArgument("the result has {}, which is not {}", sized->shape().ToString(),
                             i_.shape().ToString());
    }
    return FunctionOf(i_.op())({*sized, operands_, evaluator});
  }

 private:
  bool IsDynamic(size_t operand, int64_t d) const {
    return i_.operand(operand)->shape().is_dynamic(d);
  }
  int64_t Size(size_t operand, int64_t d) const {
    return operands_[operand].array().shape().dimension(d);
  }
  void Trim(size_t operand, int64_t d, int64_t size) {
    if (IsDynamic(operand, d) || Size(operand, d) <= size) return;
    Dims sizes = operands_[operand].array().shape().dimensions();
    sizes[static_cast<size_t>(d)] = size;
    operands_[operand] = Value(Resized(operands_[operand].array(), sizes));
  }
  void TrimPair(size_t a, int64_t da, size_t b, int64_t db) {
    if (IsDynamic(a, da)) Trim(b, db, Size(a, da));
    if (IsDynamic(b, db)) Trim(a, da, Size(b, db));
  }

  // Of a static dimension that goes with a dynamic one, what lies beyond that is not there.
  void TrimOperands() {
    size_t alike = 0;  // operands that have the same dimensions
    int64_t but = -1;  // except this one
    switch (i_.op()) {
      case HloOpcode::Concatenate:
        but = i_.dimensions()[0];
        alike = operands_.size();
        break;
      case HloOpcode::Map:
      case HloOpcode::Sort:
        alike = operands_.size();
        break;
      case HloOpcode::Reduce:
      case HloOpcode::ReduceWindow:
        alike = operands_.size() / 2;
        break;
      case HloOpcode::Dot: {
        const auto& a = i_.attrs<DotAttrs>();
        for (size_t k = 0; k < a.lhs_batch_dims.size(); ++k)
          TrimPair(0, a.lhs_batch_dims[k], 1, a.rhs_batch_dims[k]);
        for (size_t k = 0; k < a.lhs_contracting_dims.size(); ++k)
          TrimPair(0, a.lhs_contracting_dims[k], 1, a.rhs_contracting_dims[k]);
        break;
      }
      case HloOpcode::RaggedDot: {
        const auto& a = i_.attrs<RaggedDotAttrs>();
        for (size_t k = 0; k < a.lhs_batch_dims.size(); ++k)
          TrimPair(0, a.lhs_batch_dims[k], 1, a.rhs_batch_dims[k]);
        for (size_t k = 0; k < a.lhs_contracting_dims.size(); ++k)
          TrimPair(0, a.lhs_contracting_dims[k], 1, a.rhs_contracting_dims[k]);
        const int64_t groups = i_.operand(2)->shape().rank() - 1;
        for (int64_t d : a.rhs_group_dims) TrimPair(1, d, 2, groups);
        const Dims before = FindRagged(a, i_.operand(0)->shape().rank()).before;
        for (size_t k = 0; k < before.size() && groups > 0; ++k)
          TrimPair(0, before[k], 2, static_cast<int64_t>(k));
        break;
      }
      case HloOpcode::BatchNormGrad:
      case HloOpcode::BatchNormInference:
      case HloOpcode::BatchNormTraining: {
        const int64_t feature = i_.attrs<BatchNormAttrs>().feature_index;
        for (size_t k = 1; k < operands_.size(); ++k) {
          const Shape& y = i_.operand(k)->shape();
          if (y.rank() == 1) TrimPair(0, feature, k, 0);
          for (int64_t d = 0; y.rank() > 1 && d < y.rank(); ++d) TrimPair(0, d, k, d);
        }
        break;
      }
      case HloOpcode::TriangularSolve: {
        const int64_t rank = i_.operand(1)->shape().rank();
        const int64_t d = i_.attrs<TriangularSolveAttrs>().left_side ? rank - 2 : rank - 1;
        TrimPair(0, rank - 1, 0, rank - 2);
        TrimPair(0, rank - 1, 1, d);
        TrimPair(0, rank - 2, 0, rank - 1);
        for (int64_t b = 0; b + 2 < rank; ++b) TrimPair(0, b, 1, b);
        break;
      }
      case HloOpcode::Cholesky: {
        const int64_t rank = i_.operand(0)->shape().rank();
        TrimPair(0, rank - 2, 0, rank - 1);
        break;
      }
      default:
        if (IsElementwise(i_.op())) alike = operands_.size();
    }
    for (size_t a = 0; a < alike; ++a) {
      for (size_t b = 0; b < alike; ++b) {
        const int64_t rank = i_.operand(a)->shape().rank();
        if (a == b || rank != i_.operand(b)->shape().rank()) continue;
        for (int64_t d = 0; d < rank; ++d) {
          if (d != but && IsDynamic(a, d)) Trim(b, d, Size(a, d));
        }
      }
    }
  }

  // What attributes say about all of a dimension is about all that there is.
  void SizeAttributes() {
    attributes_ = i_.attributes();
    if (operands_.empty()) return;
    const Shape& x = i_.operand(0)->shape();
    auto whole = [&](Dims& sizes) {
      for (int64_t d = 0; d < x.rank(); ++d) {
        int64_t& size = sizes[static_cast<size_t>(d)];
        if (x.is_dynamic(d) && size == x.dimension(d) && size != 1) size = Size(0, d);
      }
    };
    if (auto* a = std::get_if<SliceAttrs>(&attributes_)) {
      for (int64_t d = 0; d < x.rank(); ++d) {
        const auto at = static_cast<size_t>(d);
        if (!x.is_dynamic(d)) continue;
        // One element stays one, which must then be there.
        if (i_.shape().dimension(d) == 1) continue;
        a->limits[at] = std::min(a->limits[at], Size(0, d));
        a->starts[at] = std::min(a->starts[at], a->limits[at]);
      }
    } else if (auto* s = std::get_if<DynamicSliceAttrs>(&attributes_)) {
      whole(s->dynamic_slice_sizes);
    } else if (auto* g = std::get_if<GatherAttrs>(&attributes_)) {
      whole(g->slice_sizes);
    } else if (auto* v = std::get_if<ConvolutionAttrs>(&attributes_)) {
      for (size_t k = 0; k < v->window.size(); ++k)
        v->window[k].size = Size(1, v->dim_labels.kernel_spatial_dimensions[k]);
    }
  }

  // The result's shape for rules that ask for it; others find it.
  absl::StatusOr<std::optional<Shape>> StatedResult() const {
    switch (i_.op()) {
      case HloOpcode::Dot:
      case HloOpcode::RaggedDot:
      case HloOpcode::Convolution: {
        // Of these the rule takes the element type only.
        std::vector<const Shape*> shapes;
        for (const Value& v : operands_) shapes.push_back(&v.array().shape());
        ASSIGN_OR_RETURN(Shape sized, Info(i_.op()).infer({shapes, attributes_, {}, &i_.shape()}));
        return sized;
      }
      case HloOpcode::Reshape:
        return Reshaped();
      case HloOpcode::RngBitGenerator: {
        // No operand has a size for the numbers: there are as many as the bounds say.
        const Shape& numbers = i_.shape().tuple_shapes()[1];
        return Shape::Tuple(
            {operands_[0].array().shape(), Shape(numbers.element_type(), numbers.dimensions())});
      }
      case HloOpcode::BitcastConvert:
      case HloOpcode::Broadcast:
      case HloOpcode::Convert:
      case HloOpcode::Iota:
      case HloOpcode::Rng:
        break;
      default:
        return std::nullopt;
    }
    Shape result(i_.shape().element_type(), i_.shape().dimensions());
    for (const SizeSource& s : sources_) {
      const auto operand = static_cast<size_t>(s.operand);
      if (IsDynamic(operand, s.operand_dimension))
        result.set_dimension(s.dimension, Size(operand, s.operand_dimension));
    }
    return result;
  }

  absl::StatusOr<std::optional<Shape>> Reshaped() const {
    const Shape& x = i_.operand(0)->shape();
    Shape result(i_.shape().element_type(), i_.shape().dimensions());
    for (const ReshapeRun& run : ReshapeRuns(x.dimensions(), result.dimensions())) {
      int64_t count = 1, others = 1, target = -1;
      bool dynamic = false;
      for (int64_t d = run.from; d < run.from_end; ++d) {
        count *= Size(0, d);
        dynamic |= x.is_dynamic(d);
      }
      if (!dynamic) continue;
      for (const SizeSource& s : sources_) {
        if (run.to <= s.dimension && s.dimension < run.to_end) target = s.dimension;
      }
      RETURN_INTERNAL_IF(target < 0, "a reshape that loses a dynamic dimension");
      for (int64_t d = run.to; d < run.to_end; ++d) {
        if (d != target) others *= result.dimension(d);
      }
      if (others == 0 ? count != 0 : count % others != 0) {
        return InvalidArgument("{} elements are no multiple of {}, as {} would have", count, others,
                               i_.shape().ToString());
      }
      result.set_dimension(target, others == 0 ? 0 : count / others);
    }
    return result;
  }

  const HloInstruction& i_;
  absl::Span<Value> operands_;
  Attributes attributes_;
  std::vector<SizeSource> sources_;
};

}  // namespace

bool IsDynamic(const HloInstruction& i) {
  return !i.shape().is_static() ||
         std::any_of(i.operands().begin(), i.operands().end(),
                     [](const HloInstruction* o) { return !o->shape().is_static(); });
}

absl::StatusOr<Value> RunDynamic(Evaluator& evaluator, const HloInstruction& i,
                                 absl::Span<Value> operands) {
  absl::StatusOr<Value> value = PassesValuesOn(i.op())
                                    ? FunctionOf(i.op())({i, operands, evaluator})
                                    : Sized(i, operands).Run(evaluator);
  if (value.ok() || i.op() == HloOpcode::Call || i.op() == HloOpcode::While ||
      i.op() == HloOpcode::Conditional)
    return value;
  return Annotate(value.status(), Format("evaluating {} '{}'", Name(i.op()), i.name()));
}

absl::StatusOr<Value> GetDimensionSize(const Input& in) {
  const int64_t d = in.instruction.dimensions()[0];
  return Value(Literal::R0<int32_t>(static_cast<int32_t>(in.array(0).shape().dimension(d))));
}

// Elements beyond the size are gone; those that come into being are zeros.
absl::StatusOr<Value> SetDimensionSize(const Input& in) {
  const int64_t d = in.instruction.dimensions()[0], bound = in.shape().dimension(d);
  const int64_t size = LoadIndex(in.array(1));
  const int64_t least = in.shape().is_dynamic(d) ? 0 : bound;
  if (size < least || size > bound) {
    return InvalidArgument("the size of dimension {} of {} cannot be {}", d, in.shape().ToString(),
                           size);
  }
  Dims sizes = in.array(0).shape().dimensions();
  sizes[static_cast<size_t>(d)] = size;
  return Value(Resized(in.array(0), sizes));
}

absl::StatusOr<Value> DynamicReshape(const Input& in) {
  Dims sizes;
  int64_t count = 1;
  for (size_t k = 1; k < in.operands.size(); ++k) {
    const auto d = static_cast<int64_t>(k) - 1;
    const int64_t size = LoadIndex(in.array(k)), bound = in.shape().dimension(d);
    if (size < (in.shape().is_dynamic(d) ? 0 : bound) || size > bound) {
      return InvalidArgument("the size of dimension {} of {} cannot be {}", d,
                             in.shape().ToString(), size);
    }
    sizes.push_back(size);
    count *= size;
  }
  const Shape& x = in.array(0).shape();
  if (count != x.element_count()) {
    return InvalidArgument("(C2) sizes {{{}}} are of {} elements, {} has {}", Join(sizes, ","),
                           count, x.ToString(), x.element_count());
  }
  ASSIGN_OR_RETURN(Literal reshaped, in.array(0).Reshape(sizes));
  return Value(std::move(reshaped));
}

}  // namespace sinter::eval
