#include "ir/ops/dynamic.h"

#include "ir/ops/ragged_dot.h"
#include "ir/ops/rule.h"

namespace sinter {
namespace {

class Sources {
 public:
  Sources(const InferInput& in, const Shape& result) : in_(in), result_(result) {}

  void Add(int64_t dimension, size_t operand, int64_t operand_dimension, int64_t element = 0) {
    sources_.push_back({element, dimension, static_cast<int64_t>(operand), operand_dimension});
  }
  // Every array among the operands from first to last has the result's dimensions in order.
  void AddSame(size_t first, size_t last, int64_t element = 0) {
    const Shape& r = Element(element);
    for (size_t k = first; k < last; ++k) {
      const Shape& x = in_.operand(k);
      if (!x.is_array() || x.is_scalar()) continue;
      for (int64_t d = 0; d < std::min(x.rank(), r.rank()); ++d) Add(d, k, d, element);
    }
  }
  const Shape& Element(int64_t i) const {
    return result_.is_tuple() ? result_.tuple_shapes()[static_cast<size_t>(i)] : result_;
  }
  int64_t Elements() const {
    return result_.is_tuple() ? static_cast<int64_t>(result_.tuple_shapes().size()) : 1;
  }

  absl::Status Reshape();
  void Gather();
  void Dot(const DotAttrs& a);
  void Products(const DotAttrs& a, const Dims& groups, int64_t first);
  void RaggedDot();
  void BatchNorm();
  void Convolution();
  void Reduce();
  void Scan();

  std::vector<SizeSource> Take() { return std::move(sources_); }

 private:
  const InferInput& in_;
  const Shape& result_;
  std::vector<SizeSource> sources_;
};

absl::Status Sources::Reshape() {
  const Shape& x = in_.operand(0);
  for (const ReshapeRun& run : ReshapeRuns(x.dimensions(), result_.dimensions())) {
    int64_t dynamic = -1, target = -1;
    for (int64_t d = run.from; d < run.from_end; ++d) {
      if (!x.is_dynamic(d)) continue;
      REQUIRE(dynamic < 0,
              "dimensions {} and {} of {} are dynamic and become parts of the same dimensions, "
              "which takes a dynamic-reshape",
              dynamic, d, x.ToString());
      dynamic = d;
    }
    if (dynamic < 0) continue;
    for (int64_t d = run.to; d < run.to_end; ++d) {
      const bool marked = in_.declared && in_.declared->is_array() && in_.declared->is_dynamic(d);
      if (run.to_end - run.to > 1 && !marked) continue;
      REQUIRE(target < 0,
              "dimension {} of {} becomes dimensions {} and {} of the result, of which one can be "
              "dynamic",
              dynamic, x.ToString(), target, d);
      target = d;
    }
    REQUIRE(target >= 0,
            "dimension {} of {} is dynamic, and so must be one of the result's that it becomes",
            dynamic, x.ToString());
    Add(target, 0, dynamic);
  }
  return absl::OkStatus();
}

void Sources::Gather() {
  const auto& a = in_.as<GatherAttrs>();
  const Shape& x = in_.operand(0);
  Dims window;  // operand dimensions that are the result's offset_dims, in order
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (!absl::c_linear_search(a.collapsed_slice_dims, d) &&
        !absl::c_linear_search(a.operand_batching_dims, d))
      window.push_back(d);
  }
  int64_t index = 0;
  for (int64_t r = 0; r < result_.rank(); ++r) {
    auto at = std::find(a.offset_dims.begin(), a.offset_dims.end(), r);
    if (at != a.offset_dims.end()) {
      const int64_t d = window[static_cast<size_t>(at - a.offset_dims.begin())];
      // A part of a dimension has a size of its own.
      if (a.slice_sizes[static_cast<size_t>(d)] == x.dimension(d) && x.dimension(d) != 1)
        Add(r, 0, d);
      continue;
    }
    if (index == a.index_vector_dim) ++index;
    for (size_t k = 0; k < a.start_indices_batching_dims.size(); ++k) {
      if (a.start_indices_batching_dims[k] == index) Add(r, 0, a.operand_batching_dims[k]);
    }
    Add(r, 1, index++);
  }
}

void Sources::Dot(const DotAttrs& a) { Products(a, {}, 0); }

void Sources::Products(const DotAttrs& a, const Dims& groups, int64_t r) {
  for (size_t k = 0; k < a.lhs_batch_dims.size(); ++k, ++r) {
    Add(r, 0, a.lhs_batch_dims[k]);
    Add(r, 1, a.rhs_batch_dims[k]);
  }
  const Shape &lhs = in_.operand(0), &rhs = in_.operand(1);
  for (int64_t d : FreeDims(lhs.rank(), {&a.lhs_batch_dims, &a.lhs_contracting_dims}))
    Add(r++, 0, d);
  for (int64_t d : FreeDims(rhs.rank(), {&a.rhs_batch_dims, &a.rhs_contracting_dims, &groups}))
    Add(r++, 1, d);
}

void Sources::RaggedDot() {
  const auto& a = in_.as<RaggedDotAttrs>();
  const bool groups = FindRagged(a, in_.operand(0).rank()).mode == RaggedMode::kContracting;
  if (groups) Add(0, 2, in_.operand(2).rank() - 1);
  Products(a, a.rhs_group_dims, groups ? 1 : 0);
}

// The statistics have a dimension of features.
void Sources::BatchNorm() {
  const int64_t feature = in_.as<BatchNormAttrs>().feature_index;
  for (size_t k = 0; k < in_.operands.size(); ++k) {
    // The gradient of the result is an array like the first operand.
    const bool whole = k == 0 || (k == 4 && result_.is_tuple());
    for (int64_t e = 0; e < Elements(); ++e) {
      if (e > 0) {
        Add(0, k, whole ? feature : 0, e);
      } else if (!whole) {
        Add(feature, k, 0);
      } else {
        for (int64_t d = 0; d < Element(0).rank(); ++d) Add(d, k, d);
      }
    }
  }
}

void Sources::Convolution() {
  const auto& d = in_.as<ConvolutionAttrs>().dim_labels;
  Add(d.output_batch_dimension, 0, d.input_batch_dimension);
  Add(d.output_feature_dimension, 1, d.kernel_output_feature_dimension);
  for (size_t k = 0; k < d.output_spatial_dimensions.size(); ++k) {
    Add(d.output_spatial_dimensions[k], 0, d.input_spatial_dimensions[k]);
    Add(d.output_spatial_dimensions[k], 1, d.kernel_spatial_dimensions[k]);
  }
}

void Sources::Reduce() {
  const Dims& reduced = in_.as<DimensionsAttrs>().dimensions;
  const size_t inputs = in_.operands.size() / 2;
  for (int64_t e = 0; e < Elements(); ++e) {
    int64_t r = 0;
    for (int64_t d = 0; d < in_.operand(0).rank(); ++d) {
      if (absl::c_linear_search(reduced, d)) continue;
      for (size_t k = 0; k < inputs; ++k) Add(r, k, d, e);
      ++r;
    }
  }
}

void Sources::Scan() {
  const auto& a = in_.as<ScanAttrs>();
  const auto operands = static_cast<int64_t>(in_.operands.size());
  const int64_t inputs = operands - a.num_carries, outputs = Elements() - a.num_carries;
  for (int64_t e = 0; e < outputs; ++e) {
    for (int64_t k = 0; k < inputs; ++k)
      Add(a.dimensions[0], static_cast<size_t>(k), a.dimensions[0], e);
  }
  for (int64_t k = 0; k < a.num_carries; ++k) {
    for (int64_t d = 0; d < Element(outputs + k).rank(); ++d)
      Add(d, static_cast<size_t>(inputs + k), d, outputs + k);
  }
}

}  // namespace

std::vector<ReshapeRun> ReshapeRuns(const Dims& from, const Dims& to) {
  std::vector<ReshapeRun> runs;
  size_t i = 0, j = 0;
  // Where there is nothing, sizes say nothing about which dimensions belong together.
  const bool empty = absl::c_linear_search(from, 0) || absl::c_linear_search(to, 0);
  while (i < from.size() || j < to.size()) {
    ReshapeRun run{static_cast<int64_t>(i), 0, static_cast<int64_t>(j), 0};
    if (empty && !(i < from.size() && j < to.size() && from[i] == to[j])) {
      i = from.size();
      j = to.size();
    } else {
      int64_t have = i < from.size() ? from[i++] : 1, want = j < to.size() ? to[j++] : 1;
      while (!empty && have != want) {
        if (have < want) {
          if (i == from.size()) break;
          have *= from[i++];
        } else {
          if (j == to.size()) break;
          want *= to[j++];
        }
      }
    }
    run.from_end = static_cast<int64_t>(i);
    run.to_end = static_cast<int64_t>(j);
    runs.push_back(run);
  }
  return runs;
}

Shape ReshapedShape(const Shape& operand, const Dims& sizes) {
  Shape result(operand.element_type(), sizes);
  for (const ReshapeRun& run : ReshapeRuns(operand.dimensions(), sizes)) {
    bool dynamic = false;
    for (int64_t d = run.from; d < run.from_end; ++d) dynamic |= operand.is_dynamic(d);
    if (!dynamic || run.to == run.to_end) continue;
    int64_t target = run.to;
    while (target + 1 < run.to_end && sizes[static_cast<size_t>(target)] == 1) ++target;
    result.set_dynamic(target, true);
  }
  return result;
}

absl::StatusOr<std::vector<SizeSource>> SizeSources(HloOpcode op, const InferInput& in,
                                                    const Shape& result) {
  Sources s(in, result);
  switch (op) {
    case HloOpcode::AllGather:
    case HloOpcode::AllReduce:
    case HloOpcode::AllToAll:
    case HloOpcode::CollectiveBroadcast:
    case HloOpcode::CollectivePermute:
    case HloOpcode::CollectiveReduce:
    case HloOpcode::ReduceScatter:
      // Of one participant. Others may have more or less, which its rule does not know. A
      // permutation of slices has an operand that they are put into.
      if (op == HloOpcode::CollectivePermute &&
          !in.as<CollectivePermuteAttrs>().slice_sizes.empty()) {
        s.AddSame(1, 2);
        break;
      }
      for (int64_t e = 0; e < s.Elements(); ++e)
        s.AddSame(static_cast<size_t>(e), static_cast<size_t>(e) + 1, e);
      break;
    case HloOpcode::Map:
    case HloOpcode::Reverse:
    case HloOpcode::Pad:
    case HloOpcode::Cholesky:
    case HloOpcode::BitcastConvert:
    case HloOpcode::SetDimensionSize:
    case HloOpcode::DynamicUpdateSlice:
    case HloOpcode::SelectAndScatter:
      // What follows the first operand has other dimensions, or none.
      if (!result.is_tuple()) {
        const bool all = op == HloOpcode::Map;
        s.AddSame(0, all ? in.operands.size() : 1);
      }
      break;
    case HloOpcode::Broadcast: {
      const Shape& x = in.operand(0);
      const Dims& dims = in.as<DimensionsAttrs>().dimensions;
      for (int64_t d = 0; d < x.rank(); ++d) {
        const int64_t to = dims[static_cast<size_t>(d)];
        REQUIRE(!x.is_dynamic(d) || x.dimension(d) == result.dimension(to),
                "dimension {} of the operand is dynamic, and cannot be repeated", d);
        if (x.dimension(d) == result.dimension(to)) s.Add(to, 0, d);
      }
      break;
    }
    case HloOpcode::Reshape:
      RETURN_IF_ERROR(s.Reshape());
      break;
    case HloOpcode::Transpose: {
      const Dims& dims = in.as<DimensionsAttrs>().dimensions;
      for (size_t d = 0; d < dims.size(); ++d) s.Add(static_cast<int64_t>(d), 0, dims[d]);
      break;
    }
    case HloOpcode::Slice:
      // One element of a dimension is one, however many there are.
      for (int64_t d = 0; d < result.rank(); ++d) {
        if (result.dimension(d) != 1) s.Add(d, 0, d);
      }
      break;
    case HloOpcode::DynamicSlice:
      for (int64_t d = 0; d < result.rank(); ++d) {
        if (result.dimension(d) == in.operand(0).dimension(d) && result.dimension(d) != 1)
          s.Add(d, 0, d);
      }
      break;
    case HloOpcode::Concatenate:
      s.AddSame(0, in.operands.size());
      break;
    case HloOpcode::Gather:
      s.Gather();
      break;
    case HloOpcode::Scatter: {
      const auto inputs = static_cast<size_t>(s.Elements());
      for (size_t e = 0; e < inputs; ++e) s.AddSame(0, inputs, static_cast<int64_t>(e));
      break;
    }
    case HloOpcode::Sort:
      for (int64_t e = 0; e < s.Elements(); ++e) s.AddSame(0, in.operands.size(), e);
      break;
    case HloOpcode::TopK:
      for (int64_t e = 0; e < s.Elements(); ++e) {
        for (int64_t d = 0; d + 1 < in.operand(0).rank(); ++d) s.Add(d, 0, d, e);
      }
      break;
    case HloOpcode::Reduce:
      s.Reduce();
      break;
    case HloOpcode::ReduceWindow:
      for (int64_t e = 0; e < s.Elements(); ++e) s.AddSame(0, in.operands.size() / 2, e);
      break;
    case HloOpcode::Dot:
      s.Dot(in.as<DotAttrs>());
      break;
    case HloOpcode::RaggedDot:
      s.RaggedDot();
      break;
    case HloOpcode::Convolution:
      s.Convolution();
      break;
    case HloOpcode::Fft: {
      const auto transformed = static_cast<int64_t>(in.as<FftAttrs>().fft_length.size());
      for (int64_t d = 0; d + transformed < result.rank(); ++d) s.Add(d, 0, d);
      break;
    }
    case HloOpcode::TriangularSolve: {
      s.AddSame(1, 2);
      const int64_t rank = result.rank();
      s.Add(in.as<TriangularSolveAttrs>().left_side ? rank - 2 : rank - 1, 0, rank - 1);
      for (int64_t d = 0; d + 2 < rank; ++d) s.Add(d, 0, d);
      break;
    }
    case HloOpcode::BatchNormGrad:
    case HloOpcode::BatchNormInference:
    case HloOpcode::BatchNormTraining:
      s.BatchNorm();
      break;
    case HloOpcode::Scan:
      s.Scan();
      break;
    default:
      if (IsElementwise(op)) s.AddSame(0, in.operands.size());
  }
  return s.Take();
}

absl::Status MarkDynamic(HloOpcode op, const InferInput& in, Shape& result) {
  ASSIGN_OR_RETURN(std::vector<SizeSource> sources, SizeSources(op, in, result));
  for (const SizeSource& s : sources) {
    if (!in.operand(static_cast<size_t>(s.operand)).is_dynamic(s.operand_dimension)) continue;
    Shape& element =
        result.is_tuple() ? result.mutable_tuple_shapes()[static_cast<size_t>(s.element)] : result;
    // Of set-dimension-size the result's own dimension is as its rule says.
    if (op == HloOpcode::SetDimensionSize && in.as<DimensionsAttrs>().dimensions[0] == s.dimension)
      continue;
    element.set_dynamic(s.dimension, true);
  }
  return absl::OkStatus();
}

bool TakesDynamic(const Shape& declared, const Shape& actual) {
  for (int64_t d = 0; d < actual.rank(); ++d) {
    if (actual.is_dynamic(d) && !declared.is_dynamic(d)) return false;
  }
  const auto &d = declared.tuple_shapes(), &a = actual.tuple_shapes();
  return std::equal(d.begin(), d.end(), a.begin(), a.end(), TakesDynamic);
}

absl::Status CheckTransformed(const FftAttrs& attrs, const Shape& operand) {
  const auto count = static_cast<int64_t>(attrs.fft_length.size());
  for (int64_t d = operand.rank() - count; d < operand.rank(); ++d) {
    if (!operand.is_dynamic(d)) continue;
    return Unimplemented(
        "fft_length={{{}}} is static, and dimension {} of {}, which it transforms, has a size that "
        "is known only when the program runs",
        Join(attrs.fft_length, ","), d, operand.ToString());
  }
  return absl::OkStatus();
}

Shape WithDynamicOf(Shape shape, const Shape& other) {
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (other.is_dynamic(d)) shape.set_dynamic(d, true);
  }
  for (size_t k = 0; k < shape.tuple_shapes().size(); ++k) {
    Shape& element = shape.mutable_tuple_shapes()[k];
    element = WithDynamicOf(std::move(element), other.tuple_shapes()[k]);
  }
  return shape;
}

namespace infer {

absl::StatusOr<Shape> GetDimensionSize(const InferInput& in) {
  const Dims& dims = in.as<DimensionsAttrs>().dimensions;
  REQUIRE(dims.size() == 1 && InRange(dims, in.operand(0).rank()),
          "(C1) dimensions={} must name one dimension of the operand", Text(dims));
  return Shape(ElementType::S32);
}

// The dimension becomes dynamic. It becomes static where the result is declared so, which takes a
// size that is the bound.
absl::StatusOr<Shape> SetDimensionSize(const InferInput& in) {
  const Shape &x = in.operand(0), &size = in.operand(1);
  const Dims& dims = in.as<DimensionsAttrs>().dimensions;
  REQUIRE(dims.size() == 1 && InRange(dims, x.rank()),
          "(C3) dimensions={} must name one dimension of the operand", Text(dims));
  REQUIRE(size.is_scalar() && size.element_type() == ElementType::S32,
          "the size must be an s32 scalar");
  Shape result = x;
  const bool is_static = in.declared && in.declared->is_array() &&
                         in.declared->rank() == x.rank() && !in.declared->is_dynamic(dims[0]);
  result.set_dynamic(dims[0], !is_static);
  return result;
}

// The sizes may say that there are fewer elements than the bounds allow: the operand has as many.
absl::StatusOr<Shape> DynamicReshape(const InferInput& in) {
  REQUIRE(in.declared, "needs the result's shape");
  REQUIRE(!in.operands.empty(), "needs an operand");
  const Shape &x = in.operand(0), &result = *in.declared;
  REQUIRE(result.is_array() && x.element_type() == result.element_type(),
          "(C1) the result must have the operand's element type");
  REQUIRE(static_cast<int64_t>(in.operands.size()) == result.rank() + 1,
          "(C4) needs a size for each of the result's {} dimensions, got {}", result.rank(),
          in.operands.size() - 1);
  for (size_t k = 1; k < in.operands.size(); ++k) {
    REQUIRE(in.operand(k).is_scalar() && in.operand(k).element_type() == ElementType::S32,
            "(C4) the sizes must be s32 scalars");
  }
  REQUIRE(!result.is_static() || !x.is_static() || x.element_count() == result.element_count(),
          "(C2) the result must have the operand's number of elements: {} is not {}",
          result.element_count(), x.element_count());
  return result;
}

}  // namespace infer
}  // namespace sinter
