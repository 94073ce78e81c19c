#include "ir/analysis/cost.h"

#include <algorithm>
#include <cmath>

#include "absl/container/flat_hash_map.h"

namespace sinter {
namespace {

using ComputationCosts = absl::flat_hash_map<const HloComputation*, Cost>;

double Count(const Shape& s) { return static_cast<double>(s.element_count()); }
double Bytes(const Shape& s) { return static_cast<double>(s.byte_size()); }

// Of a scalar computation applied to elements only the arithmetic counts.
Cost Arithmetic(const Cost& c, double times) {
  return {c.flops * times, c.transcendentals * times, 0, 0};
}

Cost DotCost(const HloInstruction& i) {
  const auto& a = i.attrs<DotAttrs>();
  double contracted = 1;
  for (int64_t d : a.lhs_contracting_dims)
    contracted *= static_cast<double>(i.operand(0)->shape().dimension(d));
  Cost c;
  c.flops = Count(i.shape()) * contracted * (IsComplex(i.shape().element_type()) ? 8 : 2);
  return c;
}

// Each element of lhs meets the right free dimensions of one group.
Cost RaggedDotCost(const HloInstruction& i) {
  const auto& a = i.attrs<RaggedDotAttrs>();
  const Shape& rhs = i.operand(1)->shape();
  double columns = Count(rhs);
  for (const Dims* dims : {&a.rhs_batch_dims, &a.rhs_contracting_dims, &a.rhs_group_dims}) {
    for (int64_t d : *dims) columns /= std::max(1.0, static_cast<double>(rhs.dimension(d)));
  }
  Cost c;
  c.flops = Count(i.operand(0)->shape()) * columns * (IsComplex(i.shape().element_type()) ? 8 : 2);
  return c;
}

double WindowElements(const Window& window) {
  double n = 1;
  for (const WindowDimension& w : window) n *= static_cast<double>(w.size);
  return n;
}

// A product and a sum for each element of a window and each input feature of the kernel.
Cost ConvolutionCost(const HloInstruction& i) {
  const auto& a = i.attrs<ConvolutionAttrs>();
  const double depth = static_cast<double>(
      i.operand(1)->shape().dimension(a.dim_labels.kernel_input_feature_dimension));
  Cost c;
  c.flops = Count(i.shape()) * depth * WindowElements(a.window) *
            (IsComplex(i.shape().element_type()) ? 8 : 2);
  return c;
}

Cost ReduceWindowCost(const HloInstruction& i, const ComputationCosts& costs) {
  const Window& window = i.attrs<WindowAttrs>().window;
  const Shape& from = i.operand(0)->shape();
  if (FindCumulative(from.dimensions(), window))
    return Arithmetic(costs.at(i.called(0)), Count(from));
  const Shape& to = i.shape().is_tuple() ? i.shape().tuple_shapes()[0] : i.shape();
  return Arithmetic(costs.at(i.called(0)), Count(to) * WindowElements(window));
}

Cost SelectAndScatterCost(const HloInstruction& i, const ComputationCosts& costs) {
  const double windows = Count(i.operand(1)->shape());
  Cost c =
      Arithmetic(costs.at(i.called(0)), windows * WindowElements(i.attrs<WindowAttrs>().window));
  return c += Arithmetic(costs.at(i.called(1)), windows);
}

Cost Work(const HloInstruction& i, const ComputationCosts& costs) {
  Cost c;
  switch (i.op()) {
    case HloOpcode::Dot:
      return DotCost(i);
    case HloOpcode::RaggedDot:
      return RaggedDotCost(i);
    case HloOpcode::Convolution:
      return ConvolutionCost(i);
    case HloOpcode::ReduceWindow:
      return ReduceWindowCost(i, costs);
    case HloOpcode::SelectAndScatter:
      return SelectAndScatterCost(i, costs);
    case HloOpcode::BatchNormTraining:
    case HloOpcode::BatchNormInference:
    case HloOpcode::BatchNormGrad:
      // About as many operations an element as the formula has.
      c.flops = 8 * Count(i.operand(0)->shape());
      return c;
    case HloOpcode::Reduce:
      return Arithmetic(costs.at(i.called(0)), Count(i.operand(0)->shape()));
    case HloOpcode::Scatter:
      return Arithmetic(costs.at(i.called(0)), Count(i.operands().back()->shape()));
    case HloOpcode::Sort: {
      // Each element is compared at each of the levels of a merge.
      const Shape& s = i.operand(0)->shape();
      const auto extent = static_cast<double>(s.dimension(i.attrs<SortAttrs>().dimensions[0]));
      return Arithmetic(costs.at(i.called(0)), Count(s) * std::log2(std::max(extent, 2.0)));
    }
    case HloOpcode::TopK: {
      const Shape& s = i.operand(0)->shape();
      c.flops = Count(s) * std::log2(std::max(static_cast<double>(s.dimensions().back()), 2.0));
      return c;
    }
    case HloOpcode::Map:
      return Arithmetic(costs.at(i.called(0)), Count(i.shape()));
    default:
      break;
  }
  if (!IsElementwise(i.op())) return c;
  double n = Count(i.shape());
  if (IsTranscendental(i.op())) {
    c.transcendentals = n;
  } else {
    c.flops = n * FlopsPerElement(i.op(), i.shape().element_type());
  }
  return c;
}

bool IsFree(HloOpcode op) {
  switch (op) {
    case HloOpcode::Parameter:
    case HloOpcode::Constant:
    case HloOpcode::Tuple:
    case HloOpcode::GetTupleElement:
    case HloOpcode::AfterAll:
    case HloOpcode::OptimizationBarrier:
      return true;
    default:
      return false;
  }
}

Cost One(const HloInstruction& i, const ComputationCosts& costs) {
  if (IsFree(i.op())) return {};
  switch (i.op()) {
    case HloOpcode::Call:
      return costs.at(i.called(0));
    case HloOpcode::While: {
      Cost turn = costs.at(i.called(0));
      return turn += costs.at(i.called(1));
    }
    case HloOpcode::Conditional: {
      Cost most;
      for (const HloComputation* branch : i.called()) {
        const Cost& c = costs.at(branch);
        if (c.flops + c.bytes() >= most.flops + most.bytes()) most = c;
      }
      return most;
    }
    default:
      break;
  }
  Cost c = i.op() == HloOpcode::Fusion ? Arithmetic(costs.at(i.called(0)), 1) : Work(i, costs);
  c.bytes_written = Bytes(i.shape());
  switch (i.op()) {
    // Only the part that is moved is touched; the operand of an update is updated in place at best.
    case HloOpcode::Slice:
    case HloOpcode::DynamicSlice:
      c.bytes_read = Bytes(i.shape());
      break;
    case HloOpcode::Gather:
      c.bytes_read = Bytes(i.shape()) + Bytes(i.operand(1)->shape());
      break;
    case HloOpcode::DynamicUpdateSlice:
      c.bytes_read = c.bytes_written = Bytes(i.operand(1)->shape());
      break;
    default:
      for (const HloInstruction* operand : i.operands()) c.bytes_read += Bytes(operand->shape());
  }
  return c;
}

// Costs of all computations reached from `roots`, called ones first.
void Collect(absl::Span<HloComputation* const> roots, ComputationCosts& costs) {
  std::vector<std::pair<const HloComputation*, bool>> stack;  // second: what it calls has been done
  for (const HloComputation* c : roots) stack.emplace_back(c, false);
  while (!stack.empty()) {
    auto [c, ready] = stack.back();
    stack.pop_back();
    if (costs.contains(c)) continue;
    std::vector<HloInstruction*> order = c->PostOrder();
    if (!ready) {
      stack.emplace_back(c, true);
      for (const HloInstruction* i : order) {
        for (const HloComputation* called : i->called()) stack.emplace_back(called, false);
      }
      continue;
    }
    Cost sum;
    for (const HloInstruction* i : order) sum += One(*i, costs);
    costs[c] = sum;
  }
}

}  // namespace

Cost& Cost::operator+=(const Cost& o) {
  flops += o.flops;
  transcendentals += o.transcendentals;
  bytes_read += o.bytes_read;
  bytes_written += o.bytes_written;
  return *this;
}

bool IsElementaryFunction(HloOpcode op) {
  switch (op) {
    case HloOpcode::Acos:
    case HloOpcode::Acosh:
    case HloOpcode::Asin:
    case HloOpcode::Asinh:
    case HloOpcode::Atan:
    case HloOpcode::Atan2:
    case HloOpcode::Atanh:
    case HloOpcode::Cbrt:
    case HloOpcode::Cosh:
    case HloOpcode::Cosine:
    case HloOpcode::Erf:
    case HloOpcode::Exp:
    case HloOpcode::Expm1:
    case HloOpcode::Log:
    case HloOpcode::Log1p:
    case HloOpcode::Logistic:
    case HloOpcode::Power:
    case HloOpcode::Rsqrt:
    case HloOpcode::Sine:
    case HloOpcode::Sinh:
    case HloOpcode::Tan:
    case HloOpcode::Tanh:
      return true;
    default:
      return false;
  }
}

bool IsTranscendental(HloOpcode op) {
  return IsElementaryFunction(op) || op == HloOpcode::Remainder || op == HloOpcode::Sqrt;
}

double FlopsPerElement(HloOpcode op, ElementType type) {
  if (op == HloOpcode::Copy) return 0;
  bool complex = IsComplex(type);
  if (op == HloOpcode::Multiply) return complex ? 6 : 1;
  if (op == HloOpcode::Divide) return complex ? 16 : 4;
  return complex ? 2 : 1;
}

Cost CostOf(const HloInstruction& instruction) {
  ComputationCosts costs;
  Collect(instruction.called(), costs);
  return One(instruction, costs);
}

Cost CostOf(const HloComputation& computation) {
  ComputationCosts costs;
  auto* root = const_cast<HloComputation*>(&computation);  // only read
  Collect({&root, 1}, costs);
  return costs.at(&computation);
}

}  // namespace sinter
