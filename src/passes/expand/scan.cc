#include "passes/expand/scan.h"

#include <limits>

#include "base/status.h"
#include "pass/expansion.h"
#include "pass/graph.h"

namespace sinter {
namespace expand {
namespace {

using Instructions = std::vector<HloInstruction*>;

// The state of the loop: the counter, the carries, the outputs so far, the inputs.
class Scan {
 public:
  Scan(HloComputation& c, const HloInstruction& i)
      : c_(c), i_(i), attrs_(i.attrs<ScanAttrs>()), dimension_(attrs_.dimensions[0]) {
    carries_ = static_cast<size_t>(attrs_.num_carries);
    inputs_ = i.operands().size() - carries_;
    results_ = {i.shape()};
    if (i.shape().is_tuple()) results_ = i.shape().tuple_shapes();
    outputs_ = results_.size() - carries_;
    length_ = i.operand(0)->shape().dimension(dimension_);
    index_type_ =
        length_ <= std::numeric_limits<int32_t>::max() ? ElementType::S32 : ElementType::S64;
  }

  absl::StatusOr<HloInstruction*> Make() {
    Graph g(c_, i_);
    Instructions state{g.Zero(index_type_)};
    for (size_t k = 0; k < carries_; ++k) state.push_back(i_.operand(inputs_ + k));
    for (size_t k = 0; k < outputs_; ++k)
      state.push_back(g.Splat(g.Zero(results_[k].element_type()), results_[k].dimensions()));
    for (size_t k = 0; k < inputs_; ++k) state.push_back(i_.operand(k));
    if (length_ > 0) {
      HloInstruction* initial = g.Add(HloOpcode::Tuple, state);
      RETURN_IF_ERROR(g.status());
      ASSIGN_OR_RETURN(HloComputation * condition, Condition(initial->shape()));
      ASSIGN_OR_RETURN(HloComputation * body, Body(initial->shape()));
      HloInstruction* loop = g.Add(HloOpcode::While, {initial}, NoAttrs{}, {condition, body});
      for (size_t k = 0; k < state.size(); ++k) state[k] = g.Element(loop, static_cast<int64_t>(k));
    }
    Instructions results;
    for (size_t k = 0; k < outputs_; ++k) results.push_back(state[1 + carries_ + k]);
    for (size_t k = 0; k < carries_; ++k) results.push_back(state[1 + k]);
    HloInstruction* result = i_.shape().is_tuple() ? g.Add(HloOpcode::Tuple, results) : results[0];
    RETURN_IF_ERROR(g.status());
    return result;
  }

 private:
  absl::StatusOr<HloComputation*> Condition(const Shape& state) {
    HloComputation* c = c_.module()->AddComputation("scan.condition");
    Graph g(*c, i_);
    HloInstruction* counter = g.Element(c->AddParameter(0, state), 0);
    c->set_root(g.Compare(counter, g.Scalar(index_type_, static_cast<double>(length_)),
                          ComparisonDirection::kLt));
    RETURN_IF_ERROR(g.status());
    return c;
  }

  absl::StatusOr<HloComputation*> Body(const Shape& shape) {
    HloComputation* c = c_.module()->AddComputation("scan.body");
    Graph g(*c, i_);
    Instructions state = g.Elements(c->AddParameter(0, shape));
    HloInstruction *counter = state[0], *at = counter, *zero = g.Zero(index_type_);
    if (attrs_.is_reverse) {
      HloInstruction* last = g.Scalar(index_type_, static_cast<double>(length_ - 1));
      at = g.Add(HloOpcode::Subtract, {last, counter});
    }
    auto starts = [&](Instructions operands, int64_t rank) {
      for (int64_t d = 0; d < rank; ++d) operands.push_back(d == dimension_ ? at : zero);
      return operands;
    };

    Instructions arguments;
    for (size_t k = 0; k < inputs_; ++k) {
      HloInstruction* x = state[1 + carries_ + outputs_ + k];
      Dims sizes = x->shape().dimensions();
      sizes[static_cast<size_t>(dimension_)] = 1;
      HloInstruction* slice =
          g.Add(HloOpcode::DynamicSlice, starts({x}, x->shape().rank()), DynamicSliceAttrs{sizes});
      sizes.erase(sizes.begin() + dimension_);
      arguments.push_back(g.Reshape(slice, sizes));
    }
    arguments.insert(arguments.end(), state.begin() + 1,
                     state.begin() + 1 + static_cast<ptrdiff_t>(carries_));
    RETURN_IF_ERROR(g.status());
    HloInstruction* given = c->Inline(*i_.called(0), arguments);

    Instructions results{given};
    if (given->shape().is_tuple()) {
      results.clear();
      for (size_t k = 0; k < results_.size(); ++k)
        results.push_back(g.Element(given, static_cast<int64_t>(k)));
    }
    state[0] = g.Add(HloOpcode::Add, {counter, g.Scalar(index_type_, 1)});
    for (size_t k = 0; k < carries_; ++k) state[1 + k] = results[outputs_ + k];
    for (size_t k = 0; k < outputs_; ++k) {
      HloInstruction*& stacked = state[1 + carries_ + k];
      Dims sizes = stacked->shape().dimensions();
      sizes[static_cast<size_t>(dimension_)] = 1;
      stacked = g.Add(HloOpcode::DynamicUpdateSlice,
                      starts({stacked, g.Reshape(results[k], sizes)}, stacked->shape().rank()));
    }
    c->set_root(g.Add(HloOpcode::Tuple, state));
    RETURN_IF_ERROR(g.status());
    return c;
  }

  HloComputation& c_;
  const HloInstruction& i_;
  const ScanAttrs& attrs_;
  const int64_t dimension_;
  size_t carries_, inputs_, outputs_;
  std::vector<Shape> results_;
  int64_t length_;
  ElementType index_type_;
};

}  // namespace
}  // namespace expand

std::unique_ptr<Pass> MakeExpandScanPass() {
  return MakeExpansionPass(
      "expand-scan", [](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (i.op() != HloOpcode::Scan) return nullptr;
        return expand::Scan(c, i).Make();
      });
}

}  // namespace sinter
