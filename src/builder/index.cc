// Index maps: operations whose result's elements are elements of their operands.

#include "builder/impl.h"
#include "ir/ops/dynamic.h"
#include "sinter/ops.h"

namespace sinter {
namespace {

using Made = absl::StatusOr<HloInstruction*>;

Dims ToDims(absl::Span<const int64_t> span) { return Dims(span.begin(), span.end()); }

// The dimensions with the one that is -1 replaced by what remains of `elements`.
absl::StatusOr<Dims> FillIn(Recording& r, HloInstruction* x, absl::Span<const int64_t> dimensions) {
  Dims sizes = ToDims(dimensions);
  int64_t open = -1, known = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1 && open < 0) {
      open = static_cast<int64_t>(i);
    } else if (sizes[i] < 0) {
      return r.Error(Format("dimensions={} must not be negative, but for one that is -1",
                            DimensionsText(dimensions)),
                     {&x, 1});
    } else if (__builtin_mul_overflow(known, sizes[i], &known)) {
      return r.Error(
          Format("dimensions={} have more elements than int64 counts", DimensionsText(dimensions)),
          {&x, 1});
    }
  }
  if (open < 0) return sizes;
  if (known == 0 || x->shape().element_count() % known != 0) {
    return r.Error(Format("no size for -1 in dimensions={} keeps the number of elements",
                          DimensionsText(dimensions)),
                   {&x, 1});
  }
  sizes[static_cast<size_t>(open)] = x->shape().element_count() / known;
  return sizes;
}

Made ReshapeTo(Recording& r, HloInstruction* x, Dims sizes) {
  absl::StatusOr<Shape> shape = Shape::Make(x->shape().element_type(), sizes);
  if (!shape.ok()) return r.Error(MessageOf(shape.status()), {&x, 1});
  if (!x->shape().is_static()) *shape = ReshapedShape(x->shape(), sizes);
  return r.Add(HloOpcode::Reshape, {x}, NoAttrs{}, {}, &*shape);
}

Made AddPad(Recording& r, const Operand& operand, const Operand& padding_value,
            const PaddingConfig& config) {
  ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.FindAlike({&operand, &padding_value}));
  PadAttrs attrs;
  for (const PaddingDimension& d : config.dimensions) {
    attrs.low.push_back(d.low);
    attrs.high.push_back(d.high);
    attrs.interior.push_back(d.interior);
  }
  return r.Add(HloOpcode::Pad, x, std::move(attrs));
}

// The start indices, numbers among them being of the others' type.
absl::Status FindStarts(Recording& r, absl::Span<const Operand> starts,
                        std::vector<HloInstruction*>& operands) {
  ElementType type = ElementType::S32;
  for (const Operand& start : starts) {
    if (start.is_number()) continue;
    ASSIGN_OR_RETURN(HloInstruction * i, r.Find(start.op()));
    type = i->shape().element_type();
    break;
  }
  for (const Operand& start : starts) {
    ASSIGN_OR_RETURN(HloInstruction * i, r.Find(start, type));
    operands.push_back(i);
  }
  return absl::OkStatus();
}

std::vector<Operand> ToOperands(absl::Span<const Op> ops, const Operand& beside) {
  std::vector<Operand> operands;
  operands.reserve(ops.size());
  for (Op op : ops) operands.emplace_back(op, beside.where());
  return operands;
}

Op AddDynamicSlice(const Operand& operand, absl::Span<const Operand> starts,
                   absl::Span<const int64_t> sizes) {
  return Record({&operand}, Name(HloOpcode::DynamicSlice), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    std::vector<HloInstruction*> operands{x};
    RETURN_IF_ERROR(FindStarts(r, starts, operands));
    return r.Add(HloOpcode::DynamicSlice, operands, DynamicSliceAttrs{ToDims(sizes)});
  });
}

Op AddDynamicUpdateSlice(const Operand& operand, const Operand& update,
                         absl::Span<const Operand> starts) {
  return Record(
      {&operand, &update}, Name(HloOpcode::DynamicUpdateSlice), [&](Recording& r) -> Made {
        ASSIGN_OR_RETURN(std::vector<HloInstruction*> operands, r.FindAlike({&operand, &update}));
        RETURN_IF_ERROR(FindStarts(r, starts, operands));
        return r.Add(HloOpcode::DynamicUpdateSlice, operands);
      });
}

}  // namespace

Op Broadcast(const Operand& operand, absl::Span<const int64_t> broadcast_sizes) {
  return Record({&operand}, Name(HloOpcode::Broadcast), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    if (!x->shape().is_array()) return r.Error("the operand must be an array", {&x, 1});
    Dims sizes = ToDims(broadcast_sizes), dims;
    for (int64_t i = 0; i < x->shape().rank(); ++i) {
      dims.push_back(static_cast<int64_t>(sizes.size()));
      sizes.push_back(x->shape().dimension(i));
    }
    return r.BroadcastTo(x, sizes, dims);
  });
}

Op BroadcastInDim(const Operand& operand, absl::Span<const int64_t> out_dim_size,
                  absl::Span<const int64_t> broadcast_dimensions) {
  return Record({&operand}, Name(HloOpcode::Broadcast), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    absl::StatusOr<Shape> result = Shape::Make(x->shape().element_type(), out_dim_size);
    if (!result.ok()) return r.Error(MessageOf(result.status()), {&x, 1});
    // The rule for the whole, before it is taken apart.
    const Shape* operands[] = {&x->shape()};
    Attributes attrs = DimensionsAttrs{ToDims(broadcast_dimensions)};
    RETURN_IF_ERROR(InferShape(HloOpcode::Broadcast, {operands, attrs, {}, &*result}).status());
    for (size_t i = 1; i < broadcast_dimensions.size(); ++i) {
      if (broadcast_dimensions[i - 1] < broadcast_dimensions[i]) continue;
      return r.Error(
          Format("broadcast_dimensions={} must increase", DimensionsText(broadcast_dimensions)),
          {&x, 1});
    }
    return r.BroadcastTo(x, out_dim_size, broadcast_dimensions);
  });
}

Op Reshape(const Operand& operand, absl::Span<const int64_t> dimensions) {
  return Record({&operand}, Name(HloOpcode::Reshape), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    ASSIGN_OR_RETURN(Dims sizes, FillIn(r, x, dimensions));
    return ReshapeTo(r, x, std::move(sizes));
  });
}

Op Reshape(const Shape& shape, const Operand& operand) {
  return Record({&operand}, Name(HloOpcode::Reshape), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    if (absl::Status s = CheckShape(shape); !s.ok()) return r.Error(MessageOf(s), {&x, 1});
    return r.Add(HloOpcode::Reshape, {x}, NoAttrs{}, {}, &shape);
  });
}

Op Collapse(const Operand& operand, absl::Span<const int64_t> dimensions) {
  return Record({&operand}, Name(HloOpcode::Reshape), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    const Shape& shape = x->shape();
    for (size_t i = 0; i < dimensions.size(); ++i) {
      bool follows = i == 0 || dimensions[i] == dimensions[i - 1] + 1;
      if (!follows || dimensions[i] < 0 || dimensions[i] >= shape.rank()) {
        return r.Error(
            Format("dimensions={} to collapse must be consecutive dimensions of the operand",
                   DimensionsText(dimensions)),
            {&x, 1});
      }
    }
    if (dimensions.size() <= 1) return x;
    Dims sizes;
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (d > dimensions.front() && d <= dimensions.back()) {
        // The whole operand's size fits into int64, unless it is empty.
        sizes.back() = static_cast<int64_t>(static_cast<uint64_t>(sizes.back()) *
                                            static_cast<uint64_t>(shape.dimension(d)));
      } else {
        sizes.push_back(shape.dimension(d));
      }
    }
    return ReshapeTo(r, x, std::move(sizes));
  });
}

Op Transpose(const Operand& operand, absl::Span<const int64_t> permutation) {
  return Record({&operand}, Name(HloOpcode::Transpose), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    return r.Add(HloOpcode::Transpose, {x}, DimensionsAttrs{ToDims(permutation)});
  });
}

Op Rev(const Operand& operand, absl::Span<const int64_t> dimensions) {
  return Record({&operand}, Name(HloOpcode::Reverse), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    return r.Add(HloOpcode::Reverse, {x}, DimensionsAttrs{ToDims(dimensions)});
  });
}

Op Slice(const Operand& operand, absl::Span<const int64_t> start_indices,
         absl::Span<const int64_t> limit_indices, absl::Span<const int64_t> strides) {
  return Record({&operand}, Name(HloOpcode::Slice), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    SliceAttrs attrs{ToDims(start_indices), ToDims(limit_indices), ToDims(strides)};
    if (strides.empty()) attrs.strides.assign(start_indices.size(), 1);
    return r.Add(HloOpcode::Slice, {x}, std::move(attrs));
  });
}

Op SliceInDim(const Operand& operand, int64_t start_index, int64_t limit_index, int64_t stride,
              int64_t dimno) {
  return Record({&operand}, Name(HloOpcode::Slice), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    const Shape& shape = x->shape();
    if (dimno < 0 || dimno >= shape.rank()) {
      return r.Error(Format("{} is no dimension of the operand", dimno), {&x, 1});
    }
    SliceAttrs attrs{Dims(static_cast<size_t>(shape.rank()), 0), shape.dimensions(),
                     Dims(static_cast<size_t>(shape.rank()), 1)};
    auto d = static_cast<size_t>(dimno);
    attrs.starts[d] = start_index;
    attrs.limits[d] = limit_index;
    attrs.strides[d] = stride;
    return r.Add(HloOpcode::Slice, {x}, std::move(attrs));
  });
}

Op Pad(const Operand& operand, const Operand& padding_value, const PaddingConfig& padding_config) {
  return Record({&operand, &padding_value}, Name(HloOpcode::Pad),
                [&](Recording& r) { return AddPad(r, operand, padding_value, padding_config); });
}

Op PadInDim(const Operand& operand, const Operand& padding_value, int64_t dimno, int64_t pad_lo,
            int64_t pad_hi) {
  return Record({&operand, &padding_value}, Name(HloOpcode::Pad), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    if (dimno < 0 || dimno >= x->shape().rank()) {
      return r.Error(Format("{} is no dimension of the operand", dimno), {&x, 1});
    }
    PaddingConfig config = MakeNoPaddingConfig(x->shape().rank());
    config.dimensions[static_cast<size_t>(dimno)] = {pad_lo, pad_hi, 0};
    return AddPad(r, operand, padding_value, config);
  });
}

Op ConcatInDim(Builder* builder, absl::Span<const Op> operands, int64_t dimension,
               SourceLocation where) {
  return Record(builder, Name(HloOpcode::Concatenate), where, [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.Find(operands));
    return r.Add(HloOpcode::Concatenate, x, DimensionsAttrs{{dimension}});
  });
}

Op DynamicSlice(const Operand& operand, absl::Span<const Op> start_indices,
                absl::Span<const int64_t> slice_sizes) {
  return AddDynamicSlice(operand, ToOperands(start_indices, operand), slice_sizes);
}
Op DynamicSlice(const Operand& operand, std::initializer_list<Operand> start_indices,
                absl::Span<const int64_t> slice_sizes) {
  return AddDynamicSlice(operand, {start_indices.begin(), start_indices.size()}, slice_sizes);
}

Op DynamicUpdateSlice(const Operand& operand, const Operand& update,
                      absl::Span<const Op> start_indices) {
  return AddDynamicUpdateSlice(operand, update, ToOperands(start_indices, operand));
}
Op DynamicUpdateSlice(const Operand& operand, const Operand& update,
                      std::initializer_list<Operand> start_indices) {
  return AddDynamicUpdateSlice(operand, update, {start_indices.begin(), start_indices.size()});
}

}  // namespace sinter
