// Operations that move elements from and to places that depend on data.
#include "builder/impl.h"
#include "sinter/ops.h"

namespace sinter {
namespace {

using Made = absl::StatusOr<HloInstruction*>;

// `operands` are the inputs, the indices, the updates.
Made AddScatter(Recording& r, const std::vector<HloInstruction*>& operands,
                const Callable& computation, const ScatterDimensionNumbers& d, bool sorted,
                bool unique) {
  const size_t n = operands.size() / 2;
  std::vector<Shape> parameters;
  for (size_t i = 0; i < 2 * n; ++i)
    parameters.emplace_back(operands[i % n]->shape().element_type());
  ASSIGN_OR_RETURN(HloComputation * body,
                   r.Called(computation, std::move(parameters), "update_computation"));
  body = r.impl().Share(body);
  return r.Add(HloOpcode::Scatter, operands,
               ScatterAttrs{d.update_window_dims, d.inserted_window_dims,
                            d.scatter_dims_to_operand_dims, d.input_batching_dims,
                            d.scatter_indices_batching_dims, d.index_vector_dim, sorted, unique},
               {&body, 1});
}

}  // namespace

Op Gather(const Operand& input, const Operand& start_indices,
          const GatherDimensionNumbers& dimension_numbers, absl::Span<const int64_t> slice_sizes,
          bool indices_are_sorted) {
  return Record({&input, &start_indices}, Name(HloOpcode::Gather), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(input.op()));
    ASSIGN_OR_RETURN(HloInstruction * indices, r.Find(start_indices.op()));
    const GatherDimensionNumbers& d = dimension_numbers;
    return r.Add(HloOpcode::Gather, std::vector<HloInstruction*>{x, indices},
                 GatherAttrs{d.offset_dims,
                             d.collapsed_slice_dims,
                             d.start_index_map,
                             d.operand_batching_dims,
                             d.start_indices_batching_dims,
                             d.index_vector_dim,
                             {slice_sizes.begin(), slice_sizes.end()},
                             indices_are_sorted});
  });
}

Op Scatter(const Operand& input, const Operand& scatter_indices, const Operand& updates,
           const Callable& update_computation, const ScatterDimensionNumbers& dimension_numbers,
           bool indices_are_sorted, bool unique_indices) {
  return Record({&input, &scatter_indices, &updates}, Name(HloOpcode::Scatter),
                [&](Recording& r) -> Made {
                  ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.FindAlike({&input, &updates}));
                  ASSIGN_OR_RETURN(HloInstruction * indices, r.Find(scatter_indices.op()));
                  x.insert(x.begin() + 1, indices);
                  return AddScatter(r, x, update_computation, dimension_numbers, indices_are_sorted,
                                    unique_indices);
                });
}

Op Scatter(absl::Span<const Op> inputs, const Operand& scatter_indices,
           absl::Span<const Op> updates, const Callable& update_computation,
           const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted,
           bool unique_indices) {
  return Record({&scatter_indices}, Name(HloOpcode::Scatter), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.Find(inputs));
    ASSIGN_OR_RETURN(HloInstruction * indices, r.Find(scatter_indices.op()));
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> new_values, r.Find(updates));
    x.push_back(indices);
    x.insert(x.end(), new_values.begin(), new_values.end());
    if (inputs.empty() || inputs.size() != updates.size()) {
      return r.Error(Format("(C5) needs as many updates as inputs, got {} and {}", updates.size(),
                            inputs.size()),
                     x);
    }
    return AddScatter(r, x, update_computation, dimension_numbers, indices_are_sorted,
                      unique_indices);
  });
}

Op Sort(absl::Span<const Op> operands, const Callable& comparator, int64_t dimension,
        bool is_stable, SourceLocation where) {
  Builder* builder = operands.empty() ? nullptr : operands[0].builder();
  return Record(builder, Name(HloOpcode::Sort), where, [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.Find(operands));
    std::vector<Shape> parameters;
    for (const HloInstruction* i : x) {
      parameters.emplace_back(i->shape().element_type());
      parameters.emplace_back(i->shape().element_type());
    }
    ASSIGN_OR_RETURN(HloComputation * body,
                     r.Called(comparator, std::move(parameters), "comparator"));
    body = r.impl().Share(body);
    if (dimension == -1 && x[0]->shape().is_array()) dimension = x[0]->shape().rank() - 1;
    return r.Add(HloOpcode::Sort, x, SortAttrs{{dimension}, is_stable}, {&body, 1});
  });
}

Op TopK(const Operand& operand, int64_t k, bool largest) {
  return Record({&operand}, Name(HloOpcode::TopK), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    return r.Add(HloOpcode::TopK, {x}, TopKAttrs{k, largest});
  });
}

}  // namespace sinter
