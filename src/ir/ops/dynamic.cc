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

  // The result's sizes come from no operand, or its rule says itself which are dynamic.
  absl::Status None() { return absl::OkStatus(); }
  absl::Status Operands();            // those of all operands
  absl::Status FirstOperand();        // of the first; what follows has other dimensions, or none
  absl::Status OperandsOfTheirOwn();  // element k of the result: those of operand k
  absl::Status AllOperandsOfEach();   // each element of the result: those of all operands
  absl::Status CollectivePermute();
  absl::Status Broadcast();
  absl::Status Reshape();
  absl::Status Transpose();
  absl::Status Slice();
  absl::Status DynamicSlice();
  absl::Status Gather();
  absl::Status Scatter();
  absl::Status TopK();
  absl::Status Dot();
  absl::Status RaggedDot();
  absl::Status BatchNorm();
  absl::Status Convolution();
  absl::Status Reduce();
  absl::Status ReduceWindow();
  absl::Status Scan();
  absl::Status Fft();
  absl::Status TriangularSolve();

  std::vector<SizeSource> Take() { return std::move(sources_); }

 private:
  void Products(const DotAttrs& a, const Dims& groups, int64_t first);

  const InferInput& in_;
  const Shape& result_;
  std::vector<SizeSource> sources_;
};

absl::Status Sources::Operands() {
  AddSame(0, in_.operands.size());
  return absl::OkStatus();
}

absl::Status Sources::FirstOperand() {
  if (!result_.is_tuple()) AddSame(0, 1);
  return absl::OkStatus();
}

absl::Status Sources::OperandsOfTheirOwn() {
  for (int64_t e = 0; e < Elements(); ++e)
    AddSame(static_cast<size_t>(e), static_cast<size_t>(e) + 1, e);
  return absl::OkStatus();
}

absl::Status Sources::AllOperandsOfEach() {
  for (int64_t e = 0; e < Elements(); ++e) AddSame(0, in_.operands.size(), e);
  return absl::OkStatus();
}

absl::Status Sources::CollectivePermute() {
  if (in_.as<CollectivePermuteAttrs>().slice_sizes.empty()) return OperandsOfTheirOwn();
  AddSame(1, 2);  // the operand that slices are put into
  return absl::OkStatus();
}

absl::Status Sources::Broadcast() {
  const Shape& x = in_.operand(0);
  const Dims& dims = in_.as<DimensionsAttrs>().dimensions;
  for (int64_t d = 0; d < x.rank(); ++d) {
    const int64_t to = dims[static_cast<size_t>(d)];
    REQUIRE(!x.is_dynamic(d) || x.dimension(d) == result_.dimension(to),
            "dimension {} of the operand is dynamic, and cannot be repeated", d);
    if (x.dimension(d) == result_.dimension(to)) Add(to, 0, d);
  }
  return absl::OkStatus();
}

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

absl::Status Sources::Transpose() {
  const Dims& dims = in_.as<DimensionsAttrs>().dimensions;
  for (size_t d = 0; d < dims.size(); ++d) Add(static_cast<int64_t>(d), 0, dims[d]);
  return absl::OkStatus();
}

// One element of a dimension is one, however many there are.
absl::Status Sources::Slice() {
  for (int64_t d = 0; d < result_.rank(); ++d) {
    if (result_.dimension(d) != 1) Add(d, 0, d);
  }
  return absl::OkStatus();
}

absl::Status Sources::DynamicSlice() {
  for (int64_t d = 0; d < result_.rank(); ++d) {
    if (result_.dimension(d) == in_.operand(0).dimension(d) && result_.dimension(d) != 1)
      Add(d, 0, d);
  }
  return absl::OkStatus();
}

absl::Status Sources::Gather() {
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
  return absl::OkStatus();
}

absl::Status Sources::Scatter() {
  const auto inputs = static_cast<size_t>(Elements());
  for (size_t e = 0; e < inputs; ++e) AddSame(0, inputs, static_cast<int64_t>(e));
  return absl::OkStatus();
}

absl::Status Sources::TopK() {
  for (int64_t e = 0; e < Elements(); ++e) {
    for (int64_t d = 0; d + 1 < in_.operand(0).rank(); ++d) Add(d, 0, d, e);
  }
  return absl::OkStatus();
}

absl::Status Sources::Dot() {
  Products(in_.as<DotAttrs>(), {}, 0);
  return absl::OkStatus();
}

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

absl::Status Sources::RaggedDot() {
  const auto& a = in_.as<RaggedDotAttrs>();
  const bool groups = FindRagged(a, in_.operand(0).rank()).mode == RaggedMode::kContracting;
  if (groups) Add(0, 2, in_.operand(2).rank() - 1);
  Products(a, a.rhs_group_dims, groups ? 1 : 0);
  return absl::OkStatus();
}

// The statistics have a dimension of features.
absl::Status Sources::BatchNorm() {
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
  return absl::OkStatus();
}

absl::Status Sources::Convolution() {
  const auto& d = in_.as<ConvolutionAttrs>().dim_labels;
  Add(d.output_batch_dimension, 0, d.input_batch_dimension);
  Add(d.output_feature_dimension, 1, d.kernel_output_feature_dimension);
  for (size_t k = 0; k < d.output_spatial_dimensions.size(); ++k) {
    Add(d.output_spatial_dimensions[k], 0, d.input_spatial_dimensions[k]);
    Add(d.output_spatial_dimensions[k], 1, d.kernel_spatial_dimensions[k]);
  }
  return absl::OkStatus();
}

absl::Status Sources::Reduce() {
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
  return absl::OkStatus();
}

absl::Status Sources::Scan() {
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
  return absl::OkStatus();
}

absl::Status Sources::ReduceWindow() {
  for (int64_t e = 0; e < Elements(); ++e) AddSame(0, in_.operands.size() / 2, e);
  return absl::OkStatus();
}

absl::Status Sources::Fft() {
  const auto transformed = static_cast<int64_t>(in_.as<FftAttrs>().fft_length.size());
  for (int64_t d = 0; d + transformed < result_.rank(); ++d) Add(d, 0, d);
  return absl::OkStatus();
}

absl::Status Sources::TriangularSolve() {
  AddSame(1, 2);
  const int64_t rank = result_.rank();
  Add(in_.as<TriangularSolveAttrs>().left_side ? rank - 2 : rank - 1, 0, rank - 1);
  for (int64_t d = 0; d + 2 < rank; ++d) Add(d, 0, d);
  return absl::OkStatus();
}

using SourcesRule = absl::Status (Sources::*)();

// Of a collective operation on one participant: others may have more or less, which no rule knows.
constexpr OpRow<SourcesRule> kRows[] = {
    {HloOpcode::Parameter, &Sources::None},
    {HloOpcode::Constant, &Sources::None},
    {HloOpcode::Iota, &Sources::None},
    {HloOpcode::Tuple, &Sources::None},
    {HloOpcode::GetTupleElement, &Sources::None},
    {HloOpcode::Call, &Sources::None},
    {HloOpcode::Map, &Sources::Operands},
    {HloOpcode::While, &Sources::None},
    {HloOpcode::Conditional, &Sources::None},
    {HloOpcode::Scan, &Sources::Scan},
    {HloOpcode::Fusion, &Sources::None},
    {HloOpcode::CustomCall, &Sources::None},
    {HloOpcode::OptimizationBarrier, &Sources::None},
    {HloOpcode::AfterAll, &Sources::None},
    {HloOpcode::BitcastConvert, &Sources::FirstOperand},
    {HloOpcode::Broadcast, &Sources::Broadcast},
    {HloOpcode::Reshape, &Sources::Reshape},
    {HloOpcode::Transpose, &Sources::Transpose},
    {HloOpcode::Slice, &Sources::Slice},
    {HloOpcode::Pad, &Sources::FirstOperand},
    {HloOpcode::Concatenate, &Sources::Operands},
    {HloOpcode::Reverse, &Sources::FirstOperand},
    {HloOpcode::DynamicSlice, &Sources::DynamicSlice},
    {HloOpcode::DynamicUpdateSlice, &Sources::FirstOperand},
    {HloOpcode::Gather, &Sources::Gather},
    {HloOpcode::Scatter, &Sources::Scatter},
    {HloOpcode::Sort, &Sources::AllOperandsOfEach},
    {HloOpcode::TopK, &Sources::TopK},
    {HloOpcode::Windows, &Sources::None},
    {HloOpcode::DynamicReshape, &Sources::None},
    {HloOpcode::GetDimensionSize, &Sources::None},
    {HloOpcode::SetDimensionSize, &Sources::FirstOperand},
    {HloOpcode::Reduce, &Sources::Reduce},
    {HloOpcode::Dot, &Sources::Dot},
    {HloOpcode::RaggedDot, &Sources::RaggedDot},
    {HloOpcode::BatchNormGrad, &Sources::BatchNorm},
    {HloOpcode::BatchNormInference, &Sources::BatchNorm},
    {HloOpcode::BatchNormTraining, &Sources::BatchNorm},
    {HloOpcode::Convolution, &Sources::Convolution},
    {HloOpcode::ReduceWindow, &Sources::ReduceWindow},
    {HloOpcode::SelectAndScatter, &Sources::FirstOperand},
    {HloOpcode::Fft, &Sources::Fft},
    {HloOpcode::Rng, &Sources::None},
    {HloOpcode::RngGetAndUpdateState, &Sources::None},
    {HloOpcode::RngBitGenerator, &Sources::None},
    {HloOpcode::Cholesky, &Sources::FirstOperand},
    {HloOpcode::TriangularSolve, &Sources::TriangularSolve},
    {HloOpcode::AllGather, &Sources::OperandsOfTheirOwn},
    {HloOpcode::AllReduce, &Sources::OperandsOfTheirOwn},
    {HloOpcode::AllToAll, &Sources::OperandsOfTheirOwn},
    {HloOpcode::CollectiveBroadcast, &Sources::OperandsOfTheirOwn},
    {HloOpcode::CollectivePermute, &Sources::CollectivePermute},
    {HloOpcode::CollectiveReduce, &Sources::OperandsOfTheirOwn},
    {HloOpcode::RaggedAllToAll, &Sources::None},
    {HloOpcode::ReduceScatter, &Sources::OperandsOfTheirOwn},
    {HloOpcode::PartitionId, &Sources::None},
    {HloOpcode::ReplicaId, &Sources::None},
    {HloOpcode::Infeed, &Sources::None},
    {HloOpcode::Outfeed, &Sources::None},
    {HloOpcode::Recv, &Sources::None},
    {HloOpcode::RecvDone, &Sources::None},
    {HloOpcode::Send, &Sources::None},
    {HloOpcode::SendDone, &Sources::None},
};
constexpr auto kRules =
    TotalTable(kRows, [](const OpInfo& row) { return row.kind != OpKind::kElementwise; });

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
  const SourcesRule rule = IsElementwise(op) ? &Sources::Operands : kRules[static_cast<size_t>(op)];
  RETURN_IF_ERROR((s.*rule)());
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
