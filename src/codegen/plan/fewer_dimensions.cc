#include "codegen/plan/fewer_dimensions.h"

#include <cstring>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "ir/results.h"

namespace sinter::plan {
namespace {

class DimensionRewriter {
 public:
  DimensionRewriter(const HloComputation& region, const DimensionGroups& groups, bool as_words)
      : region_(region), groups_(groups), as_words_(as_words) {}

  std::unique_ptr<HloModule> Run() {
    auto module = std::make_unique<HloModule>(region_.name());
    HloComputation* fewer = module->AddComputation(region_.name());
    for (const HloInstruction* p : region_.parameters())
      copies_[p] =
          fewer->AddParameter(p->attrs<ParameterAttrs>().number, ShapeOf(*p, {}), p->name());
    for (const HloInstruction* i : region_.PostOrder()) {
      if (copies_.contains(i)) continue;
      const std::vector<HloInstruction*> operands = OperandsOf(*i);
      const Shape shape = ShapeOf(*i, operands);
      const bool drops = IsSlice(*i) && groups_(*i) != groups_(*i->operand(0));
      HloInstruction* c = fewer->AddWithShape(
          i->op(), drops ? Shape(shape.element_type(), ExtentsOfSlice(*i)) : shape, operands,
          AttributesOf(*i), i->called(), i->name());
      c->set_metadata(i->metadata());
      if (drops) {
        c = fewer->AddWithShape(HloOpcode::Reshape, shape, {c});
        c->set_metadata(i->metadata());
      }
      copies_[i] = c;
    }
    fewer->set_root(copies_.at(region_.root()));
    module->set_entry(fewer);
    return module;
  }

 private:
  // Whether a dimension is the outermost of those that become one.
  static bool IsFirst(const std::vector<int64_t>& groups, size_t d) {
    return groups[d] != kGone && (d == 0 || groups[d] != groups[d - 1]);
  }
  std::vector<HloInstruction*> OperandsOf(const HloInstruction& i) const {
    std::vector<HloInstruction*> operands;
    const size_t arrays = i.op() == HloOpcode::DynamicSlice         ? 1
                          : i.op() == HloOpcode::DynamicUpdateSlice ? 2
                                                                    : i.operands().size();
    for (size_t k = 0; k < arrays; ++k) operands.push_back(copies_.at(i.operand(k)));
    if (arrays == i.operands().size()) return operands;
    // A start is given for each dimension; those of a whole one are all 0.
    const std::vector<int64_t> groups = groups_(*i.operand(0));
    const Dims &array = i.operand(0)->shape().dimensions(),
               &window = (arrays == 1 ? i : *i.operand(1)).shape().dimensions();
    for (size_t d = 0; d < groups.size(); ++d) {
      HloInstruction* start = copies_.at(i.operand(arrays + d));
      if (IsFirst(groups, d)) {
        operands.push_back(start);
      } else if (groups[d] != kGone && window[d] != array[d]) {
        operands.back() = start;
      }
    }
    return operands;
  }
  // Lists the dimensions that those in `dims` become parts of, each once.
  Dims MapDims(const Dims& dims, const HloInstruction& of) {
    const std::vector<int64_t> groups = groups_(of);
    Dims out;
    for (int64_t d : dims) {
      const int64_t g = groups[static_cast<size_t>(d)];
      if (g != kGone && !absl::c_linear_search(out, g)) out.push_back(g);
    }
    return out;
  }
  std::vector<int64_t> Extents(const HloInstruction& i) {
    return Merged(ResultShape(i).dimensions(), groups_(i));
  }
  // Slices have their operand's dimensions; of those that are one position in the result, this may
  // lack some.
  static bool IsSlice(const HloInstruction& i) {
    return i.op() == HloOpcode::Slice || i.op() == HloOpcode::DynamicSlice;
  }
  std::vector<int64_t> ExtentsOfSlice(const HloInstruction& i) {
    return Merged(i.shape().dimensions(), groups_(*i.operand(0)));
  }
  static std::vector<int64_t> Merged(const Dims& dims, const std::vector<int64_t>& groups) {
    std::vector<int64_t> extents;
    for (size_t d = 0; d < groups.size(); ++d) {
      const int64_t n = dims[d];
      if (IsFirst(groups, d)) {
        extents.push_back(n);
      } else if (groups[d] != kGone) {
        extents.back() *= n;
      }
    }
    return extents;
  }
  ElementType TypeOf(const Shape& s) const {
    const ElementType type = s.element_type();
    return as_words_ && type == ElementType::C64 ? ElementType::U64 : type;
  }
  Shape ShapeOf(const HloInstruction& i, absl::Span<HloInstruction* const> operands) {
    if (i.op() == HloOpcode::While) return operands[0]->shape();
    std::vector<Shape> elements;
    if (i.op() == HloOpcode::Tuple) {
      for (const HloInstruction* o : operands) elements.push_back(o->shape());
      return Shape::Tuple(elements);
    }
    if (!i.shape().is_tuple()) return Shape(TypeOf(i.shape()), Extents(i));
    for (const Shape& s : i.shape().tuple_shapes()) elements.emplace_back(TypeOf(s), Extents(i));
    return Shape::Tuple(elements);
  }
  // Of each dimension, `values` of the outermost one in it, times the elements of the others.
  Dims Scaled(const Dims& values, const HloInstruction& i, bool scale = true) {
    const std::vector<int64_t> groups = groups_(i);
    Dims out;
    for (size_t d = 0; d < values.size(); ++d) {
      if (IsFirst(groups, d)) {
        out.push_back(values[d]);
      } else if (scale && groups[d] != kGone) {
        out.back() *= i.shape().dimension(static_cast<int64_t>(d));
      }
    }
    return out;
  }

  // Inner dimensions of a group are whole, but for every so many elements.
  SliceAttrs SliceOf(const SliceAttrs& a, const HloInstruction& i) {
    const std::vector<int64_t> groups = groups_(*i.operand(0));
    SliceAttrs out;
    for (size_t d = 0; d < a.starts.size(); ++d) {
      const int64_t stride = a.strides.empty() ? 1 : a.strides[d];
      if (IsFirst(groups, d)) {
        out.starts.push_back(a.starts[d]);
        out.limits.push_back(a.limits[d]);
        out.strides.push_back(stride);
      } else if (groups[d] != kGone) {
        const int64_t extent = i.operand(0)->shape().dimension(static_cast<int64_t>(d));
        out.starts.back() = out.starts.back() * extent + a.starts[d];
        out.limits.back() *= extent;
        out.strides.back() *= stride;
      }
    }
    return out;
  }

  // The dimension along which an index of several numbers is; behind the last one of such without.
  int64_t VectorOf(const HloInstruction& indices, int64_t vector) {
    const std::vector<int64_t> groups = groups_(indices);
    const auto at = static_cast<size_t>(vector);
    if (at < groups.size() && groups[at] != kGone) return groups[at];
    return static_cast<int64_t>(Extents(indices).size());
  }

  Attributes AttributesOf(const HloInstruction& i) {
    Attributes attrs = i.attributes();
    switch (i.op()) {
      case HloOpcode::Iota: {
        auto& a = std::get<IotaAttrs>(attrs);
        a.iota_dimension = groups_(i)[static_cast<size_t>(a.iota_dimension)];
        break;
      }
      case HloOpcode::Broadcast: {
        // Of the operand's dimensions, in order.
        const std::vector<int64_t> groups = groups_(*i.operand(0)), to = groups_(i);
        Dims dims;
        for (size_t k = 0; k < groups.size(); ++k) {
          if (IsFirst(groups, k)) dims.push_back(to[static_cast<size_t>(i.dimensions()[k])]);
        }
        std::get<DimensionsAttrs>(attrs).dimensions = std::move(dims);
        break;
      }
      case HloOpcode::Transpose:
      case HloOpcode::Reduce:
        std::get<DimensionsAttrs>(attrs).dimensions = MapDims(i.dimensions(), *i.operand(0));
        break;
      case HloOpcode::Reverse:
      case HloOpcode::Concatenate:
        std::get<DimensionsAttrs>(attrs).dimensions = MapDims(i.dimensions(), i);
        break;
      case HloOpcode::Slice: {
        auto& a = std::get<SliceAttrs>(attrs);
        a = SliceOf(a, i);
        break;
      }
      case HloOpcode::Pad: {
        auto& a = std::get<PadAttrs>(attrs);
        a.low = Scaled(a.low, i);
        a.high = Scaled(a.high, i);
        a.interior = Scaled(a.interior, i, /*scale=*/false);
        break;
      }
      case HloOpcode::DynamicSlice:
        std::get<DynamicSliceAttrs>(attrs).dynamic_slice_sizes = Dims(ExtentsOfSlice(i));
        break;
      case HloOpcode::Dot: {
        auto& a = std::get<DotAttrs>(attrs);
        a.lhs_batch_dims = MapDims(a.lhs_batch_dims, *i.operand(0));
        a.rhs_batch_dims = MapDims(a.rhs_batch_dims, *i.operand(1));
        a.lhs_contracting_dims = MapDims(a.lhs_contracting_dims, *i.operand(0));
        a.rhs_contracting_dims = MapDims(a.rhs_contracting_dims, *i.operand(1));
        break;
      }
      case HloOpcode::Gather: {
        auto& a = std::get<GatherAttrs>(attrs);
        a.offset_dims = MapDims(a.offset_dims, i);
        // Merged ones are whole.
        a.slice_sizes = Scaled(a.slice_sizes, *i.operand(0));
        for (Dims* dims : {&a.collapsed_slice_dims, &a.start_index_map, &a.operand_batching_dims})
          *dims = MapDims(*dims, *i.operand(0));
        a.start_indices_batching_dims = MapDims(a.start_indices_batching_dims, *i.operand(1));
        a.index_vector_dim = VectorOf(*i.operand(1), a.index_vector_dim);
        break;
      }
      case HloOpcode::Scatter: {
        auto& a = std::get<ScatterAttrs>(attrs);
        a.update_window_dims = MapDims(a.update_window_dims, *i.operands().back());
        for (Dims* dims :
             {&a.inserted_window_dims, &a.scatter_dims_to_operand_dims, &a.input_batching_dims})
          *dims = MapDims(*dims, *i.operand(0));
        const HloInstruction& indices = *i.operand(i.operands().size() / 2);
        a.scatter_indices_batching_dims = MapDims(a.scatter_indices_batching_dims, indices);
        a.index_vector_dim = VectorOf(indices, a.index_vector_dim);
        break;
      }
      case HloOpcode::Constant:
        if (const Shape shape(TypeOf(i.shape()), Extents(i)); shape != i.shape()) {
          Literal same{shape};
          std::memcpy(same.untyped_data(), i.literal().untyped_data(),
                      static_cast<size_t>(shape.byte_size()));
          attrs = ConstantAttrs{std::make_shared<const Literal>(std::move(same))};
        }
        break;
      default:
        break;
    }
    return attrs;
  }

  const HloComputation& region_;
  const DimensionGroups& groups_;
  const bool as_words_;  // complex numbers
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> copies_;
};

}  // namespace

std::unique_ptr<HloModule> WithFewerDimensions(const HloComputation& region,
                                               const DimensionGroups& groups, bool as_words) {
  return DimensionRewriter(region, groups, as_words).Run();
}

}  // namespace sinter::plan
