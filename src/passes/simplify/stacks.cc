#include "passes/simplify/stacks.h"

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/analysis/scalar_computation.h"
#include "ir/results.h"
#include "pass/inline_elementwise.h"
#include "passes/simplify/rules.h"

namespace sinter {
namespace {

// Rows of a stack that is taken apart, at most: guess.
constexpr int64_t kMostRows = 16;

// Rows of one element along the dimension, which nothing but `user` reads together.
bool IsStack(const HloInstruction& i, int64_t dim, const HloInstruction& user) {
  if (i.op() != HloOpcode::Concatenate || i.dimensions()[0] != dim ||
      std::ssize(i.operands()) > kMostRows || &i == i.parent()->root())
    return false;
  return absl::c_all_of(i.users(), [&](const HloInstruction* u) { return u == &user; }) &&
         absl::c_all_of(i.operands(),
                        [&](const HloInstruction* o) { return o->shape().dimension(dim) == 1; });
}

// Whether all positions of the dimension have the same elements.
bool IsRepeated(const HloInstruction& i, int64_t dim) {
  if (i.op() != HloOpcode::Broadcast) return false;
  const auto from = absl::c_find(i.dimensions(), dim);
  return from == i.dimensions().end() ||
         i.operand(0)->shape().dimension(from - i.dimensions().begin()) == 1;
}

// Whether the rows of one element along the dimension are there, or need no more than a number.
bool HasRows(const HloInstruction& i, int64_t dim, const HloInstruction& user) {
  const ElementType type = i.shape().element_type();
  const bool counts = i.op() == HloOpcode::Iota && !IsComplex(type) && BitWidth(type) >= 8;
  return IsStack(i, dim, user) || IsRepeated(i, dim) || counts;
}

// Row k of what has rows.
HloInstruction* RowOf(HloComputation& c, HloInstruction* i, int64_t dim, int64_t k) {
  if (i->op() == HloOpcode::Concatenate) return i->operand(static_cast<size_t>(k));
  Dims dims = i->shape().dimensions();
  dims[static_cast<size_t>(dim)] = 1;
  const Shape row(i->shape().element_type(), std::move(dims));
  if (i->op() == HloOpcode::Iota && i->attrs<IotaAttrs>().iota_dimension == dim)
    return AddSplat(c, row, *Literal::R0(k).Convert(row.element_type()));
  return c.AddWithShape(i->op(), row, i->operands(), i->attributes());
}

}  // namespace

HloInstruction* SimplifyOfStacks(HloComputation& c, HloInstruction* i) {
  const int64_t dim = i->shape().rank() - 1;
  if (dim < 0) return nullptr;
  bool has_stack = false;
  for (const HloInstruction* o : i->operands()) {
    if (o->shape().rank() != i->shape().rank() || !HasRows(*o, dim, *i)) return nullptr;
    has_stack |= o->op() == HloOpcode::Concatenate;
  }
  if (!has_stack || i->shape().dimension(dim) < 2) return nullptr;
  Dims dims = i->shape().dimensions();
  dims.back() = 1;
  const Shape row(i->shape().element_type(), std::move(dims));
  std::vector<HloInstruction*> rows;
  for (int64_t k = 0; k < i->shape().dimension(dim); ++k) {
    std::vector<HloInstruction*> operands;
    for (HloInstruction* o : i->operands()) operands.push_back(RowOf(c, o, dim, k));
    rows.push_back(c.AddWithShape(i->op(), row, operands, i->attributes(), i->called()));
    rows.back()->set_metadata(i->metadata());
  }
  return c.AddWithShape(HloOpcode::Concatenate, i->shape(), rows, DimensionsAttrs{{dim}});
}

HloInstruction* SimplifyReduceOfStack(HloComputation& c, HloInstruction* i) {
  const size_t n = i->operands().size() / 2;
  if (i->dimensions().size() != 1 || !IsScalarComputation(*i->called(0))) return nullptr;
  const int64_t dim = i->dimensions()[0];
  bool has_stack = false;
  for (size_t k = 0; k < n; ++k) {
    if (!HasRows(*i->operand(k), dim, *i)) return nullptr;
    has_stack |= i->operand(k)->op() == HloOpcode::Concatenate;
  }
  if (!has_stack) return nullptr;
  const Dims& dims = ResultShape(*i).dimensions();
  std::vector<HloInstruction*> results = InitialValues(c, *i);
  for (int64_t row = 0; row < i->operand(0)->shape().dimension(dim); ++row) {
    std::vector<HloInstruction*> arguments = results;
    for (size_t k = 0; k < n; ++k)
      arguments.push_back(AddReshape(c, RowOf(c, i->operand(k), dim, row), dims));
    results = InlineElementwiseResults(c, *i->called(0), arguments, dims);
  }
  return i->shape().is_tuple() ? c.AddWithShape(HloOpcode::Tuple, i->shape(), results) : results[0];
}

}  // namespace sinter
