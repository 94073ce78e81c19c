// Operations that combine elements over dynamic dimensions: what is not there is made to count for
// nothing.
#include <limits>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "passes/expand/dynamic_values.h"

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

// The least or greatest number of a type, from which a comparison tells no other; nothing for
// floats without infinities.
std::optional<Literal> Extreme(ElementType type, bool least) {
  const int bits = BitWidth(type);
  if (IsPredicate(type)) return Literal::R0(!least);
  if (IsUnsigned(type)) return Literal::R0<int64_t>(least ? 0 : -1);
  if (IsSigned(type)) {
    const int64_t greatest = std::numeric_limits<int64_t>::max() >> (64 - bits);
    return Literal::R0<int64_t>(least ? -greatest - 1 : greatest);
  }
  if (!IsFloat(type) || bits <= 8) return std::nullopt;
  const double infinity = std::numeric_limits<double>::infinity();
  return Literal::R0<double>(least ? -infinity : infinity);
}

}  // namespace

HloInstruction* SizedOperation::Neutral(const HloComputation& combiner, ElementType type,
                                        HloInstruction* initial) {
  const HloInstruction* op = OnlyOperation(combiner);
  std::optional<Literal> value;
  switch (op ? op->op() : HloOpcode::Parameter) {
    case HloOpcode::Add:
      // 0 - 0 is 0, but -0 + -0 is not.
      value = IsPredicate(type) ? Literal::R0(false) : Literal::R0(-0.0);
      break;
    case HloOpcode::Or:
    case HloOpcode::Xor:
      value = IsPredicate(type) ? Literal::R0(false) : Literal::R0<int64_t>(0);
      break;
    case HloOpcode::Multiply:
      value = IsPredicate(type) ? Literal::R0(true) : Literal::R0(1.0);
      break;
    case HloOpcode::And:
      value = IsPredicate(type) ? Literal::R0(true) : Literal::R0<int64_t>(-1);
      break;
    case HloOpcode::Maximum:
      value = Extreme(type, true);
      break;
    case HloOpcode::Minimum:
      value = Extreme(type, false);
      break;
    default:
      break;
  }
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

HloInstruction* SizedOperation::CountWindows(HloInstruction* size, const WindowDimension& w) {
  if (w.base_dilation != 1) {
    HloInstruction* gaps = Op(HloOpcode::Maximum, Op(HloOpcode::Subtract, size, Int(1)), Int(0));
    size = Op(HloOpcode::Add, size, Op(HloOpcode::Multiply, gaps, Int(w.base_dilation - 1)));
  }
  const int64_t window = DilatedSize(w.size, w.window_dilation).value_or(0);
  size = Op(HloOpcode::Add, size, Int(w.padding_low + w.padding_high - window + w.stride));
  return Op(HloOpcode::Maximum, Op(HloOpcode::Divide, size, Int(w.stride)), Int(0));
}

SizedOperation::Results SizedOperation::ReduceWindow() {
  const Window& window = i_.attrs<WindowAttrs>().window;
  const size_t inputs = operands_.size() / 2;
  if (inputs != 1 && i_.shape().is_tuple()) {
    // Every element of the result has the same sizes; one is told of them below.
    for (size_t d = 0; d < window.size(); ++d) {
      const bool trivial = window[d] == WindowDimension();
      for (size_t k = 0; k < inputs; ++k) {
        if (operands_[k].sizes[d] && !trivial) return Refuse("windows over several arrays");
      }
    }
    return Same();
  }
  sizes_.resize(window.size());
  Dims dims;
  for (size_t d = 0; d < window.size(); ++d) {
    if (!operands_[0].sizes[d] || window[d] == WindowDimension()) continue;
    dims.push_back(static_cast<int64_t>(d));
    sizes_[d] = CountWindows(operands_[0].sizes[d], window[d]);
  }
  const ElementType type = operands_[0].array->shape().element_type();
  MaskOperand(0, dims, Neutral(*i_.called(0), type, operands_[1].array));
  return Same();
}

SizedOperation::Results SizedOperation::SelectAndScatter() {
  const HloInstruction* select = OnlyOperation(*i_.called(0));
  const ElementType type = operands_[0].array->shape().element_type();
  if (!select || select->op() != HloOpcode::Compare ||
      select->operand(0) != i_.called(0)->parameter(0))
    return Refuse("dimensions and a selection that is no comparison");
  std::optional<Literal> last;
  switch (select->attrs<CompareAttrs>().direction) {
    case ComparisonDirection::kGe:
    case ComparisonDirection::kGt:
      last = Extreme(type, true);
      break;
    case ComparisonDirection::kLe:
    case ComparisonDirection::kLt:
      last = Extreme(type, false);
      break;
    default:
      break;
  }
  if (!last) return Refuse("dimensions and a selection that is no comparison");
  HloInstruction* neutral = Neutral(*i_.called(1), type, operands_[2].array);
  // Where windows are is where the source has elements.
  const Window& window = i_.attrs<WindowAttrs>().window;
  Sized source = operands_[1];
  for (size_t d = 0; d < window.size(); ++d) {
    if (operands_[0].sizes[d]) source.sizes[d] = CountWindows(operands_[0].sizes[d], window[d]);
  }
  operands_[1].array = Mask(source, AllDims(1), neutral);
  MaskOperand(0, AllDims(0), g_.Convert(c_.AddConstant(*std::move(last)), type));
  return Same();
}

SizedOperation::Results SizedOperation::Convolution() {
  const auto& a = i_.attrs<ConvolutionAttrs>();
  const auto& d = a.dim_labels;
  const Sized &x = operands_[0], &kernel = operands_[1];
  if (AnySize(1, d.kernel_spatial_dimensions)) return Refuse("windows");
  const bool features = AnySize(0, {d.input_feature_dimension}) ||
                        AnySize(1, {d.kernel_input_feature_dimension}) ||
                        AnySize(1, {d.kernel_output_feature_dimension});
  const bool batch =
      AnySize(0, {d.input_batch_dimension}) || AnySize(1, {d.kernel_output_feature_dimension});
  if ((a.feature_group_count != 1 && features) || (a.batch_group_count != 1 && batch))
    return Refuse("groups");
  sizes_.resize(static_cast<size_t>(i_.shape().rank()));
  Dims dims = d.input_spatial_dimensions;
  for (size_t k = 0; k < dims.size(); ++k) {
    HloInstruction* size = x.size(dims[k]);
    if (size && !(a.window[k] == WindowDimension()))
      sizes_[static_cast<size_t>(d.output_spatial_dimensions[k])] = CountWindows(size, a.window[k]);
  }
  // Products over features that are not there are of zeros on both sides.
  Sized lhs = x, rhs = kernel;
  HloInstruction*& left = lhs.sizes[static_cast<size_t>(d.input_feature_dimension)];
  HloInstruction*& right = rhs.sizes[static_cast<size_t>(d.kernel_input_feature_dimension)];
  if (!left) left = right;
  right = left;
  dims.push_back(d.input_feature_dimension);
  HloInstruction* zero = g_.Zero(x.array->shape().element_type());
  operands_[0].array = Mask(lhs, dims, zero);
  operands_[1].array = Mask(rhs, {d.kernel_input_feature_dimension}, zero);
  return Same();
}

SizedOperation::Results SizedOperation::Dot() {
  const auto& a = i_.attrs<DotAttrs>();
  Sized lhs = operands_[0], rhs = operands_[1];
  for (size_t k = 0; k < a.lhs_contracting_dims.size(); ++k) {
    HloInstruction*& left = lhs.sizes[static_cast<size_t>(a.lhs_contracting_dims[k])];
    HloInstruction*& right = rhs.sizes[static_cast<size_t>(a.rhs_contracting_dims[k])];
    if (!left) left = right;
    right = left;
  }
  operands_[0].array =
      Mask(lhs, a.lhs_contracting_dims, g_.Zero(lhs.array->shape().element_type()));
  operands_[1].array =
      Mask(rhs, a.rhs_contracting_dims, g_.Zero(rhs.array->shape().element_type()));
  return Same();
}

// A further operand says which elements are there; these come before all others.
SizedOperation::Results SizedOperation::Sort() {
  const int64_t d = i_.attrs<SortAttrs>().dimensions[0];
  HloInstruction* size = nullptr;
  for (const Sized& x : operands_) size = size ? size : x.size(d);
  if (!size) return Same();
  HloComputation* c = c_.module()->AddComputation("sort.comparator");
  Graph g(*c, i_);
  std::vector<HloInstruction*> parameters;
  for (size_t k = 0; k < operands_.size(); ++k) {
    for (int side = 0; side < 2; ++side)
      parameters.push_back(c->AddParameter(static_cast<int64_t>(parameters.size()),
                                           Shape(operands_[k].array->shape().element_type())));
  }
  const auto n = static_cast<int64_t>(parameters.size());
  HloInstruction* left = c->AddParameter(n, Shape(ElementType::PRED));
  HloInstruction* right = c->AddParameter(n + 1, Shape(ElementType::PRED));
  HloInstruction* before = c->Inline(*i_.called(0), parameters);
  before = g.Add(HloOpcode::Or, {before, g.Add(HloOpcode::Not, {right})});
  c->set_root(g.Add(HloOpcode::And, {left, before}));
  g_.Fail(g.status());

  std::vector<HloInstruction*> arrays;
  for (const Sized& x : operands_) arrays.push_back(x.array);
  arrays.push_back(Present(operands_[0].bounds(), d, size));
  HloInstruction* sorted = g_.Add(HloOpcode::Sort, arrays, i_.attributes(), {c});
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

// Features are independent of one another; what is counted beside them is not known.
SizedOperation::Results SizedOperation::BatchNorm() {
  Dims others = AllDims(0);
  others.erase(others.begin() + i_.attrs<BatchNormAttrs>().feature_index);
  if (AnySize(0, others)) return Refuse("dimensions other than that of features");
  return Same();
}

// Vectors and matrices are independent of one another, but have to be whole.
SizedOperation::Results SizedOperation::LinearAlgebra() {
  int64_t whole = 2;
  if (i_.op() == HloOpcode::TopK) whole = 1;
  if (i_.op() == HloOpcode::Fft)
    whole = static_cast<int64_t>(i_.attrs<FftAttrs>().fft_length.size());
  for (size_t k = 0; k < operands_.size(); ++k) {
    const auto rank = static_cast<int64_t>(operands_[k].sizes.size());
    for (int64_t d = rank - whole; d < rank; ++d) {
      // Each right-hand side is solved for by itself.
      if (i_.op() == HloOpcode::TriangularSolve && k == 1 &&
          d == (i_.attrs<TriangularSolveAttrs>().left_side ? rank - 1 : rank - 2))
        continue;
      if (operands_[k].size(d)) return Refuse("dimensions of what is computed as a whole");
    }
  }
  return Same();
}

}  // namespace sinter::expand
