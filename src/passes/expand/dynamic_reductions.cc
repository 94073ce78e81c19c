// Operations that combine elements over dynamic dimensions: what is not there is made to count for
// nothing.
#include <limits>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "ir/analysis/sort_key.h"
#include "pass/neutral.h"
#include "passes/expand/batch_norm.h"
#include "passes/expand/dynamic_values.h"
#include "passes/expand/select_and_scatter.h"

namespace sinter::expand {
namespace {

// The operation that a computation of two scalars is, if it is one.
const HloInstruction* OnlyOperation(const HloComputation& c) {
  const HloInstruction* root = c.root();
  if (c.parameters().size() != 2 || root->operands().size() != 2) return nullptr;
  const HloInstruction *x = root->operand(0), *y = root->operand(1);
  const bool both =
      (x == c.parameter(0) && y == c.parameter(1)) || (x == c.parameter(1) && y == c.parameter(0));
  return both ? root : nullptr;
}

}  // namespace

HloInstruction* SizedOperation::Neutral(const HloComputation& combiner, ElementType type,
                                        HloInstruction* initial) {
  const HloInstruction* op = OnlyOperation(combiner);
  std::optional<Literal> value;
  if (op) value = NeutralElement(op->op(), type);
  // Others combine any number of initial values by their contract.
  return g_.Convert(value ? c_.AddConstant(*std::move(value)) : initial, type);
}

SizedOperation::Results SizedOperation::Reduce() {
  const size_t inputs = operands_.size() / 2;
  for (size_t k = 0; k < inputs; ++k) {
    // Those beside it may say what is there.
    Sized x = operands_[k];
    for (size_t d = 0; d < x.sizes.size(); ++d) {
      for (size_t other = 0; !x.sizes[d] && other < inputs; ++other)
        x.sizes[d] = operands_[other].sizes[d];
    }
    const ElementType type = x.array->shape().element_type();
    operands_[k].array =
        Mask(x, i_.dimensions(), Neutral(*i_.called(0), type, operands_[inputs + k].array));
  }
  return Same();
}

HloInstruction* SizedOperation::CountWindows(HloInstruction* size, const WindowDimension& w,
                                             HloInstruction* elements) {
  if (w.base_dilation != 1) {
    HloInstruction* gaps = Op(HloOpcode::Maximum, Op(HloOpcode::Subtract, size, Int(1)), Int(0));
    size = Op(HloOpcode::Add, size, Op(HloOpcode::Multiply, gaps, Int(w.base_dilation - 1)));
  }
  const int64_t window = DilatedSize(elements ? 1 : w.size, w.window_dilation).value_or(0);
  size = Op(HloOpcode::Add, size, Int(w.padding_low + w.padding_high - window + w.stride));
  if (elements) {
    HloInstruction* more = Op(HloOpcode::Subtract, elements, Int(1));
    size = Op(HloOpcode::Subtract, size, Op(HloOpcode::Multiply, more, Int(w.window_dilation)));
  }
  return Op(HloOpcode::Maximum, Op(HloOpcode::Divide, size, Int(w.stride)), Int(0));
}

SizedOperation::Results SizedOperation::ReduceWindow() {
  const Window& window = i_.attrs<WindowAttrs>().window;
  const size_t inputs = operands_.size() / 2;
  sizes_.resize(window.size());
  Dims dims;
  std::vector<HloInstruction*> sizes(window.size());
  for (size_t d = 0; d < window.size(); ++d) {
    for (size_t k = 0; k < inputs && !sizes[d]; ++k) sizes[d] = operands_[k].sizes[d];
    if (!sizes[d] || window[d] == WindowDimension()) continue;
    dims.push_back(static_cast<int64_t>(d));
    sizes_[d] = CountWindows(sizes[d], window[d]);
  }
  for (size_t k = 0; k < inputs; ++k) {
    const Sized x{operands_[k].array, sizes};
    const ElementType type = x.array->shape().element_type();
    operands_[k].array = Mask(x, dims, Neutral(*i_.called(0), type, operands_[inputs + k].array));
  }
  return Same();
}

// Windows select among what is there, and only those windows give something that are there.
SizedOperation::Results SizedOperation::SelectAndScatter() {
  const Window& window = i_.attrs<WindowAttrs>().window;
  Sized source = operands_[1];
  for (size_t d = 0; d < window.size(); ++d) {
    if (operands_[0].sizes[d]) source.sizes[d] = CountWindows(operands_[0].sizes[d], window[d]);
  }
  const std::vector<HloInstruction*> arrays{operands_[0].array, operands_[1].array,
                                            operands_[2].array};
  ASSIGN_OR_RETURN(HloInstruction * scattered,
                   expand::SelectAndScatter(c_, i_, arrays, Presence(operands_[0], AllDims(0)),
                                            Presence(source, AllDims(1))));
  RETURN_IF_ERROR(g_.status());
  return std::vector<Sized>{{scattered, operands_[0].sizes}};
}

// A further operand says which elements are there; these come before all others.
HloInstruction* SizedOperation::Sorted(std::vector<HloInstruction*> arrays, int64_t d,
                                       HloInstruction* size, const HloComputation& comparator,
                                       bool is_stable) {
  HloComputation* c = c_.module()->AddComputation("sort.comparator");
  Graph g(*c, i_);
  std::vector<HloInstruction*> parameters;
  for (const HloInstruction* x : arrays) {
    for (int side = 0; side < 2; ++side)
      parameters.push_back(c->AddParameter(static_cast<int64_t>(parameters.size()),
                                           Shape(x->shape().element_type())));
  }
  const auto n = static_cast<int64_t>(parameters.size());
  HloInstruction* left = c->AddParameter(n, Shape(ElementType::PRED));
  HloInstruction* right = c->AddParameter(n + 1, Shape(ElementType::PRED));
  HloInstruction* before = c->Inline(comparator, parameters);
  before = g.Add(HloOpcode::Or, {before, g.Add(HloOpcode::Not, {right})});
  c->set_root(g.Add(HloOpcode::And, {left, before}));
  g_.Fail(g.status());
  arrays.push_back(Present(arrays[0]->shape().dimensions(), d, size));
  return g_.Add(HloOpcode::Sort, arrays, SortAttrs{{d}, is_stable}, {c});
}

SizedOperation::Results SizedOperation::Sort() {
  const auto& a = i_.attrs<SortAttrs>();
  const int64_t d = a.dimensions[0];
  HloInstruction* size = nullptr;
  for (const Sized& x : operands_) size = size ? size : x.size(d);
  if (!size) return Same();
  std::vector<HloInstruction*> arrays;
  for (const Sized& x : operands_) arrays.push_back(x.array);
  HloInstruction* sorted = Sorted(std::move(arrays), d, size, *i_.called(0), a.is_stable);
  std::vector<Sized> results = operands_;
  for (size_t k = 0; k < results.size(); ++k) {
    results[k].array = g_.Element(sorted, static_cast<int64_t>(k));
    for (size_t e = 0; e < results[k].sizes.size(); ++e) {
      for (const Sized& x : operands_) {
        if (!results[k].sizes[e]) results[k].sizes[e] = x.sizes[e];
      }
    }
  }
  RETURN_IF_ERROR(g_.status());
  return results;
}

// The first of what is sorted, floats by their total order.
SizedOperation::Results SizedOperation::TopK() {
  const auto& a = i_.attrs<TopKAttrs>();
  const Sized& x = operands_[0];
  const int64_t last = x.array->shape().rank() - 1;
  if (!x.size(last)) return Same();
  const ElementType type = x.array->shape().element_type();
  HloComputation* c = c_.module()->AddComputation("topk.comparator");
  Graph g(*c, i_);
  HloInstruction *left = c->AddParameter(0, Shape(type)), *right = c->AddParameter(1, Shape(type));
  c->AddParameter(2, Shape(ElementType::S32));
  c->AddParameter(3, Shape(ElementType::S32));
  c->set_root(g.Add(HloOpcode::Compare, {left, right}, ComparisonOf(i_)));
  g_.Fail(g.status());
  const Shape positions(ElementType::S32, x.bounds());
  HloInstruction* sorted =
      Sorted({x.array, g_.Add(HloOpcode::Iota, {}, IotaAttrs{last}, {}, &positions)}, last,
             x.size(last), *c, /*is_stable=*/true);
  SliceAttrs first{Dims(x.sizes.size(), 0), x.bounds(), Dims(x.sizes.size(), 1)};
  first.limits.back() = a.k;
  std::vector<Sized> results(2, x);
  for (size_t k = 0; k < 2; ++k) {
    HloInstruction* all = g_.Element(sorted, static_cast<int64_t>(k));
    results[k].array = g_.Add(HloOpcode::Slice, {all}, first);
    results[k].sizes.back() = nullptr;
  }
  RETURN_IF_ERROR(g_.status());
  return results;
}

// Features are independent of one another; of the rest is counted what is there.
SizedOperation::Results SizedOperation::BatchNorm() {
  const int64_t feature = i_.attrs<BatchNormAttrs>().feature_index;
  Dims others = AllDims(0);
  others.erase(others.begin() + feature);
  Sized x = operands_[0];
  for (size_t k = 1; k < operands_.size(); ++k) {
    const Sized& y = operands_[k];
    HloInstruction*& size = x.sizes[static_cast<size_t>(feature)];
    if (y.sizes.size() == 1 && !size) size = y.sizes[0];
    for (size_t d = 0; y.sizes.size() == x.sizes.size() && d < x.sizes.size(); ++d) {
      if (!x.sizes[d]) x.sizes[d] = y.sizes[d];
    }
  }
  HloInstruction* present = Presence(x, others);
  if (!present) return Same();
  const ElementType wide = Wide(x.array->shape().element_type());
  HloInstruction* count = nullptr;
  for (int64_t d : others) {
    HloInstruction* size = x.size(d) ? x.size(d) : Int(x.array->shape().dimension(d));
    size = g_.Convert(size, wide);
    count = count ? Op(HloOpcode::Multiply, count, size) : size;
  }
  std::vector<HloInstruction*> arrays;
  for (const Sized& y : operands_) arrays.push_back(y.array);
  ASSIGN_OR_RETURN(HloInstruction * made, expand::BatchNorm(c_, i_, arrays, present, count));
  std::vector<Sized> results{{g_.Element(made, 0), x.sizes}};
  for (int64_t k = 1; k < 3; ++k) results.push_back({g_.Element(made, k), {x.size(feature)}});
  RETURN_IF_ERROR(g_.status());
  return results;
}

}  // namespace sinter::expand
